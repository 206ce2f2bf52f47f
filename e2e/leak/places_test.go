package leak

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/frondhost/frond/e2e/places"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema"
)

// spread puts the entities of a garden into several Fronds, and some of these on other hosts, as e2e/topology does. The requests are
// those of every garden, and each answer is held to the same three things. An answer may also be a refusal that
// docs/remotes.md lists; both worlds have to give it.
type spread struct {
	signing gateway.Signing // of the places that sign
	places.Place
	rules string // who knows them
}

// Who knows the rules of a moved Frond.
const (
	everywhere = "everywhere" // the gateway, which has its cards, and its host
	inFront    = "in front"   // the gateway alone, which has its cards
	beside     = "beside"     // the gateway alone, whose frond.yaml is beside the cards of the host
)

// draw makes up where the Fronds of a garden run.
func (s *spread) draw(seed uint64, g *garden) {
	m := newMaker(rand.New(rand.NewPCG(seed, 9)))
	names := []string{"grove", "park", "wood"}
	for i, e := range g.entities {
		if e.frond = pick(m, names); i == 1 && e.frond == g.entities[0].frond {
			e.frond = names[(slices.Index(names, e.frond)+1)%3] // some relation leads from Frond to Frond
		}
	}
	fronds := g.fronds()
	s.rules = pick(m, []string{everywhere, inFront, beside})
	s.Place = pick(m, places.All(fronds, s.signing))
	if s.rules != everywhere && m.chance(50) {
		s.Signing, s.Between = gateway.Signing{}, false
	}
	if s.rules == beside {
		for _, e := range g.entities {
			e.dump = "" // a host that knows no callers would compute it of hidden fields too
		}
	}
}

// fronds are the names of a garden's Fronds.
func (g *garden) fronds() (names []string) {
	for _, e := range g.entities {
		names = append(names, e.frond)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// String says where the Fronds run.
func (s *spread) String() string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%s of %s, signed: %v, the rules are %s", &s.Place, strings.Join(s.Fronds, " "), s.Signing.Key != "", s.rules)
}

// open starts the hosts of a garden over a world.
func (s *spread) open(w *world, callers []*caller, h hole) (*host, error) {
	ctx := context.Background()
	quiet := slog.New(slog.DiscardHandler)
	compiled, err := compile.Project(w.garden.project(nil, true, h), nil)
	if err != nil {
		return nil, err
	}
	b := &host{stores: map[string]anyStore{}, fronds: map[string]string{}}
	if b.kept, err = facade.New(compiled, nil, nil); err != nil {
		return nil, err
	}
	ofFront, err := openStore(ctx, quiet)
	if err != nil {
		return nil, err
	}
	b.closers = append(b.closers, func() { _ = ofFront.Close() })
	entities := map[anyStore][]*schema.Entity{}
	for _, e := range w.garden.entities {
		store := b.stores[e.frond]
		switch {
		case store != nil:
		case slices.Contains(s.Moved, e.frond):
			if store, err = openStore(ctx, quiet); err != nil {
				return nil, err
			}
			b.closers = append(b.closers, func() { _ = store.Close() })
		default:
			store = ofFront
		}
		b.stores[e.frond], b.fronds[e.plural] = store, e.frond
		entities[store] = append(entities[store], b.kept.Catalog().Set.Entity(e.name))
	}
	for store, all := range entities {
		if err := store.Prepare(ctx, all); err != nil {
			return nil, err
		}
	}
	if err := b.plant(ctx, w); err != nil {
		return nil, err
	}
	started, err := s.Start(func(of places.Process) (*facade.Project, *gateway.Options, error) {
		opts := &gateway.Options{Undecided: true, Logger: quiet}
		knowing := callers
		switch {
		case of.Between:
			knowing = nil // it is asked as the caller; the gateway in front and the hosts decide
		case of.Frond != "":
			opts.Store = b.stores[of.Frond]
			if h.there != nil {
				opts.Middleware = []facade.Middleware{h.there}
			}
			if s.rules != everywhere {
				knowing = nil
			}
		default:
			opts.Store = ofFront
			opts.Session = session(callers)
			if h.caller != nil {
				opts.Middleware = []facade.Middleware{h.caller}
			}
		}
		if h.store != nil && opts.Store != nil {
			opts.Store = h.store(opts.Store)
		}
		p := w.garden.project(knowing, true, h)
		if of == (places.Process{}) && s.rules == beside {
			s.leaveCards(p)
		}
		return p, opts, nil
	})
	if err != nil {
		b.close()
		return nil, err
	}
	b.closers = append(b.closers, started.Close)
	b.rest, b.calls, b.graph = started.Gateway.Handler(), started.Gateway.Handler(), started.Gateway.Handler()
	b.caller = started.Gateway.Caller()
	return b, nil
}

// leaveCards leaves the rules of the moved Fronds alone in a project.
func (s *spread) leaveCards(p *facade.Project) {
	for _, f := range p.Fronds {
		if !slices.Contains(s.Moved, f.Name) {
			continue
		}
		f.Cards = nil
		var all map[string]any
		_ = json.Unmarshal(f.Config.Data, &all)
		f.Config = project.Text{File: "fronds/" + f.Name + "/frond.json", Data: []byte(encode(map[string]any{"collectors": all["collectors"]}))}
	}
}

// session identifies the callers of a garden by their names.
func session(callers []*caller) gateway.Session {
	return func(r *http.Request) (access.State, error) {
		for _, c := range callers {
			if c.name == r.Header.Get("X-Caller") {
				return access.State{"user": c.user}, nil
			}
		}
		return nil, nil
	}
}

// refused are the refusals of what needs rows of two hosts at once (docs/remotes.md).
var refused = []string{"no transaction has rows of two hosts", "cannot be part of a transaction at the host of", "and takes no rows of", "where the access rules of this host for single rows"}

// listed says whether an answer of spread gardens is such a refusal.
func (p *proof) listed(a answer) bool {
	return p.spread != nil && strings.Contains(string(a.body), string(kiterror.NotImplemented)) &&
		slices.ContainsFunc(refused, func(r string) bool { return strings.Contains(string(a.body), r) })
}

// TestLeakPlaces is the proof for gardens of several Fronds, some of which run on other hosts: the doors of remotes have rules.
func TestLeakPlaces(t *testing.T) {
	gardenAfterGarden(t, hole{spread: &spread{signing: places.Keys(t)}})
}

// TestHolesOfPlaces opens holes between the hosts of such gardens, each of which the proof has to find.
func TestHolesOfPlaces(t *testing.T) {
	if raced {
		t.Skip("it runs without the race detector")
	}
	signing := places.Keys(t)
	for _, h := range []hole{
		{name: "a host is asked without the conditions of rules", there: func(next facade.Caller) facade.Caller {
			return facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
				own := *c
				if query, err := decode(c.Invocation.Query); err == nil && c.Operation == "list" {
					sent, _ := query.(map[string]any)
					delete(sent, "filter")
					own.Invocation.Query = jsonText(sent)
				}
				return next.Call(ctx, &own)
			})
		}},
		{name: "the rules beside a remote forget what they hide", config: rules(func(r map[string]any) { delete(r, "hide") })},
		{name: "a host writes whatever the condition says", there: func(next facade.Caller) facade.Caller {
			return facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
				own := *c
				if query, err := decode(c.Invocation.Query); err == nil && c.Operation == "updateMany" {
					sent, _ := query.(map[string]any)
					sent["where"] = map[string]any{"id": map[string]any{"ne": ""}}
					own.Invocation.Query = jsonText(sent)
				}
				return next.Call(ctx, &own)
			})
		}},
	} {
		t.Run(h.name, func(t *testing.T) {
			cases := 0
			for seed := uint64(1); cases < most; seed++ {
				h.spread = &spread{signing: signing}
				n, err := prove(seed, 1+int(seed%4), true, h)
				if cases += n; err != nil && n == 0 {
					t.Fatal(err) // the garden itself does not open
				}
				if err != nil {
					what, _, _ := strings.Cut(err.Error(), "\n")
					t.Logf("found after %d cases: %s", cases, what)
					return
				}
			}
			t.Errorf("%d cases did not find it", cases)
		})
	}
}
