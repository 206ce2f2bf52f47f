package e2e_test

import (
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway"
	extras "github.com/frondhost/frond/gateway/extra/all"
)

// directWire calls in this process, without any surface (spec 1.3): the
// measure for all others.
type directWire struct{ caller facade.Caller }

// newDirectWire composes the project as its program does, over a store in memory.
func newDirectWire(t testing.TB, project *facade.Project, config gateway.Config) directWire {
	t.Helper()
	config.Store, config.Extras = memory(t), extras.Extras()
	g, err := gateway.New(project, &gateway.Options{Config: config, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	return directWire{g.Caller()}
}

func (w directWire) do(t *testing.T, c call) (answer, bool) {
	t.Helper()
	v := &facade.Call{Entity: c.entity(), Operation: c.op(), Invocation: facade.Invocation{
		Params: json.RawMessage(c.Params), Query: json.RawMessage(c.Query), Body: json.RawMessage(c.Body),
	}}
	if c.User != "" {
		v.Invocation.State = access.State{"user": decode(t, []byte(c.User))}
	}
	result, err := w.caller.Call(t.Context(), v)
	if err != nil {
		return answer{Err: decodeError(t, kiterror.AsError(err).AppendJSON(nil))}, true
	}
	return answer{Value: decode(t, result.AppendJSON(nil))}, true
}
