package e2e_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// call is one call as a case writes it: JSON text in each place, "" for absent.
type call struct {
	Method string // entity.op
	Params string
	Query  string
	Body   string
	User   string // a JSON object; "" is an anonymous caller
}

func (c call) entity() string { e, _, _ := strings.Cut(c.Method, "."); return e }
func (c call) op() string     { _, o, _ := strings.Cut(c.Method, "."); return o }

// answer is what came back: a value or an error, decoded alike from every wire.
type answer struct {
	Value any // as encoding/json decodes it, numbers as json.Number
	Err   *kitError
}

// kitError is the failure as the wire has it (spec 7.2): decoded here by hand, so
// that a change of the house's own type cannot hide a change of the wire.
type kitError struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Entity    string `json:"entity"`
	Operation string `json:"operation"`
	Details   any    `json:"details"`
	Call      *int   `json:"call"` // of an atomic request
}

// wire carries a call to a running service.
type wire interface {
	// do answers c. ok is false where the wire has no way to say such a call at
	// all: GraphQL has no field for an operation that does not exist.
	do(t *testing.T, c call) (a answer, ok bool)
}

// client is the HTTP client of all wires. It follows nothing and keeps connections.
var client = &http.Client{
	Timeout:       2 * time.Minute,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// reply is an HTTP answer, read whole.
type reply struct {
	Status int
	Header http.Header
	Body   []byte
}

// send sends one request; headers are "Name: value".
func send(t testing.TB, method, url, body string, headers ...string) reply {
	t.Helper()
	var text io.Reader
	if body != "" {
		text = strings.NewReader(body)
	}
	req, err := http.NewRequest(method, url, text)
	if err != nil {
		t.Fatal(err)
	}
	if body != "" || method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, all}
}

// userHeader is the header that says who calls, under dev identity.
func (c call) userHeader() []string {
	if c.User == "" {
		return nil
	}
	return []string{"X-Frond-User: " + c.User}
}

// decode decodes JSON into plain values, or fails the test with the text.
func decode(t testing.TB, text []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, text)
	}
	return v
}

// decodeError decodes a KitError, or fails the test with the text.
func decodeError(t testing.TB, text []byte) *kitError {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	e := &kitError{}
	if err := dec.Decode(e); err != nil || e.Code == "" {
		t.Fatalf("not a KitError: %v\n%s", err, text)
	}
	return e
}

// encode is v as JSON text.
func encode(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// object joins members, name and JSON text, to an object; an empty text is left out.
func object(members ...string) string {
	var b strings.Builder
	for i := 0; i+1 < len(members); i += 2 {
		if members[i+1] == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(members[i])
		b.Write(name)
		b.WriteString(":" + members[i+1])
	}
	return "{" + b.String() + "}"
}

// invocation is the call as frames and the façade carry it (spec 2.6).
func (c call) invocation() string {
	return object("params", c.Params, "query", c.Query, "body", c.Body)
}

// state is the caller's state as JSON, "" where nobody is calling.
func (c call) state() string {
	if c.User == "" {
		return ""
	}
	return object("user", c.User)
}
