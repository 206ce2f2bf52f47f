package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
)

// queryScript is query.js: for each door a function that makes options for TanStack Query.
func (m *Model) queryScript() string {
	var b strings.Builder
	b.WriteString(generatedJS + "import { doors } from \"./client.js\";\nimport { queries } from \"./query-options.js\";\n")
	judges := m.judgeNames()
	var imported []string
	for i := range m.Doors {
		if judges[i] != "" {
			imported = append(imported, fmt.Sprintf("%s as judge%d", judges[i], i))
		}
	}
	if imported != nil {
		fmt.Fprintf(&b, "import { %s } from \"./index.js\";\n", strings.Join(imported, ", "))
	}
	b.WriteByte('\n')
	for i, member := range m.members() {
		judge := "undefined"
		if judges[i] != "" {
			judge = fmt.Sprint("judge", i)
		}
		fmt.Fprintf(&b, "export const %sQueries = (client) => queries(%q, doors.%[1]s, client.%[1]s, %[3]s);\n", member, member, judge)
	}
	return b.String()
}

// queryTypes is query.d.ts.
func (m *Model) queryTypes() string {
	w := &tsWriter{}
	w.WriteString(generatedJS)
	w.line(`import type { Cache, InfiniteQuery, LiveQuery, Mutation, Query } from "./query-options.js";`)
	w.line(`import type { Fields, Grouped, Grouping, IfMatch, Imported, Importing, Invocation, ListQuery, Literal, Most, Names, NumberOf, Page, Selected, Selects, Shown, Upserted, Where, Whole } from "./types.js";`)
	names := []string{"Client"}
	for _, f := range m.Filters {
		names = append(names, f.Name)
	}
	for _, d := range m.Doors {
		if d.Sort != nil {
			names = append(names, d.Type+"Sort")
		}
		if slices.ContainsFunc(d.Ops, func(op *Op) bool { return op.By != nil }) {
			names = append(names, d.Type+"GroupBy")
		}
		if d.Relations != nil {
			names = append(names, d.Relations.Name)
		}
	}
	w.line("import type { %s } from \"./client.js\";", strings.Join(names, ", "))
	w.imports(m.Types)
	w.line("export type { Cache, InfiniteQuery, LiveQuery, Mutation, Query } from \"./query-options.js\";")
	for i, member := range m.members() {
		d := m.Doors[i]
		w.line("\n/** Options for queries and mutations of %s. */\nexport interface %sQueries {\n  readonly key: readonly [%s, %s];", d.Name, d.Type, quote(m.Frond), quote(member))
		for _, op := range d.Ops {
			w.doc("  ", op.Doc, op.Deprecated)
			if op.Kind == catalog.Query {
				w.queryMethods(d, op)
				continue
			}
			w.line("  %s(cache: Cache): Mutation<%s, %s>;", tsMethod(op.Name), unwrapped(op.tsForms(d)[0].gives), op.variables(d))
		}
		w.line("}\nexport function %sQueries(client: Pick<Client, %s>): %sQueries;", member, quote(member), d.Type)
	}
	return w.String()
}

// queryMethods declares a query, and for a list its pages too.
func (w *tsWriter) queryMethods(d *Door, op *Op) {
	for _, form := range op.tsForms(d) {
		takes := strings.NewReplacer(", sending?: Sending)", ")", "(sending?: Sending)", "()", "options?: Sending", "options?: object", "Sending & ", "").Replace(form.takes)
		w.line("  %s%s: Query<%s>;", tsMethod(op.Name), takes, unwrapped(form.gives))
		if op.Builtin && op.Name == "list" {
			w.line("  infinite%s: InfiniteQuery<%s>;", takes, unwrapped(form.gives))
			if d.Changes != "" {
				w.line("  live%s: LiveQuery<%s>;", takes, unwrapped(form.gives))
			}
		}
	}
}

// variables are the variables of a mutation.
func (op *Op) variables(d *Door) string {
	options := op.conditions(d)
	switch {
	case op.Many && op.Name == "createMany":
		return "readonly " + op.In.Name + "[]"
	case op.Many && op.Name == "updateMany":
		return "{ readonly where: " + d.filterName() + "; readonly patch: " + op.In.Name + " }" + options
	case op.Many && op.Name == "deleteMany":
		return "{ readonly where: " + d.filterName() + " }" + options
	case op.Many && op.Name == "upsert":
		return "{ readonly by: " + tsUnion(op.Keys) + "; readonly input: " + op.In.Name + " }"
	case op.Many:
		return "{ readonly by: " + tsUnion(op.Keys) + "; readonly rows: readonly " + op.In.Name + "[] }" + options
	case op.Builtin && op.Name == "update":
		return "{ readonly id: " + tsType(*op.ID) + "; readonly patch: " + op.In.Name + " }" + options
	case op.Builtin && op.Name == "delete":
		id := tsType(*op.ID)
		return id + " | ({ readonly id: " + id + " }" + options + ")"
	case op.Open:
		return "Invocation | void"
	case op.In == nil:
		return "void"
	case !op.Builtin && !slices.ContainsFunc(op.In.Fields, func(f Field) bool { return !f.Optional }):
		return op.In.Name + " | void"
	}
	return op.In.Name
}

// unwrapped is the type of a promise's value.
func unwrapped(promise string) string {
	return strings.TrimSuffix(strings.TrimPrefix(promise, "Promise<"), ">")
}

// relations declares the relations of an entity:
//
//	export interface ProductRelations {
//	  category: One<Category, CategoryRelations>;
//	  reviews: Many<Review, ReviewRelations>;
//	}
func (w *tsWriter) relations(r *Relations) {
	w.line("\nexport interface %s {", r.Name)
	for _, to := range r.To {
		form := "One"
		if to.Many {
			form = "Many"
		}
		w.line("  %s: %s;", tsKey(to.Name), tsAbsent(to.Name, fmt.Sprintf("%s<%s, %s>", form, to.Of.Row.Name, to.Of.Name)))
	}
	w.line("}")
}

// table is the relations as data, for the transport that writes their selections.
func (r *Relations) table() (o record) {
	for _, to := range r.To {
		var one record
		one.text("door", to.Door)
		one.flag("many", to.Many)
		o.object(to.Name, one)
	}
	return o
}
