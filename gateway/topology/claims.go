package topology

import (
	"slices"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
)

// The entities of a Frond without cards here have the names that its host gives them. If one of these
// belongs to this project, or to a remote that was accepted before, the Frond is refused: its discovery
// is ignored until its host serves something else (docs/decisions/remotes.md).

// WithoutClaims compiles a façade with as many of the remote Fronds as are compatible. compile
// is called again with some of them refused in [Topology.Project]; the error is the project's
// own. It is called by one goroutine at a time.
//
// With no claim at fault, compile runs once. Otherwise it runs once without any remote Frond
// that has no cards here, and once more for each of these, the already accepted ones first:
//
//	compile(all)          a claim fails: the remotes are tried one by one
//	compile(none)         a fault here is the project's own and is returned
//	compile(none + a)     no claim: a stays
//	compile(none + a + b) a claim: b is refused and logged
func (t *Topology) WithoutClaims(compile func() (*facade.Facade, error)) (*facade.Facade, error) {
	if t == nil {
		return compile()
	}
	found := t.cardless()
	// A refused Frond is tried again: its host may serve something else by now.
	was := t.refuse(found, nil)
	f, err := compile()
	if !schema.Claims(err) || len(found) == 0 {
		t.accept(found)
		return f, err
	}
	// Accepted Fronds keep their names.
	slices.SortStableFunc(found, func(a, b string) int {
		switch {
		case t.accepted[a] == t.accepted[b]:
			return strings.Compare(a, b)
		case t.accepted[a]:
			return -1
		}
		return 1
	})
	refused := map[string]error{}
	for _, frond := range found {
		refused[frond] = nil
	}
	t.refuse(found, refused)
	if f, err = compile(); err != nil {
		return nil, err // a fault of the project, with no remote in it
	}
	for _, frond := range found {
		delete(refused, frond)
		t.refuse(found, refused)
		more, err := compile()
		switch {
		case schema.Claims(err):
			refused[frond] = err
			t.refuse(found, refused)
			// A claim is logged when it is new, not at every discovery that finds it again.
			if !was[frond] {
				t.log.Warn("a remote claims names that are taken; it is ignored until it serves something else",
					"frond", frond, "url", t.byFrond[frond].url, "error", err)
			}
		case err != nil:
			// Every name is free and compiling fails all the same: the fault is not a claim.
			return nil, err
		default:
			f = more
		}
	}
	t.accept(slices.DeleteFunc(found, func(frond string) bool { return refused[frond] != nil }))
	return f, nil
}

// accept remembers which Fronds are served. They come first in the next conflict, so that a
// second host cannot take over the names that the first one serves.
func (t *Topology) accept(fronds []string) {
	t.accepted = map[string]bool{}
	for _, frond := range fronds {
		t.accepted[frond] = true
	}
}

// cardless are the discovered Fronds that have no cards here, in order.
func (t *Topology) cardless() (fronds []string) {
	for _, h := range t.hosts {
		for _, frond := range h.cardless {
			h.mu.Lock()
			// A host that has not been discovered claims no name yet.
			if h.discovery != nil {
				fronds = append(fronds, frond)
			}
			h.mu.Unlock()
		}
	}
	slices.Sort(fronds)
	return fronds
}

// refuse sets which of the Fronds are refused: the keys of refused. was is which were. Only
// presence counts in refused: a nil error refuses as well.
func (t *Topology) refuse(fronds []string, refused map[string]error) (was map[string]bool) {
	was = map[string]bool{}
	for _, frond := range fronds {
		h := t.byFrond[frond]
		h.mu.Lock()
		was[frond] = h.refused[frond]
		if h.refused == nil {
			h.refused = map[string]bool{}
		}
		_, h.refused[frond] = refused[frond]
		h.mu.Unlock()
	}
	return was
}
