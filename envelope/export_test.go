package envelope

import (
	"encoding/json"
	"time"

	"github.com/frondhost/frond/facade"
)

// ReadResult is how a remote reads a result, for tests.
func ReadResult(text json.RawMessage, op *facade.Operation) (*facade.Result, error) {
	r, err := new(reader).read(text, op)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// HurryUp makes the pauses before sending again short enough for tests.
func (r *Remote) HurryUp() *Remote {
	r.guard.least, r.guard.most = time.Millisecond, 2*time.Millisecond
	return r
}

var results reader

// ReadReply is what a client makes of one answer, for tests; nothing where it is no frame.
func ReadReply(body json.RawMessage) (*facade.Result, *facade.Error) {
	reply, ok := readReply(body, nil)
	if !ok || reply.failed != nil {
		return nil, reply.failed
	}
	return results.read(reply.result, nil)
}

// Fates is the table of failures: code, whether a query and a command are sent
// again, whether the breaker counts it.
func Fates() (rows []string) {
	word := map[bool]string{true: "yes", false: "no"}
	for _, f := range fates {
		rows = append(rows, string(f.code)+" "+word[f.query]+" "+word[f.command]+" "+word[f.counts])
	}
	return rows
}
