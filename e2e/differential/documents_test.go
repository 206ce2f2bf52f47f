package differential

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade/catalog"
)

// request is one GraphQL request.
type request struct {
	Query         string `json:"query"`
	Variables     string `json:"variables,omitempty"` // an object as text
	OperationName string `json:"operationName,omitempty"`
}

// documents makes up documents over a world's schema.
type documents struct {
	*rand.Rand
	w         *world
	vars      []*variable
	fragments []*fragment
	aliases   int
	budget    int // how many more fields there may be
}

type fragment struct {
	name, on, body string
	open           bool // being written: a spread would be a cycle
}

func (g *documents) chance(percent int) bool { return g.IntN(100) < percent }

// request makes up a document that should be valid, and its variables.
func (w *world) request(r *rand.Rand) request {
	g := &documents{Rand: r, w: w, budget: 1 + r.IntN(12)}
	if g.chance(10) { // all rows in an order, which others seldom show
		e := w.entities[r.IntN(len(w.entities))]
		return request{Query: "{ " + e.name + "s(orderBy: " + g.order(e) + ") { items { id } } }\n"}
	}
	n := 1
	if g.chance(12) {
		n = 2
	}
	var ops []string
	var names []string
	var kinds []string
	for i := range n {
		kind, root := "query", w.ast.Query
		if g.chance(25) && w.ast.Mutation != nil {
			kind, root = "mutation", w.ast.Mutation
		}
		name := ""
		if n > 1 || g.chance(30) {
			name = fmt.Sprintf("Op%d", i)
		}
		ops = append(ops, g.selections(root, 0))
		names, kinds = append(names, name), append(kinds, kind)
	}
	q := request{}
	for i, body := range ops {
		head := kinds[i]
		vars := g.declare(body)
		if names[i] != "" {
			head += " " + names[i]
		}
		switch {
		case vars != "":
			head += vars
		case head == "query":
			head = ""
		}
		q.Query += strings.TrimSpace(head+" "+body) + "\n"
	}
	for _, f := range g.fragments {
		q.Query += "fragment " + f.name + " on " + f.on + " " + f.body + "\n"
	}
	chosen := g.IntN(n)
	switch {
	case n > 1 && g.chance(92), g.chance(15):
		q.OperationName = names[chosen]
	case g.chance(3):
		q.OperationName = "Missing"
	}
	var sent []string
	for _, v := range g.vars {
		if v.json != "" {
			sent = append(sent, fmt.Sprintf("%q:%s", v.name, v.json))
		}
	}
	if len(sent) > 0 {
		q.Variables = "{" + strings.Join(sent, ",") + "}"
	}
	return q
}

var (
	usedVariable = regexp.MustCompile(`\$(\w+)`)
	usedFragment = regexp.MustCompile(`\.\.\.(F\d+)`)
)

// declare is the variable definitions of an operation: those of its body, and of
// the fragments it spreads, as deep as they go.
func (g *documents) declare(body string) string {
	seen, spread := map[string]bool{}, map[string]bool{}
	var names []string
	var walk func(text string)
	walk = func(text string) {
		for _, m := range usedVariable.FindAllStringSubmatch(text, -1) {
			if !seen[m[1]] {
				seen[m[1]] = true
				names = append(names, m[1])
			}
		}
		for _, m := range usedFragment.FindAllStringSubmatch(text, -1) {
			if !spread[m[1]] {
				spread[m[1]] = true
				for _, f := range g.fragments {
					if f.name == m[1] {
						walk(f.body)
					}
				}
			}
		}
	}
	walk(body)
	if len(names) == 0 {
		return ""
	}
	var defs []string
	for _, v := range g.vars {
		if slices.Contains(names, v.name) {
			defs = append(defs, "$"+v.name+": "+v.typ+v.fallback)
		}
	}
	return "(" + strings.Join(defs, ", ") + ")"
}

// selections makes up a selection set of a type.
func (g *documents) selections(def *ast.Definition, depth int) string {
	var list []string
	var heads []head
	for range 1 + g.IntN(3) {
		switch roll := g.IntN(100); {
		case roll < 12:
			list = append(list, g.inline(def, depth))
		case roll < 24:
			if s := g.spread(def, depth); s != "" {
				list = append(list, s)
			}
		case roll < 34 && len(heads) > 0: // once more, with another selection below it
			h := heads[g.IntN(len(heads))]
			list = append(list, h.text+g.directives()+g.below(h.field, depth))
		default:
			h, ok := g.field(def, depth)
			if !ok {
				continue
			}
			heads = append(heads, h)
			list = append(list, h.text+g.directives()+g.below(h.field, depth))
		}
	}
	if len(list) == 0 {
		list = append(list, "__typename")
	}
	return "{ " + strings.Join(list, " ") + " }"
}

// head is a field without what stands below it.
type head struct {
	text  string
	field *ast.FieldDefinition
}

// maxDepth is how deep fields stand in each other.
const maxDepth = 6

func (g *documents) field(def *ast.Definition, depth int) (head, bool) {
	var fields ast.FieldList
	for _, f := range def.Fields {
		leaf := g.w.ast.Types[f.Type.Name()].IsLeafType()
		if f.Name == catalog.ETag { // a hash that the reference does not make
			continue
		}
		if e := g.groupedBy(def); e != nil && !e.groups(f.Name) { // the reference knows no numbers about these
			continue
		}
		if strings.HasPrefix(f.Name, "__") || def.BuiltIn && nests[f.Name] && !g.chance(2) || !leaf && (depth >= maxDepth || g.budget <= 0) {
			continue
		}
		fields = append(fields, f)
		if !leaf { // objects are where things happen
			fields = append(fields, f)
		}
	}
	typename := &ast.FieldDefinition{Name: "__typename", Type: ast.NonNullNamedType("String", nil)}
	switch {
	case len(fields) == 0 && def.Kind != ast.Union || g.chance(6):
		if g.chance(15) {
			g.aliases++
			return head{fmt.Sprintf("t%d: __typename", g.aliases), typename}, true
		}
		return head{"__typename", typename}, true
	case len(fields) == 0:
		return head{}, false
	}
	if def == g.w.ast.Query && g.chance(6) {
		return g.introspection(), true
	}
	f := fields[g.IntN(len(fields))]
	g.budget--
	args := g.arguments(def, f)
	text := f.Name + args
	// Fields of one name with other arguments cannot be merged, nor can two that
	// are called the same and are not: an alias is used once.
	g.aliases++
	switch {
	case args != "" && !g.chance(5), g.chance(15):
		text = fmt.Sprintf("a%d: %s", g.aliases, text)
	}
	return head{text, f}, true
}

// nests are the lists of __Type, of which only a few may stand in each other.
var nests = map[string]bool{"fields": true, "interfaces": true, "possibleTypes": true, "inputFields": true}

func (g *documents) introspection() head {
	var names []string
	for name, def := range g.w.ast.Types {
		if !def.BuiltIn {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	g.aliases++
	name := encode(names[g.IntN(len(names))])
	return head{
		fmt.Sprintf("a%d: __type(name: %s)", g.aliases, name),
		&ast.FieldDefinition{Name: "__type", Type: ast.NamedType("__Type", nil)},
	}
}

// below is the selection set of a field, where its type has one.
func (g *documents) below(f *ast.FieldDefinition, depth int) string {
	def := g.w.ast.Types[f.Type.Name()]
	if def.IsLeafType() {
		return ""
	}
	return " " + g.selections(def, depth+1)
}

// inline makes up an inline fragment that may apply.
func (g *documents) inline(def *ast.Definition, depth int) string {
	on, condition := def, ""
	if !g.chance(15) {
		on = g.overlapping(def)
		condition = " on " + on.Name
	}
	return "..." + condition + g.directives() + " " + g.selections(on, depth)
}

// overlapping is a composite type that shares an object type with def.
func (g *documents) overlapping(def *ast.Definition) *ast.Definition {
	var list []*ast.Definition
	for _, o := range g.w.ast.PossibleTypes[def.Name] {
		list = append(list, o)
		list = append(list, g.w.ast.Implements[o.Name]...)
	}
	list = append(list, def)
	slices.SortFunc(list, func(a, b *ast.Definition) int { return strings.Compare(a.Name, b.Name) })
	return list[g.IntN(len(list))]
}

// spread spreads a fragment that is there, or a new one.
func (g *documents) spread(def *ast.Definition, depth int) string {
	for _, f := range g.fragments {
		if f.on == def.Name && !f.open && g.chance(50) {
			return "..." + f.name + g.directives()
		}
	}
	if g.budget <= 0 || len(g.fragments) > 5 {
		return ""
	}
	on := g.overlapping(def)
	f := &fragment{name: fmt.Sprintf("F%d", len(g.fragments)), on: on.Name, open: true}
	g.fragments = append(g.fragments, f)
	f.body = g.selections(on, depth)
	f.open = false
	return "..." + f.name + g.directives()
}

// directives makes up @skip and @include, mostly neither.
func (g *documents) directives() string {
	out := ""
	for _, name := range []string{"skip", "include"} {
		if g.chance(6) {
			v := []string{"true", "false"}[g.IntN(2)]
			if g.chance(50) {
				v = "$" + g.variable(ast.NonNullNamedType("Boolean", nil), false)
			}
			out += " @" + name + "(if: " + v + ")"
		}
	}
	return out
}
