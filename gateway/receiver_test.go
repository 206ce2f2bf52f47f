package gateway_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/frondhost/frond/gateway"
)

// TestReceiverLostPath: an unknown path of a receiver lists its paths, facts and files where it has them.
func TestReceiverLostPath(t *testing.T) {
	const card = `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  scan: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}
required: [id]
`
	for settings, want := range map[string]string{
		"": "the routes are /_kit/call, /livez, /readyz",
		"changes: [page]\nfiles: {page.scan: {types: [image/png], max: 1MiB}}\n": "the routes are /_kit/call, /_kit/facts, /_kit/files, /livez, /readyz",
	} {
		project := folderOf(t, map[string]string{"fronds/desk/entities/page.yaml": card, "fronds/desk/frond.yaml": "collectors: {page: open}\n" + settings})
		r, err := gateway.NewReceiver(project, "desk", &gateway.ReceiverOptions{Options: gateway.Options{Config: gateway.Config{Store: "memory", Mode: gateway.Development}, Logger: slog.New(slog.DiscardHandler)}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = r.Close() })
		if w := askOnce(r.Handler(), "/elsewhere"); w.Code != 404 || !strings.Contains(w.Body.String(), want+`"`) {
			t.Errorf("%q: %d %s", settings, w.Code, w.Body)
		}
	}
}
