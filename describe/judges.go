package describe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/schema/script"
)

// Judges is a JavaScript module with the judge of each body that the operations of catalogs take,
// by the names of the operations:
//
//	export const bodies = { "order.create": schema(card0, 0), "order.update": schema(card0, 1) };
//
// The runtime is imported from client/src. A body that only the host can judge is left out: one
// with a card that JavaScript cannot judge, or with a field that callers neither send nor read,
// whose name is not published.
func Judges(catalogs ...*catalog.Catalog) []byte {
	return []byte(script.Module(func(b *strings.Builder, schema func(*script.Judge, int, ...*script.Judge) string) {
		var bodies strings.Builder
		written := map[string]bool{}
		for _, served := range catalogs {
			for op := range served.Operations() {
				name := op.Door.Name + "." + op.Name
				if judge, mode := judgeOf(op); judge != nil && !written[name] {
					written[name] = true
					fmt.Fprintf(&bodies, "  %s: %s,\n", jsontext.Quote(name), schema(judge, mode, NestedJudges(served, op)...))
				}
			}
		}
		b.WriteString("export const bodies = {\n" + bodies.String() + "};\n")
	}))
}

// judgeOf is the judge of the body of an operation and the mode that it judges in: 0 for a new row
// or an input, 1 for a patch. The judge may be nil.
func judgeOf(op *catalog.Operation) (judge *script.Judge, mode int) {
	if op.Kind == catalog.Query || op.Input == nil || slices.ContainsFunc(op.Input.Fields, unpublished) {
		return nil, 0
	}
	var preset []string
	if op.Patch {
		mode = 1
	} else if op.Builtin {
		preset = op.Door.Presets
	}
	judge, err := script.Of(op.Input, preset...)
	if err != nil { // a $dynamicRef
		return nil, 0
	}
	return judge, mode
}

// NestedJudges are the judges of the rows that the body of an operation has beside its fields
// (docs/nested.md). A relation whose rows JavaScript cannot judge is left out.
func NestedJudges(c *catalog.Catalog, op *catalog.Operation) (within []*script.Judge) {
	for _, n := range op.Door.Nested {
		to := c.Door(n.Door.Name)
		switch {
		case !op.Builtin || to == nil:
		case n.Far == nil:
			if rows, err := script.Of(to.Entity, append(slices.Clone(to.Presets), n.By.Name)...); err == nil {
				rows.Relation, rows.Key, rows.By = n.Name, to.Entity.Primary, n.By
				within = append(within, rows)
			}
		case c.NestedLists(n) != nil:
			within = append(within, &script.Judge{Relation: n.Name, Key: n.Far.Link.Target.Primary})
		}
	}
	return within
}

// unpublished says whether callers neither send a field nor read it.
func unpublished(p *schema.Property) bool { return p.Axes.In.Closed && !p.Readable() }
