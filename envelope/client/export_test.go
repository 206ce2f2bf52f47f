package client

import (
	"encoding/json"
	"time"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
)

// ReadResult is how a remote reads a result, for tests.
func ReadResult(text json.RawMessage, op *catalog.Operation) (*facade.Result, error) {
	r, err := new(reader).read(text, op)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// HurryUp makes the pauses before retries short enough for tests.
func (r *Remote) HurryUp() *Remote {
	r.host.sender.guard.least, r.host.sender.guard.most = time.Millisecond, 2*time.Millisecond
	return r
}

var results reader

// ReadReply is what a client makes of one answer, for tests; nothing where it is no frame.
func ReadReply(body json.RawMessage) (*facade.Result, *kiterror.Error) {
	answer, ok := envelope.ReadResponse(body, nil)
	if !ok || answer.Err != nil {
		return nil, answer.Err
	}
	return results.read(answer.Result, nil)
}

// Outcomes is the table of failures: code, whether a query and a command are sent
// again, whether the breaker counts it.
func Outcomes() (rows []string) {
	word := map[bool]string{true: "yes", false: "no"}
	for _, o := range outcomes {
		rows = append(rows, string(o.code)+" "+word[o.query]+" "+word[o.command]+" "+word[o.counts])
	}
	return rows
}
