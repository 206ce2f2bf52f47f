package e2e_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	"google.golang.org/protobuf/proto"
)

// recordedSpan is one span as a collector got it.
type recordedSpan struct {
	service, trace, id, parent, name string
	attributes                       map[string]string
}

// collecting is a collector of OTLP over HTTP.
type collecting struct {
	*httptest.Server
	mu    sync.Mutex
	spans []recordedSpan
}

func newCollector(t *testing.T) *collecting {
	t.Helper()
	c := &collecting{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var answered collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &answered)
		}
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("a collector got %s: %v", r.URL, err)
			http.Error(w, "bad", http.StatusBadRequest)
			return
		}
		c.take(&answered)
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *collecting) take(answered *collector.ExportTraceServiceRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, from := range answered.GetResourceSpans() {
		service := texts(from.GetResource().GetAttributes())["service.name"]
		for _, scope := range from.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				c.spans = append(c.spans, recordedSpan{
					service, hex.EncodeToString(s.GetTraceId()), hex.EncodeToString(s.GetSpanId()), hex.EncodeToString(s.GetParentSpanId()),
					s.GetName(), texts(s.GetAttributes()),
				})
			}
		}
	}
}

func texts(attributes []*common.KeyValue) map[string]string {
	all := map[string]string{}
	for _, a := range attributes {
		if all[a.GetKey()] = a.GetValue().GetStringValue(); all[a.GetKey()] == "" {
			all[a.GetKey()] = strings.Trim(a.GetValue().String(), " ")
		}
	}
	return all
}

// outline is a trace, each span below its parent, beside the service that sent it.
func (c *collecting) outline(trace, root string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	var below func(parent string, depth int)
	below = func(parent string, depth int) {
		var lines []recordedSpan
		for _, s := range c.spans {
			if s.trace == trace && s.parent == parent {
				lines = append(lines, s)
			}
		}
		slices.SortFunc(lines, func(a, b recordedSpan) int { return strings.Compare(a.name, b.name) })
		for _, s := range lines {
			fmt.Fprintf(&b, "%s%s: %s\n", strings.Repeat("  ", depth), s.service, s.name)
			below(s.id, depth+1)
		}
	}
	below(root, 0)
	return b.String()
}

// TestTraceOverTwoPrograms: a client's trace goes through a gateway and a Frond in
// another process, and a collector sees one tree. A failure answers with the
// id of that trace.
func TestTraceOverTwoPrograms(t *testing.T) {
	t.Parallel()
	const (
		trace = "4bf92f3577b34da6a3ce929d0e0e4736"
		span  = "00f067aa0ba902b7"
	)
	c := newCollector(t)
	dir := folder(t, map[string]string{
		"fronds/people/entities/writer.yaml": card(),
		"fronds/people/frond.yaml":           everybody,
		"fronds/books/frond.yaml":            everybody,
		"fronds/people/seeds/writer.yaml":    "[{id: w1, name: Ann}]",
		"fronds/books/entities/book.yaml":    card("writerId: {type: string, x-kit: {role: {relation: {to: writer, kind: one}}}}"),
		"fronds/books/seeds/book.yaml":       "[{id: b1, name: One, writerId: w1}]",
	})
	started := func(service string, args ...string) *program {
		cmd := exec.Command(binary(t), args...)
		cmd.Env = environment("OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL, "OTEL_SERVICE_NAME="+service)
		return start(t, cmd)
	}
	people := started("people", "serve", "people", "--dir", dir, "--port", "0", "--store", "memory")
	front := started("front", "gateway", dir, "--listen", "127.0.0.1:0", "--store", "memory", "--remote", "people="+people.URL, "--admin-listen", "127.0.0.1:0")

	ask := func(path, body string, headers ...string) string {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, front.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(headers); i += 2 {
			req.Header.Set(headers[i], headers[i+1])
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		return string(text)
	}
	const deep = `{"query":"query Shelf { books { items { name writer { name } } } }"}`
	if got, want := ask("/graphql", deep, "Traceparent", "00-"+trace+"-"+span+"-01"), `{"data":{"books":{"items":[{"name":"One","writer":{"name":"Ann"}}]}}}`; got != want {
		t.Fatalf("%s, want %s", got, want)
	}
	frame := `{"jsonrpc":"2.0","id":1,"method":"writer.list","params":{"trace":"00-` + strings.Repeat("a", 32) + "-" + span + `-01"}}`
	if got := ask("/_kit/call", frame); !strings.Contains(got, "Ann") {
		t.Fatal(got)
	}
	ask("/graphql", deep, "Traceparent", "00-"+strings.Repeat("b", 32)+"-"+span+"-00") // its caller keeps none of it

	admin := adminOf(t, front)
	resp, err := http.Get(admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	numbers, _ := io.ReadAll(resp.Body)
	if want := `frond_calls_total{entity="writer",frond="people",kind="query",operation="findById",outcome="ok"} 2`; !strings.Contains(string(numbers), want) {
		t.Errorf("%s is not in %s", want, numbers)
	}
	front.stop(t) // what is still to be sent is sent
	people.stop(t)

	want := `front: POST /graphql
  front: book.list
  front: writer.findById
    front: writer.findById
      people: POST /_kit/call
        people: writer.findById
`
	if got := c.outline(trace, span); got != want {
		t.Errorf("the trace is\n%s, want\n%s", got, want)
	}
	want = `front: writer.list
  front: writer.list
    people: POST /_kit/call
      people: writer.list
`
	if got := c.outline(strings.Repeat("a", 32), span); got != want {
		t.Errorf("the frame's trace is\n%s, want\n%s", got, want)
	}
	if got := c.outline(strings.Repeat("b", 32), span); got != "" {
		t.Errorf("a trace that its caller does not keep is kept:\n%s", got)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.spans {
		for name, value := range s.attributes {
			if strings.Contains(value, "items {") {
				t.Errorf("%s tells the document: %s=%s", s.name, name, value)
			}
		}
		if s.name == "POST /graphql" && (s.attributes["graphql.operation.name"] != "Shelf" || s.attributes["frond.surface"] != "graphql") {
			t.Errorf("the request says %v", s.attributes)
		}
	}
}

// adminOf is the address of a program's admin listener, as its log has it.
func adminOf(t *testing.T, p *program) string {
	t.Helper()
	for line := range strings.Lines(p.stderr()) {
		var said struct{ Msg, URL string }
		if json.Unmarshal([]byte(line), &said) == nil && said.Msg == "the admin listener is up" {
			return said.URL
		}
	}
	t.Fatalf("no admin listener in\n%s", p.stderr())
	return ""
}
