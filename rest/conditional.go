package rest

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema/jsontext"
)

// tag is the strong ETag of the row in a result: its version, and behind a dot, where
// more or less than what has a version is answered, a hash of the bytes. What follows
// the dot is nothing to If-Match. "" where the result is no row, or not the row that
// a GET of its path gives.
func (x *exchange) tag(r *facade.Result) string {
	if r.Form != facade.FormRow || r.Rows.Len() != 1 {
		return ""
	}
	if x.op.Kind != facade.Query {
		// After a write the tag is that of the row's own path (RFC 9110 section 8.8.3),
		// which is only known where both give the same view of it.
		item := x.match.resource.item
		if item == nil || x.op.Name != "create" && x.op.Name != "update" {
			return ""
		}
		if get := item.operation(http.MethodGet); get == nil || get.Output != x.op.Output {
			return ""
		}
	}
	tag := make([]byte, 1, 48)
	tag[0] = '"'
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

// conditional answers 304 where the client has the row already (RFC 9110 section
// 13.1.2), and fails with 412 where it wants another (13.1.1).
func (x *exchange) conditional(tag string) (done bool, err error) {
	if x.r.Method != http.MethodGet && x.r.Method != http.MethodHead {
		return false, nil
	}
	if wanted := x.r.Header["If-Match"]; len(wanted) > 0 && !matches(wanted, tag, false) {
		return false, x.changed()
	}
	if known := x.r.Header["If-None-Match"]; len(known) > 0 && matches(known, tag, true) {
		x.send(http.StatusNotModified, nil)
		return true, nil
	}
	return false, nil
}

// matches says whether a tag is in a header's list. A weak comparison lets weak
// tags match, a strong one does not (RFC 9110 section 8.8.3.2).
func matches(header []string, tag string, weak bool) (found bool) {
	tags(header, func(one string, isWeak bool) bool {
		found = one == "*" || one == tag && (weak || !isWeak)
		return !found
	})
	return found
}

// tags calls each for the tags of a header, in their quotes, and for *, until it
// answers false. What is no list of tags has none.
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

// precondition is what an update or a delete holds its row to, or nil: If-Match and
// If-None-Match. The store judges it in the transaction that writes (decision 225). Of
// another command there is no row whose version could be meant, so that If-Match
// is refused there.
func (x *exchange) precondition() *facade.Precondition {
	wanted, known := x.r.Header["If-Match"], x.r.Header["If-None-Match"]
	if x.op.Kind == facade.Query || len(wanted) == 0 && (len(known) == 0 || !x.onItem()) {
		return nil
	}
	p := &facade.Precondition{}
	if len(wanted) > 0 {
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

func (x *exchange) changed() *facade.Error {
	return facade.Errorf(facade.PreconditionFailed,
		"the row is not the one named; read it again and send its ETag").At(x.op.Door.Name, x.op.Name)
}
