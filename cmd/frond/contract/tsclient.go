package contract

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// clientScript is client.js: the tables of doors and of facts, which are all that differs from
// Frond to Frond, and the client over them.
func (m *Model) clientScript() (string, error) {
	table, err := m.table()
	if err != nil {
		return "", err
	}
	facts, err := m.factTable()
	if err != nil {
		return "", err
	}
	tables := "options"
	if facts != "" {
		facts, tables = "\n\nexport const facts = "+facts+";", "options, facts"
	}
	return generatedJS + "import { connect as over } from \"./connect.js\";\n\nexport { etag } from \"./connect.js\";\nexport { fieldErrors, KitError } from \"./errors.js\";\n\n" +
		"export const doors = " + table + ";" + facts + "\n\nexport const connect = (options) => over(doors, " + tables + ");\nexport { connect as createClient };\n", nil
}

// table is the client's data about each door.
//
//	{
//	  "product": {"frond": "catalog", "door": "product", "path": "/api/catalog/products", "key": "id",
//	    "ops": {"list": {"builtin": "list", "query": 1}, "retire": {"params": ["id"], "at": "retire"}}}
//	}
func (m *Model) table() (string, error) {
	var doors record
	for i, member := range m.members() {
		d := m.Doors[i]
		var o, ops record
		for _, op := range d.Ops {
			ops.object(op.Name, op.places())
		}
		o.text("frond", m.Frond)
		o.text("door", d.Name)
		o.text("path", d.Path)
		if d.Key != nil {
			o.text("key", d.Key.Name)
		}
		o.flag("etag", d.ETag)
		o.texts("big", d.Big)
		o.texts("shownBy", m.shownBy(d))
		if d.Relations != nil && d.Relations.To != nil {
			o.object("relations", d.Relations.table())
		}
		if d.GraphQL != nil {
			o.object("graphql", d.GraphQL.object())
		}
		o.text("changes", d.Changes)
		var files record
		for _, name := range d.Files {
			files.text(name, schema.Kebab(name))
		}
		if files != nil {
			o.object("files", files)
		}
		if op := d.updates(); op != nil {
			o.object("writes", writes(op.In, d.Entity))
		}
		o.object("ops", ops)
		doors.object(member, o)
	}
	return doors.script()
}

// writes are the fields of a patch, with the declared members of those that are merged.
func writes(patch *Decl, e *schema.Entity) (o record) {
	var members func(fields []schema.Field) record
	members = func(fields []schema.Field) (o record) {
		for _, f := range fields {
			if f.Shape.Properties == nil {
				o.flag(f.Name, true)
			} else {
				o.object(f.Name, members(f.Shape.Properties))
			}
		}
		return o
	}
	for _, f := range patch.Fields {
		switch p := e.Property(f.Name); {
		case !p.Stored: // rows that are written with the row
		case p.Shape.Properties != nil && p.Axes.In.Name == "" && p.Axes.Out.Name == "":
			o.object(f.Name, members(p.Shape.Properties))
		default:
			o.flag(f.Name, true)
		}
	}
	return o
}

// record is an object of the script, whose members are written one after another.
type record schema.Object

// text adds a text, unless it is "".
func (r *record) text(name, text string) {
	if text != "" {
		*r = append(*r, schema.Member{Name: name, Value: quote(text)})
	}
}

// texts adds a list, unless it is nil.
func (r *record) texts(name string, list []string) {
	if list != nil {
		*r = append(*r, schema.Member{Name: name, Value: jsontext.AppendStrings(nil, list)})
	}
}

// flag adds 1 where it holds.
func (r *record) flag(name string, holds bool) {
	if holds {
		*r = append(*r, schema.Member{Name: name, Value: []byte("1")})
	}
}

// object adds an object.
func (r *record) object(name string, o record) {
	*r = append(*r, schema.Member{Name: name, Value: schema.Object(o).AppendJSON(nil)})
}

// script is the record as text, with line breaks.
func (r record) script() (string, error) {
	text, err := indent(schema.Object(r).AppendJSON(nil))
	return string(bytes.TrimSpace(text)), err
}

// object is the GraphQL of a door as data.
func (g *GraphQL) object() (o record) {
	one := strings.ToLower(g.Type[:1]) + g.Type[1:]
	var fields record
	for _, f := range g.Fields {
		if f.Select == f.Name {
			fields.flag(f.Name, true)
		} else {
			fields.text(f.Name, f.Select)
		}
	}
	o.text("type", g.Type)
	o.text("one", one)
	o.text("many", schema.Plural(one))
	o.text("id", g.ID)
	o.object("fields", fields)
	o.texts("absent", g.Absent)
	return o
}

// members are the names of the doors in a client, in their order.
func (m *Model) members() []string {
	names := newNames("call", "atomic", "facts")
	list := make([]string, len(m.Doors))
	for i, d := range m.Doors {
		list[i] = names.take(d.member())
	}
	return list
}

// shownBy are the doors whose rows show rows of d: the lists that a change of d makes stale.
func (m *Model) shownBy(d *Door) (members []string) {
	for i, member := range m.members() {
		if other := m.Doors[i]; other != d && slices.Contains(other.Shows, d.Name) {
			members = append(members, member)
		}
	}
	return members
}

// places is how a call is put together, for the client.
//
//	built in    {"builtin": "update"}
//	no card     {"open": 1}
//	named       {"params": ["id"], "parameters": [], "body": 1, "at": "retire"}
func (op *Op) places() (o record) {
	if op.Builtin {
		o.text("builtin", op.Name)
	}
	o.flag("query", op.Kind == catalog.Query)
	o.flag("open", op.Open)
	o.texts("params", op.Params)
	o.texts("parameters", op.Query)
	o.texts("big", op.Big)
	o.flag("body", !op.Builtin && op.Body)
	if !op.Builtin || op.Name == "findByIds" {
		o.text("at", schema.Kebab(op.Name))
	}
	return o
}

// clientTypes is client.d.ts.
//
//	export interface ProductFilter {
//	  readonly price?: Ordered<number>;
//	  readonly category?: CategoryFilter;
//	}
//	export interface ProductDoor {
//	  findById(id: string, options?: Sending): Promise<Product | null>;
//	}
func (m *Model) clientTypes() string {
	w := &tsWriter{}
	w.WriteString(generatedJS)
	w.line(`import type { Atomic, ClientOptions, Sending } from "./connect.js";`)
	w.line(`import type { AsFile, AsRows, Change, ChangesQuery, Equal, Exporting, FactEvent, Fields, Grouped, Grouping, Has, IfMatch, Imported, ImportedFile, Importing, Invocation, ListQuery, Literal, Many, Most, Names, NumberOf, One, Ordered, Page, Present, Selected, Selects, Shown, Some, Text, Upserted, Watched, Where, Whole, Written } from "./types.js";`)
	w.line("import type { RowFormat } from \"./exchange.js\";\nimport type { FileBody, FileInfo, FileSending } from \"./files.js\";")
	w.imports(m.Types)
	w.line("\nexport { etag } from \"./connect.js\";\nexport type { ClientOptions, Sending } from \"./connect.js\";\nexport { fieldErrors, KitError } from \"./errors.js\";\nexport type { KitErrorCode, Refusal } from \"./errors.js\";")
	w.line("export type { Change, FactEvent, Imported, ImportedFile, Invocation, Page, Related, Selected, Shown, Upserted, Written } from \"./types.js\";")
	w.line("export type { RowFormat } from \"./exchange.js\";\nexport type { FileBody, FileInfo, FileSending } from \"./files.js\";")
	for _, d := range m.Related {
		w.decl(d)
	}
	for _, r := range m.Relations {
		w.relations(r)
	}
	for _, f := range m.Filters {
		w.filter(f)
	}
	for _, d := range m.Doors {
		w.door(d)
	}
	var client, calls strings.Builder
	for i, member := range m.members() {
		d := m.Doors[i]
		fmt.Fprintf(&client, "  readonly %s: %sDoor;\n", tsKey(member), d.Type)
		for _, op := range d.Ops {
			form := op.tsForms(d)[0]
			if op.By != nil {
				form = op.tsForms(d)[1]
			}
			fmt.Fprintf(&calls, "  readonly %s: %s => %s;\n", quote(d.Name+"."+op.Name), form.takes, form.gives)
		}
	}
	w.line("\n/** Every operation of %s by its name on the wire. */\nexport interface Calls {\n%s}", m.Frond, calls.String())
	w.line("\n/** A client of %s. */\nexport interface Client {\n%s  /** Calls an operation by its name: call(\"order.place\", input). */", m.Frond, client.String()+m.tsFacts())
	w.line("  call<Name extends keyof Calls>(name: Name, ...args: Parameters<Calls[Name]>): ReturnType<Calls[Name]>;\n%s}", atomicDeclared)
	w.line("\n/** A client for the host at an address. */\nexport function connect(options: string | ClientOptions<Exclude<keyof Client, \"call\" | \"atomic\" | \"facts\">>): Client;\nexport { connect as createClient };")
	return w.String()
}

// atomicDeclared declares the calls that are one transaction.
const atomicDeclared = `  /** Makes the calls as one transaction: all of them or none. A call returns a placeholder of its result, whose members are references in later calls. */
  atomic: Atomic<Calls>;
`

// imports imports the types of index.js.
func (w *tsWriter) imports(types []*Decl) {
	var names []string
	for _, d := range types {
		names = append(names, d.Name)
	}
	if names != nil {
		w.line("import type { %s } from \"./index.js\";", strings.Join(names, ", "))
	}
}

// filter declares a filter.
func (w *tsWriter) filter(f *Filter) {
	w.line("\nexport interface %s {\n  readonly and?: readonly %[1]s[];\n  readonly or?: readonly %[1]s[];\n  readonly not?: %[1]s;", f.Name)
	for _, field := range f.Fields {
		if slices.Contains([]string{"and", "or", "not"}, field.Name) {
			continue
		}
		of := tsType(field.Type)
		var text string
		switch field.Form {
		case presence:
			text = "Present"
		case equality:
			text = "Equal<" + of + ">"
		case order:
			text = "Ordered<" + of + ">"
		case textForm:
			text = "Text"
		case membership:
			text = "Has<" + of + ">"
		case toOne:
			text = field.To.Name
		case toMany:
			text = "Some<" + field.To.Name + ">"
		}
		w.line("  readonly %s?: %s;", tsKey(field.Name), tsAbsent(field.Name, text))
	}
	w.line("}")
}

// tsBehind is what continues the union of sort keys: names behind the relations of a door.
func tsBehind(d *Door) string {
	var relations []string
	for _, field := range d.Filter.Fields {
		if field.Form == toOne || field.Form == toMany {
			relations = append(relations, field.Name)
		}
	}
	if relations == nil {
		return ""
	}
	return ` | ` + "`${\"\" | \"-\"}${" + tsUnion(relations) + "}.${string}`"
}

// door declares the operations of a door.
func (w *tsWriter) door(d *Door) {
	if d.Sort != nil {
		var keys []string
		for _, name := range d.Sort {
			keys = append(keys, name, "-"+name)
		}
		w.line("\nexport type %sSort = %s;", d.Type, tsUnion(keys)+tsBehind(d))
	}
	for _, op := range d.Ops {
		if op.By != nil {
			w.line("\nexport type %sGroupBy = %s;", d.Type, tsUnion(op.By))
		}
	}
	w.line("\n/** The operations of %s. */\nexport interface %sDoor {", d.Name, d.Type)
	for _, op := range d.Ops {
		for _, form := range op.tsForms(d) {
			w.doc("  ", op.Doc, op.Deprecated)
			w.line("  %s%s: %s;", tsMethod(op.Name), form.takes, form.gives)
		}
		switch {
		case op.Builtin && op.Name == "list":
			w.helpers(d, op)
		case op.Builtin && op.Name == "import":
			w.line("  /** Imports a file of rows, of any length. */\n  import(by: %s, file: FileBody, options: { readonly format: RowFormat } & Sending & Importing): Promise<ImportedFile>;", tsUnion(op.Keys))
		}
	}
	if op := d.updates(); op != nil && !slices.ContainsFunc(d.Ops, func(op *Op) bool { return op.Name == "patchOf" }) {
		w.line("  /** The patch for an update that turns before into after: the fields that differ and may be written. It sends no request. */")
		w.line("  patchOf(before: Partial<%s>, after: Partial<%[1]s>): %s;", d.Type, op.In.Name)
	}
	w.files(d)
	w.line("}")
}

// files declares the functions about the files of rows, unless an operation has the same name.
func (w *tsWriter) files(d *Door) {
	if d.Files == nil || d.Key == nil {
		return
	}
	row := "id: " + d.keyType() + ", field: " + tsUnion(d.Files)
	for _, f := range []struct{ name, doc, takes, gives string }{
		{"upload", "Sends a file for a field. A row that is written within an hour may take its id.", "field: " + tsUnion(d.Files) + ", file: FileBody, options?: FileSending", "FileInfo"},
		{"setFile", "Replaces the file of a row.", row + ", file: FileBody, options?: FileSending", "FileInfo"},
		{"deleteFile", "Removes the file of a row.", row + ", options?: Sending", "void"},
	} {
		if !slices.ContainsFunc(d.Ops, func(op *Op) bool { return op.Name == f.name }) {
			w.line("  /** %s */\n  %s(%s): Promise<%s>;", f.doc, f.name, f.takes, f.gives)
		}
	}
}

// helpers declares the functions that a client derives from a list, unless an operation has the
// same name.
func (w *tsWriter) helpers(d *Door, list *Op) {
	free := func(name string) bool {
		return !slices.ContainsFunc(d.Ops, func(op *Op) bool { return op.Name == name })
	}
	query, row, watched := list.tsListQuery(d), tsType(*list.Out), "AsyncIterable<Page<%s>>"
	if d.updates() != nil {
		watched = "Watched<Page<%s>, " + d.Type + `Door["update"]>`
	}
	for _, all := range []struct{ name, doc, takes, gives string }{
		{"pages", "The pages of a list, one after another.", query, "AsyncIterable<Page<%s>>"},
		{"each", "The rows of a list, page by page.", query, "AsyncIterable<%s>"},
		{"watch", "A page, and the page again each time it has changed.", query, watched},
		{"export", "The rows of a list as they arrive, read in one request.", "Exporting<" + query + "> & AsRows", "AsyncIterable<%s>"},
		{"export", "The bytes of a file of the rows.", "Exporting<" + query + "> & AsFile", "AsyncIterable<Uint8Array<ArrayBuffer>>"},
		{"changes", "The changes of rows as they happen, begun again where the connection is lost.", "ChangesQuery<" + d.filterName() + ">", "AsyncIterable<Change<%s, " + d.keyType() + ">>"},
	} {
		if !free(all.name) || d.Changes == "" && (all.name == "changes" || all.name == "watch") {
			continue
		}
		of := rowForms{param: "query", options: all.takes, after: ", sending?: Sending", row: row, relations: d.Relations}
		if all.name == "changes" {
			of.after, of.relations = "", nil
		}
		w.line("  /** %s */", all.doc)
		for _, form := range of.forms(func(row string) string { return strings.ReplaceAll(all.gives, "%s", row) }) {
			w.line("  %s%s: %s;", all.name, form.takes, form.gives)
		}
	}
}

// rowForms describes a method whose rows follow from one of its parameters.
type rowForms struct {
	before    string // parameters in front of it
	param     string
	options   string // its type, without the part that selects
	after     string // parameters behind it
	row       string
	relations *Relations // nil: relations cannot be selected
}

// forms are the signatures of the method: for whole rows, for some fields F, and for a
// selection S. gives is the result for a type of rows.
func (r rowForms) forms(gives func(row string) string) []tsForm {
	forms := []tsForm{
		{fmt.Sprintf("(%s%s?: %s & Whole%s)", r.before, r.param, r.options, r.after), gives(r.row)},
		{fmt.Sprintf("<F extends (keyof %s & string) | \"*\">(%s%s: %s & Fields<%[1]s, F>%[5]s)", r.row, r.before, r.param, r.options, r.after), gives("Selected<" + r.row + ", F>")},
	}
	if r.relations != nil {
		of := r.row + ", " + r.relations.Name + ", S>"
		forms = append(forms, tsForm{fmt.Sprintf("<const S>(%s%s: %s & Selects<%s%s)", r.before, r.param, r.options, of, r.after), gives("Shown<" + of)})
	}
	return forms
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
type tsForm struct{ takes, gives string }

// tsListQuery is the type of a list's parameters.
func (op *Op) tsListQuery(d *Door) string {
	filter, sort := d.filterName(), "never"
	if d.Sort != nil {
		sort = d.Type + "Sort"
	}
	query := fmt.Sprintf("ListQuery<%s, %s>", filter, sort)
	if op.Takes != nil {
		takes := slices.DeleteFunc(slices.Clone(op.Takes), func(key string) bool { return key == "fields" })
		query = fmt.Sprintf("Pick<%s, %s>", query, tsUnion(takes))
		if len(takes) == 0 {
			query = "object"
		}
	}
	return query
}

// tsForms are the signatures of a method. An operation whose answer can be cut to fields has a
// second one, by which the type of the row follows from the fields.
func (op *Op) tsForms(d *Door) []tsForm {
	out := "unknown"
	if op.Out != nil && op.Out.Basic != anyValue {
		out = tsType(*op.Out)
	}
	switch {
	case op.By != nil:
		return op.tsGroups(d, out)
	case !op.Builtin:
		return []tsForm{{op.tsNamedInput(), op.tsGives(out)}}
	case op.Name == "list":
		forms := rowForms{param: "query", options: op.tsListQuery(d), after: ", sending?: Sending", row: out, relations: d.Relations}.forms(op.tsGives)
		if op.Takes != nil && !slices.Contains(op.Takes, "fields") {
			forms = forms[:1]
		}
		return forms
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
	of := rowForms{before: takes + ", ", param: "options", options: "Sending" + op.conditions(d), row: out}
	if !slices.Contains(op.Options, "fields") || out == "unknown" || op.Name == "delete" {
		return []tsForm{{fmt.Sprintf("(%soptions?: %s)", of.before, of.options), op.tsGives(out)}}
	}
	if op.Kind == catalog.Query {
		of.relations = d.Relations
	}
	forms := of.forms(op.tsGives)
	if strings.HasPrefix(forms[0].gives, "Promise<Written<") {
		forms[0].gives = "Promise<{ count: number }>" // the rows where fields are selected
	}
	return forms
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
