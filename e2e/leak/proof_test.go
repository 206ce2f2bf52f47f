package leak

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

// proof is one seed being proven: two worlds, one caller, and what was asked so far.
type proof struct {
	*maker
	seed          uint64
	garden        *garden
	caller        *caller
	other         *caller // someone else, whose cursors are tried
	callers       []*caller
	first, second *host
	view          *view // of the left world; the right one looks the same
	counterpart   *view // of the right world
	secrets       []string
	cases         int
	asYAML        bool
	spread        *spread   // where its Fronds run; nil: all here
	remote        bool      // the rows are kept elsewhere; see hole
	asked         []request // requests that must not have changed anything, since the stores were last looked at
	patience      int       // how many of them may come up
	written       []string  // what was last written in the proof of events
}

// finding is why a proof failed.
type finding struct{ what string }

// prove runs one seed, and answers how many cases it looked at and what it found.
func prove(seed uint64, size int, asYAML bool, h hole) (cases int, found error) {
	return proveAt(40, seed, size, asYAML, h)
}

func proveAt(patience int, seed uint64, size int, asYAML bool, h hole) (cases int, found error) {
	m := newMaker(rand.New(rand.NewPCG(seed, 7)))
	g := newGarden(m, size)
	if h.spread != nil {
		h.remote = true
		h.spread.draw(seed, g)
	}
	w := plant(m, g, size)
	p := &proof{maker: m, seed: seed, garden: g, patience: patience, asYAML: asYAML, remote: h.remote, spread: h.spread}
	first := map[*entity]bool{}
	for _, e := range g.entities {
		first[e] = m.chance(12)
	}
	p.caller, p.other = newCaller(m, w, "anne", asYAML, first), newCaller(m, w, "bert", asYAML, first)
	p.callers = []*caller{p.caller, p.other}
	rest := pick(m, []string{"", "open", "rules"})
	for _, c := range p.callers {
		c.rest = rest
		if h.remote {
			c.askable()
		}
		c.timeless = h.spread != nil
		if !asYAML {
			c.user["scopes"] = c
		}
	}
	t := w.counterpart(m, p.caller)
	defer func() {
		cases = p.cases
		switch v := recover().(type) {
		case nil:
		case closer:
			cases, found = proveAt(1, seed, size, asYAML, h)
		case finding:
			found = fmt.Errorf("seed %d, size %d, case %d: %s\n%s\nwhat %s sees:\n%s\nthe cards:\n%s\nthe rows:\n%s\nthe counterpart's rows:\n%s",
				seed, size, p.cases, v.what, h.spread, p.caller.name, p.caller, g, w.text(), t.text())
		default:
			panic(v)
		}
	}()
	for _, side := range []struct {
		w    *world
		into **host
	}{{w, &p.first}, {t, &p.second}} {
		b, err := open(side.w, p.callers, asYAML, h)
		if err != nil {
			return 0, fmt.Errorf("seed %d, size %d: the garden does not open: %w\n%s\n%s", seed, size, err, h.spread, g)
		}
		defer b.close()
		*side.into = b
	}
	p.look(w, t)
	if h.events {
		p.events()
		return p.cases, nil
	}
	p.reads()
	p.graphs()
	p.writes()
	return p.cases, nil
}

// look works out what the caller may see of both worlds.
func (p *proof) look(first, second *world) {
	p.view, p.counterpart = first.seenBy(p.caller), second.seenBy(p.caller)
	p.secrets = append(p.view.secrets(), p.counterpart.secrets()...)
}

// String is the cards of a garden, for a failure.
func (g *garden) String() string {
	var out strings.Builder
	for _, e := range g.entities {
		fmt.Fprintf(&out, "  %s: %s\n  %sCut: %s\n", e.name, e.card(), e.name, e.view())
	}
	return out.String()
}

// fail ends the proof.
func (p *proof) fail(format string, args ...any) { panic(finding{fmt.Sprintf(format, args...)}) }

// probe asks both worlds and holds the answers to the three things that are proven:
// they are the same, byte for byte; no hidden value stands in them; and, where
// check is given, they are what the oracle says.
func (p *proof) probe(r request, check func(answer) error) answer {
	a, b := p.ask(r)
	if got, counterpart := a.String(), b.String(); got != counterpart {
		p.fail("the answers of the two worlds differ\n%s\n--- one\n%s\n--- the other\n%s", r, got, counterpart)
	}
	if check != nil && !p.listed(a) {
		if err := check(a); err != nil {
			p.fail("%v\n%s\n%s", err, r, a)
		}
	}
	return a
}

// ask asks both worlds, and looks for secrets only. A value the caller sent itself
// is none.
func (p *proof) ask(r request) (a, b answer) {
	p.cases++
	a, b = p.first.ask(p.caller, r), p.second.ask(p.caller, r)
	sent := []byte(r.String())
	sent = append(sent, unpacked(sent)...)
	for _, got := range []answer{a, b} {
		if got.status == 500 || bytes.Contains(got.body, []byte("INTERNAL_ERROR")) {
			p.fail("an answer is a failure of our own\n%s\n%s", r, got)
		}
		if s := p.leaked([]byte(got.String()), sent); s != "" {
			p.fail("the hidden value %s stands in an answer\n%s\n%s", s, r, got)
		}
	}
	return a, b
}

// leaked is a secret that stands in what came back and not in what was sent.
func (p *proof) leaked(got, sent []byte) string {
	got = append(got[:len(got):len(got)], unpacked(got)...)
	for _, s := range p.secrets {
		if bytes.Contains(got, []byte(s)) && !bytes.Contains(sent, []byte(s)) {
			return s
		}
	}
	return ""
}

var packed = regexp.MustCompile(`[A-Za-z0-9_-]{12,}`)

// unpacked is what stands in the cursors and node ids of a text.
func unpacked(text []byte) []byte {
	var out []byte
	for _, word := range packed.FindAll(text, -1) {
		if raw, err := base64.RawURLEncoding.DecodeString(string(word)); err == nil {
			out = append(append(out, '\n'), raw...)
		}
	}
	return out
}

// same asks about a row that is hidden and about one that never was, and expects
// one answer: what is hidden is not there.
func (p *proof) same(ask func(id string) request, hidden, absent string) {
	gone := p.probe(ask(absent), nil)
	got := p.probe(ask(hidden), nil)
	if strings.ReplaceAll(got.String(), hidden, absent) != gone.String() {
		p.fail("a hidden row differs from one that does not exist\n%s\n--- hidden\n%s\n--- absent\n%s", ask(hidden), got, gone)
	}
}

// The forms of a request.

func jsonText(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	return json.RawMessage(encode(v))
}

// frame is a call in an envelope.
func frame(id int, method string, params, query, body any) map[string]any {
	in := map[string]any{}
	for name, v := range map[string]any{"params": params, "query": query, "body": body} {
		if v != nil {
			in[name] = v
		}
	}
	return map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": in}
}

func inEnvelope(method string, params, query, body any) request {
	return request{surface: "envelope", method: "POST", path: "/_kit/call", body: encode(frame(1, method, params, query, body))}
}

func inREST(method, path string, body any, headers ...string) request {
	r := request{surface: "rest", method: method, path: "/api/grove/" + path, headers: headers}
	if body != nil {
		r.body = encode(body)
	}
	return r
}

func inGraphQL(document string, variables map[string]any) request {
	return request{surface: "graphql", method: "POST", path: "/graphql", body: encode(map[string]any{"query": document, "variables": variables})}
}
