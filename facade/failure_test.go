package facade_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/storetest"
)

// spec 7.3: a failure that crossed the wire equals the local one, field by field.
func TestErrorRoundTrip(t *testing.T) {
	f := storetest.Facade(t)
	for _, c := range []struct{ method, params, query, body string }{
		{"post.create", ``, ``, `{"slug":"A","title":"","colour":1,"authorId":5}`},
		{"post.list", ``, `{"filter":{"x":{}},"limit":-1}`, ``},
		{"tag.create", ``, ``, `{"topic":"science","label":"logic"}`},
		{"author.delete", `{"id":"alan"}`, ``, ``},
		{"comment.create", ``, ``, `{"id":90,"postId":"none","authorId":null,"text":"x"}`},
		{"post.nope", ``, ``, ``},
	} {
		_, local := do(t, f, c.method, c.params, c.query, c.body)
		if local == nil {
			t.Fatalf("%s answers", c.method)
		}
		var far kiterror.Error
		if err := json.Unmarshal(local.AppendJSON(nil), &far); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(local, &far, cmpopts.IgnoreUnexported(kiterror.Error{})); diff != "" {
			t.Errorf("%s: -local +far\n%s", c.method, diff)
		}
	}
}

// A panic of the author's code is found by its stack in the log and by nothing outside.
func TestPanicIsLoggedWithItsStack(t *testing.T) {
	var log bytes.Buffer
	f := facadeOf(t, bookRoom, func(p *facade.Project) {
		facade.Handle(p.Door("book"), "plain", func(context.Context, *facade.Call) (any, error) { panic("secret") })
	})
	_, err := do(t, f, "book.plain", "", "", "")
	e := kiterror.Report(t.Context(), slog.New(slog.NewTextHandler(&log, nil)), err, "")
	if e.Code != kiterror.InternalError || strings.Contains(string(e.AppendJSON(nil)), "secret") {
		t.Errorf("%s", e.AppendJSON(nil))
	}
	if !strings.Contains(log.String(), "secret") || !strings.Contains(log.String(), "failure_test.go") {
		t.Errorf("logged %s", &log)
	}
	// The call came without a trace: one id is in the log and in the answer.
	details, _ := e.Details.(map[string]any)
	if id, _ := details["traceId"].(string); len(id) != 32 || !strings.Contains(log.String(), "trace="+id) {
		t.Errorf("the answer has details %v; logged %s", e.Details, &log)
	}
}
