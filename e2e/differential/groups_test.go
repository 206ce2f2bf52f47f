package differential

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// entity is the entity of a type; nil: none has it.
func (w *world) entity(typ string) *entity {
	for _, e := range w.entities {
		if typeName(e) == typ {
			return e
		}
	}
	return nil
}

// groupedBy is the entity whose groups a type describes; nil: it describes none.
func (g *documents) groupedBy(def *ast.Definition) *entity {
	for _, suffix := range []string{"Aggregate", "GroupsKey"} {
		if typ, ok := strings.CutSuffix(def.Name, suffix); ok {
			return g.w.entity(typ)
		}
	}
	return nil
}

// groups reports whether the reference knows the groups by a field of the entity.
func (e *entity) groups(name string) bool {
	return name == "key" || name == "count" || slices.ContainsFunc(e.steadyFields(), func(f *cardField) bool { return f.name == name })
}

// groupArgument makes up an argument of groups; "" is none.
func (g *documents) groupArgument(e *entity, name string) string {
	fields := e.steadyFields()
	pick := func() *cardField { return fields[g.IntN(len(fields))] }
	way := func() string { return []string{"ASC", "DESC"}[g.IntN(2)] }
	switch name {
	case "by":
		var by []string
		for range 1 + g.IntN(2) {
			by = append(by, fmt.Sprintf("{%s: VALUE}", pick().name))
		}
		return "[" + strings.Join(by, ", ") + "]"
	case "first":
		return g.count()
	case "orderBy":
		f := pick()
		return []string{"{count: " + way() + "}", fmt.Sprintf("[{%s: {%s: %s}}, {count: DESC}]", f.name, g.function(f), way()), fmt.Sprintf("[{%s: {key: %s}}]", f.name, way())}[g.IntN(3)]
	case "having":
		f := pick()
		return []string{
			fmt.Sprintf("{count: {gte: %d}}", g.IntN(4)),
			fmt.Sprintf("{or: [{%s: {countDistinct: {lt: %d}}}, {not: {count: {lt: 2}}}]}", f.name, g.IntN(4)),
			fmt.Sprintf("{%s: {%s: {isNull: false}}}", f.name, g.function(f)),
		}[g.IntN(3)]
	}
	return ""
}
