package diff

import (
	"cmp"
	"slices"
	"strings"
)

// Level is the severity of a change for its clients.
type Level string

// The levels, the worst first.
const (
	// Breaking: a request that passed fails, or an answer has another form.
	Breaking Level = "breaking"
	// Dangerous: requests pass, and something that a reader may rely on is another.
	Dangerous Level = "dangerous"
	// safe: every request that passed still passes, with an answer of the old form.
	safe Level = "safe"
)

// levels are all levels, the worst first.
var levels = []Level{Breaking, Dangerous, safe}

// Surface is where a change is seen.
type Surface string

// The surfaces, in the order in which findings are listed.
const (
	graphQLSurface Surface = "graphql"
	restSurface    Surface = "rest"
	rpcSurface     Surface = "rpc"
	storeSurface   Surface = "store"
	accessSurface  Surface = "access"
	factsSurface   Surface = "facts"
)

// surfaces are all surfaces, in order.
var surfaces = []Surface{graphQLSurface, restSurface, rpcSurface, storeSurface, accessSurface, factsSurface}

// Finding is one change as one surface sees it.
//
//	{"rule": "request-field-required", "level": "breaking", "surface": "rest", "at": "POST /api/catalog/products",
//	 "member": "body.sku", "was": "optional", "is": "required", "wayOut": "…"}
type Finding struct {
	Rule    string  `json:"rule"`
	Level   Level   `json:"level"`
	Surface Surface `json:"surface"`
	// At is a GraphQL coordinate (Product.title), a verb and a path, a method (product.list),
	// a table or a column (product.title), or a fact. A removed thing has its name in the old
	// version, a new thing that in the new one.
	At string `json:"at"`
	// Also are the other places of the same surface where the same finding holds.
	Also []string `json:"also,omitempty"`
	// Member is the place in a request or a result: body.address.street, result.lines[].price.
	// "" where At says it all.
	Member string `json:"member,omitempty"`
	// Audience is whose surface it is; "" is everybody's.
	Audience string `json:"audience,omitempty"`
	Was      string `json:"was"` // "" where there was nothing
	Is       string `json:"is"`  // "" where there is nothing
	// Effect is, for the store, the cost of the change: online, slow or loses.
	Effect string `json:"effect,omitempty"`
	// Unused says that no trusted document uses the changed part.
	Unused bool   `json:"unused,omitempty"`
	WayOut string `json:"wayOut"`
	// Rights is the effect of the change on one caller, from [Report.Effects]; nil for other findings.
	*Rights
}

// Report is the result of a comparison.
type Report struct {
	Findings []Finding `json:"findings"` // never nil
	// Notes name the parts that could not be compared, for a reader.
	Notes []string `json:"-"`
}

// Count is the number of findings of a level.
func (r *Report) Count(l Level) (n int) {
	for i := range r.Findings {
		if r.Findings[i].Level == l {
			n++
		}
	}
	return n
}

// place is where a rule is tried.
type place struct {
	surface  Surface
	at       string
	member   string
	audience string
}

// findings collects what rules find.
type findings struct {
	all []Finding
}

// add notes a change at a place.
func (f *findings) add(r *changeKind, p place, c *change) {
	f.all = append(f.all, Finding{
		Rule: r.Name, Level: r.Level, Surface: p.surface, At: p.at, Member: p.member, Audience: p.audience,
		Was: c.was, Is: c.is, Effect: r.Effect, WayOut: r.WayOut,
	})
}

// merged joins findings that differ in their place alone, and puts all in order. On GraphQL and
// on the store every place has a finding of its own: a client or a statement names the
// coordinate, whereas one field of a card is in the bodies of several operations.
func (f *findings) merged() []Finding {
	type key struct {
		rule, member, audience, was, is string
		surface                         Surface
		level                           Level
	}
	out := []Finding{}
	index := map[key]int{}
	for _, one := range f.all {
		k := key{one.Rule, one.Member, one.Audience, one.Was, one.Is, one.Surface, one.Level}
		if one.Surface != restSurface && one.Surface != rpcSurface {
			k.member = one.At + "\x00" + one.Member
		} else {
			// Operations of two doors are two changes.
			k.member += "\x00" + doorOf(one.At, one.Surface)
		}
		i, known := index[k]
		if !known {
			index[k] = len(out)
			out = append(out, one)
		} else if first := &out[i]; one.At != first.At && !slices.Contains(first.Also, one.At) {
			first.Also = append(first.Also, one.At)
		}
	}
	slices.SortStableFunc(out, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(slices.Index(levels, a.Level), slices.Index(levels, b.Level)),
			cmp.Compare(slices.Index(surfaces, a.Surface), slices.Index(surfaces, b.Surface)),
			strings.Compare(a.Rule, b.Rule), strings.Compare(a.Audience, b.Audience), strings.Compare(a.At, b.At), strings.Compare(a.Member, b.Member),
		)
	})
	return out
}

// doorOf is the part of a place that names its door: product of product.list, and
// /api/catalog/products of GET /api/catalog/products/{id}.
func doorOf(at string, s Surface) string {
	if s == rpcSurface {
		door, _, _ := strings.Cut(at, ".")
		return door
	}
	_, path, _ := strings.Cut(at, " ")
	if before, _, ok := strings.Cut(path, "/{id}"); ok {
		return before
	}
	parts := strings.Split(path, "/") // "", api, catalog, products, by-slug
	i := slices.Index(parts, "api")
	return strings.Join(parts[:min(i+3, len(parts))], "/")
}
