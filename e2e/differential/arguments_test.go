package differential

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/resolvers/binding"
)

// arguments makes up the arguments of a field, in any order.
func (g *documents) arguments(def *ast.Definition, f *ast.FieldDefinition) string {
	b := g.w.schema.Fields.Of(def.Name, f.Name)
	var args []string
	add := func(name, literal string) { args = append(args, name+": "+literal) }
	for _, a := range f.Arguments {
		must := a.Type.NonNull && a.DefaultValue == nil
		if b == nil || b.Kind == binding.Operation && !b.Operation.Builtin {
			if must || g.chance(60) {
				add(a.Name, g.value(a.Type, a.DefaultValue != nil, 0).literal)
			}
			continue
		}
		if b.Kind == binding.Groups {
			if v := g.groupArgument(g.w.entity(strings.TrimSuffix(def.Name, "Connection")), a.Name); v != "" && (must || g.chance(40)) {
				add(a.Name, v)
			}
			continue
		}
		switch {
		case a.Name == "nodeId":
			add(a.Name, g.nodeID())
		case a.Name == "nodeIds":
			add(a.Name, "["+g.nodeID()+", "+g.nodeID()+"]")
		case a.Name == "id":
			add(a.Name, g.aKey(b))
		case a.Name == "ids":
			add(a.Name, "["+g.aKey(b)+", "+g.aKey(b)+"]")
		case a.Name == "filter" && g.chance(25):
			v := g.filter(g.entityOf(b), 0)
			if g.chance(30) {
				name := fmt.Sprintf("v%d", len(g.vars))
				g.vars = append(g.vars, &variable{name: name, typ: a.Type.String(), json: v.json})
				v.literal = "$" + name
			}
			add(a.Name, v.literal)
		case a.Name == "orderBy" && g.chance(25):
			add(a.Name, g.order(g.entityOf(b)))
		case (a.Name == "first" || a.Name == "last") && g.chance(20), a.Name == "offset" && g.chance(10):
			add(a.Name, g.count())
		case must: // of what writes: nothing is written here
			add(a.Name, g.value(a.Type, false, 0).literal)
		}
	}
	if len(args) == 0 {
		return ""
	}
	g.Shuffle(len(args), func(i, j int) { args[i], args[j] = args[j], args[i] })
	return "(" + strings.Join(args, ", ") + ")"
}

// order makes up an order of the rows of an entity.
func (g *documents) order(e *entity) string {
	var keys []string
	for range min(g.IntN(4), 2) {
		keys = append(keys, g.orderKey(e, 4)) // one relation more than there may be
	}
	return "[" + strings.Join(keys, ", ") + "]"
}

// orderKey makes up a key of an order: a field, or a value behind so many relations.
func (g *documents) orderKey(e *entity, steps int) string {
	way := []string{"ASC", "DESC"}[g.IntN(2)]
	fields := e.steadyFields()
	f := fields[g.IntN(len(fields))]
	if relations := e.relations(); steps > 0 && len(relations) > 0 && g.chance(60) {
		f = relations[g.IntN(len(relations))]
	}
	if f.to == nil {
		return fmt.Sprintf("{%s: %s}", f.name, way)
	}
	below := "{count: " + way + "}"
	if f.kind == one {
		below = g.orderKey(f.to, steps-1)
	} else if of := f.to.steadyFields()[1:]; len(of) > 0 && g.chance(60) { // keys have no functions
		of := of[g.IntN(len(of))]
		below = fmt.Sprintf("{%s: {%s: %s}}", g.function(of), of.name, way)
	}
	return fmt.Sprintf("{%s: %s}", f.relation(), below)
}

// function is one that a field has.
func (g *documents) function(f *cardField) string {
	list := []string{"countDistinct", "min", "max", "sum", "avg"}
	if f.kind == text {
		list = list[:3]
	}
	return list[g.IntN(len(list))]
}

// count is a small number, seldom one that is refused.
func (g *documents) count() string {
	if g.chance(20) {
		return "$" + g.variable(ast.NamedType("Int", nil), false)
	}
	if g.chance(5) {
		return "-1"
	}
	return fmt.Sprint(g.IntN(5))
}

func (g *documents) entityOf(b *binding.Field) *entity {
	for _, e := range g.w.entities {
		if b.Door != nil && e.name == b.Door.Name {
			return e
		}
	}
	return g.w.entities[0]
}

// aKey is the primary key of a row, or of none.
func (g *documents) aKey(b *binding.Field) string {
	e := g.entityOf(b)
	return encode(e.key(g.IntN(len(e.rows) + 1)))
}

func (g *documents) nodeID() string {
	if g.chance(10) {
		return `"nothing"`
	}
	e := g.w.entities[g.IntN(len(g.w.entities))]
	key := json.RawMessage(encode(e.key(g.IntN(len(e.rows) + 1))))
	return encode(binding.NodeIDOf(g.w.schema.Catalog.Set.Entity(e.name), key))
}
