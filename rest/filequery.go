package rest

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// fileQuery is the query of a request about a file without a row.
type fileQuery struct {
	field  string // "": none is named
	sent   string // the id of a file whose bytes are at S3
	size   int64  // with sha256: of a file that asks for a pre-signed address
	sha256 string
}

// readFileQuery reads the query of a request about a file without a row.
func readFileQuery(r *http.Request) (*fileQuery, error) {
	parameters, err := parseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	q := &fileQuery{}
	for _, p := range parameters {
		value := p.values[0]
		switch p.name {
		case "field":
			q.field = value
		case "sent":
			q.sent = value
		case "size":
			q.size, _ = strconv.ParseInt(value, 10, 64)
		case "sha256":
			q.sha256 = strings.ToLower(value)
		default:
			return nil, kiterror.Refused([]schema.Detail{schema.Detail{Code: schema.UnknownKey, Message: "is not a key here; write field=product.image, say"}.At("/query/" + jsontext.Token(p.name))})
		}
		if len(p.values) > 1 {
			return nil, kiterror.Refused([]schema.Detail{{Path: p.name, Pointer: "/query/" + p.name, Code: "maxItems", Message: "is sent more than once; send it once"}})
		}
	}
	announces := slices.ContainsFunc(parameters, func(p parameter) bool { return p.name == "size" || p.name == "sha256" })
	sum, wrong := hex.DecodeString(q.sha256)
	switch {
	case announces && q.size < 1:
		return nil, kiterror.Refused([]schema.Detail{{Path: "size", Pointer: "/query/size", Code: "minimum", Message: "must be the number of bytes of the file"}})
	case announces && (wrong != nil || len(sum) != sha256.Size):
		return nil, kiterror.Refused([]schema.Detail{{Path: "sha256", Pointer: "/query/sha256", Code: "pattern", Message: "must be the SHA-256 of the file in 64 hexadecimal digits"}})
	case r.ContentLength != 0 && (announces || q.sent != ""):
		return nil, kiterror.Errorf(kiterror.BadRequest, "the request has a body, which goes to the pre-signed address; send it there")
	}
	return q, nil
}

// chosen are the fields that a file without a row may be for: the one that the query names, or else the
// fields of one host, as only that host's rows can take the file.
func (q *fileQuery) chosen(takes []*catalog.File) ([]*catalog.File, error) {
	var names []string
	one, here := true, slices.DeleteFunc(slices.Clone(takes), func(f *catalog.File) bool { return f.Door.Frond.Remote != "" })
	for _, f := range takes {
		full := f.Door.Name + "." + f.Field.Name
		if full == q.field {
			return []*catalog.File{f}, nil
		}
		names = append(names, full)
		one = one && f.Door.Frond == takes[0].Door.Frond
	}
	switch {
	case q.field == "" && len(here) > 0:
		return here, nil
	case q.field == "" && one:
		return takes, nil
	}
	return nil, kiterror.Refused([]schema.Detail{{Path: "field", Pointer: "/query/field", Code: "enum", Message: "must be one of the fields " + some(names)}})
}
