package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
)

// tsOperand is the type of a field of a filter.
func tsOperand(f FilterField) string {
	of := tsType(f.Type)
	if f.To != nil {
		of = f.To.Name
	}
	if f.Form == toMany {
		if numbers := f.To.numbers(); numbers != nil {
			of += ", " + tsUnion(numbers)
		}
	}
	return strings.Replace(string(f.Form), "%s", of, 1)
}

// tsSortKeys is the union of a door's sort keys, and of names behind its relations.
func tsSortKeys(d *Door) string {
	var keys []string
	for _, name := range d.Sort {
		keys = append(keys, name, "-"+name)
	}
	if !slices.ContainsFunc(d.Filter.Fields, func(f FilterField) bool { return f.To != nil }) {
		return tsUnion(keys)
	}
	return tsUnion(keys) + " | `${\"\" | \"-\"}${SortBehind<" + d.Filter.Name + ">}`"
}

// free reports whether no operation of the door has a name.
func (d *Door) free(name string) bool {
	return !slices.ContainsFunc(d.Ops, func(op *Op) bool { return op.Name == name })
}

// tsHelper is a function that a client derives from a list.
type tsHelper struct {
	Name, Doc    string
	takes, gives string // the type of its parameter, and of its result with %s for that of a row
	tsForm
}

// tsHelpers are the functions that a client derives from a list, unless an operation has the same
// name.
func tsHelpers(d *Door, list *Op) (all []tsHelper) {
	query, watched := list.tsListQuery(d), "AsyncIterable<Page<%s>>"
	if d.updates() != nil {
		watched = "Watched<Page<%s>, " + d.Type + `Door["update"]>`
	}
	for _, h := range []tsHelper{
		{Name: "pages", Doc: "The pages of a list, one after another.", takes: query, gives: "AsyncIterable<Page<%s>>"},
		{Name: "each", Doc: "The rows of a list, page by page.", takes: query, gives: "AsyncIterable<%s>"},
		{Name: "watch", Doc: "A page, and the page again each time it has changed.", takes: query, gives: watched},
		{Name: "export", Doc: "The rows of a list as they arrive, read in one request; with format the bytes of their file.", takes: "Exporting<" + query + "> & ExportAs<Format>", gives: "AsyncIterable<[Format] extends [never] ? %s : Uint8Array<ArrayBuffer>>"},
		{Name: "changes", Doc: "The changes of rows as they happen, begun again where the connection is lost.", takes: "ChangesQuery<" + d.filterName() + ">", gives: "AsyncIterable<Change<%s, " + d.keyType() + ">>"},
	} {
		if !d.free(h.Name) || d.Changes == "" && (h.Name == "changes" || h.Name == "watch") {
			continue
		}
		of := rowForms{param: "query", options: h.takes, after: ", sending?: Sending", row: tsType(*list.Out), relations: d.Relations}
		switch h.Name {
		case "changes": // relations of rows that have changed cannot be selected
			of.after, of.relations = "", nil
		case "export":
			of.more = ", Format extends RowFormat = never"
		}
		h.tsForm = of.form(func(row string) string { return strings.ReplaceAll(h.gives, "%s", row) })
		all = append(all, h)
	}
	return all
}

// rowForms describes a method whose rows follow from one of its parameters.
type rowForms struct {
	before    string // parameters in front of it
	param     string
	options   string // its type, without the part that selects
	after     string // parameters behind it
	row       string
	relations *Relations // nil: relations cannot be selected
	more      string     // further parameters of types
}

// form is the signature of the method. The type of its rows follows from the fields F, or from the
// selection S; without either the rows are whole. gives is the result for a type of rows.
func (r rowForms) form(gives func(row string) string) tsForm {
	params, selects, answer := "<F extends FieldOf<"+r.row+"> = never", "Fields<F>", "RowAs<"+r.row+", F>"
	if r.relations != nil {
		params += ", const S = never"
		selects = fmt.Sprintf("Selects<%s, %s, F, S>", r.row, r.relations.Name)
		answer = fmt.Sprintf("RowAs<%s, F, %s, S>", r.row, r.relations.Name)
	}
	return tsForm{fmt.Sprintf("%s%s>(%s%s?: %s & %s%s)", params, r.more, r.before, r.param, r.options, selects, r.after), gives(answer)}
}

// whole is the signature for whole rows alone.
func (r rowForms) whole(gives func(row string) string) tsForm {
	return tsForm{fmt.Sprintf("(%s%s?: %s%s)", r.before, r.param, r.options, r.after), gives(r.row)}
}

// filterName is the type of the door's filter.
func (d *Door) filterName() string {
	if d.Filter == nil {
		return "never"
	}
	return d.Filter.Name
}

// keyType is the type of the key of the door's rows.
func (d *Door) keyType() string {
	if d.Key == nil {
		return "string | number"
	}
	return tsType(d.Key.Type)
}

// tsForm is one signature of a method.
type tsForm struct{ Takes, Gives string }

// tsListQuery is the type of a list's parameters.
func (op *Op) tsListQuery(d *Door) string {
	filter, sort := d.filterName(), "never"
	if d.Sort != nil {
		sort = d.Type + "Sort"
	}
	query := fmt.Sprintf("ListQuery<%s, %s>", filter, sort)
	if d.Entity != nil && d.Entity.Search != nil {
		query += " & SearchQuery"
	}
	if op.Takes != nil {
		takes := slices.DeleteFunc(slices.Clone(op.Takes), func(key string) bool { return key == "fields" })
		query = fmt.Sprintf("Pick<%s, %s>", query, tsUnion(takes))
		if len(takes) == 0 {
			query = "object"
		}
	}
	return query
}

// tsForms are the signatures of a method; of aggregate there are two, and of a command that of its rehearsal first.
func tsForms(d *Door, op *Op) []tsForm {
	if op.By != nil {
		return op.tsGroups(d, op.tsOut())
	}
	var forms []tsForm
	if op.Kind == catalog.Command {
		forms = append(forms, tsWhole(d, op).rehearsed())
	}
	rows, gives := op.tsRows(d)
	if rows.row == "" {
		return append(forms, tsWhole(d, op))
	}
	return append(forms, rows.form(gives))
}

// rehearsed is the signature of the rehearsal of a command.
func (f tsForm) rehearsed() tsForm {
	takes := strings.NewReplacer("(input?: ", "(input: undefined | ", "(invocation?: ", "(invocation: undefined | ", "options?: Sending", "options: Sending & Rehearse", "sending?: Sending", "sending: Sending & Rehearse").Replace(f.Takes)
	return tsForm{takes, "Promise<Rehearsal<" + tsUnwrapped(f.Gives) + ">>"}
}

// tsWhole is the signature of a method whose answer is not cut to fields: for calls by name.
func tsWhole(d *Door, op *Op) tsForm {
	switch {
	case op.By != nil:
		return op.tsGroups(d, op.tsOut())[1]
	case !op.Builtin:
		return tsForm{op.tsNamedInput(), op.tsGives(op.tsOut())}
	}
	rows, gives := op.tsRows(d)
	if rows.row != "" {
		return rows.whole(gives)
	}
	rows.row = op.tsOut()
	return rows.whole(op.tsGives)
}

// tsOut is the type of one value of the answer.
func (op *Op) tsOut() string {
	if op.Out == nil || op.Out.Basic == anyValue {
		return "unknown"
	}
	return tsType(*op.Out)
}

// tsRows describes a built-in method, and its answer by the type of a row. The row is "" where the answer is not
// cut to fields.
func (op *Op) tsRows(d *Door) (rows rowForms, gives func(row string) string) {
	if !op.Builtin {
		return rows, nil
	}
	out := op.tsOut()
	if op.Name == "list" {
		rows = rowForms{param: "query", options: op.tsListQuery(d), after: ", sending?: Sending", relations: d.Relations}
		if op.Takes == nil || slices.Contains(op.Takes, "fields") {
			rows.row = out
		}
		return rows, op.tsGives
	}
	var takes string
	switch op.Name {
	case "createMany":
		takes = "rows: readonly " + op.In.Name + "[]"
	case "updateMany":
		takes = "where: " + d.filterName() + ", patch: " + op.In.Name
	case "deleteMany":
		takes = "where: " + d.filterName()
	case "upsert":
		takes = "by: " + tsUnion(op.Keys) + ", input: " + op.In.Name
	case "import":
		takes = "by: " + tsUnion(op.Keys) + ", rows: readonly " + op.In.Name + "[]"
	case "findByIds":
		takes = "ids: readonly " + tsElement(*op.ID)
	case "create":
		takes = "input: " + op.In.Name
	case "update":
		takes = "id: " + tsType(*op.ID) + ", patch: " + op.In.Name
	default:
		takes = "id: " + tsType(*op.ID)
	}
	rows = rowForms{before: takes + ", ", param: "options", options: "Sending" + op.conditions(d)}
	if slices.Contains(op.Options, "fields") && out != "unknown" && op.Name != "delete" {
		rows.row = out
	}
	if op.Kind == catalog.Query {
		rows.relations = d.Relations
	}
	gives = op.tsGives
	if op.Name == "updateMany" || op.Name == "deleteMany" { // the rows where fields are selected
		gives = func(row string) string {
			if row == out {
				return "Promise<{ count: number }>"
			}
			return "Promise<[F] extends [never] ? { count: number } : Written<" + row + ">>"
		}
	}
	return rows, gives
}

// tsGroups are the signatures of aggregate: the members of its groups follow from the names that it is
// called with, or are all optional where those are not literal.
func (op *Op) tsGroups(d *Door, out string) []tsForm {
	group := op.Out.Decl.Fields[0].Type.Elem.Decl.Name
	filter := "unknown"
	if d.Filter != nil {
		filter = d.Filter.Name
	}
	takes := func(by, selects string) string {
		return fmt.Sprintf("(input?: %s & Grouping<%s, %s, %s, %s>, sending?: Sending)", op.In.Name, group, filter, by, selects)
	}
	by, selects := fmt.Sprintf("Names<%sGroupBy>", d.Type), fmt.Sprintf("Names<NumberOf<%s>>", group)
	return []tsForm{
		{fmt.Sprintf("<const By extends %s = never, const Select extends %s = \"count\">", by, selects) + takes("By & Literal<By>", "Select & Literal<Select>"), op.tsGives(fmt.Sprintf("Grouped<%s, By, Select>", group))},
		{takes(by, selects), op.tsGives(out)},
	}
}

// tsNamedInput returns the parameters of a named operation.
func (op *Op) tsNamedInput() string {
	takes := "(sending?: Sending)"
	if op.Open {
		takes = "(invocation?: Invocation, sending?: Sending)"
	} else if op.In != nil {
		mark := "?"
		if slices.ContainsFunc(op.In.Fields, func(f Field) bool { return !f.Optional }) {
			mark = ""
		}
		takes = fmt.Sprintf("(input%s: %s, sending?: Sending)", mark, op.In.Name)
	}
	if op.In == nil && !op.Open {
		takes = "(input?: undefined, sending?: Sending)"
	}
	return takes
}

// tsGives returns the type of the result for a type of rows.
func (op *Op) tsGives(row string) string {
	switch {
	case op.Builtin && op.Name == "delete":
		return "Promise<boolean>"
	case op.Many && op.Name == "createMany":
		row = "{ items: " + row + "[] }"
	case op.Many && op.Name == "upsert":
		row = "Upserted<" + row + ">"
	case op.Many && op.Name == "import":
		row = "Imported"
	case op.Many:
		row = "Written<" + row + ">"
	case row == "unknown":
		return "Promise<unknown>"
	case op.Cardinality == catalog.Maybe:
		row += " | null"
	case op.Cardinality == catalog.Many:
		row += "[]"
	case op.Cardinality == catalog.PageOf:
		row = "Page<" + row + ">"
	}
	return "Promise<" + row + ">"
}

// conditions are the types of the options that a write is held to.
func (op *Op) conditions(d *Door) (types string) {
	if slices.Contains(op.Options, "max") {
		types += " & Most"
	}
	if slices.Contains(op.Options, "dryRun") {
		types += " & Importing"
	}
	if slices.Contains(op.Options, "ifMatch") {
		types += " & IfMatch"
	}
	if slices.Contains(op.Options, "where") && d.Filter != nil {
		types += " & Where<" + d.Filter.Name + ">"
	}
	return types
}

// tsElement is a list of a type.
func tsElement(t Type) string {
	text := tsType(t)
	if strings.Contains(text, " ") {
		text = "(" + text + ")"
	}
	return text + "[]"
}

// tsFactForms are the signatures of a fact's events. Where the fact's card is known, the type of the data
// follows from the fields.
//
//	<F extends FieldOf<Order> = never>(query?: ChangesQuery<OrderFilter> & Fields<F>): AsyncIterable<FactEvent<RowAs<Order, F>>>
func tsFactForms(f *Fact) []tsForm {
	gives := func(row string) string { return "AsyncIterable<FactEvent<" + row + ">>" }
	if f.Key != nil {
		gives = func(row string) string { return "AsyncIterable<FactEvent<" + row + ", " + tsType(f.Key.Type) + ">>" }
	}
	if f.Data == nil {
		return []tsForm{{"(query?: Omit<ChangesQuery<never>, \"filter\">)", gives("unknown")}}
	}
	return []tsForm{rowForms{param: "query", options: "ChangesQuery<" + f.Filter.Name + ">", row: tsType(*f.Data)}.form(gives)}
}

// tsQueried are the parameters of a query, which takes no options for sending.
func tsQueried(takes string) string {
	return strings.NewReplacer(", sending?: Sending)", ")", "(sending?: Sending)", "()", "options?: Sending", "options?: object", "Sending & ", "").Replace(takes)
}

// tsVariables are the variables of a mutation.
func tsVariables(d *Door, op *Op) string {
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

// tsUnwrapped is the type of a promise's value.
func tsUnwrapped(promise string) string {
	return strings.TrimSuffix(strings.TrimPrefix(promise, "Promise<"), ">")
}
