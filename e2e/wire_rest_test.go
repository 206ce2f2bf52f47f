package e2e_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
)

// restWire carries a call as an HTTP request of spec 4.2.
type restWire struct {
	url  string
	size host
}

func (w restWire) do(t *testing.T, c call) (answer, bool) {
	t.Helper()
	door, known := w.size.doors[strings.ToLower(c.entity())]
	if !known {
		return answer{}, false
	}
	path := w.url + "/api/" + door.frond + "/" + door.plural
	params := members(t, c.Params)
	verb := ""
	switch op := c.op(); op {
	case "list":
		verb = "GET"
	case "create":
		verb = "POST"
	case "findById", "update", "delete":
		id, given := params["id"]
		if !given || len(params) > 1 || c.Query != "" {
			return answer{}, false // the path holds one id and nothing else
		}
		path += "/" + url.PathEscape(text(t, id))
		params = nil
		verb = map[string]string{"findById": "GET", "update": "PATCH", "delete": "DELETE"}[op]
	case "createMany", "updateMany", "deleteMany", "upsert":
		verb = w.many(&c, t)
	default:
		verb = "POST"
		if w.size.queries[c.Method] {
			verb = "GET"
		}
		path += "/" + kebab(op)
	}
	values := url.Values{}
	for name, v := range params {
		values.Set(name, text(t, v))
	}
	var headers []string
	for name, v := range members(t, c.Query) {
		switch {
		case name == "fields" || name == "ids" || name == "sort" && v[0] == '[':
			var list []string
			if json.Unmarshal(v, &list) != nil {
				return answer{}, false
			}
			values.Set(name, strings.Join(list, ","))
		case name == "total" && string(v) == "false":
			headers = append(headers, "Prefer: count=none")
		default:
			values.Set(name, text(t, v))
		}
	}
	if verb == "GET" { // which has no body: its members stand in the URL
		for name, v := range members(t, c.Body) {
			values.Set(name, text(t, v))
		}
		c.Body = ""
	}
	if len(values) > 0 {
		path += "?" + values.Encode()
	}
	res := send(t, verb, path, c.Body, append(headers, c.userHeader()...)...)
	switch {
	case res.Status == 204:
		if len(res.Body) > 0 {
			t.Errorf("204 with a body: %s", res.Body)
		}
		return answer{Value: c.op() == "delete"}, true
	case res.Status < 300:
		if c.op() == "create" && (res.Status != 201 || res.Header.Get("Location") == "") {
			t.Errorf("a create answered %d with Location %q, want 201 and one", res.Status, res.Header.Get("Location"))
		}
		return answer{Value: decode(t, res.Body)}, true
	}
	if got := res.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("a failure came as %q, want application/problem+json\n%s", got, res.Body)
	}
	var problem struct {
		Status int
		Data   json.RawMessage
	}
	if err := json.Unmarshal(res.Body, &problem); err != nil || problem.Status != res.Status {
		t.Fatalf("not a problem of status %d: %v\n%s", res.Status, err, res.Body)
	}
	e := decodeError(t, problem.Data)
	if want := statusOf[e.Code]; want != res.Status && res.Status != 415 {
		t.Errorf("%s came with status %d, want %d", e.Code, res.Status, want)
	}
	// What the envelope says with a value, REST says with a status (docs/calls.md).
	if e.Code == "NOT_FOUND" && e.Details == nil {
		switch {
		case w.size.maybe[c.Method]:
			return answer{Value: nil}, true
		case c.op() == "delete":
			return answer{Value: false}, true
		}
	}
	return answer{Err: e}, true
}

// statusOf is the table of docs/calls.md, written down a second time.
var statusOf = map[string]int{
	"VALIDATION_FAILED": 400, "BAD_REQUEST": 400, "UNAUTHORIZED": 401, "FORBIDDEN": 403, "NOT_FOUND": 404,
	"METHOD_NOT_ALLOWED": 405, "REQUEST_TIMEOUT": 408, "CONFLICT": 409, "GONE": 410, "PRECONDITION_FAILED": 412,
	"PAYLOAD_TOO_LARGE": 413, "UNPROCESSABLE_ENTITY": 422, "LOCKED": 423, "TOO_MANY_REQUESTS": 429,
	"INTERNAL_ERROR": 500, "NOT_IMPLEMENTED": 501, "BAD_GATEWAY": 502, "SERVICE_UNAVAILABLE": 503, "GATEWAY_TIMEOUT": 504,
}

// members are the members of an object in JSON text; none for "".
func members(t testing.TB, text string) map[string]json.RawMessage {
	t.Helper()
	m := map[string]json.RawMessage{}
	if text == "" {
		return m
	}
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatalf("not an object: %v\n%s", err, text)
	}
	return m
}

// text is a value as a URL holds it: a string bare, everything else as its JSON.
func text(t testing.TB, v json.RawMessage) string {
	t.Helper()
	if v[0] != '"' {
		return string(v)
	}
	var s string
	if err := json.Unmarshal(v, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// kebab is an operation's name as REST's path has it (spec 4.2).
func kebab(op string) string {
	var b strings.Builder
	for _, r := range op {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('-')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}
