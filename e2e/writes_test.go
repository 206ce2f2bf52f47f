package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frondhost/frond/gateway"
)

// noteFiles are one door with a field that everybody writes and an object of two.
var noteFiles = map[string]string{
	"frond.yaml": "name: notes\ncollectors: {note: open}\n",
	"entities/note.yaml": `type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  mark: {type: integer}
  seen: {type: integer}
  pair: {type: object, properties: {a: {type: integer}, b: {type: integer}}, required: [a, b]}
required: [mark, seen, pair]
x-kit-version: 1
`,
	"seeds/note.yaml": "- {id: n, mark: 0, seen: 0, pair: {a: 0, b: 0}}\n",
}

// sends makes one request and gives the answer with its status and ETag.
func sends(t *testing.T, method, url, body string, headers ...string) (status int, tag, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Error(err)
		return
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return resp.StatusCode, resp.Header.Get("ETag"), string(text)
}

// TestWritersSideBySide: conditional patches by REST beside mutations by GraphQL
// overwrite none of them, and patches of two members of one object keep both.
func TestWritersSideBySide(t *testing.T) {
	t.Parallel()
	p := startGateway(t, folder(t, noteFiles))
	row := p.URL + "/api/notes/notes/n"
	graphQL := func(query string) string {
		text, err := json.Marshal(map[string]string{"query": query})
		if err != nil {
			t.Error(err)
		}
		_, _, answer := sends(t, "POST", p.URL+"/graphql", string(text))
		return answer
	}
	type note struct{ Mark, Seen int }
	done := make(chan struct{})
	var wg sync.WaitGroup
	var mu sync.Mutex
	patched, refused := 0, 0
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				_, tag, text := sends(t, "GET", row, "")
				var n note
				if err := json.Unmarshal([]byte(text), &n); err != nil {
					t.Errorf("%v: %s", err, text)
					return
				}
				status, _, answer := sends(t, "PATCH", row, fmt.Sprintf(`{"mark":%d,"seen":%d}`, n.Mark, n.Seen+1), "If-Match: "+tag)
				mu.Lock()
				switch status {
				case http.StatusOK:
					patched++
				case http.StatusPreconditionFailed:
					refused++
				default:
					t.Errorf("%d %s", status, answer)
				}
				mu.Unlock()
			}
		})
	}
	overwritten := 0
	for i := 1; i <= 150; i++ {
		if got := graphQL(fmt.Sprintf(`mutation { updateNote(id: "n", input: {mark: %d}) { mark } }`, i)); !strings.Contains(got, fmt.Sprintf(`"mark":%d`, i)) {
			t.Errorf("%s", got)
		}
		if got := graphQL(`{ note(id: "n") { mark } }`); !strings.Contains(got, fmt.Sprintf(`"mark":%d}`, i)) {
			overwritten++
		}
	}
	close(done)
	wg.Wait()
	var last note
	_, _, text := sends(t, "GET", row, "")
	if err := json.Unmarshal([]byte(text), &last); err != nil {
		t.Fatal(err)
	}
	if overwritten > 0 || last.Seen != patched || patched == 0 {
		t.Errorf("%d of 150 mutations were overwritten; %d patches are acknowledged, %d stand", overwritten, patched, last.Seen)
	}
	t.Logf("%d patches held, %d were refused", patched, refused)

	lost := 0
	for i := 1; i <= 150; i++ {
		var pair sync.WaitGroup
		pair.Go(func() { sends(t, "PATCH", row, fmt.Sprintf(`{"pair":{"a":%d}}`, i)) })
		pair.Go(func() {
			graphQL(fmt.Sprintf(`mutation { updateNote(id: "n", input: {pair: {b: %d}}) { id } }`, i))
		})
		pair.Wait()
		if _, _, text := sends(t, "GET", row, ""); !strings.Contains(text, fmt.Sprintf(`{"a":%d,"b":%d}`, i, i)) && !strings.Contains(text, fmt.Sprintf(`{"b":%d,"a":%d}`, i, i)) {
			lost++
		}
	}
	if lost > 0 {
		t.Errorf("%d of 150 pairs of patches lost a member", lost)
	}
}

// TestParcelsOfOrdersThatAreThere: a row written at a remote points at a row kept here.
func TestParcelsOfOrdersThatAreThere(t *testing.T) {
	t.Parallel()
	there := startShipping(t, "0")
	shop := startGateway(t, shopDir, "--remote", "shipping="+there.URL)
	for order, want := range map[string]int{"o-24104": http.StatusCreated, "o-nothing": http.StatusConflict} {
		body := `{"orderId":"` + order + `","carrier":"post","weight":10}`
		if status, _, answer := sends(t, "POST", shop.URL+"/api/shipping/parcels", body, `X-Frond-User: {"id":"s","roles":["staff"]}`); status != want {
			t.Errorf("a parcel of %s: %d, want %d: %s", order, status, want, answer)
		}
	}
}

// TestRefusedIfMatch: a GraphQL mutation whose ifMatch is not the version of the row is
// PRECONDITION_FAILED, its root is null and the row stays; beside it a root that is held
// to the right version is committed.
func TestRefusedIfMatch(t *testing.T) {
	t.Parallel()
	p := startGateway(t, folder(t, noteFiles))
	version := func() string {
		var out struct {
			Data struct{ Note struct{ ETag string } }
		}
		res := send(t, "POST", p.URL+"/graphql", `{"query":"{ note(id: \"n\") { etag } }"}`)
		if err := json.Unmarshal(res.Body, &out); err != nil || out.Data.Note.ETag == "" {
			t.Fatalf("%s: %v", res.Body, err)
		}
		return out.Data.Note.ETag
	}
	first := version()
	inquiry{graphql: `mutation { updateNote(id: "n", ifMatch: "` + first + `", input: {mark: 1}) { mark } }`, want: `{"updateNote":{"mark":1}}`}.check(t, p.URL)
	second := version()
	if second == first {
		t.Fatal("the version is the same after a change")
	}
	for document, want := range map[string]string{
		`mutation { updateNote(id: "n", ifMatch: "` + first + `", input: {mark: 2}) { mark } }`:    `{"updateNote":null} PRECONDITION_FAILED`,
		`mutation { deleteNote(id: "n", ifMatch: "` + first + `") }`:                               `{"deleteNote":null} PRECONDITION_FAILED`,
		`mutation { updateNote(id: "gone", ifMatch: "` + first + `", input: {mark: 2}) { mark } }`: `{"updateNote":null} NOT_FOUND`,
		`mutation { updateNote(id: "n", ifMatch: "", input: {mark: 2}) { mark } }`:                 `{"updateNote":null} PRECONDITION_FAILED`,
		`mutation { updateNote(id: "n", ifMatch: null, input: {mark: 2}) { mark } }`:               `{"updateNote":null} VALIDATION_FAILED`,
	} {
		inquiry{graphql: document, want: want}.check(t, p.URL)
		if now := version(); now != second {
			t.Errorf("%s changed the row", document)
		}
	}
	inquiry{
		graphql: `mutation { stale: updateNote(id: "n", ifMatch: "` + first + `", input: {mark: 2}) { mark } fresh: updateNote(id: "n", ifMatch: "` + second + `", input: {seen: 3}) { mark seen } }`,
		want:    `{"stale":null,"fresh":{"mark":1,"seen":3}} PRECONDITION_FAILED`,
	}.check(t, p.URL)
}

// TestSlowRemoteHoldsUpNoWrite: while a write waits for a remote to say whether the row it
// points at is there, other writes of the same store, of the same entity even, go on.
func TestSlowRemoteHoldsUpNoWrite(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan struct{}), make(chan struct{})
	var once sync.Once
	person := func(result string) func(invoked) any {
		return func(invoked) any {
			once.Do(func() { close(asked) })
			<-answer
			return json.RawMessage(result)
		}
	}
	far := &foreignHost{
		document: `{"fronds":[{"name":"people","doors":[{"name":"person","schema":{"title":"person","type":"object","properties":{"id":{"type":"string","x-kit":{"role":{"primary":true}}}}},
			"ops":[{"name":"findById","kind":"query"}]}],"facts":[]}]}`,
		answers: map[string]func(invoked) any{"person.findById": person(`{"id":"ada"}`)},
	}
	url, _, _ := housed(t, map[string]string{
		"frond.yaml":         "name: notes\ncollectors: {note: open}\n",
		"entities/note.yaml": "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  mark: {type: integer}\n  personId: {type: [string, 'null'], x-kit: {role: {relation: {to: person, kind: one}}}}\n",
		"seeds/note.yaml":    "- {id: n, mark: 0, personId: null}\n",
	}, map[string]gateway.Remote{"people": {URL: served(t, far), Attempt: 2 * time.Minute, Timeout: 2 * time.Minute}})
	pending := make(chan int, 1)
	go func() {
		status, _, _ := sends(t, "POST", url+"/api/notes/notes", `{"id":"waits","mark":1,"personId":"ada"}`)
		pending <- status
	}()
	<-asked
	for _, w := range []struct {
		method, path, body string
		status             int
	}{
		{"POST", "/api/notes/notes", `{"id":"m","mark":1,"personId":null}`, 201},
		{"PATCH", "/api/notes/notes/n", `{"mark":2}`, 200},
		{"DELETE", "/api/notes/notes/m", "", 204},
	} {
		if status, _, text := sends(t, w.method, url+w.path, w.body); status != w.status {
			t.Errorf("%s %s beside a write that waits: %d %s", w.method, w.path, status, text)
		}
	}
	select {
	case status := <-pending:
		t.Errorf("the write did not wait for the remote: %d", status)
	default:
	}
	close(answer)
	if status := <-pending; status != 201 {
		t.Errorf("the write that waited: %d", status)
	}
}
