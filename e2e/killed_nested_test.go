package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
)

// killedTags are the rows that orders are connected with.
const killedTags = 6

// TestKilledInNestedWrites kills the gateway with SIGKILL in the middle of writes of orders with their lines
// and tags. After each restart every order has the lines and tags that it names itself, orders that one call
// writes are all there in one version, acknowledged writes are there, and the events make exactly the rows.
func TestKilledInNestedWrites(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, store string) {
		dir := folder(t, map[string]string{
			"frond.yaml":             "name: a\ncollectors: {'*': open}\nchanges: [order, line, orderTag]\nmany: {order: '*'}\nrelations: {order.tags: {through: orderTag}}\nnested: {order: [lines, tags]}\n",
			"entities/tag.yaml":      "properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\nrequired: [id]\n",
			"entities/order.yaml":    "properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  ref: {type: string, x-kit: {role: {unique: [[ref]]}}}\n  batch: {type: string, x-kit: {role: {index: true}}}\n  version: {type: integer}\n  count: {type: integer}\n  sum: {type: integer}\n  tagged: {type: string}\n  lines: {type: array, items: {type: string}, x-kit: {role: {relation: {to: line, kind: many}}}}\nrequired: [id, ref, batch, version, count, sum, tagged]\n",
			"entities/line.yaml":     "properties:\n  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: nanoid}}}}\n  orderId: {type: string, x-kit: {role: {relation: {to: order, kind: one, onDelete: cascade}, unique: [[orderId, sku]]}}}\n  sku: {type: string}\n  n: {type: integer}\nrequired: [orderId, sku, n]\n",
			"entities/orderTag.yaml": "properties:\n  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: nanoid}}}}\n  orderId: {type: string, x-kit: {role: {relation: {to: order, kind: one, onDelete: cascade}, unique: [[orderId, tagId]]}}}\n  tagId: {type: string, x-kit: {role: {relation: {to: tag, kind: one, onDelete: cascade}}}}\nrequired: [orderId, tagId]\n",
		})
		kills := inShort(*manyKills, 1)
		k := &killedOrders{t: t, logged: map[string]map[string]map[string]any{}, store: store}
		p := startGateway(t, dir, "--store", store)
		for i := range killedTags {
			k.send(p, http.MethodPost, "/api/a/tags", fmt.Sprintf(`{"id":"t%d"}`, i))
		}
		for round := range kills {
			var wg sync.WaitGroup
			enough := make(chan struct{}, 1000)
			for i, write := range []func(p *program, b *batch) bool{k.single, k.single, k.many, k.many, k.atomic} {
				wg.Go(func() {
					for n := 0; write(p, k.begin(fmt.Sprintf("b%d-%d-%d", round, i, n))); n++ {
						enough <- struct{}{}
					}
				})
			}
			for range 4 + rand.IntN(6) {
				select {
				case <-enough:
				case <-p.exited:
					t.Fatalf("the gateway ended by itself\n%s", p.stderr())
				case <-time.After(time.Minute):
					t.Fatal("an order took a minute")
				}
			}
			time.Sleep(time.Duration(rand.IntN(30)) * time.Millisecond) // anywhere in a write
			p.kill()
			wg.Wait()
			p = startGateway(t, dir, "--store", store)
			k.check(p)
		}
		t.Logf("%d acknowledged, %d refused, %d broken off, %d of them there", k.acked, k.refused, k.brokenOff, k.there)
		if k.acked < 4*kills || k.brokenOff < kills || k.refused > k.acked/4 {
			t.Error("the test shows too little")
		}
	})
}

// killedOrders notes the writes that were sent.
type killedOrders struct {
	t     *testing.T
	store string

	mu                               sync.Mutex
	batches                          []*batch
	acked, refused, brokenOff, there int
	logged                           map[string]map[string]map[string]any // the rows that the events make, by entity and key
	position                         facade.Position
}

// batch are orders that are written together, all with the same content.
type batch struct {
	name    string
	orders  []string
	lines   map[string]int // numbers by sku
	tags    []string       // sorted
	version int            // that was acknowledged; 0: none, or the orders are deleted
	sent    int            // the version of the write whose answer did not come, 0 of a deletion
	open    bool           // whether there is such a write
}

func (k *killedOrders) begin(name string) *batch {
	b := &batch{name: name, lines: map[string]int{}}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.batches = append(k.batches, b)
	return b
}

// send makes a request and returns its status; 0: the gateway is gone.
func (k *killedOrders) send(p *program, method, path, body string) int {
	return answeredWith(p, method, path, "application/json", body)
}

// write sends the next version of a batch; false: it was not acknowledged, and is the last one.
func (k *killedOrders) write(p *program, b *batch, version int, method, path, body string) bool {
	b.sent, b.open = version, true
	status := k.send(p, method, path, body)
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case status/100 == 2:
		b.version, b.open = version, false
		k.acked++
	case status == 0:
		k.brokenOff++
	case status == http.StatusConflict || status == http.StatusServiceUnavailable:
		b.open = false
		k.refused++
	default:
		b.open = false
		k.t.Errorf("%s %s %s is answered with %d", method, path, body, status)
	}
	return status/100 == 2
}

// fields are the members of an order that name its content.
func (b *batch) fields(version int) string {
	sum := 0
	for _, n := range b.lines {
		sum += n
	}
	return fmt.Sprintf(`"version":%d,"count":%d,"sum":%d,"tagged":%q`, version, len(b.lines), sum, strings.Join(b.tags, " "))
}

// create is the body of a new order with lines and tags.
func (b *batch) create(order string) string {
	var lines []string
	for sku, n := range b.lines {
		lines = append(lines, fmt.Sprintf(`{"id":"%s-%s","sku":%q,"n":%d}`, order, sku, sku, n))
	}
	return fmt.Sprintf(`{"id":%q,"ref":%q,"batch":%q,%s,"lines":{"create":[%s]},"tags":{"connect":%s}}`,
		order, order, b.name, b.fields(1), strings.Join(lines, ","), listOf(b.tags))
}

// fill gives new content for size orders.
func (b *batch) fill(size int) {
	for i := range size {
		b.orders = append(b.orders, fmt.Sprintf("%s-%d", b.name, i))
	}
	for i := range 1 + rand.IntN(4) {
		b.lines["s"+strconv.Itoa(i)] = rand.IntN(100)
	}
	b.tags = anyTags()
}

// set is a body that replaces the lines, whose ids are kept where withIDs says so, and the tags.
func (b *batch) set(order string, withIDs bool) string {
	var lines []string
	for sku, n := range b.lines {
		id := ""
		if withIDs && sku[0] == 's' {
			id = fmt.Sprintf(`"id":"%s-%s",`, order, sku)
		}
		lines = append(lines, fmt.Sprintf(`{%s"sku":%q,"n":%d}`, id, sku, n))
	}
	return fmt.Sprintf(`{%s,"lines":{"set":[%s]},"tags":{"set":%s}}`, b.fields(b.version+1), strings.Join(lines, ","), listOf(b.tags))
}

// change is a body that creates, updates and deletes lines of an order, connects tags and disconnects others.
func (b *batch) change(order string) string {
	var create, update, remove []string
	for sku := range maps.Clone(b.lines) {
		switch rand.IntN(3) {
		case 0:
			delete(b.lines, sku)
			remove = append(remove, order+"-"+sku)
		case 1:
			b.lines[sku] = rand.IntN(100)
			update = append(update, fmt.Sprintf(`{"id":"%s-%s","n":%d}`, order, sku, b.lines[sku]))
		}
	}
	for range 2 {
		sku := fmt.Sprintf("s%d-%d", b.version, len(create))
		b.lines[sku] = rand.IntN(100)
		create = append(create, fmt.Sprintf(`{"id":"%s-%s","sku":%q,"n":%d}`, order, sku, sku, b.lines[sku]))
	}
	tags := b.connect()
	return fmt.Sprintf(`{%s,"lines":{"create":[%s],"update":[%s],"delete":%s},"tags":%s}`,
		b.fields(b.version+1), strings.Join(create, ","), strings.Join(update, ","), listOf(remove), tags)
}

// connect changes the tags.
func (b *batch) connect() string {
	next := anyTags()
	gone := slices.DeleteFunc(slices.Clone(b.tags), func(tag string) bool { return slices.Contains(next, tag) })
	b.tags = next
	return fmt.Sprintf(`{"connect":%s,"disconnect":%s}`, listOf(next), listOf(gone))
}

func anyTags() (tags []string) {
	for i := range killedTags {
		if rand.IntN(2) == 0 {
			tags = append(tags, "t"+strconv.Itoa(i))
		}
	}
	return tags
}

// listOf is a JSON list of texts.
func listOf(list []string) string {
	text, _ := json.Marshal(append([]string{}, list...)) //nolint:errchkjson // texts
	return string(text)
}

// single writes one order several times; false: the gateway is gone.
func (k *killedOrders) single(p *program, b *batch) bool {
	b.fill(1)
	order := b.orders[0]
	method, path := http.MethodPost, "/api/a/orders"
	if rand.IntN(2) == 0 {
		method, path = http.MethodPut, "/api/a/orders?by=ref"
	}
	ok := k.write(p, b, 1, method, path, b.create(order))
	for n := 0; ok && n < 3; n++ {
		body := ""
		if rand.IntN(3) == 0 {
			for sku := range b.lines {
				b.lines[sku]++
			}
			b.tags = anyTags()
			body = b.set(order, true)
		} else {
			body = b.change(order)
		}
		ok = k.write(p, b, b.version+1, http.MethodPatch, "/api/a/orders/"+order, body)
	}
	if ok && rand.IntN(3) == 0 {
		ok = k.write(p, b, 0, http.MethodDelete, "/api/a/orders/"+order, "")
	}
	return ok || !b.open
}

// many writes orders by writes of many rows.
func (k *killedOrders) many(p *program, b *batch) bool {
	b.fill(2 + rand.IntN(10))
	var bodies []string
	for _, order := range b.orders {
		bodies = append(bodies, b.create(order))
	}
	all := "/api/a/orders?filter[batch]=" + b.name
	ok := k.write(p, b, 1, http.MethodPost, "/api/a/orders", "["+strings.Join(bodies, ",")+"]")
	for n := 0; ok && n < 2; n++ {
		sku := "u" + strconv.Itoa(b.version)
		b.lines[sku] = rand.IntN(100)
		tags := b.connect()
		body := fmt.Sprintf(`{%s,"lines":{"create":[{"sku":%q,"n":%d}]},"tags":%s}`, b.fields(b.version+1), sku, b.lines[sku], tags)
		if n == 1 && rand.IntN(2) == 0 {
			body = b.set("", false)
		}
		ok = k.write(p, b, b.version+1, http.MethodPatch, all, body)
	}
	if ok && rand.IntN(2) == 0 {
		ok = k.write(p, b, 0, http.MethodDelete, all, "")
	}
	return ok || !b.open
}

// atomic writes two orders by calls of one transaction.
func (k *killedOrders) atomic(p *program, b *batch) bool {
	b.fill(2)
	var calls []string
	for _, order := range b.orders {
		calls = append(calls, fmt.Sprintf(`{"method":"order.create","params":{"body":%s}}`, b.create(order)))
	}
	ok := k.write(p, b, 1, http.MethodPost, "/api/atomic", `{"calls":[`+strings.Join(calls, ",")+`]}`)
	for n := 0; ok && n < 3; n++ {
		calls = nil
		b.lines["s0"]++
		b.tags = anyTags()
		for _, order := range b.orders {
			calls = append(calls, fmt.Sprintf(`{"method":"order.update","params":{"params":{"id":%q},"body":%s}}`, order, b.set(order, true)))
		}
		ok = k.write(p, b, b.version+1, http.MethodPost, "/api/atomic", `{"calls":[`+strings.Join(calls, ",")+`]}`)
	}
	return ok || !b.open
}

// check compares the rows with the contents that they name, with the writes and with the events.
func (k *killedOrders) check(p *program) {
	t := k.t
	t.Helper()
	var orders, lines, links []map[string]any
	store := openStore(t, k.store)
	defer func() { _ = store.Close() }()
	log := store.Abilities().Outbox
	k.replay(log)
	for again := true; again; again = k.replay(log) { // a commit that was under way
		orders, lines, links = allRows(t, p, "orders"), allRows(t, p, "lines"), allRows(t, p, "orderTags")
	}
	for name, rows := range map[string][]map[string]any{"order": orders, "line": lines, "ordertag": links} {
		stored := map[string]map[string]any{}
		for _, row := range rows {
			stored[row["id"].(string)] = row
			if event := k.logged[name][row["id"].(string)]; !reflect.DeepEqual(row, event) {
				t.Errorf("%s is %v, and the events make %v", name, row, event)
			}
		}
		for id, event := range k.logged[name] {
			if stored[id] == nil {
				t.Errorf("the events make %v, which is not there", event)
			}
		}
	}

	count, sum, tagged := map[string]float64{}, map[string]float64{}, map[string][]string{}
	for _, row := range lines {
		count[row["orderId"].(string)]++
		sum[row["orderId"].(string)] += row["n"].(float64)
	}
	for _, row := range links {
		tagged[row["orderId"].(string)] = append(tagged[row["orderId"].(string)], row["tagId"].(string))
	}
	versions := map[string][]int{}
	for _, row := range orders {
		id, batch := row["id"].(string), row["batch"].(string)
		versions[batch] = append(versions[batch], int(row["version"].(float64)))
		slices.Sort(tagged[id])
		if row["count"] != count[id] || row["sum"] != sum[id] || row["tagged"] != strings.Join(tagged[id], " ") {
			t.Errorf("%v has %v lines with the sum %v and the tags %v", row, count[id], sum[id], tagged[id])
		}
		delete(count, id)
		delete(tagged, id)
	}
	if len(count)+len(tagged) > 0 {
		t.Errorf("lines of %v and tags of %v are there without an order", count, tagged)
	}
	for _, b := range k.batches {
		found := versions[b.name]
		version := 0
		if len(found) > 0 {
			version = found[0]
		}
		if n := len(found); n != 0 && n != len(b.orders) || slices.ContainsFunc(found, func(v int) bool { return v != version }) {
			t.Errorf("%s has the versions %v of %d orders", b.name, found, len(b.orders))
		}
		if b.open && version == b.sent {
			b.version = version
			k.there++
		}
		if b.open = false; version != b.version {
			t.Errorf("%s is of version %d, want %d", b.name, version, b.version)
		}
	}
}

// replay reads the events up to the last commit, and reports whether there are new ones.
func (k *killedOrders) replay(log facade.Outbox) (fresh bool) {
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) { // the gateway that is gone holds its lease for some seconds
		n, _, err := log.Behind(k.t.Context(), k.position, nil, "")
		if err != nil || time.Now().After(deadline) {
			k.t.Fatalf("%d events have no position: %v", n, err)
		}
		if n == 0 {
			return fresh
		}
		events, to, err := log.Log(k.t.Context(), k.position, nil, 1000)
		if err != nil {
			k.t.Fatal(err)
		}
		for _, e := range events {
			rows := k.logged[e.Entity]
			if rows == nil {
				rows = map[string]map[string]any{}
				k.logged[e.Entity] = rows
			}
			var row map[string]any
			if err := json.Unmarshal(e.Data, &row); err != nil {
				k.t.Fatal(err)
			}
			id := row["id"].(string)
			if (rows[id] == nil) != (e.Change == catalog.Created) {
				k.t.Errorf("the row of the event %s %s is %v before it", e.ID, e.Data, rows[id])
			}
			if rows[id] = row; e.Change == catalog.Deleted {
				delete(rows, id)
			}
		}
		k.position, fresh = to, fresh || len(events) > 0
	}
}
