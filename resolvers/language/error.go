package language

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/schema/jsontext"
)

// Error is one entry of a response's errors (specification 7.1.2). Everything in it may be
// sent to the client.
type Error struct {
	Message   string
	At        []Location
	Path      []Segment // of an error that belongs to one field of the response
	Code      string    // of extensions, as the fields below; "" is left out
	entity    string
	operation string
	details   any // plain JSON values
	trace     string
}

// Location is a place in a document. Line and column count from 1.
type Location struct{ Line, Column int }

// Segment is one segment of a path: a response key, or an index where key is "".
type Segment struct {
	Key   string
	Index int
}

// ForLimit is the error of an exceeded limit. format has one verb, for the limit.
func ForLimit(code string, limit int, format string) *Error {
	return &Error{
		Message: fmt.Sprintf(format, limit),
		Code:    code,
		details: map[string]any{"limit": limit},
	}
}

// MaxErrors is how many errors of one document, or of the variables of one request, are
// reported: a document may be wrong in as many places as it likes.
const MaxErrors = 50

// Exceeds reports whether n is more than a limit; a negative limit never is.
func Exceeds(n, limit int) bool { return limit >= 0 && n > limit }

// maxMessage bounds a message in bytes: it may quote a name of a document, which may be as long
// as the document.
const maxMessage = 1000

// Shorten cuts a message that is longer than it may be.
func Shorten(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	return strings.ToValidUTF8(message[:maxMessage], "") + "…"
}

// Positions returns the locations of elements of a document. A nil position is skipped:
// elements of this program's making have no positions.
func Positions(list ...*ast.Position) []Location {
	at := make([]Location, 0, len(list))
	for _, p := range list {
		if p != nil {
			at = append(at, Location{p.Line, p.Column})
		}
	}
	return at
}

// AppendList appends errors as a JSON array.
func AppendList(dst []byte, errs []*Error) []byte {
	return jsontext.AppendList(dst, errs, func(dst []byte, f *Error) []byte { return f.append(dst) })
}

// append appends f as JSON, in the order that clients are used to:
//
//	{"message":…,"locations":[{"line":1,"column":3}],"path":["posts",0],"extensions":{"code":…}}
//
// Locations and path are left out if they are empty.
func (f *Error) append(dst []byte) []byte {
	dst = append(dst, `{"message":`...)
	dst = jsontext.AppendString(dst, f.Message)
	if len(f.At) > 0 {
		dst = append(dst, `,"locations":[`...)
		for _, l := range f.At {
			dst = append(jsontext.Comma(dst), `{"line":`...)
			dst = strconv.AppendInt(dst, int64(l.Line), 10)
			dst = append(dst, `,"column":`...)
			dst = strconv.AppendInt(dst, int64(l.Column), 10)
			dst = append(dst, '}')
		}
		dst = append(dst, ']')
	}
	if len(f.Path) > 0 {
		dst = append(dst, `,"path":[`...)
		for _, s := range f.Path {
			dst = jsontext.Comma(dst)
			if s.Key != "" {
				dst = jsontext.AppendString(dst, s.Key)
			} else {
				dst = strconv.AppendInt(dst, int64(s.Index), 10)
			}
		}
		dst = append(dst, ']')
	}
	dst = append(dst, `,"extensions":{"code":`...)
	dst = jsontext.AppendString(dst, f.Code)
	for _, m := range [...]struct{ name, value string }{
		{"entity", f.entity}, {"operation", f.operation}, {"traceId", f.trace},
	} {
		if m.value != "" {
			dst = append(dst, `,"`+m.name+`":`...)
			dst = jsontext.AppendString(dst, m.value)
		}
	}
	if f.details != nil {
		if text, err := json.Marshal(f.details); err == nil {
			dst = append(dst, `,"details":`...)
			dst = append(dst, text...)
		}
	}
	return append(dst, "}}"...)
}

// The codes of errors in a request itself: the names that clients know from other servers.
// A failed call keeps the code of its [kiterror.Error].
const (
	codeParse         = "GRAPHQL_PARSE_FAILED"         // the document is not GraphQL
	CodeValidation    = "GRAPHQL_VALIDATION_FAILED"    // a rule of specification 5
	CodeInput         = "BAD_USER_INPUT"               // a variable does not fit its type
	CodeOperation     = "OPERATION_RESOLUTION_FAILURE" // no such operation, or several and no name
	CodeIntrospection = "INTROSPECTION_DISABLED"       // __schema or __type where they are refused
)

// The codes of limits. Each comes with details {limit}.
const (
	CodeDocument  = "DOCUMENT_TOO_LARGE"
	codeTokens    = "TOKEN_LIMIT_EXCEEDED"
	CodeDepth     = "DEPTH_LIMIT_EXCEEDED"
	CodeAliases   = "ALIAS_LIMIT_EXCEEDED"
	CodeRoots     = "ROOT_FIELD_LIMIT_EXCEEDED"
	CodeFields    = "FIELD_LIMIT_EXCEEDED"
	CodeExpanded  = "EXPANSION_LIMIT_EXCEEDED"
	CodeMerge     = "MERGE_LIMIT_EXCEEDED"
	CodeArguments = "ARGUMENT_LIMIT_EXCEEDED"
	codeExecution = "EXECUTION_TIMEOUT"
	CodeResponse  = "RESPONSE_TOO_LARGE"
	CodeErrors    = "ERROR_LIMIT_EXCEEDED"
)
