package e2e_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestConform: the hosts of this project, its gateway and the hosts in Python, Node, Ruby and PHP keep every clause that frond conform tries.
func TestConform(t *testing.T) {
	t.Parallel()
	const staff = `{"user":{"id":"u-ann","roles":["staff"]}}`
	private, public := pair(t, "gateway")
	foreign := func(program, script string, args ...string) func() string {
		return func() string {
			need(t, program)
			return start(t, exec.Command(program, append([]string{filepath.Join("testdata", "foreign", script)}, args...)...)).URL
		}
	}
	for _, c := range []struct {
		name string
		url  func() string
		args []string
	}{
		{"catalog", func() string { return startReceiver(t, shopDir, "catalog").URL }, []string{"--state", staff}},
		{"sales", func() string { return startReceiver(t, shopDir, "sales").URL }, []string{"--state", staff}},
		{"signed", func() string { return startVerifying(t, "catalog", storeFor(t), "shop="+public).URL }, []string{"--state", staff, "--key", private, "--sender", "shop", "--frond", "catalog"}},
		{"gateway", func() string { return startGateway(t, shopDir).URL }, []string{"--header", `X-Frond-User: {"id":"u-ann","roles":["staff"]}`}},
		{"shipping, in Python", func() string { return startShipping(t, "0").URL }, []string{"--state", staff}},
		{"tasks, in Python", foreign("python3", "tasks.py"), nil},
		{"books, in Node", foreign("node", "books.mjs"), nil},
		{"books, in Node, signed", foreign("node", "books.mjs", public), []string{"--state", staff, "--key", private, "--frond", "books"}},
		{"songs, in Ruby", foreign("ruby", "songs.rb"), nil},
		{"films, in PHP", foreign("php", "films.php"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := run(t, "", append([]string{"conform", c.url(), "--write"}, c.args...)...)
			if out.code != 0 || !strings.Contains(out.stdout, " passed, 0 failed, ") {
				t.Errorf("exit code %d: %s\n%s", out.code, out.stderr, out.stdout)
			}
		})
	}
}

// TestConformFails: clauses that a host does not keep are named with their number, the frame, the answer and what a gateway does, in
// every format.
func TestConformFails(t *testing.T) {
	t.Parallel()
	answers := map[string]string{
		"rpc.discover":   `"result":` + strings.Replace(desk(foreignDoor("note", noteCard, foreignOp("list", "query", `"input":{"title":"noteList","type":"object","properties":{"limit":{"type":"integer"},"filter":{"type":"object"},"after":{"type":"string"}}}`), foreignOp("findById", "query"), foreignOp("findByIds", "query"))), `"name":"desk"`, `"name":"desk","facts":[]`, 1),
		"note.list":      `"result":{"items":[` + oneNote + `,` + strings.Replace(twoNote, `"pages":4`, `"pages":"four"`, 1) + `],"total":"2","hasMore":true,"endCursor":"x"}`,
		"note.findById":  `"result":` + oneNote,
		"note.findByIds": `"result":[` + anyNote + `]`,
	}
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var f struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.NewDecoder(r.Body).Decode(&f)
		w.Header().Set("Content-Type", "application/json")
		answer := answers[f.Method]
		if answer == "" {
			answer = `"error":{"code":-32000,"message":"no"}`
		}
		_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":` + string(f.ID) + `,` + answer + `}`))
	}))
	defer host.Close()
	text := run(t, "", "conform", host.URL)
	for _, want := range []string{
		"FAIL   2.7    note: a list is {items, total, hasMore, endCursor}\n              why: total is \"2\", and has to be an integer",
		"FAIL   2.7    note: a list has at most as many rows as limit says\n              why: limit 1 has 2 rows",
		"FAIL   2.3    note: rows have the fields of the card",
		"why: a row with id \"n2\" meets {\"id\":{\"eq\":\"n1\"}}",
		"FAIL   2.7    note: endCursor, sent as after, leads on: each row comes once\n              why: the row \"n1\" comes twice",
		"FAIL   2.5    note: findByIds gives the rows of its ids and no others\n              why: a row with id \"n3\" was not asked for",
		"FAIL   7.1    an unknown operation is a failure frame",
		`sent: {"jsonrpc":"2.0","id":"conform-1","method":"note.findByIds"`,
		"without it a gateway sends a batch of findById, or single calls",
		"got: 200 {",
	} {
		if !strings.Contains(text.stdout, want) {
			t.Errorf("the report lacks %q:\n%s", want, text.stdout)
		}
	}
	if text.code != 1 {
		t.Errorf("exit code %d, want 1", text.code)
	}
	if tap := run(t, "", "conform", host.URL, "--format", "tap"); tap.code != 1 || !strings.HasPrefix(tap.stdout, "TAP version 14\n1..") || !strings.Contains(tap.stdout, "\nnot ok ") {
		t.Errorf("TAP, exit code %d:\n%s", tap.code, tap.stdout)
	}
	var report struct {
		Clauses []struct{ Clause, Verdict, Sent, Got, Without string }
	}
	out := run(t, "", "conform", host.URL, "--format", "json")
	if err := json.Unmarshal([]byte(out.stdout), &report); err != nil || out.code != 1 || len(report.Clauses) < 20 {
		t.Errorf("JSON, exit code %d: %v\n%s", out.code, err, out.stdout)
	}
	for _, c := range report.Clauses {
		if c.Verdict == "fail" && (c.Clause == "" || c.Sent == "" || c.Got == "" || c.Without == "") {
			t.Errorf("a failure without its parts: %+v", c)
		}
	}
	if unreachable := run(t, "", "conform", "http://127.0.0.1:1"); unreachable.code != 3 {
		t.Errorf("a host that does not answer: exit code %d, want 3: %s", unreachable.code, unreachable.stderr)
	}
	if usage := run(t, "", "conform", host.URL, "--format", "xml"); usage.code != 2 || !strings.Contains(usage.stderr, "write text, tap or json") {
		t.Errorf("a wrong format: exit code %d: %s", usage.code, usage.stderr)
	}
}
