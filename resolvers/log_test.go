package resolvers_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/frondhost/frond/resolvers"
)

// TestCausesAreLogged: what a hand-written field failed with stands in the log,
// beside the trace id that is all the caller receives.
func TestCausesAreLogged(t *testing.T) {
	b := newBlogWith(t, handWritten)
	for field, want := range map[string]string{"leaky": "the secret of the disk", "clumsy": "the secret of the stack"} {
		var log bytes.Buffer
		engine, err := resolvers.NewEngine(b.schema, b.recorder, &resolvers.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		r := engine.Execute(context.Background(), &resolvers.Request{Query: `{ author(id: "ada") { ` + field + ` } }`})
		if body := string(r.Body); strings.Contains(body, want) || !strings.Contains(body, "traceId") {
			t.Errorf("%s: %s", field, body)
		}
		if !strings.Contains(log.String(), want) {
			t.Errorf("%s: the log says only %s", field, log.String())
		}
	}
}
