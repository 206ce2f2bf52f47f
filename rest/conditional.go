package rest

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// Conditional requests (RFC 9110 section 13), with the row's version as the tag:
//
//	request                       condition                      judged by     else
//	GET, HEAD + If-None-Match     the tag is not one of these    this file     304
//	GET, HEAD + If-Match          the tag is one of these        this file     412
//	PATCH, PUT, DELETE + either   the row's version              the store     412
//
// A read is judged after the call, when the answer and its tag are known. A write is judged in
// the transaction that writes, since the row may change between a look and the write.

// tag returns the strong ETag of the row in a result, in quotes: its version. If the response
// has other fields than the version covers (computed fields, a selection), a dot and a hash of
// the bytes follow. If-Match compares up to the dot. The tag is "" if the result is not a row,
// or not the row that a GET of its path returns.
func (x *exchange) tag(r *facade.Result) string {
	if r.Form != facade.FormRow && r.Form != facade.FormUpsert || r.Rows.Len() != 1 {
		return ""
	}
	if x.op.Kind != catalog.Query {
		// After a write the tag belongs to the row's own path (RFC 9110 section 8.8.3), and is
		// only known if both paths give the same view of the row.
		item := x.match.resource.item
		if item == nil || x.op.Name != "create" && x.op.Name != "update" && r.Form != facade.FormUpsert {
			return ""
		}
		if get := item.operation(http.MethodGet); get == nil || get.Output != x.op.Output {
			return ""
		}
	}
	tag := make([]byte, 1, 48)
	tag[0] = '"'
	// The version covers the stored fields. Computed fields and a selection change the bytes
	// while the version stays, so that they need the hash.
	whole := len(x.op.Door.Computed) == 0 && x.call.Select == nil && jsontext.Get(x.call.Invocation.Query, fieldsParameter) == nil
	versioned := len(r.Versions) == 1 && r.Versions[0] != ""
	if versioned {
		tag = append(tag, r.Versions[0]...)
	}
	if !versioned || !whole {
		if versioned {
			tag = append(tag, '.')
		}
		sum := sha256.Sum256(r.Rows.Row(0).JSON())
		tag = base64.RawURLEncoding.AppendEncode(tag, sum[:16])
	}
	return string(append(tag, '"'))
}

// conditional evaluates the preconditions of a GET or HEAD against the tag of the answer: it
// sends 304 and reports done if If-None-Match has the tag (RFC 9110 section 13.1.2), and fails
// with PRECONDITION_FAILED if If-Match lacks it (13.1.1). The store judges the preconditions of
// writes; see [exchange.precondition].
func (x *exchange) conditional(tag string) (done bool, err error) {
	if x.r.Method != http.MethodGet && x.r.Method != http.MethodHead {
		return false, nil
	}
	// If-Match is evaluated first (RFC 9110 section 13.2.2): a request with both headers fails
	// before it can be answered with 304.
	if wanted := x.r.Header["If-Match"]; len(wanted) > 0 && !matches(wanted, tag, false) {
		return false, kiterror.Errorf(kiterror.PreconditionFailed, "the row is not the one named; read it again and send its ETag").At(x.op.Door.Name, x.op.Name)
	}
	if known := x.r.Header["If-None-Match"]; len(known) > 0 && matches(known, tag, true) {
		x.send(http.StatusNotModified, nil)
		return true, nil
	}
	return false, nil
}

// matches reports whether a tag is in a header's list of tags. A weak comparison lets weak
// tags match, a strong one does not (RFC 9110 section 8.8.3.2). * matches every tag.
func matches(header []string, tag string, weak bool) (found bool) {
	tags(header, func(one string, isWeak bool) bool {
		found = one == "*" || one == tag && (weak || !isWeak)
		return !found
	})
	return found
}

// tags calls each with the tags of a header, in their quotes, and with *, until it returns
// false. A malformed list ends at its first error.
func tags(header []string, each func(tag string, weak bool) bool) {
	for _, line := range header {
		rest := line
		for {
			rest = strings.TrimLeft(rest, " \t,")
			if rest == "" {
				break
			}
			if rest[0] == '*' {
				if !each("*", false) {
					return
				}
				break
			}
			opaque, isWeak := strings.CutPrefix(rest, "W/")
			// A tag is always quoted. Without the quote the rest of the line cannot be split
			// safely, because a tag may contain commas.
			if opaque == "" || opaque[0] != '"' {
				break
			}
			end := strings.IndexByte(opaque[1:], '"')
			if end < 0 {
				break
			}
			if !each(opaque[:end+2], isWeak) {
				return
			}
			rest = opaque[end+2:]
		}
	}
}

// precondition returns the condition of a write from If-Match and If-None-Match, or nil. The store judges it in
// the transaction that writes (docs/decisions/writes-and-versions.md). Commands other than update and delete
// have no row whose version could be meant: the façade refuses an If-Match there. If-None-Match of a creation is
// not a condition on a row.
func (x *exchange) precondition() *facade.Precondition {
	wanted, known := x.r.Header["If-Match"], x.r.Header["If-None-Match"]
	if x.op.Kind == catalog.Query || len(wanted) == 0 && (len(known) == 0 || !x.onItem()) {
		return nil
	}
	p := &facade.Precondition{}
	if len(wanted) > 0 {
		// Not nil, also if every tag of the header is weak: an If-Match that no row can meet
		// has to fail, and nil means no condition.
		p.Match = []string{}
	}
	tags(wanted, func(tag string, weak bool) bool {
		if !weak { // no weak tag matches here (RFC 9110 section 13.1.1)
			p.Match = append(p.Match, strings.Trim(tag, `"`))
		}
		return true
	})
	tags(known, func(tag string, _ bool) bool {
		p.NoneMatch = append(p.NoneMatch, strings.Trim(tag, `"`))
		return true
	})
	return p
}
