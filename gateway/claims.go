package gateway

import (
	"slices"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
)

// A Frond without cards here has the names that its host tells. Where one of them is an
// entity's of this project, or of a remote that was there before, the Frond is refused:
// it is as if nothing had been told of it, until its host tells something else.

// withoutClaims makes a façade with as many of the Fronds elsewhere as go together.
// compile is called with some of them refused; the error is that of the project alone.
func (t *topology) withoutClaims(compile func() (*facade.Facade, error)) (*facade.Facade, error) {
	if t == nil {
		return compile()
	}
	told := t.cardless()
	was := t.refuse(told, nil)
	f, err := compile()
	if !schema.Claims(err) || len(told) == 0 {
		t.accept(told)
		return f, err
	}
	// Those that were there before have their names already.
	slices.SortStableFunc(told, func(a, b string) int {
		switch {
		case t.accepted[a] == t.accepted[b]:
			return strings.Compare(a, b)
		case t.accepted[a]:
			return -1
		}
		return 1
	})
	refused := map[string]error{}
	for _, frond := range told {
		refused[frond] = nil
	}
	t.refuse(told, refused)
	if f, err = compile(); err != nil {
		return nil, err // of what is wrong here no remote is the reason
	}
	for _, frond := range told {
		delete(refused, frond)
		t.refuse(told, refused)
		more, err := compile()
		switch {
		case schema.Claims(err):
			refused[frond] = err
			t.refuse(told, refused)
			if !was[frond] {
				t.log.Warn("a remote claims names that are taken; it is left out until it tells something else",
					"frond", frond, "url", t.byFrond[frond].url, "error", err)
			}
		case err != nil:
			return nil, err
		default:
			f = more
		}
	}
	t.accept(slices.DeleteFunc(told, func(frond string) bool { return refused[frond] != nil }))
	return f, nil
}

// accept remembers which Fronds are there; compiles are one at a time.
func (t *topology) accept(fronds []string) {
	t.accepted = map[string]bool{}
	for _, frond := range fronds {
		t.accepted[frond] = true
	}
}

// cardless are the Fronds whose cards are known from their hosts alone, in order.
func (t *topology) cardless() (fronds []string) {
	for _, p := range t.peers {
		for _, frond := range p.cardless {
			p.mu.Lock()
			if p.told != nil {
				fronds = append(fronds, frond)
			}
			p.mu.Unlock()
		}
	}
	slices.Sort(fronds)
	return fronds
}

// refuse says which of the Fronds are refused, and gives those that were before.
func (t *topology) refuse(fronds []string, refused map[string]error) (was map[string]bool) {
	was = map[string]bool{}
	for _, frond := range fronds {
		p := t.byFrond[frond]
		p.mu.Lock()
		was[frond] = p.refused[frond]
		if p.refused == nil {
			p.refused = map[string]bool{}
		}
		_, p.refused[frond] = refused[frond]
		p.mu.Unlock()
	}
	return was
}
