package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// notes is a project whose filters can be made to take long: long texts, and no
// index on them.
var notes = map[string]string{
	"frond.yaml":         everybody,
	"entities/note.yaml": "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  text: {type: string}\n",
}

// fillNotes writes a thousand rows of ten kilobytes.
func fillNotes(t *testing.T, url string) {
	t.Helper()
	text := strings.Repeat("No line of this is what anybody looks for. ", 250)
	for page := range 50 {
		var s strings.Builder
		s.WriteString("mutation($t: String!) { ")
		for i := range 20 {
			fmt.Fprintf(&s, `a%d: createNote(input: {id: "n%02d-%02d", text: $t}) { id } `, i, page, i)
		}
		if got, err := askGraphQL(context.Background(), url, s.String()+"}", map[string]any{"t": text}); err != nil || strings.Contains(got, "errors") {
			t.Fatalf("%v %.300s", err, got)
		}
	}
}

func askGraphQL(ctx context.Context, url, query string, variables map[string]any) (string, error) {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/graphql", strings.NewReader(string(body)))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	return strings.TrimSpace(string(got)), err
}

// scan is a query whose statement looks at every text as often as a filter may; no two
// of them are equal.
func scan(n int) (query string, variables map[string]any) {
	var all []any
	for i := range 145 {
		all = append(all, map[string]any{"text": map[string]any{"icontains": fmt.Sprintf("nowhere %d %d", n, i)}})
	}
	return `query($f: NoteFilter) { notes(filter: $f) { total items { id } } }`, map[string]any{"f": map[string]any{"or": all}}
}

// A deadline ends the statement that runs, and so does a client that disconnects: the
// connection it ran on answers others at once. Each statement would take seconds to its end.
func TestDeadlineEndsStatements(t *testing.T) {
	t.Parallel()
	const connections = 12 // more than the store reads with side by side, on small machines
	const quick = `{ note(id: "n07-07") { id } }`
	fast := func(t *testing.T, url string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if got, err := askGraphQL(ctx, url, quick, nil); err != nil || got != `{"data":{"note":{"id":"n07-07"}}}` {
			t.Errorf("afterwards: %v %s", err, got)
		}
	}
	dir := folder(t, notes)
	store := "--store=sqlite:" + filepath.Join(t.TempDir(), "notes.db")
	filled := startGateway(t, dir, store)
	fillNotes(t, filled.URL)
	filled.stop(t)
	t.Run("at the deadline", func(t *testing.T) {
		gw := startGateway(t, dir, store, "--graphql-limits-execution", "300ms")
		defer gw.stop(t)
		var wait sync.WaitGroup
		for i := range connections {
			wait.Add(1)
			go func() {
				defer wait.Done()
				query, variables := scan(i)
				got, err := askGraphQL(context.Background(), gw.URL, query, variables)
				if err != nil || !strings.Contains(got, `"EXECUTION_TIMEOUT","details":{"limit":300}`) || !strings.HasPrefix(got, `{"data":{"notes":null}`) {
					t.Errorf("%v %s", err, got)
				}
			}()
		}
		wait.Wait()
		fast(t, gw.URL)
	})
	t.Run("when the client goes away", func(t *testing.T) {
		gw := startGateway(t, dir, store, "--graphql-limits-execution", "50s")
		var wait sync.WaitGroup
		for i := range connections {
			wait.Add(1)
			go func() {
				defer wait.Done()
				ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
				defer cancel()
				query, variables := scan(i)
				if got, err := askGraphQL(ctx, gw.URL, query, variables); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%v %s, want one that takes longer", err, got)
				}
			}()
		}
		wait.Wait()
		fast(t, gw.URL)
	})
}

// A body within its limit may hold a document that is not.
func TestLargeBodies(t *testing.T) {
	t.Parallel()
	gw := startGateway(t, folder(t, notes))
	for _, c := range []struct {
		name, query string
		variables   map[string]any
		want        string
	}{
		{"a document of 900 KB", "{ __typename " + strings.Repeat("# all of it is one comment\n", 34_000) + "}", nil, `"DOCUMENT_TOO_LARGE","details":{"limit":65536}`},
		{"a body of two megabytes", "{ __typename }", map[string]any{"v": strings.Repeat("x", 2<<20)}, `"PAYLOAD_TOO_LARGE"`},
		{"variables of 900 KB that nobody declared", "{ __typename }", map[string]any{"v": strings.Repeat("x", 900_000)}, `{"data":{"__typename":"Query"}}`},
	} {
		got, err := askGraphQL(context.Background(), gw.URL, c.query, c.variables)
		if err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%s: %v %.300s, want %s", c.name, err, got, c.want)
		}
	}
}
