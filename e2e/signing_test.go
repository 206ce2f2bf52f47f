package e2e_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/frondhost/frond/envelope/signing"
)

// vectors are the signed calls that other languages are held against.
var vectors = filepath.Join(root, "envelope", "testdata", "signing")

// TestVectors has the vectors verified by programs that share nothing with the
// house: Python with Ed25519 from RFC 8032, node with its own.
func TestVectors(t *testing.T) {
	t.Parallel()
	t.Run("python", func(t *testing.T) {
		need(t, "python3")
		out, err := exec.Command("python3", filepath.Join(vectors, "verify.py")).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != "9 accepted, 22 refused" {
			t.Errorf("%v\n%s", err, out)
		}
	})
	t.Run("node", func(t *testing.T) {
		out, err := exec.Command("node", filepath.Join(js(t), "signing.mjs"), "vectors", vectors).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != "9 verified and signed" {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// pair makes keys with the program and says where they are.
func pair(t testing.TB, name string) (private, public string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if r := run(t, "", "keys", file); r.code != 0 {
		t.Fatalf("frond keys left with %d\n%s", r.code, r.stderr)
	}
	return file + ".key.pem", file + ".pub.pem"
}

// startVerifying serves a Frond of the shop that takes signed calls alone.
func startVerifying(t testing.TB, frond, store string, keys ...string) *program {
	t.Helper()
	return start(t, exec.Command(binary(t), "serve", frond, "--dir", shopDir, "--port", "0", "--store", store, "--verify-keys", strings.Join(keys, ",")))
}

// startSigning starts a gateway in front of the shop whose Fronds verify calls.
func startSigning(t testing.TB) *program {
	t.Helper()
	private, public := pair(t, "gateway")
	args := []string{"gateway", shopDir, "--listen", "127.0.0.1:0", "--store", "memory", "--signing-key", private, "--signing-name", "shop"}
	for _, frond := range []string{"catalog", "sales"} {
		args = append(args, "--remote", frond+"="+startVerifying(t, frond, storeFor(t), "shop="+public).URL)
	}
	return start(t, exec.Command(binary(t), args...))
}

// TestMatrixShopSigned runs every story of the shop with every Frond in another process
// and every call signed: the same values and the same errors, field by field.
func TestMatrixShopSigned(t *testing.T) {
	t.Parallel()
	runMatrix(t, remoteStories(), []*lane{
		{name: "direct", wire: shopDirect(t)},
		{name: "envelope", wire: envelopeWire{startSigning(t).URL}},
		{name: "graphql", wire: newGraphQLWire(t, startSigning(t).URL, shop)},
	})
}

// signer signs as the holder of a key file does.
func signer(t testing.TB, file, name string) *signing.Signer {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	key, err := signing.ReadPrivate(text)
	if err != nil {
		t.Fatal(err)
	}
	return signing.NewSigner(key, name)
}

// sealed is a post for the sales Frond, signed.
func sealed(t testing.TB, s *signing.Signer, post, state string) string {
	t.Helper()
	p, err := s.Seal([]byte(post), "sales", json.RawMessage(state))
	if err != nil {
		t.Fatal(err)
	}
	return string(p.Post())
}

// postFrames posts what stands there, as curl does.
func postFrames(t testing.TB, url, body string) (status int, challenge, answer string) {
	t.Helper()
	resp, err := http.Post(url+"/_kit/call", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header.Get("WWW-Authenticate"), string(text)
}

const (
	allOrders  = `{"jsonrpc":"2.0","id":1,"method":"order.list","params":{"query":{"limit":1},"state":{"user":{"id":"u-root","roles":["staff"]}}}}`
	maraState  = `{"user":{"id":"u-mara-lindqvist"}}`
	staffState = `{"user":{"id":"s1","roles":["staff"]}}`
)

// total is what a list answered, and -1 where it failed.
func total(t testing.TB, answer string) int {
	t.Helper()
	var frame struct {
		Result *struct{ Total int }
	}
	if err := json.Unmarshal([]byte(answer), &frame); err != nil {
		t.Fatalf("%v in %s", err, answer)
	}
	if frame.Result == nil {
		return -1
	}
	return frame.Result.Total
}

// TestSignedCalls speaks to a receiver as others on the network can.
func TestSignedCalls(t *testing.T) {
	t.Parallel()
	private, public := pair(t, "shop")
	theirs, _ := pair(t, "theirs")
	sales := startVerifying(t, "sales", "sqlite:"+filepath.Join(t.TempDir(), "s.db"), public)
	shop := signer(t, private, "shop")
	_, _, answer := postFrames(t, sales.URL, sealed(t, shop, allOrders, staffState))
	everything := total(t, answer)
	_, _, answer = postFrames(t, sales.URL, sealed(t, shop, allOrders, maraState))
	hers := total(t, answer)
	if hers < 1 || everything <= hers {
		t.Fatalf("staff sees %d orders, Mara %d: %s", everything, hers, answer)
	}
	// The post above said of itself that staff is calling. So does this one, afterwards.
	altered := strings.Replace(sealed(t, shop, strings.Replace(allOrders, `"u-root","roles":["staff"]`, `"u-mara-lindqvist"`, 1), maraState), `"state":{"user":{"id":"u-mara-lindqvist"}}`, `"state":`+staffState, 1)
	if !strings.Contains(altered, staffState) {
		t.Fatal("nothing was altered")
	}
	if _, _, answer := postFrames(t, sales.URL, altered); total(t, answer) != hers {
		t.Errorf("a forged state shows %s", answer)
	}

	once := sealed(t, shop, allOrders, staffState)
	if status, _, answer := postFrames(t, sales.URL, once); status != 200 || total(t, answer) != everything {
		t.Fatalf("%d %s", status, answer)
	}
	remove := sealed(t, shop, `[{"jsonrpc":"2.0","id":1,"method":"order.findById","params":{"params":{"id":"o-24101"}}},{"jsonrpc":"2.0","id":2,"method":"order.update","params":{"params":{"id":"o-24101"},"body":{"giftNote":"x"}}}]`, staffState)
	for name, c := range map[string]struct{ post, says string }{
		"unsigned":                   {allOrders, "is not signed"},
		"unsigned discovery":         {`{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`, "is not signed"},
		"replayed":                   {once, "has been used"},
		"another's key":              {sealed(t, signer(t, theirs, "shop"), allOrders, staffState), "not known here"},
		"another query":              {strings.Replace(sealed(t, shop, allOrders, staffState), `"limit":1`, `"limit":2`, 1), "not the one that was signed"},
		"a batch with one bad frame": {strings.Replace(remove, `"giftNote":"x"`, `"giftNote":"y"`, 1), "not the one that was signed"},
	} {
		status, challenge, answer := postFrames(t, sales.URL, c.post)
		if status != http.StatusUnauthorized || challenge != "Kit-Call" || !strings.Contains(answer, `"code":"UNAUTHORIZED"`) || !strings.Contains(answer, c.says) {
			t.Errorf("%s: %d %q %s", name, status, challenge, answer)
		}
		if strings.HasPrefix(c.post, "[") && strings.Count(answer, `"error"`) != 2 {
			t.Errorf("%s: not every frame is refused: %s", name, answer)
		}
	}
	if _, _, answer := postFrames(t, sales.URL, sealed(t, shop, `{"jsonrpc":"2.0","id":1,"method":"order.findById","params":{"params":{"id":"o-24101"}}}`, staffState)); !strings.Contains(answer, `"giftNote":null`) {
		t.Errorf("something of a refused batch was run: %s", answer)
	}

	t.Run("node signs", func(t *testing.T) {
		script := filepath.Join(js(t), "signing.mjs")
		out, err := exec.Command("node", script, "call", sales.URL, private, "shop", "sales", maraState, allOrders).CombinedOutput()
		if err != nil || total(t, string(out)) != hers {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// TestRotation changes the gateway's key while the Frond runs, with both known to it.
func TestRotation(t *testing.T) {
	t.Parallel()
	oldKey, oldPublic := pair(t, "old")
	newKey, newPublic := pair(t, "new")
	store := "sqlite:" + filepath.Join(t.TempDir(), "r.db")
	ask := func(url string) int {
		_, _, answer := postFrames(t, url, `{"jsonrpc":"2.0","id":1,"method":"product.list","params":{"query":{"limit":1}}}`)
		return total(t, answer)
	}
	gateway := func(url, key string) string {
		return start(t, exec.Command(binary(t), "gateway", shopDir, "--listen", "127.0.0.1:0", "--store", "memory", "--remote", "catalog="+url, "--signing-key", key)).URL
	}
	both := startVerifying(t, "catalog", store, oldPublic, newPublic)
	before, after := gateway(both.URL, oldKey), gateway(both.URL, newKey)
	if a, b := ask(before), ask(after); a < 1 || a != b {
		t.Errorf("with both keys known, the old one reads %d products and the new one %d", a, b)
	}
	both.stop(t) // one process serves a store
	alone := startVerifying(t, "catalog", store, newPublic)
	if n := ask(gateway(alone.URL, newKey)); n < 1 {
		t.Errorf("the new key reads %d products where it alone is known", n)
	}
	status, _, answer := postFrames(t, gateway(alone.URL, oldKey), `{"jsonrpc":"2.0","id":1,"method":"product.list","params":{}}`)
	if status != 200 || !strings.Contains(answer, `"code":"BAD_GATEWAY"`) || !strings.Contains(answer, "does not take the call as it is signed") {
		t.Errorf("with the old key, where it is known no more: %d %s", status, answer)
	}
}
