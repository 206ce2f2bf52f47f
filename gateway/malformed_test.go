package gateway_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/frondhost/frond/gateway"
)

// TestRequestsThatCannotBeRead: what net/http refuses before any handler is a problem,
// as every other failure is.
func TestRequestsThatCannotBeRead(t *testing.T) {
	url, _ := run(t, notes(t), gateway.Options{})
	for name, c := range map[string]struct {
		request string
		status  int
		says    string
	}{
		"an escape that is none":       {"GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "%25"},
		"one in REST":                  {"GET /api/app/notes/%zz HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "%25"},
		"one in a query":               {"GET /api/app/notes?limit=%zz HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "%25"},
		"no host":                      {"GET /livez HTTP/1.1\r\n\r\n", 400, "Host"},
		"a header without a colon":     {"GET /livez HTTP/1.1\r\nHost: localhost\r\nnonsense\r\n\r\n", 400, "colon"},
		"nonsense":                     {"nonsense\r\n\r\n", 400, "cannot be read"},
		"a version that is none":       {"GET /livez HTTP/9.9\r\nHost: localhost\r\n\r\n", 505, "cannot be read"},
		"a coding that is not read":    {"POST /graphql HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n", 501, "coding"},
		"headers that are much":        {"GET /livez HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 80<<10) + "\r\n\r\n", 431, "larger"},
		"a URL that is long":           {"GET /api/app/notes?filter=" + strings.Repeat("x", 80<<10) + " HTTP/1.1\r\nHost: localhost\r\n\r\n", 414, "URL"},
		"a request that can be read":   {"GET /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 404, "/graphql"},
		"a path that is escaped right": {"GET /api/app/notes/%25zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 404, ""},
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.WriteString(conn, c.request) }() // which may not be read whole
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		body, err := io.ReadAll(io.LimitReader(resp.Body, max(resp.ContentLength, 0)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		_ = resp.Body.Close()
		_ = conn.Close()
		var problem struct {
			Status   int
			Detail   string
			Instance string
			Data     struct{ Code string }
		}
		path := ""
		if words := strings.Fields(c.request); strings.HasPrefix(words[min(1, len(words)-1)], "/") {
			path, _, _ = strings.Cut(words[1], "?")
		}
		if _ = json.Unmarshal(body, &problem); problem.Instance != path {
			t.Errorf("%s: the instance is %q, want %q", name, problem.Instance, path)
		}
		if err := json.Unmarshal(body, &problem); err != nil || resp.StatusCode != c.status || problem.Status != c.status || problem.Data.Code == "" ||
			!strings.Contains(problem.Detail, c.says) || resp.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %v, %s %v %s", name, err, resp.Status, resp.Header, body)
		}
	}
}
