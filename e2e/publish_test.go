package e2e_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	natsclient "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/frondhost/frond/e2e/testprogram"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

// orders is a project that announces orders, with more for its gateway.yaml.
func orders(t testing.TB, settings string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"gateway.yaml": settings,
		"frond.yaml":   "name: shop\nfacts: [{name: orderPlaced, schema: order, on: order.create}]\nchanges: [order]\ncollectors: {order: open}\n",
		"entities/order.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  total: {type: integer}
  card: {type: string, x-kit: {boundary: {out: closed}}}
required: [id, total, card]
`,
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// order creates an order.
func order(t testing.TB, p *program, id string) {
	t.Helper()
	res, err := http.Post(p.URL+"/api/shop/orders", "application/json", strings.NewReader(fmt.Sprintf(`{"id":%q,"total":7,"card":"card-of-ada"}`, id)))
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusCreated {
		t.Fatalf("an order cannot be created: %d\n%s", res.StatusCode, p.stderr())
	}
}

// fetched is the text at a URL.
func fetched(t testing.TB, url string) (int, string) {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// shows waits until the text at a URL has another one in it.
func shows(t testing.TB, url, want string) {
	t.Helper()
	var text string
	for by := time.Now().Add(2 * time.Minute); time.Now().Before(by); time.Sleep(20 * time.Millisecond) {
		if _, text = fetched(t, url); strings.Contains(text, want) {
			return
		}
	}
	t.Fatalf("%s does not show %q: %s", url, want, text)
}

// hookReceiver is webhooks.mjs: npm's standardwebhooks and CloudEvents' SDK.
type hookReceiver struct {
	port  string
	in    io.Writer
	lines chan string
}

// hooked is a line that it prints.
type hooked struct {
	Status int
	Error  string
	Extra  string
	Event  struct {
		ID, Type, Source, Subject, Time, DataSchema, DataContentType, Sequence, Change, TraceParent string
		Data                                                                                        map[string]any
	}
}

func startHookReceiver(t testing.TB, secret string) *hookReceiver {
	t.Helper()
	cmd := exec.Command("node", filepath.Join(js(t), "webhooks.mjs"), secret)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = t.Output()
	if err := testprogram.Start(cmd); err != nil {
		t.Fatal(err)
	}
	r := &hookReceiver{in: in, lines: make(chan string, 100)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for s := bufio.NewScanner(out); s.Scan(); {
			r.lines <- s.Text()
		}
	}()
	t.Cleanup(func() { _ = in.Close(); <-ended; _ = cmd.Wait() })
	r.port = r.line(t)
	return r
}

func (r *hookReceiver) line(t testing.TB) string {
	t.Helper()
	select {
	case line := <-r.lines:
		return line
	case <-time.After(2 * time.Minute):
		t.Fatal("the receiver gets nothing")
		return ""
	}
}

// answers makes the receiver give this status to every further request; requests that came before are forgotten.
func (r *hookReceiver) answers(t testing.TB, status string) {
	t.Helper()
	_, _ = io.WriteString(r.in, status+"\n")
	for want := fmt.Sprintf(`{"answers":%q}`, status); r.line(t) != want; {
		continue
	}
}

// next is the next request.
func (r *hookReceiver) next(t testing.TB) (h hooked) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.line(t)), &h); err != nil || h.Error != "" {
		t.Fatalf("%v %+v", err, h)
	}
	return h
}

// until waits for the request about a row, behind others that were delivered before the program was
// killed, which had not saved its position yet.
func (r *hookReceiver) until(t testing.TB, subject string, status int) {
	t.Helper()
	h := r.next(t)
	for ; h.Event.Subject != subject; h = r.next(t) {
		if h.Status != http.StatusNoContent {
			t.Fatalf("before %s: %+v", subject, h)
		}
	}
	if h.Status != status {
		t.Fatalf("%+v", h)
	}
}

// TestWebhooks: what the program sends is accepted by the libraries of the field, signed with the
// old and the new secret; closed fields do not leave; what fails is sent again; nothing is lost
// when the program is killed; 410 stops the webhook, and /readyz and /metrics show it.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	const old, secret = "whsec_b2xkLW9sZC1vbGQtb2xkLW9sZC1vbGQt", "whsec_bmV3LW5ldy1uZXctbmV3LW5ldy1uZXct"
	r := startHookReceiver(t, secret)
	dir := orders(t, fmt.Sprintf(`
mode: development
admin: {listen: '127.0.0.1:0'}
webhooks:
  - name: billing
    url: http://127.0.0.1:%s/hooks?key=hunter2
    facts: [orderPlaced]
    secret: [env:OLD, env:NEW]
    allow: [127.0.0.1]
    headers: {X-Extra: env:EXTRA}
`, r.port))
	store := storeFor(t)
	run := func() *program {
		cmd := exec.Command(binary(t), "gateway", dir, "--listen", "127.0.0.1:0", "--store", store)
		cmd.Env = environment("OLD="+old, "NEW="+secret, "EXTRA=hunter2")
		return start(t, cmd)
	}
	p := run()
	order(t, p, "o1")
	h := r.next(t)
	e := h.Event
	if e.Type != "shop.orderPlaced" || e.Source != "/shop" || e.Subject != "order/o1" || e.Change != "created" || e.DataContentType != "application/json" ||
		e.DataSchema != "urn:frondhost:shop:order:1" || len(e.Sequence) != 13 || h.Extra != "hunter2" {
		t.Errorf("%+v", h)
	}
	if data := fmt.Sprint(e.Data); data != "map[id:o1 total:7]" {
		t.Errorf("data %s", data)
	}
	if at, err := time.Parse(time.RFC3339, e.Time); err != nil || time.Since(at).Abs() > time.Minute {
		t.Errorf("time %s: %v", e.Time, err)
	}

	r.answers(t, "500")
	order(t, p, "o2")
	if h := r.next(t); h.Status != 500 || h.Event.Subject != "order/o2" {
		t.Errorf("%+v", h)
	}
	r.answers(t, "204")
	order(t, p, "o3")
	if h := r.next(t); h.Event.Subject != "order/o3" {
		t.Errorf("behind one that failed: %+v", h)
	}
	p.kill()
	p = run()
	r.until(t, "order/o2", http.StatusNoContent)

	r.answers(t, "410")
	order(t, p, "o4")
	r.until(t, "order/o4", http.StatusGone)
	shows(t, p.URL+"/readyz", "facts: 1 of the receivers cannot be delivered to")
	address := adminOf(t, p)
	shows(t, address+"/readyz", "webhook:billing: the receiver answered 410")
	shows(t, address+"/metrics", `frond_facts_failed_total{way="webhook:billing"} 1`)
	for _, text := range []string{p.stderr(), second(fetched(t, p.URL+"/readyz"))} {
		if strings.Contains(text, "hunter2") || strings.Contains(text, "whsec") || strings.Contains(text, "card-of-ada") {
			t.Errorf("a secret is in %s", text)
		}
	}
}

// between is what stands in a text behind a word, up to another.
func between(text, from, to string) string {
	_, text, _ = strings.Cut(text, from)
	text, _, _ = strings.Cut(text, to)
	return text
}

func second(_ int, text string) string { return text }

// TestNATSEmbedded: an ordinary client reads what the program publishes to its own server, also
// after the program was killed.
func TestNATSEmbedded(t *testing.T) {
	t.Parallel()
	dir := orders(t, "mode: development\nfacts: {nats: {url: embedded, listen: '127.0.0.1:0', token: env:TOKEN}}\n")
	store := "sqlite:" + filepath.Join(t.TempDir(), "rows.db")
	run := func() (*program, jetstream.JetStream) {
		cmd := exec.Command(binary(t), "gateway", dir, "--listen", "127.0.0.1:0", "--store", store)
		cmd.Env = environment("TOKEN=open-sesame")
		p := start(t, cmd)
		for by := time.Now().Add(2 * time.Minute); !strings.Contains(p.stderr(), "nats listening on ") && time.Now().Before(by); {
			time.Sleep(10 * time.Millisecond)
		}
		conn, err := natsclient.Connect(between(p.stderr(), "nats listening on ", "\n"), natsclient.Token("open-sesame"), natsclient.Timeout(time.Minute))
		if err != nil {
			t.Fatalf("%v\n%s", err, p.stderr())
		}
		t.Cleanup(conn.Close)
		js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		return p, js
	}
	p, js := run()
	order(t, p, "o1")
	waitFor(t, "two messages", func() bool {
		stream, err := js.Stream(t.Context(), "FROND_FACTS")
		return err == nil && stream.CachedInfo().State.Msgs == 2
	})
	p.kill()
	p, js = run()
	order(t, p, "o2")
	c, err := js.OrderedConsumer(t.Context(), "FROND_FACTS", jetstream.OrderedConsumerConfig{FilterSubjects: []string{"frond.shop.orderPlaced"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"o1", "o2"} {
		m, err := c.Next(jetstream.FetchMaxWait(2 * time.Minute))
		if err != nil {
			t.Fatalf("%v\n%s", err, p.stderr())
		}
		if body := string(m.Data()); !strings.Contains(body, `"subject":"order/`+id+`"`) || strings.Contains(body, "card-of-ada") || !strings.Contains(body, m.Headers().Get("Nats-Msg-Id")) {
			t.Errorf("%s %v", body, m.Headers())
		}
	}
	if _, text := fetched(t, p.URL+"/readyz"); strings.Contains(text, "nats") {
		t.Errorf("/readyz: %s", text)
	}
}

// TestNATSMissing: without a server the program starts and is ready, and shows what waits.
func TestNATSMissing(t *testing.T) {
	t.Parallel()
	dir := orders(t, "mode: development\nadmin: {listen: '127.0.0.1:0'}\nfacts: {nats: 'nats://user:hunter2@127.0.0.1:1'}\n")
	p := startGateway(t, dir)
	order(t, p, "o1")
	shows(t, adminOf(t, p)+"/readyz", "nats: NATS cannot be reached; facts wait in the outbox")
	shows(t, p.URL+"/readyz", "facts: 1 of the receivers cannot be delivered to")
	if status, text := fetched(t, p.URL+"/readyz"); status != http.StatusOK || !strings.HasPrefix(text, "ready") {
		t.Errorf("%d %s", status, text)
	}
	if strings.Contains(p.stderr(), "hunter2") {
		t.Error(p.stderr())
	}
}

// TestWebhooksOfSeveral: of two gateways over one PostgreSQL one delivers each event, and when it
// stops the other one goes on.
func TestWebhooksOfSeveral(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	got := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got[r.Header.Get("Webhook-Id")]++
	}))
	t.Cleanup(server.Close)
	dir := orders(t, "mode: development\nwebhooks: [{name: audit, url: '"+server.URL+"', facts: [orderPlaced], secret: whsec_b2xkLW9sZC1vbGQtb2xkLW9sZC1vbGQt, allow: [127.0.0.1]}]\n")
	store := pgtest.Database(t)
	a, b := startGateway(t, dir, "--store", store), startGateway(t, dir, "--store", store)
	delivered := func(want int) {
		t.Helper()
		count := func() (n int) {
			mu.Lock()
			defer mu.Unlock()
			return len(got)
		}
		for by := time.Now().Add(2 * time.Minute); count() < want; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(by) {
				t.Fatalf("%d of %d events\n%s\n%s", count(), want, a.stderr(), b.stderr())
			}
		}
	}
	for n := range 20 {
		order(t, []*program{a, b}[n%2], fmt.Sprint("o", n))
	}
	delivered(20)
	a.stop(t)
	order(t, b, "last")
	delivered(21)
	mu.Lock()
	defer mu.Unlock()
	again := 0
	for _, n := range got {
		if n > 1 {
			again++
		}
	}
	if again > len(got)/2 { // some may come again where the machine is so busy that a lease runs out
		t.Errorf("%d of %d events came more than once", again, len(got))
	}
}
