package gateway_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

// TestSlowStatements: a statement that takes longer than log.slow has a line with the operation,
// the GraphQL field and the shape, and no value of the caller; others have none.
func TestSlowStatements(t *testing.T) {
	for store, url := range map[string]string{"sqlite": "memory", "postgres": pgtest.Database(t)} {
		for slow, want := range map[time.Duration]bool{time.Nanosecond: true, time.Hour: false, -1: false} {
			var log bytes.Buffer
			opts := quiet(gateway.Options{Config: gateway.Config{Extras: all.Extras(), Store: url, Log: gateway.Log{Slow: slow, NoAccess: true}}})
			opts.Logger = slog.New(slog.NewTextHandler(&log, nil))
			gw, err := gateway.New(notes(t), opts)
			if err != nil {
				t.Fatal(err)
			}
			askHandler(gw.Handler(), "POST", "/graphql", `{"query":"{ notes(filter: {title: {eq: \"hunter2\"}}) { items { id } } }"}`)
			askHandler(gw.Handler(), "GET", "/api/app/notes?filter[title]=hunter2", "")
			if err := gw.Close(); err != nil {
				t.Fatal(err)
			}
			text := log.String()
			for _, part := range []string{`level=WARN msg="slow statement" operation=note.list field=Query.notes took=`, `operation=note.list took=`, `shape="SELECT `} {
				if strings.Contains(text, part) != want {
					t.Errorf("%s, log.slow %v: %q in the log: %v\n%s", store, slow, part, !want, text)
				}
			}
			if strings.Contains(text, "hunter2") {
				t.Errorf("%s: a value is in the log: %s", store, text)
			}
		}
	}
}
