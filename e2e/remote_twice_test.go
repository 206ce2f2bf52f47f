package e2e_test

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/frondhost/frond/gateway"
)

// TestNoCommandRunsTwice: thousands of commands through a gateway to a host that hangs
// up at every point of a call. Each bears a mark of its own, and the host counts by it
// what it has run: never more than once, and once where the caller was answered.
func TestNoCommandRunsTwice(t *testing.T) {
	t.Parallel()
	const commands, callers = 3000, 16
	var ran sync.Map // mark: *atomic.Int64
	var hungUpAfter, calls atomic.Int64
	host := &foreignHost{
		document: desk(foreignDoor("note", noteCard, append([]string{foreignOp("create", "command", `"input":`+noteCard)}, noteReads...)...)),
		answers: map[string]func(invoked) any{"note.create": func(in invoked) any {
			body, _ := in.Body.(map[string]any)
			n, _ := ran.LoadOrStore(body["title"], new(atomic.Int64))
			n.(*atomic.Int64).Add(1)
			return map[string]any{"id": body["title"], "title": body["title"], "pages": 1, "writerId": nil}
		}},
	}
	host.always = func(w http.ResponseWriter, r *http.Request) bool {
		switch n := calls.Add(1); n % 12 { // a third: the breaker opens where half of them fail
		case 3: // nothing was read
			reset(w)
		case 5: // it ran, and nobody hears of it
			hungUpAfter.Add(1)
			recorder := &nowhere{}
			host.serve(recorder, r)
			reset(w)
		case 7: // half of the answer
			hungUpAfter.Add(1)
			recorder := &nowhere{}
			host.serve(recorder, r)
			w.Header().Set("Content-Length", fmt.Sprint(len(recorder.text)))
			_, _ = w.Write(recorder.text[:len(recorder.text)/2])
			panic(http.ErrAbortHandler)
		case 9: // a proxy that has lost its host
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			return false
		}
		return true
	}
	late := served(t, lateDiscovery(host))
	url, _, _ := housed(t, nil, map[string]gateway.Remote{"desk": {URL: late}})

	var answered [commands]string
	var next atomic.Int64
	var workers sync.WaitGroup
	for range callers {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < commands; i = next.Add(1) - 1 {
				mark := fmt.Sprint("mark-", i)
				if i%2 == 0 {
					answered[i] = inquiry{rest: `POST /api/desk/notes {"title":"` + mark + `","pages":1,"writerId":null}`}.of(t, url)
				} else {
					answered[i] = inquiry{graphql: `mutation { createNote(input: {title: "` + mark + `", pages: 1, writerId: null}) { id } }`}.of(t, url)
				}
			}
		})
	}
	workers.Wait()

	fine, failed := 0, map[string]int{}
	for i := range commands {
		mark := fmt.Sprint("mark-", i)
		times := int64(0)
		if n, some := ran.Load(mark); some {
			times = n.(*atomic.Int64).Load()
		}
		ok := strings.Contains(answered[i], `"id":"`+mark+`"`)
		switch {
		case times > 1:
			t.Errorf("%s ran %d times", mark, times)
		case ok && times != 1:
			t.Errorf("%s was answered, and ran %d times: %s", mark, times, answered[i])
		case ok:
			fine++
		default:
			failed[answered[i]]++
		}
	}
	for what, n := range failed {
		switch what {
		case "Service Unavailable SERVICE_UNAVAILABLE", `{"createNote":null} SERVICE_UNAVAILABLE`:
		default:
			t.Errorf("%d times: %s", n, what)
		}
	}
	if fine < commands/3 || hungUpAfter.Load() < 100 {
		t.Errorf("%d of %d were answered, %d were hung up on after they ran: that shows nothing", fine, commands, hungUpAfter.Load())
	}
	t.Logf("%d of %d were answered, %d were hung up on after they ran; failures: %v", fine, commands, hungUpAfter.Load(), failed)
}

// lateDiscovery spares rpc.discover what befalls calls: a gateway has to know the host.
func lateDiscovery(h *foreignHost) http.Handler {
	var known atomic.Bool
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if known.CompareAndSwap(false, true) {
			h.serve(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// nowhere keeps an answer that nobody gets.
type nowhere struct{ text []byte }

func (n *nowhere) Header() http.Header         { return http.Header{} }
func (n *nowhere) WriteHeader(int)             {}
func (n *nowhere) Write(p []byte) (int, error) { n.text = append(n.text, p...); return len(p), nil }

// reset ends a connection as a host does whose machine was switched off.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
