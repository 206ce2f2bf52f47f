package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/frondhost/frond/gateway"
)

// readyzOf is the line of /readyz about a remote.
func readyzOf(t testing.TB, url, frond string) string {
	t.Helper()
	for line := range strings.SplitSeq(string(send(t, "GET", url+"/readyz", "").Body), "\n") {
		if word, ok := strings.CutPrefix(line, frond+": "); ok {
			return word
		}
	}
	return ""
}

// TestRemoteOfTooManyDoors: what is made of a document is bounded. A host with
// more is ignored and named by /readyz, and the others are served; a setting allows more.
func TestRemoteOfTooManyDoors(t *testing.T) {
	t.Parallel()
	doors := make([]string, 1001)
	for i := range doors {
		doors[i] = foreignDoor(fmt.Sprint("note", i), "", foreignOp("getIt", "query"))
	}
	many := served(t, &foreignHost{document: desk(doors...), answers: map[string]func(invoked) any{"note7.getIt": always(`7`)}})
	wide := served(t, &foreignHost{document: strings.Replace(desk(foreignDoor("note", noteCard, noteReads...)), `"desk"`, `"wide"`, 1)})
	fine := served(t, &foreignHost{
		document: strings.Replace(desk(foreignDoor("writer", foreignWriter, writerReads...)), `"desk"`, `"people"`, 1),
		answers:  map[string]func(invoked) any{"writer.findById": always(`{"id":"w1","name":"Ada"}`)},
	})
	url, _, log := housed(t, nil, map[string]gateway.Remote{"desk": {URL: many}, "people": {URL: fine}, "wide": {URL: wide, Fields: 6}})
	for frond, want := range map[string]string{
		"desk": "not usable: it has 1001 doors, and at most 1000 are taken", "people": "reached",
		"wide": "not usable: its cards have 12 fields, and at most 6 are taken",
	} {
		if got := readyzOf(t, url, frond); got != want {
			t.Errorf("/readyz says of %s %q, want %q", frond, got, want)
		}
	}
	if !strings.Contains(log.String(), "at most 1000 are taken") {
		t.Errorf("the log does not say why: %s", log)
	}
	inquiry{graphql: `{ writer(id: "w1") { name } }`, want: `{"writer":{"name":"Ada"}}`}.check(t, url)
	inquiry{rest: `GET /api/desk/note7s/get-it`, want: `Not Found NOT_FOUND`}.check(t, url)

	url, _, _ = housed(t, nil, map[string]gateway.Remote{"desk": {URL: many, Doors: 1001}, "people": {URL: fine, Document: 100}})
	inquiry{rest: `GET /api/desk/note7s/get-it`, want: `7`}.check(t, url)
	if got := readyzOf(t, url, "people"); got != "not usable: its discovery document has more than 100 bytes" {
		t.Errorf("/readyz says of people %q", got)
	}
}

// TestRemoteClaimsAnEntity: a host that claims an entity of this project is ignored at
// the start and later, until it claims it no more. The project never stops for it.
func TestRemoteClaimsAnEntity(t *testing.T) {
	t.Parallel()
	answers := map[string]func(invoked) any{
		"note.findById":   always(oneNote),
		"writer.findById": always(`{"id":"w1","name":"Ada"}`),
	}
	claims := &foreignHost{document: desk(foreignDoor("note", noteCard, noteReads...), foreignDoor("writer", foreignWriter, writerReads...)), answers: answers}
	better := &foreignHost{document: desk(foreignDoor("writer", foreignWriter, writerReads...)), answers: answers}
	var stopped atomic.Bool
	host := served(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if stopped.Load() {
			better.ServeHTTP(w, r)
			return
		}
		claims.ServeHTTP(w, r)
	}))
	other := served(t, &foreignHost{
		document: strings.Replace(desk(foreignDoor("room", strings.ReplaceAll(foreignWriter, "writer", "room"), foreignOp("findById", "query"))), `"desk"`, `"rooms"`, 1),
		answers:  map[string]func(invoked) any{"room.findById": always(`{"id":"r1","name":"Hall"}`)},
	})
	files := map[string]string{
		"fronds/own/entities/note.yaml": "properties: {id: {type: string, x-kit: {role: {primary: true}}}, text: {type: string}}\n",
		"fronds/own/seeds/note.yaml":    "[{id: n1, text: ours}]\n",
		"fronds/own/frond.yaml":         "collectors: {note: open}\n",
	}
	url, _, log := housed(t, files, map[string]gateway.Remote{"desk": {URL: host}, "rooms": {URL: other}})
	if got := readyzOf(t, url, "desk"); got != "not usable: it claims a name that is taken here" {
		t.Errorf("/readyz says of desk %q", got)
	}
	if !strings.Contains(log.String(), "has two owners") {
		t.Errorf("the log does not say why: %s", log)
	}
	inquiry{rest: `GET /api/own/notes/n1`, want: `{"id":"n1","text":"ours"}`}.check(t, url)
	inquiry{graphql: `{ room(id: "r1") { name } }`, want: `{"room":{"name":"Hall"}}`}.check(t, url)
	inquiry{rest: `GET /api/desk/writers/w1`, want: `Not Found NOT_FOUND`}.check(t, url)
	if r := run(t, "", "check", folder(t, files), "--remote", "desk="+host); r.code != 0 || !strings.Contains(r.stdout, "is left out: it claims a name that is taken here") {
		t.Errorf("check: %d %s", r.code, r.stdout)
	}

	stopped.Store(true)
	recovered(t, func() bool {
		return inquiry{rest: `GET /api/desk/writers/w1`}.of(t, url) == `{"id":"w1","name":"Ada"}`
	})
	inquiry{rest: `GET /api/own/notes/n1`, want: `{"id":"n1","text":"ours"}`}.check(t, url)
	if got := readyzOf(t, url, "desk"); got != "reached" {
		t.Errorf("/readyz says of desk %q", got)
	}
}
