package gateway_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/coder/websocket"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/identity/tokentest"
	"github.com/frondhost/frond/gateway/subscriptions"
)

// changing is notes whose changes are announced.
const changing = "changes: note\n"

// socket is a websocket of graphql-transport-ws.
type socket struct {
	*testing.T
	*websocket.Conn
	ctx context.Context
}

// dialSocket connects with headers as "Name: value"; payload is that of the first message.
func dialSocket(t *testing.T, url, payload string, headers ...string) (*socket, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	o := &websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}, HTTPHeader: http.Header{}}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		o.HTTPHeader.Set(name, value)
	}
	c, resp, err := websocket.Dial(ctx, url, o) //nolint:bodyclose // it is the connection
	if err != nil {
		if resp != nil {
			err = fmt.Errorf("%d", resp.StatusCode)
		}
		return nil, err
	}
	t.Cleanup(func() { _ = c.CloseNow() })
	s := &socket{t, c, ctx}
	s.send(`{"type":"connection_init","payload":` + payload + `}`)
	if got := s.read(); got != `{"type":"connection_ack"}` {
		return nil, fmt.Errorf("%s", got)
	}
	return s, nil
}

func (s *socket) send(text string) {
	s.Helper()
	if err := s.Write(s.ctx, websocket.MessageText, []byte(text)); err != nil {
		s.Fatal(err)
	}
}

// read is the next message, or the code that ended the connection. It answers pings, which come on a
// machine so slow that nothing is sent for half a minute.
func (s *socket) read() string {
	s.Helper()
	for {
		_, text, err := s.Read(s.ctx)
		if err != nil {
			return fmt.Sprint(int(websocket.CloseStatus(err)))
		}
		if string(text) != `{"type":"ping"}` {
			return string(text)
		}
		s.send(`{"type":"pong"}`)
	}
}

// subscribed follows the changes of notes, from the first one on.
func subscribed(t *testing.T, url, payload string, headers ...string) *socket {
	t.Helper()
	s, err := dialSocket(t, url, payload, headers...)
	if err != nil {
		t.Fatal(err)
	}
	s.send(`{"type":"subscribe","id":"1","payload":{"query":"subscription { noteChanged(after: \"start\") { change key } }"}}`)
	return s
}

func createNote(t *testing.T, url, id string, headers ...string) {
	t.Helper()
	if status, body := send(t, "POST", url+"/graphql", `{"query":"mutation { createNote(input: {id: \"`+id+`\", title: \"t\"}) { id } }"}`, headers...); status != 200 || strings.Contains(body, "errors") {
		t.Fatalf("%d %s", status, body)
	}
}

const noteCreated = `{"id":"1","type":"next","payload":{"data":{"noteChanged":{"change":"CREATED","key":"n"}}}}`

// TestSocketsOfAGateway: a change arrives, and the connection ends when the gateway stops.
func TestSocketsOfAGateway(t *testing.T) {
	url, stop := run(t, notes(t, "frond.yaml", changing), gateway.Options{})
	s := subscribed(t, url+"/graphql", "{}")
	createNote(t, url, "n")
	if got := s.read(); got != noteCreated {
		t.Fatal(got)
	}
	ended := make(chan error, 1)
	go func() { ended <- stop() }()
	if got := s.read(); got != "1001" {
		t.Errorf("the gateway stops: %s", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestSocketsEndWithTheirGeneration: other cards are in place, and clients connect again, to a
// schema that has them.
func TestSocketsEndWithTheirGeneration(t *testing.T) {
	gw, err := gateway.New(notes(t, "frond.yaml", changing), quiet(gateway.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	server := serveHandler(t, gw.Handler())
	defer func() { _ = gw.Close() }()
	s := subscribed(t, server+"/graphql", "{}")
	if err := gw.Replace(t.Context(), notes(t, "frond.yaml", changing+"facts: [{name: noteWritten, on: note.create}]\n")); err != nil {
		t.Fatal(err)
	}
	if got := s.read(); got != "1012" {
		t.Errorf("the cards have changed: %s", got)
	}
	if !strings.Contains(gw.SDL(), "noteWritten(") {
		t.Error("the schema has no new fact")
	}
	again := subscribed(t, server+"/graphql", "{}")
	createNote(t, server, "n")
	if got := again.read(); got != noteCreated {
		t.Error(got)
	}
}

// TestSocketsOfTokens: the caller is the bearer of a token, for as long as that holds.
func TestSocketsOfTokens(t *testing.T) {
	signer := tokentest.EdDSA("k")
	keys := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(keys, tokentest.JWKS(signer), 0o600); err != nil {
		t.Fatal(err)
	}
	url, _ := run(t, notes(t, "frond.yaml", changing+"collectors: {note: [{when: user.id == 'ada'}, {deny: all}]}\n"), gateway.Options{Config: gateway.Config{
		Identity: gateway.Identity{Issuer: tokentest.Issuer, Audience: []string{tokentest.Audience}, Keys: []string{keys}, Algorithms: []string{"EdDSA"}, ClockSkew: -1},
	}})
	ada := "Bearer " + signer.Token(nil, nil)
	s := subscribed(t, url+"/graphql", `{"authorization":"`+ada+`"}`)
	createNote(t, url, "n", "Authorization: "+ada)
	if got := s.read(); got != noteCreated {
		t.Error(got)
	}
	if got := subscribed(t, url+"/graphql", `{}`, "Authorization: "+ada).read(); got != noteCreated {
		t.Error(got)
	}
	for lasts := int64(2); ; lasts *= 2 { // in seconds; the connection has to stand before it ends
		short, err := dialSocket(t, url+"/graphql", `{"Authorization":"Bearer `+signer.Token(nil, tokentest.Object{"exp": time.Now().Unix() + lasts})+`"}`)
		if err != nil && lasts < 64 {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := short.read(); got != "4403" {
			t.Errorf("the token has expired: %s", got)
		}
		break
	}
	if _, err := dialSocket(t, url+"/graphql", `{"authorization":"Bearer x"}`); fmt.Sprint(err) != "4403" {
		t.Errorf("a token that does not hold: %v", err)
	}
	bob, err := dialSocket(t, url+"/graphql", `{"authorization":"Bearer `+signer.Token(nil, tokentest.Object{"sub": "bob"})+`"}`)
	if err != nil {
		t.Fatal(err)
	}
	bob.send(`{"type":"subscribe","id":"1","payload":{"query":"subscription { noteChanged { key } }"}}`)
	if got := bob.read(); !strings.Contains(got, `"code":"FORBIDDEN"`) {
		t.Error(got)
	}
}

// TestSocketsOfOtherSites: a page of another site does not connect, unless cors.origins has it.
func TestSocketsOfOtherSites(t *testing.T) {
	url, _ := run(t, notes(t, "frond.yaml", changing), gateway.Options{Config: gateway.Config{CORS: gateway.CORS{Origins: []string{"https://friend.example"}}}})
	for origin, want := range map[string]string{"https://elsewhere.example": "403", "null": "403", "https://friend.example": "", url: ""} {
		_, err := dialSocket(t, url+"/graphql", "{}", "Origin: "+origin)
		if got := fmt.Sprint(err); got != want && (want != "" || err != nil) {
			t.Errorf("%s: %s", origin, got)
		}
	}
	if _, err := dialSocket(t, url+"/graphql", "{}", "Sec-Fetch-Site: cross-site"); fmt.Sprint(err) != "403" {
		t.Errorf("without an origin: %v", err)
	}
}

// TestTrustedSubscriptions: where documents are enforced, they are on every way in.
func TestTrustedSubscriptions(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "documents"), 0o700); err != nil {
		t.Fatal(err)
	}
	const document = `subscription Notes { noteChanged(after: "start") { change key } }`
	if err := os.WriteFile(filepath.Join(dir, "documents", "notes.graphql"), []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	url, _ := run(t, notes(t, "frond.yaml", changing), gateway.Options{Config: gateway.Config{Dir: dir, GraphQL: gateway.GraphQL{
		Documents: gateway.Documents{Folder: "documents", Mode: gateway.DocumentsEnforce},
	}}})
	s, err := dialSocket(t, url+"/graphql", "{}")
	if err != nil {
		t.Fatal(err)
	}
	s.send(`{"type":"subscribe","id":"0","payload":{"query":"subscription { noteChanged { key } }"}}`)
	if got := s.read(); !strings.Contains(got, "DOCUMENT_NOT_TRUSTED") {
		t.Error(got)
	}
	s.send(`{"type":"subscribe","id":"1","payload":{"documentId":"sha256:` + sha256Of(document) + `"}}`)
	if status, _ := send(t, "POST", url+"/api/app/notes", `{"id":"n","title":"t"}`); status != 201 {
		t.Fatalf("create: %d", status)
	}
	if got := s.read(); got != noteCreated {
		t.Error(got)
	}
}

// TestReservedStreamOverALimit: an operation that the caller has no place for ends on its
// stream with the reason.
func TestReservedStreamOverALimit(t *testing.T) {
	url, _ := run(t, notes(t, "frond.yaml", changing), gateway.Options{Config: gateway.Config{Limits: gateway.Limits{Subscriptions: subscriptions.Limits{Caller: 2}}}})
	status, token := send(t, "PUT", url+"/graphql/stream", "")
	if status != 201 {
		t.Fatalf("%d %s", status, token)
	}
	for i := range 3 {
		body := fmt.Sprintf(`{"query":"subscription { noteChanged { key } }","extensions":{"operationId":"o%d"}}`, i)
		if status, answer := send(t, "POST", url+"/graphql/stream", body, "X-GraphQL-Event-Stream-Token: "+token); status != 202 {
			t.Fatalf("%d %s", status, answer)
		}
	}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/graphql/stream?token="+token, http.NoBody)
	req.Header.Set("Accept", "text/event-stream")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	for s := bufio.NewScanner(resp.Body); s.Scan(); {
		if data, ok := strings.CutPrefix(s.Text(), "data: "); ok {
			if !strings.Contains(data, `"errors"`) || !strings.Contains(data, `"code":"TOO_MANY_REQUESTS"`) {
				t.Errorf("the first event: %s", data)
			}
			return
		}
	}
	t.Error("the stream ended without the reason")
}

// TestEventStreams: one operation in one stream, whatever its type, and what is refused.
func TestEventStreams(t *testing.T) {
	url, stop := run(t, notes(t, "frond.yaml", changing), gateway.Options{})
	stream := func(path, body string, headers ...string) (*http.Response, *bufio.Scanner) {
		t.Helper()
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, url+path, strings.NewReader(body))
		if body == "" {
			req.Method = http.MethodGet
		}
		req.Header.Set("Accept", "text/event-stream")
		req.Header.Set("Content-Type", "application/json")
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			req.Header.Set(name, value)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = resp.Body.Close() })
		return resp, bufio.NewScanner(resp.Body)
	}
	lines := func(s *bufio.Scanner, n int) (all []string) {
		for len(all) < n && s.Scan() {
			if s.Text() != "" && !strings.HasPrefix(s.Text(), "retry:") {
				all = append(all, s.Text())
			}
		}
		return all
	}
	for body, want := range map[string]string{
		`{"query":"{ notes { total } }"}`:                                            `event: next|data: {"data":{"notes":{"total":0}}}|event: complete|data: `,
		`{"query":"{ nope }"}`:                                                       `event: next|data: {"errors":[{"message":"Cannot query field`,
		`{"query":"subscription { noteChanged(after: \"x\") { key } }"}`:             `event: next|data: {"errors":[{"message":"\"x\" is no position`,
		`{"query":"subscription { a: noteChanged { key } noteChanged { change } }"}`: `event: next|data: {"errors":[{"message":"Anonymous Subscription must select only one`,
	} {
		resp, s := stream("/graphql", body) //nolint:bodyclose // stream closes it at the end
		if got := strings.Join(lines(s, 9), "|"); resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" || !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "event: complete|data: ") {
			t.Errorf("%s: %d %s", body, resp.StatusCode, got)
		}
	}
	// Clients of JSON name the type of streams behind their own.
	if resp, _ := stream("/graphql", `{"query":"{ notes { total } }"}`, "Accept: application/graphql-response+json, application/json, text/event-stream, multipart/mixed"); !strings.HasPrefix(resp.Header.Get("Content-Type"), "application/graphql-response+json") { //nolint:bodyclose // stream closes it at the end
		t.Errorf("a query of a client that prefers JSON: %v", resp.Header)
	}
	if resp, _ := stream("/graphql", `{"query":1}`); resp.StatusCode != 400 { //nolint:bodyclose // stream closes it at the end
		t.Errorf("no request: %d", resp.StatusCode)
	}
	if resp, _ := stream("/graphql/stream", "", "Accept: application/json"); resp.StatusCode != 406 { //nolint:bodyclose // stream closes it at the end
		t.Errorf("a stream for who takes none: %d", resp.StatusCode)
	}
	if status, body := send(t, "POST", url+"/graphql", `{"query":"subscription { noteChanged { key } }"}`); !strings.Contains(body, "many answers") {
		t.Errorf("a subscription without a stream: %d %s", status, body)
	}
	_, s := stream("/graphql/stream", `{"query":"subscription { noteChanged(after: \"start\") { change key } }"}`) //nolint:bodyclose // stream closes it at the end
	_, byGet := stream("/graphql/stream?query=subscription{noteChanged(after:%22start%22){key}}", "")              //nolint:bodyclose // stream closes it at the end
	createNote(t, url, "n")
	if got := strings.Join(lines(s, 2), "|"); got != `event: next|data: {"data":{"noteChanged":{"change":"CREATED","key":"n"}}}` {
		t.Error(got)
	}
	if got := strings.Join(lines(byGet, 2), "|"); got != `event: next|data: {"data":{"noteChanged":{"key":"n"}}}` {
		t.Error(got)
	}

	// The single connection mode.
	status, token := send(t, "PUT", url+"/graphql/stream", "")
	if status != 201 || token == "" {
		t.Fatalf("%d %s", status, token)
	}
	with := "X-GraphQL-Event-Stream-Token: " + token
	const operation = `{"query":"subscription { noteChanged(after: \"start\") { key } }","extensions":{"operationId":"o"}}`
	if status, _ := send(t, "POST", url+"/graphql/stream", operation, with); status != 202 {
		t.Errorf("an operation: %d", status)
	}
	for _, c := range []struct {
		method, path, body string
		want               int
	}{
		{"POST", "", operation, 409},
		{"POST", "", `{"query":"{ __typename }"}`, 400},
		{"POST", "?token=other", `{"query":"{ __typename }","extensions":{"operationId":"o"}}`, 404},
		{"DELETE", "?operationId=unknown", "", 200},
		{"PATCH", "", "", 405},
	} {
		h := []string{with}
		if strings.Contains(c.path, "token") {
			h = nil
		}
		if status, body := send(t, c.method, url+"/graphql/stream"+c.path, c.body, h...); status != c.want {
			t.Errorf("%s %s %s: %d %s", c.method, c.path, c.body, status, body)
		}
	}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodOptions, url+"/graphql/stream", http.NoBody)
	if resp, err := http.DefaultClient.Do(req); err != nil || resp.StatusCode != 204 || resp.Header.Get("Allow") != "DELETE, GET, HEAD, OPTIONS, POST, PUT" { //nolint:bodyclose // it has none
		t.Errorf("what a path of streams allows: %v %v", resp, err)
	}
	_, reserved := stream("/graphql/stream?token="+token, "")                          //nolint:bodyclose // stream closes it at the end
	if resp, _ := stream("/graphql/stream?token="+token, ""); resp.StatusCode != 409 { //nolint:bodyclose // stream closes it at the end
		t.Errorf("a stream that is open: %d", resp.StatusCode)
	}
	createNote(t, url, "m")
	for _, key := range []string{"n", "m"} {
		if got := strings.Join(lines(reserved, 2), "|"); got != `event: next|data: {"id":"o","payload":{"data":{"noteChanged":{"key":"`+key+`"}}}}` {
			t.Error(got)
		}
	}
	if status, _ := send(t, "DELETE", url+"/graphql/stream?operationId=o", "", with); status != 200 {
		t.Errorf("the end of an operation: %d", status)
	}
	if status, _ := send(t, "POST", url+"/graphql/stream", `{"query":"{ notes { total } }","extensions":{"operationId":"o"}}`, with); status != 202 {
		t.Errorf("its id again: %d", status)
	}
	if got := strings.Join(lines(reserved, 4), "|"); got != `event: next|data: {"id":"o","payload":{"data":{"notes":{"total":2}}}}|event: complete|data: {"id":"o"}` {
		t.Error(got)
	}
	if err := stop(); err != nil {
		t.Errorf("open streams hold up the end: %v", err)
	}
	if got := lines(reserved, 1); got != nil {
		t.Errorf("at the end: %s", got)
	}
}

// TestSubscriptionsOfAudiences: a fact is where its door can be read.
func TestSubscriptionsOfAudiences(t *testing.T) {
	gw, err := gateway.New(read(t, projectFiles(map[string]string{
		"entities/note.yaml":   noteCard,
		"entities/secret.yaml": noteCard,
		"frond.yaml":           "changes: '*'\nfacts: [{name: closing}]\nsurfaces: {audiences: {partner: {graphql: {only: [note.list, secret.create]}}}}\n",
	})), quiet(gateway.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = gw.Close() }()
	shown, err := gw.Shown(catalog.Surface("partner/graphql"))
	if err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]bool{"noteChanged(": true, "secretChanged(": false, "closing(": false} {
		if strings.Contains(shown, field) != want || !strings.Contains(gw.SDL(), field) {
			t.Errorf("%s is wrong for the audience or for everybody", field)
		}
	}
	server := serveHandler(t, gw.Handler())
	s, err := dialSocket(t, server+"/partner/graphql", "{}")
	if err != nil {
		t.Fatal(err)
	}
	s.send(`{"type":"subscribe","id":"1","payload":{"query":"subscription { secretChanged { key } }"}}`)
	if got := s.read(); !strings.Contains(got, "Cannot query field") {
		t.Error(got)
	}
}

// serveHandler serves a handler until the test ends.
func serveHandler(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func sha256Of(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func projectFiles(files map[string]string) fstest.MapFS {
	all := fstest.MapFS{}
	for name, text := range files {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}
