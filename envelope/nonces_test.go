package envelope_test

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
)

// sharedNonces is what two processes share; down: it cannot be reached.
type sharedNonces struct {
	mu   sync.Mutex
	seen map[string]time.Time
	down bool
}

func (n *sharedNonces) TakeNonce(_ context.Context, nonce []byte, until time.Time) (bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.down {
		return false, kiterror.Errorf(kiterror.ServiceUnavailable, "the store cannot be reached")
	}
	if _, seen := n.seen[string(nonce)]; seen {
		return false, nil
	}
	n.seen[string(nonce)] = until
	return true, nil
}

// TestReplayElsewhere: two processes serve one Frond. A signed command that one of them
// has accepted is refused by the other, a query is not.
func TestReplayElsewhere(t *testing.T) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	door := &catalog.Door{Name: "math"}
	door.Operations = []*catalog.Operation{{Name: "add", Door: door, Kind: catalog.Command}, {Name: "get", Door: door, Kind: catalog.Query}}
	door.Aliases = []*catalog.Alias{{Name: "sums", Door: door, Until: time.Now().Add(time.Hour)}}
	frond := &catalog.Frond{Name: "numbers", Doors: []*catalog.Door{door}}
	door.Frond = frond
	var ran atomic.Int64
	caller := facade.CallerFunc(func(context.Context, *facade.Call) (*facade.Result, error) {
		ran.Add(1)
		return &facade.Result{Form: facade.FormValue, Value: []byte("1")}, nil
	})
	nonces := &sharedNonces{seen: map[string]time.Time{}}
	process := func(nonces facade.Nonces) http.Handler {
		v, err := signing.NewVerifier("numbers", []signing.Key{{Public: public}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return envelope.NewHandler(&catalog.Catalog{Vendor: "test", Fronds: []*catalog.Frond{frond}}, caller, &envelope.Options{Verifier: v, Nonces: nonces, Log: slog.New(slog.DiscardHandler)})
	}
	signer := signing.NewSigner(private, "shop")
	post := func(h http.Handler, body []byte) (int, string) {
		r := httptest.NewRequest(http.MethodPost, envelope.Path, strings.NewReader(string(body)))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	const add, get = `{"jsonrpc":"2.0","id":1,"method":"Math.add","params":{}}`, `{"jsonrpc":"2.0","id":2,"method":"math.get","params":{}}`
	for _, c := range []struct {
		name, frames string
		nonces       facade.Nonces
		here, there  int   // HTTP statuses
		runs         int64 // calls of both processes together
	}{
		{"a command", add, nonces, 200, 401, 1},
		{"a command by an alias", strings.Replace(add, "Math", "Sums", 1), nonces, 200, 401, 1},
		{"a query", get, nonces, 200, 200, 2},
		{"a batch with a command", "[" + get + "," + add + "]", nonces, 200, 401, 2},
		{"a command that nobody answers", strings.Replace(add, `"id":1,`, "", 1), nonces, 204, 401, 1},
		{"a command, and each process has a memory of its own", add, nil, 200, 200, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			one, other := process(c.nonces), process(c.nonces)
			sealed, fail := signer.Seal([]byte(c.frames), "numbers", json.RawMessage(`{}`))
			if fail != nil {
				t.Fatal(fail)
			}
			body := sealed.Post()
			ran.Store(0)
			if status, text := post(one, body); status != c.here {
				t.Errorf("here: %d %s", status, text)
			}
			if status, text := post(other, body); status != c.there || status == 401 && c.here == 200 && !strings.Contains(text, "has been used") {
				t.Errorf("there: %d %s, want %d", status, text, c.there)
			}
			if n := ran.Load(); n != c.runs {
				t.Errorf("%d calls ran, want %d", n, c.runs)
			}
		})
	}
	for _, until := range nonces.seen {
		if rest := time.Until(until); rest < time.Minute || rest > 2*time.Minute {
			t.Errorf("a nonce is remembered for %s", rest)
		}
	}

	nonces.down = true
	ran.Store(0)
	sealed, fail := signer.Seal([]byte(add), "numbers", json.RawMessage(`{}`))
	if fail != nil {
		t.Fatal(fail)
	}
	if _, text := post(process(nonces), sealed.Post()); !strings.Contains(text, "SERVICE_UNAVAILABLE") || ran.Load() != 0 {
		t.Errorf("without its memory: %s, %d calls ran", text, ran.Load())
	}
}
