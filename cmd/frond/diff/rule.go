package diff

import "slices"

// changeKind is one kind of change, as docs/diff.md lists it. Its name and level are stable: scripts
// that read findings depend on them.
type changeKind struct {
	Name     string
	Level    Level
	Surfaces []Surface
	// About completes "the change is that …".
	About string
	// WayOut is the author's alternative to the change, or the step before it.
	WayOut string
	// Effect is, for a rule of the store, the cost of the change: online, slow or loses.
	Effect string
}

// noAction is the way out of a safe change.
const noAction = "no action needed"

// The surfaces of rules.
var (
	onGraphQL = []Surface{graphQLSurface}
	onREST    = []Surface{restSurface}
	onRPC     = []Surface{rpcSurface}
	onStore   = []Surface{storeSurface}
	onAccess  = []Surface{accessSurface}
	onFacts   = []Surface{factsSurface}
	onCalls   = []Surface{restSurface, rpcSurface}
	onAll     = []Surface{graphQLSurface, restSurface, rpcSurface}
	onReads   = []Surface{restSurface, rpcSurface, factsSurface}
)

// listed returns the kinds of change of a table.
func listed[P any](rules []rule[P]) []changeKind {
	out := make([]changeKind, len(rules))
	for i := range rules {
		out[i] = rules[i].changeKind
	}
	return out
}

// rule is a changeKind with what finds it in a pair of things, the old and the new one.
type rule[P any] struct {
	changeKind
	find func(P) *change // nil: the rule does not hold of the pair
}

// change is the finding of a rule: both sides in a word.
type change struct{ was, is string }

// changed is a change if holds is true, and nil otherwise.
func changed(holds bool, was, is string) *change {
	if !holds {
		return nil
	}
	return &change{was, is}
}

// try tries every rule on a pair and records their findings, at each of the places.
func try[P any](out *findings, rules []rule[P], p P, places ...place) {
	for i := range rules {
		if len(places) == 0 {
			return
		}
		if c := rules[i].find(p); c != nil {
			for _, at := range places {
				out.add(&rules[i].changeKind, at, c)
			}
		}
	}
}

// pair is a thing in both versions; the side of a version without it is nil.
type pair[T any] struct{ was, is *T }

// either is the thing in the old version, or else in the new one.
func (p pair[T]) either() *T {
	if p.was != nil {
		return p.was
	}
	return p.is
}

// pairUp pairs the things of two versions, the old version's first. partner finds the thing of
// the new version that an old one has become, or nil.
func pairUp[T any](was, is []*T, partner func(*T) *T) (all []pair[T]) {
	paired := map[*T]bool{}
	for _, old := range was {
		now := partner(old)
		paired[now] = true
		all = append(all, pair[T]{old, now})
	}
	for _, now := range is {
		if !paired[now] {
			all = append(all, pair[T]{is: now})
		}
	}
	return all
}

// first is the first thing that holds accepts, or nil.
func first[T any](list []*T, holds func(*T) bool) *T {
	if i := slices.IndexFunc(list, holds); i >= 0 {
		return list[i]
	}
	return nil
}

// gone finds a thing that the new version does not have.
func gone[T any](text func(*T) string) func(pair[T]) *change {
	return func(p pair[T]) *change {
		if p.was == nil || p.is != nil {
			return nil
		}
		return &change{text(p.was), ""}
	}
}

// added finds a thing that the old version does not have.
func added[T any](text func(*T) string) func(pair[T]) *change {
	return addedIf(func(*T) bool { return true }, text)
}

// addedIf is added for the things that holds accepts.
func addedIf[T any](holds func(*T) bool, text func(*T) string) func(pair[T]) *change {
	return func(p pair[T]) *change {
		if p.is == nil || p.was != nil || !holds(p.is) {
			return nil
		}
		return &change{"", text(p.is)}
	}
}

// both looks at a thing that both versions have.
func both[T any](find func(was, is *T) *change) func(pair[T]) *change {
	return func(p pair[T]) *change {
		if p.was == nil || p.is == nil {
			return nil
		}
		return find(p.was, p.is)
	}
}

// turned finds a thing of both versions of which holds is true, and shows it by its text.
func turned[T any](holds func(was, is *T) bool, text func(*T) string) func(pair[T]) *change {
	return both(func(was, is *T) *change {
		if !holds(was, is) {
			return nil
		}
		return &change{text(was), text(is)}
	})
}

// differs finds a thing of both versions with another text.
func differs[T any](text func(*T) string) func(pair[T]) *change {
	return turned(func(was, is *T) bool { return text(was) != text(is) }, text)
}

// begins finds a thing of both versions of which holds is true only in the new one.
func begins[T any](holds func(*T) bool, was, is string) func(pair[T]) *change {
	return both(func(old, now *T) *change { return changed(!holds(old) && holds(now), was, is) })
}

// ends finds a thing of both versions of which holds is true only in the old one.
func ends[T any](holds func(*T) bool, was, is string) func(pair[T]) *change {
	return both(func(old, now *T) *change { return changed(holds(old) && !holds(now), was, is) })
}
