package diff

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

// rule is a changeKind with what finds it in a pair of things, the old and the new one.
type rule[P any] struct {
	changeKind
	find func(P) *change // nil: the rule does not hold of the pair
}

// change is the finding of a rule: both sides in a word.
type change struct{ was, is string }

// changed is a change where it holds, and nil otherwise.
func changed(holds bool, was, is string) *change {
	if !holds {
		return nil
	}
	return &change{was, is}
}

// when is a find for the pairs that holds accepts; of others the rule does not hold.
func when[P any](holds func(P) bool, find func(P) *change) func(P) *change {
	return func(p P) *change {
		if !holds(p) {
			return nil
		}
		return find(p)
	}
}

// try tries every rule on a pair and records their findings, at each of the places.
func try[P any](out *findings, rules []rule[P], pair P, places ...place) {
	if len(places) == 0 {
		return
	}
	for i := range rules {
		c := rules[i].find(pair)
		if c == nil {
			continue
		}
		for _, p := range places {
			out.add(&rules[i].changeKind, p, c)
		}
	}
}

// listed returns the kinds of change of a table.
func listed[P any](rules []rule[P]) []changeKind {
	out := make([]changeKind, len(rules))
	for i := range rules {
		out[i] = rules[i].changeKind
	}
	return out
}

// The surfaces of rules that hold on several.
var (
	onCalls = []Surface{restSurface, rpcSurface}
	onAll   = []Surface{graphQLSurface, restSurface, rpcSurface}
	onReads = []Surface{restSurface, rpcSurface, factsSurface}
)
