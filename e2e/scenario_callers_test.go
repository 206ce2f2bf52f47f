package e2e_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// ask posts a GraphQL document as a caller and is the whole answer as text.
func ask(t *testing.T, url, query string, headers ...string) string {
	t.Helper()
	return string(send(t, "POST", url+"/graphql", encode(t, map[string]string{"query": query}), headers...).Body)
}

// TestGraphQLByCaller: one document, several callers. What a caller may not see is
// null behind a relation, and the rest of the answer stands.
func TestGraphQLByCaller(t *testing.T) {
	t.Parallel()
	p := startGateway(t, shopDir)
	for _, c := range []struct{ name, user, query, want string }{
		{
			"a relation to a hidden row is null", tom,
			`{ review(id: "r-001") { rating customer { name } product { name } } }`,
			`{"data":{"review":{"rating":4,"customer":null,"product":{"name":"Travel tumbler, 400 ml"}}}}`,
		},
		{
			"and not to whose it is", `{"id":"u-ines-moreau"}`,
			`{ review(id: "r-001") { rating customer { name } } }`,
			`{"data":{"review":{"rating":4,"customer":{"name":"Inès Moreau"}}}}`,
		},
		{
			"a door that is shut is an error at its path alone", "",
			`{ product(id: "p-moka-3") { name inStock lines { total } } }`,
			`{"data":{"product":{"name":"Moka pot, 3 cups","inStock":true,"lines":null}},"errors":[{"message":"orderLine.list is not for everybody; say who you are",` +
				`"locations":[{"line":1,"column":42}],"path":["product","lines"],"extensions":{"code":"UNAUTHORIZED","entity":"orderLine","operation":"list"}}]}`,
		},
		{
			"totals behind a relation count what is there for the caller", tom,
			`{ product(id: "p-tamper") { lines { total } } customers { total items { orders { total } } } }`,
			`{"data":{"product":{"lines":{"total":0}},"customers":{"total":1,"items":[{"orders":{"total":2}}]}}}`,
		},
		{
			"hidden rows among ids in a row are left out", "",
			`{ productsByIds(ids: ["p-gesha", "p-tamper"]) { id } }`,
			`{"data":{"productsByIds":[{"id":"p-tamper"}]}}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := ask(t, p.URL, c.query, call{User: c.user}.userHeader()...); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	t.Run("a hidden node is null, as one that never was", func(t *testing.T) {
		id := func(user, query string) string {
			_, rest, _ := strings.Cut(ask(t, p.URL, query, "X-Frond-User: "+user), `"nodeId":"`)
			text, _, _ := strings.Cut(rest, `"`)
			return text
		}
		maras := id(mara, `{ order(id: "o-24101") { nodeId } }`)
		query := `{ node(nodeId: "` + maras + `") { ... on Order { reference } } }`
		if got := ask(t, p.URL, query, "X-Frond-User: "+mara); got != `{"data":{"node":{"reference":"CK-24101"}}}` {
			t.Errorf("to whose it is: %s", got)
		}
		if got := ask(t, p.URL, query, "X-Frond-User: "+tom); got != `{"data":{"node":null}}` {
			t.Errorf("to another: %s", got)
		}
	})
}

// TestFailingComputedField: in GraphQL it is an error at its path with the rest of
// the answer intact; elsewhere the call fails. Nothing of why leaves; the log names it.
func TestFailingComputedField(t *testing.T) {
	t.Parallel()
	p := startGateway(t, folder(t, map[string]string{
		"fronds/a/entities/thing.yaml": card("marks: {type: array, items: {type: integer}}"),
		"fronds/a/seeds/thing.yaml":    "- {id: t-1, name: One, marks: [1, 2, 3]}\n- {id: t-2, name: Two, marks: []}\n",
		"fronds/a/frond.yaml":          everybody + "computed: {thing: {third: {type: integer, value: 'marks[2]'}, louder: {type: string, value: 'upper(name)'}}}\n",
	}))
	got := ask(t, p.URL, `{ things(orderBy: [{id: ASC}]) { total items { name third louder } } }`)
	var answer struct {
		Data   json.RawMessage
		Errors []struct {
			Message    string
			Path       []any
			Extensions map[string]any
		}
	}
	if err := json.Unmarshal([]byte(got), &answer); err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	if want := `{"things":{"total":2,"items":[{"name":"One","third":null,"louder":"ONE"},{"name":"Two","third":null,"louder":"TWO"}]}}`; string(answer.Data) != want {
		t.Errorf("data is %s, want %s", answer.Data, want)
	}
	if len(answer.Errors) == 0 {
		t.Fatalf("no error: %s", got)
	}
	for _, e := range answer.Errors {
		if e.Extensions["code"] != "INTERNAL_ERROR" || len(e.Path) == 0 || e.Path[len(e.Path)-1] != "third" {
			t.Errorf("%+v", e)
		}
	}
	if got := ask(t, p.URL, `{ things { items { name louder } } }`); strings.Contains(got, "errors") {
		t.Errorf("it was computed where nobody asked: %s", got)
	}
	for surface, res := range map[string]reply{
		"rest":     send(t, "GET", p.URL+"/api/a/things", ""),
		"envelope": send(t, "POST", p.URL+"/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"thing.findById","params":{"params":{"id":"t-2"}}}`),
	} {
		if code, _, _ := failureOf(t, res); code != "INTERNAL_ERROR" {
			t.Errorf("%s: %d %s", surface, res.Status, res.Body)
		}
		if strings.Contains(string(res.Body), "marks") || strings.Contains(string(res.Body), "third") {
			t.Errorf("%s tells why: %s", surface, res.Body)
		}
	}
	if strings.Contains(got, "marks") {
		t.Errorf("graphql tells why: %s", got)
	}
	waitFor(t, "lines of the log with the field and its expression", func() bool {
		log := p.stderr()
		return strings.Contains(log, "thing.third") && strings.Contains(log, "marks[2]")
	})
}

// issuer signs tokens, and publishes its keys on an address of its own.
type issuer struct {
	*httptest.Server
	key   ed25519.PrivateKey
	asked atomic.Int64
}

func startIssuer(t *testing.T) *issuer {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{key: key}
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		i.asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"keys":[{"kty":"OKP","crv":"Ed25519","use":"sig","kid":"k1","x":"` + base64.RawURLEncoding.EncodeToString(key.Public().(ed25519.PublicKey)) + `"}]}`))
	}))
	t.Cleanup(i.Close)
	return i
}

// token is a signed token with these claims; those of every good one are added.
func (i *issuer) token(t *testing.T, header string, claims map[string]any) string {
	t.Helper()
	all := map[string]any{"iss": "https://issuer.example", "aud": "shop", "exp": time.Now().Add(time.Minute).Unix()}
	for name, v := range claims {
		all[name] = v
	}
	enc := base64.RawURLEncoding
	input := enc.EncodeToString([]byte(header)) + "." + enc.EncodeToString([]byte(encode(t, all)))
	return input + "." + enc.EncodeToString(ed25519.Sign(i.key, []byte(input)))
}

// TestTokens: a token of the issuer makes a caller whom the collectors know, on every
// surface; one that does not hold is 401 everywhere, and never nobody.
func TestTokens(t *testing.T) {
	t.Parallel()
	iss := startIssuer(t)
	p := startGateway(t, shopDir, "--identity-dev=false", "--identity-issuer", "https://issuer.example", "--identity-audience", "shop",
		"--identity-algorithms", "EdDSA", "--identity-jwks", iss.URL)
	const header = `{"alg":"EdDSA","kid":"k1","typ":"JWT"}`
	toms := iss.token(t, header, map[string]any{"sub": "u-tom-okafor"})
	clerk := iss.token(t, header, map[string]any{"sub": "s-1", "roles": []string{"staff"}})
	frame := `{"jsonrpc":"2.0","id":1,"method":"order.list","params":{"query":{"fields":"id","limit":1},"state":{"user":{"id":"x","roles":["staff"]}}}}`
	surfaces := map[string]func(headers ...string) reply{
		"rest":     func(h ...string) reply { return send(t, "GET", p.URL+"/api/sales/orders?fields=id&limit=1", "", h...) },
		"envelope": func(h ...string) reply { return send(t, "POST", p.URL+"/_kit/call", frame, h...) },
		"graphql": func(h ...string) reply {
			return send(t, "POST", p.URL+"/graphql", `{"query":"{ orders(first: 1) { items { id } total } }"}`, h...)
		},
	}
	for name, do := range surfaces {
		for _, c := range []struct {
			who, header, total string
		}{
			{"a customer", "Authorization: Bearer " + toms, `"total":2`},
			{"staff", "Authorization: Bearer " + clerk, `"total":86`},
		} {
			if res := do(c.header); res.Status != 200 || !strings.Contains(string(res.Body), c.total) {
				t.Errorf("%s, %s: %d %s", name, c.who, res.Status, res.Body)
			}
		}
		// Nobody is a caller, whatever a frame's state or the header of dev identity says.
		if code, _, _ := failureOf(t, do(asStaff)); code != "UNAUTHORIZED" {
			t.Errorf("%s, nobody: %s", name, code)
		}
		for what, bad := range map[string]string{
			"changed":  toms[:len(toms)-4] + "AAAA",
			"expired":  iss.token(t, header, map[string]any{"sub": "u-tom-okafor", "exp": time.Now().Add(-2 * time.Minute).Unix()}),
			"another":  iss.token(t, header, map[string]any{"sub": "u-tom-okafor", "aud": "bank"}),
			"unsigned": strings.Join([]string{base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)), strings.Split(toms, ".")[1], ""}, "."),
			"no token": "u-tom-okafor",
		} {
			res := do("Authorization: Bearer " + bad)
			if res.Status != 401 || !strings.HasPrefix(res.Header.Get("WWW-Authenticate"), "Bearer") || strings.Contains(string(res.Body), "o-24") {
				t.Errorf("%s, %s: %d %q %s", name, what, res.Status, res.Header.Get("WWW-Authenticate"), res.Body)
			}
		}
	}
	// The command line says who is calling as any other client does.
	got := run(t, "", "call", "order.list", "fields=id", "limit:=1", "--url", p.URL, "--header", "Authorization: Bearer "+toms, "--json")
	if got.code != 0 || !strings.Contains(got.stdout, `"total":2`) {
		t.Errorf("frond call: %d %s%s", got.code, got.stdout, got.stderr)
	}
	if iss.asked.Load() == 0 {
		t.Error("nobody asked the issuer for its keys")
	}
}

// TestCallersBeyondLoopback: a gateway that believes a header, and a receiver that
// believes a state, do not start where others could reach them.
func TestCallersBeyondLoopback(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"gateway": {"gateway", shopDir, "--listen", "0.0.0.0:0", "--store", "memory"},
		"serve":   {"serve", "sales", "--dir", shopDir, "--hosts", "0.0.0.0", "--port", "0", "--store", "memory"},
	} {
		got := run(t, "", args...)
		checkRefusal(t, got, 2, []string{"0.0.0.0"})
		if t.Failed() {
			t.Fatal(name)
		}
	}
}
