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
	there := startShipping(t, "0")
	shop := startGateway(t, shopDir, "--remote", "shipping="+there.URL)
	for order, want := range map[string]int{"o-24104": http.StatusCreated, "o-nothing": http.StatusConflict} {
		body := `{"orderId":"` + order + `","carrier":"post","weight":10}`
		if status, _, answer := sends(t, "POST", shop.URL+"/api/shipping/parcels", body, `X-Frond-User: {"id":"s","roles":["staff"]}`); status != want {
			t.Errorf("a parcel of %s: %d, want %d: %s", order, status, want, answer)
		}
	}
}
