package e2e_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frondhost/frond/e2e/freeport"
)

// TestKilledAndStartedAgain kills a Frond's process in the middle of the shop's
// stories: what runs there is SERVICE_UNAVAILABLE on every surface, 503 on REST, what
// runs elsewhere is answered, and once it stands again the stories go on: the
// gateways are never restarted.
func TestKilledAndStartedAgain(t *testing.T) {
	t.Parallel()
	stores := map[string]string{"catalog": storeFor(t), "sales": storeFor(t)} // one process serves a SQLite file
	serve := func(frond, port string) *program {
		return start(t, exec.Command(binary(t), "serve", frond, "--dir", shopDir, "--port", port, "--store", stores[frond]))
	}
	catalog, sales := serve("catalog", strconv.Itoa(freeport.Port(t))), serve("sales", "0")
	dir := folder(t, map[string]string{"gateway.yaml": "identity: {dev: true}\ngraphql: {introspection: true}\n"})
	gateway := func() string {
		return start(t, exec.Command(binary(t), "gateway", dir, "--listen", "127.0.0.1:0", "--store", "memory",
			"--mode", "development", "--remote", "catalog="+catalog.URL, "--remote", "sales="+sales.URL)).URL
	}
	one := gateway()
	lanes := []*lane{
		{name: "envelope", wire: envelopeWire{one}},
		{name: "rest", wire: restWire{one, shop}},
		{name: "graphql", wire: newGraphQLWire(t, one, shop)},
		{name: "frond call --url", wire: cliWire{url: one}, slow: true},
	}
	var stories []story
	for _, s := range shopReads {
		s.as = staff
		stories = append(stories, s)
	}
	t.Run("before", func(t *testing.T) { runMatrix(t, stories, lanes) })
	catalog.kill()
	for _, c := range []call{
		{Method: "product.findById", Params: `{"id":"p-tamper"}`, User: staff},
		{Method: "category.list", Query: `{"limit":2}`, User: staff},
		{Method: "category.update", Params: `{"id":"c-tea"}`, Body: `{"position":1}`, User: staff},
	} {
		for _, l := range lanes { // the REST wire holds the code to its status, 503
			got, _ := l.wire.do(t, c)
			if got.Err == nil || got.Err.Code != "SERVICE_UNAVAILABLE" || !strings.EqualFold(got.Err.Entity, c.entity()) || got.Err.Operation != c.op() {
				t.Errorf("%s of %s: %s", c.Method, l.name, show(got))
			}
		}
	}
	half := send(t, "POST", one+"/graphql", encode(t, map[string]string{"query": `{ order(id: "o-24104") { reference lines { items { quantity product { name } } } } }`}), asStaff)
	if text := string(half.Body); !strings.Contains(text, "CK-24104") || !strings.Contains(text, "SERVICE_UNAVAILABLE") || !strings.Contains(text, `"product":null`) {
		t.Errorf("what runs elsewhere is to be answered, and the products are to be null: %s", text)
	}
	catalog = serve("catalog", catalog.port())
	recovered(t, func() bool {
		return send(t, "GET", one+"/api/catalog/products/p-tamper", "").Status == 200
	})
	t.Run("again", func(t *testing.T) { runMatrix(t, stories, lanes) })
}

// recovered waits until something works again, which may take the breaker its five
// seconds and the next request.
func recovered(t *testing.T, works func() bool) {
	t.Helper()
	for by := time.Now().Add(time.Minute); time.Now().Before(by); {
		if works() {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.Fatal("it did not recover within a minute")
}

// TestKilledWhileItWrites: creates go on through a gateway while the host in Python is
// killed and started again, over one file. Each parcel bears a mark. None is there
// twice; those that were answered are there; every failure is typed.
func TestKilledWhileItWrites(t *testing.T) {
	t.Parallel()
	const callers = 8
	file := filepath.Join(t.TempDir(), "parcels.db")
	there := startShipping(t, "0", "--file", file)
	shop := startGateway(t, shopDir, "--remote", "shipping="+there.URL)
	port := there.port()

	var outcomes sync.Map // mark: the code; "" where it was answered
	var n, answered atomic.Int64
	done := make(chan struct{})
	var workers sync.WaitGroup
	for range callers {
		workers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				company, weight := parcelMark(int(n.Add(1)))
				res := send(t, "POST", shop.URL+"/api/shipping/parcels", fmt.Sprintf(`{"orderId":%q,"carrier":%q,"weight":%d}`, markedOrder, company, weight), asStaff)
				code, _, _ := failureOf(t, res)
				if outcomes.Store(fmt.Sprint(company, "-", weight), code); code == "" {
					answered.Add(1)
				} else {
					time.Sleep(5 * time.Millisecond) // no caller retries a host that is down without a pause
				}
			}
		})
	}
	for range 3 { // in the middle of it, however long the breaker rests
		from := answered.Load()
		recovered(t, func() bool { return answered.Load() > from+200 })
		there.kill()
		there = startShipping(t, port, "--file", file)
	}
	from := answered.Load()
	recovered(t, func() bool { return answered.Load() > from+200 })
	close(done)
	workers.Wait()

	stored := parcelsBy(t, there.URL, int(n.Load()))
	codes := map[string]int{}
	outcomes.Range(func(mark, code any) bool {
		codes[code.(string)]++
		if times := stored[mark.(string)]; times > 1 || code == "" && times != 1 {
			t.Errorf("%s is there %d times, and was told %q", mark, times, code)
		}
		return true
	})
	for code, times := range codes {
		if code != "" && code != "SERVICE_UNAVAILABLE" {
			t.Errorf("%d times %s", times, code)
		}
	}
	if codes["SERVICE_UNAVAILABLE"] == 0 || codes[""] < 800 {
		t.Errorf("that shows nothing: %v", codes)
	}
	t.Logf("of %d parcels %d are there; answers: %v", n.Load(), len(stored), codes)
}

// markedOrder is the order that marked parcels are of: one that is there.
const markedOrder = "o-24112"

// parcelMark returns what identifies the nth parcel: its company and its weight.
func parcelMark(n int) (company string, weight int) {
	return []string{"post", "courier", "bicycle"}[n/30_000%3], n%30_000 + 1
}

// parcelsBy counts the first n parcels by their mark.
func parcelsBy(t *testing.T, url string, n int) map[string]int {
	t.Helper()
	count := map[string]int{}
	for from := 1; from <= n; {
		first, _ := parcelMark(from)
		var weights []int
		for ; len(weights) < 250; from++ {
			company, weight := parcelMark(from)
			if company != first {
				break
			}
			weights = append(weights, weight)
		}
		in := encode(t, map[string]any{"query": map[string]any{"limit": 500, "filter": map[string]any{
			"orderId": map[string]any{"eq": markedOrder}, "carrier": map[string]any{"eq": first}, "weight": map[string]any{"in": weights},
		}}})
		text := inquiry{method: "parcel.list " + in}.of(t, url)
		var page struct {
			Items []struct {
				Company string `json:"carrier"`
				Weight  int
			}
			Total int
		}
		if err := json.Unmarshal([]byte(text), &page); err != nil || page.Total > len(page.Items) {
			t.Fatalf("%v: %.300s", err, text)
		}
		for _, p := range page.Items {
			count[fmt.Sprint(p.Company, "-", p.Weight)]++
		}
	}
	return count
}
