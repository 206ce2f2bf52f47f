package rest_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/schema/jsontext"
)

const sentJSON, streamsPath = "Content-Type: application/json", "/_kit/stream"

// several opens streams in one answer; streams are the members of the body.
func (s *streaming) several(t *testing.T, streams string, headers ...string) *events {
	t.Helper()
	return s.opened(t, http.MethodPost, streamsPath, `{"streams":{`+streams+`}}`, append(headers, sentJSON)...)
}

// tagged is the next message of a group in a few words, and its position.
func (e *events) tagged() (text, position string) {
	e.t.Helper()
	_, name, data := e.next()
	get := func(members ...string) []byte {
		value := []byte(data)
		for _, m := range members {
			value = jsontext.Get(value, m)
		}
		return value
	}
	position = jsontext.Unquote(get("position"))
	text = name + " " + jsontext.Unquote(get("stream"))
	switch name {
	case "event":
		return text + " " + said(string(get("event"))), jsontext.Unquote(get("event", "position"))
	case "end":
		return text + " " + jsontext.Unquote(get("error", "code")), ""
	case "open":
		return name + " " + data, ""
	}
	return text, position
}

// TestStreamsInOneAnswer: each message names its stream, each stream begins where it says and has
// its own filter, and one that is refused or ends leaves the others open.
func TestStreamsInOneAnswer(t *testing.T) {
	s := stream(t)
	of := s.several(t, `"all":{"fact":"blog.postChanged"},
		"few":{"fact":"blog.postChanged","filter":{"views":{"lt":10}},"fields":["id","views"]},
		"fact":{"fact":"blog.postPublished"},
		"none":{"fact":"blog.nothing"},
		"bad":{"fact":"blog.postChanged","filter":{"zz":{"eq":1}}},
		"old":{"fact":"blog.postChanged","after":"zzz"}`, ada)
	var first []string
	for range 7 {
		text, _ := of.tagged()
		first = append(first, text)
	}
	want := []string{`open {"heartbeat":15}`, "position all", "position few", "position fact", "end none NOT_FOUND", "end bad VALIDATION_FAILED", "end old VALIDATION_FAILED"}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Fatal(diff)
	}
	s.post(t, "p1", 5)
	s.post(t, "p2", 50)
	s.write(t, "post.update", "p2", `{"views":500}`)
	at := map[string]string{}
	got := map[string][]string{}
	for range 5 {
		text, position := of.tagged()
		id := strings.Fields(text)[1]
		got[id] = append(got[id], strings.Join(strings.Fields(text)[2:], " "))
		at[id] = position
	}
	if diff := cmp.Diff(map[string][]string{
		"all":  {"postChanged created p1 5", "postChanged created p2 50", "postChanged updated p2 500"},
		"few":  {"postChanged created p1 5"},
		"fact": {"postPublished updated p2 500"},
	}, got); diff != "" {
		t.Error(diff)
	}

	// The streams go on in another answer, each from its own position.
	s.post(t, "p3", 1)
	again := s.several(t, fmt.Sprintf(`"a":{"fact":"blog.postChanged","after":%q},"b":{"fact":"blog.postChanged","filter":{"views":{"lt":10}},"after":%q}`, at["all"], at["few"]), ada)
	seen := map[string]bool{}
	for range 5 {
		text, _ := again.tagged()
		seen[text] = true
	}
	if !seen["event a postChanged created p3 1"] || !seen["event b postChanged created p3 1"] {
		t.Errorf("after the positions come %v", seen)
	}
	if open := s.open.Load(); open != 5 {
		t.Errorf("%d places are taken for 5 open streams", open)
	}

	// Without a caller all of them end, and the answer with them.
	s.roles.Store(nil)
	s.post(t, "p4", 2)
	ends := map[string]bool{}
	for {
		text, _ := again.tagged()
		if text == " " {
			break
		}
		ends[text] = true
	}
	if !ends["end a UNAUTHORIZED"] || !ends["end b UNAUTHORIZED"] {
		t.Errorf("without a caller come %v", ends)
	}
}

// TestRefusedGroups: what is wrong with a request is refused with all its faults before anything
// is opened.
func TestRefusedGroups(t *testing.T) {
	var hundredAndOne []string
	for i := range 101 {
		hundredAndOne = append(hundredAndOne, fmt.Sprintf(`"%d":{"fact":"a.b"}`, i))
	}
	s := stream(t)
	for _, c := range []struct {
		method, body, headers string
		status                int
		want                  string
	}{
		{"POST", `{"streams":{"1":{"fact":"blog.postChanged"}}}`, "", 415, "BAD_REQUEST the command has no Content-Type"},
		{"GET", "", sentJSON, 405, "METHOD_NOT_ALLOWED this path is served under POST, OPTIONS"},
		{"POST", `{"streams":{}}`, sentJSON, 400, "VALIDATION_FAILED streams must have at least 1"},
		{"POST", `{"streams":[]}`, sentJSON, 400, "VALIDATION_FAILED streams must be an object"},
		{"POST", `[]`, sentJSON, 400, "VALIDATION_FAILED body must be an object"},
		{"POST", ``, sentJSON, 400, "VALIDATION_FAILED streams is required"},
		{"POST", `{"streams":{"1":{"fields":"id"},"2":{"fact":"x","zz":1}}}`, sentJSON, 400, "VALIDATION_FAILED 3 things are refused"},
		{"POST", `{"streams":{"1":{"fact":"a.b"},"1":{"fact":"a.b"}}}`, sentJSON, 400, "BAD_REQUEST the body is not JSON as it should be"},
		{"POST", `{"streams":{` + strings.Join(hundredAndOne, ",") + `}}`, sentJSON, 400, "VALIDATION_FAILED streams must have at most 100"},
		{"POST", `{"streams":{"1":{"fact":"blog.postChanged"}}}`, sentJSON + "\nAccept: application/json", 406, "BAD_REQUEST facts leave as a stream"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, s.URL+streamsPath, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		for h := range strings.SplitSeq(c.headers, "\n") {
			if name, value, ok := strings.Cut(h, ": "); ok {
				r.Header.Set(name, value)
			}
		}
		resp, err := s.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		data := jsontext.Get(body, "data")
		if got := jsontext.Unquote(jsontext.Get(data, "code")) + " " + jsontext.Unquote(jsontext.Get(data, "message")); resp.StatusCode != c.status || !strings.HasPrefix(got, c.want) {
			t.Errorf("%.60s: %d %s; want %d %s", c.body, resp.StatusCode, got, c.status, c.want)
		}
	}
	s.full.Store(true)
	of := s.several(t, `"1":{"fact":"blog.postChanged"}`, ada)
	of.next()
	if text, _ := of.tagged(); text != "end 1 TOO_MANY_REQUESTS" {
		t.Errorf("without a place comes %s", text)
	}
	if open := s.open.Load(); open != 0 {
		t.Errorf("%d places are taken", open)
	}
}

// TestGroupThatIsNotRead: a client that does not read for a while misses nothing and gets nothing
// twice, over all its streams.
func TestGroupThatIsNotRead(t *testing.T) {
	s := stream(t)
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.(*net.TCPConn).SetReadBuffer(32 << 10)
	body := `{"streams":{"a":{"fact":"blog.postChanged","after":"start"},"b":{"fact":"blog.postChanged","after":"start"}}}`
	const rows = 500
	for i := range rows {
		s.post(t, fmt.Sprintf("p%04d", i), 5)
	}
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nX-User: ada\r\n%s\r\nContent-Length: %d\r\n\r\n%s", streamsPath, sentJSON, len(body), body)
	// The head and a part of a message fill what the connection takes.
	one := make([]byte, 1)
	if _, err := conn.Read(one); err != nil {
		t.Fatal(err)
	}
	of := readEvents(t, conn)
	next := map[string]int{}
	for next["a"] < rows || next["b"] < rows {
		text, _ := of.tagged()
		word := strings.Fields(text)
		if len(word) < 5 {
			if len(word) == 0 {
				t.Fatalf("the answer ends behind %v", next)
			}
			continue
		}
		if want := fmt.Sprintf("p%04d", next[word[1]]); word[4] != want {
			t.Fatalf("%s: %s comes in the place of %s", word[1], word[4], want)
		}
		next[word[1]]++
	}
}
