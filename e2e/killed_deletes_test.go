package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/frondhost/frond/e2e/freeport"
)

// killedProducts are two Fronds: lines, notes and marks of sales follow deleted products of catalog, marks by way of a variant that
// goes with its product.
var killedProducts = map[string]string{
	"fronds/catalog/frond.yaml":            "collectors: {'*': open}\n",
	"fronds/catalog/entities/product.yaml": "properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\nrequired: [id]\n",
	"fronds/catalog/entities/variant.yaml": "properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  productId: {type: string, x-kit: {role: {relation: {to: product, kind: one, onDelete: cascade}}}}\nrequired: [id, productId]\n",
	"fronds/sales/frond.yaml":              "collectors: {'*': open}\n",
	"fronds/sales/entities/line.yaml":      "properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  productId: {type: string, x-kit: {role: {relation: {to: product, kind: one, onDelete: cascade}}}}\nrequired: [id, productId]\n",
	"fronds/sales/entities/note.yaml":      "properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  productId: {type: [string, 'null'], x-kit: {role: {relation: {to: product, kind: one, onDelete: set null}}}}\nrequired: [id]\n",
	"fronds/sales/entities/mark.yaml":      "properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  variantId: {type: string, x-kit: {role: {relation: {to: variant, kind: one, onDelete: cascade}}}}\nrequired: [id, variantId]\n",
}

// TestKilledInDeletes kills the gateway, or the host of the Frond that is moved, at each call between them that a delete makes:
// before the host gets it, and after the host has answered. Afterwards a product is there with all that points at it, or it is gone,
// and so are its lines and marks, and its note names no product.
func TestKilledInDeletes(t *testing.T) {
	t.Parallel()
	for _, moved := range []string{"sales", "catalog"} {
		for _, victim := range []string{"gateway", "host"} {
			t.Run(moved+" moved, "+victim+" killed", func(t *testing.T) {
				t.Parallel()
				k := newKilledDeletes(t, moved, victim)
				steps := 0
				for killed := true; killed; {
					steps++
					before := k.delete(fmt.Sprintf("before-%d", steps), steps, true)
					killed = k.delete(fmt.Sprintf("after-%d", steps), steps, false) || before
				}
				if steps < 5 {
					t.Errorf("a delete has %d calls between the hosts; the test shows too little", steps-1)
				}
				k.check()
			})
		}
	}
}

// killedDeletes is a gateway whose calls of a host go through the test.
type killedDeletes struct {
	t        *testing.T
	victim   string
	front    func() *program
	host     func() *program
	gateway  *program
	there    *program
	products []string

	mu    sync.Mutex
	armed int // the call at which the victim is killed; 0: none
	early bool
	fired bool
}

func newKilledDeletes(t *testing.T, moved, victim string) *killedDeletes {
	k := &killedDeletes{t: t, victim: victim}
	dir := folder(t, killedProducts)
	stores := []string{storeFor(t), storeFor(t)}
	port := strconv.Itoa(freeport.Port(t))
	k.host = func() *program {
		return start(t, exec.Command(binary(t), "serve", moved, "--dir", dir, "--port", port, "--store", stores[0]))
	}
	k.there = k.host()
	to, err := url.Parse("http://127.0.0.1:" + port)
	if err != nil {
		t.Fatal(err)
	}
	between := httptest.NewServer(k.through(httputil.NewSingleHostReverseProxy(to)))
	t.Cleanup(between.Close)
	address := freeport.Address(t)
	k.front = func() *program {
		return start(t, exec.Command(binary(t), "gateway", dir, "--listen", address, "--store", stores[1], "--remote", moved+"="+between.URL))
	}
	k.gateway = k.front()
	return k
}

// through passes calls on, and kills the victim at the armed one.
func (k *killedDeletes) through(next *httputil.ReverseProxy) http.HandlerFunc {
	next.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		k.mu.Lock()
		if k.armed > 0 && !bytes.Contains(body, []byte(`"rpc.discover"`)) && len(body) > 0 {
			k.armed--
			k.fired = k.armed == 0
		}
		now := k.fired && k.armed == 0
		k.mu.Unlock()
		if !now {
			next.ServeHTTP(w, r)
			return
		}
		if !k.early {
			next.ServeHTTP(httptest.NewRecorder(), r)
		}
		k.kill()
		panic(http.ErrAbortHandler)
	}
}

// kill kills the victim, once.
func (k *killedDeletes) kill() {
	if k.victim == "gateway" {
		k.gateway.kill()
	} else {
		k.there.kill()
	}
	k.mu.Lock()
	k.armed = -1
	k.mu.Unlock()
}

// delete deletes a product, kills the victim at a call, early before the host gets it, and starts it again. It is false if the delete
// makes fewer calls.
func (k *killedDeletes) delete(product string, step int, early bool) bool {
	k.t.Helper()
	k.products = append(k.products, product)
	for _, row := range [][2]string{
		{"/api/catalog/products", `{"id":"%s"}`},
		{"/api/catalog/variants", `{"id":"v-%[1]s","productId":"%[1]s"}`},
		{"/api/sales/lines", `{"id":"l-%[1]s","productId":"%[1]s"}`},
		{"/api/sales/notes", `{"id":"n-%[1]s","productId":"%[1]s"}`},
		{"/api/sales/marks", `{"id":"m-%[1]s","variantId":"v-%[1]s"}`},
	} {
		recovered(k.t, func() bool {
			status := send(k.t, "POST", k.gateway.URL+row[0], fmt.Sprintf(row[1], product)).Status
			return status == 201 || status == 409 // 409: the answer of the try before was lost
		})
	}
	k.mu.Lock()
	k.armed, k.early, k.fired = step, early, false
	k.mu.Unlock()
	r, err := http.NewRequestWithContext(k.t.Context(), http.MethodDelete, k.gateway.URL+"/api/catalog/products/"+product, nil)
	if err != nil {
		k.t.Fatal(err)
	}
	if res, err := http.DefaultClient.Do(r); err == nil {
		_ = res.Body.Close()
	}
	k.mu.Lock()
	fired := k.fired
	k.armed, k.fired = 0, false
	k.mu.Unlock()
	if fired && k.victim == "gateway" {
		<-k.gateway.exited
		k.gateway = k.front()
	} else if fired {
		<-k.there.exited
		k.there = k.host()
	}
	return fired
}

// check waits until every product is there whole, or gone with all that follows it.
func (k *killedDeletes) check() {
	k.t.Helper()
	wrong := ""
	for by := time.Now().Add(2 * time.Minute); time.Now().Before(by); time.Sleep(100 * time.Millisecond) {
		wrong = ""
		gone := 0
		for _, p := range k.products {
			is := k.row("catalog/products/"+p) != nil
			if !is {
				gone++
			}
			note := k.row("sales/notes/n-" + p)
			if k.row("catalog/variants/v-"+p) != nil != is || k.row("sales/lines/l-"+p) != nil != is || k.row("sales/marks/m-"+p) != nil != is || note == nil || (note["productId"] == any(p)) != is {
				wrong += fmt.Sprintf("%s is there: %v; line %v, mark %v, note %v\n", p, is, k.row("sales/lines/l-"+p), k.row("sales/marks/m-"+p), note)
			}
		}
		if wrong == "" {
			k.t.Logf("%d of %d products are gone", gone, len(k.products))
			if gone < 3 || gone == len(k.products) {
				k.t.Error("the test shows too little")
			}
			return
		}
	}
	k.t.Error(wrong)
}

// row is a row, or nil.
func (k *killedDeletes) row(path string) (row map[string]any) {
	k.t.Helper()
	recovered(k.t, func() bool {
		res := send(k.t, "GET", k.gateway.URL+"/api/"+path, "")
		row = nil
		return res.Status == 404 || res.Status == 200 && json.Unmarshal(res.Body, &row) == nil
	})
	return row
}
