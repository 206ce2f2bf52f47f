package rest

import (
	"crypto/sha256"
	"encoding/base64"
	"hash/maphash"
	"net/http"
	"strings"
	"sync"

	"github.com/frondhost/frond/facade"
)

// tag is the strong ETag of the row in a result, made of its bytes; "" where the
// result is no row, or not the row that a GET of its path gives.
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
	return tagOf(r.Rows.Row(0))
}

func tagOf(row facade.Row) string {
	sum := sha256.Sum256(row.JSON())
	var b [24]byte
	b[0], b[23] = '"', '"'
	base64.RawURLEncoding.Encode(b[1:23], sum[:16])
	return string(b[:])
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
func matches(header []string, tag string, weak bool) bool {
	for _, line := range header {
		rest := line
		for {
			rest = strings.TrimLeft(rest, " \t,")
			if rest == "" {
				break
			}
			if rest[0] == '*' {
				return true
			}
			opaque, isWeak := strings.CutPrefix(rest, "W/")
			if opaque == "" || opaque[0] != '"' {
				break // no list of tags: nothing in it matches
			}
			end := strings.IndexByte(opaque[1:], '"')
			if end < 0 {
				break
			}
			if opaque[:end+2] == tag && (weak || !isWeak) {
				return true
			}
			rest = opaque[end+2:]
		}
	}
	return false
}

// preconditions holds an update or a delete to what the client says of the row:
// If-Match, If-None-Match. It answers what lets the next write of the row in.
//
// The row is read and then written, in two calls. Between writes of one row
// through this handler nothing comes in between: a conditional one has the row to
// itself, the others share it. A write of the same row by another surface or
// another process may still come in between (decision record 043).
func (x *exchange) preconditions() (unlock func(), err error) {
	if !x.onItem() || x.op.Kind == facade.Query {
		return func() {}, nil
	}
	lock := x.handler.locks.of(x.match.resource.path, x.match.id)
	wanted, known := x.r.Header["If-Match"], x.r.Header["If-None-Match"]
	if len(wanted) == 0 && len(known) == 0 {
		lock.RLock()
		return lock.RUnlock, nil
	}
	lock.Lock()
	if err := x.holds(wanted, known); err != nil {
		lock.Unlock()
		return nil, err
	}
	return lock.Unlock, nil
}

// holds compares the current row's tag with what the client sent.
func (x *exchange) holds(wanted, known []string) error {
	get := x.match.row.operation(http.MethodGet)
	if get == nil {
		return facade.Errorf(facade.PreconditionFailed,
			"%s has no findById to compare the row with; leave If-Match and If-None-Match out", x.op.Door.Name).At(x.op.Door.Name, x.op.Name)
	}
	result, err := x.ask(&facade.Call{Entity: x.op.Door.Name, Operation: get.Name, Invocation: facade.Invocation{
		Params: x.call.Invocation.Params, State: x.call.Invocation.State, Trace: x.call.Invocation.Trace,
	}})
	if err != nil {
		return err
	}
	if isNothing(result) {
		return x.nothing() // 404 goes before 412 (RFC 9110 section 13.2.1)
	}
	tag := ""
	if result.Form == facade.FormRow {
		tag = tagOf(result.Rows.Row(0))
	}
	if len(wanted) > 0 && !matches(wanted, tag, false) || len(known) > 0 && matches(known, tag, true) {
		return x.changed()
	}
	return nil
}

func (x *exchange) changed() *facade.Error {
	return facade.Errorf(facade.PreconditionFailed,
		"the row is not the one named; read it again and send its ETag").At(x.op.Door.Name, x.op.Name)
}

// locks are those of rows, by what their path hashes to.
type locks struct {
	once    sync.Once
	seed    maphash.Seed
	stripes [256]sync.RWMutex
}

func (l *locks) of(path, id string) *sync.RWMutex {
	l.once.Do(func() { l.seed = maphash.MakeSeed() })
	h := maphash.String(l.seed, path+"/"+id)
	return &l.stripes[h%uint64(len(l.stripes))]
}
