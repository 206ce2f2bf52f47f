package e2e_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// graphqlWire carries a call as one GraphQL operation with variables. It reads
// the schema by introspection, as any client would, and selects what a row has on
// the other surfaces: members that are values, not the relations beside them.
type graphqlWire struct {
	url    string
	size   host
	types  map[string]gqlType
	fields map[string]gqlField // of Query and Mutation
}

type gqlType struct {
	Kind   string
	Name   string
	Fields []gqlField
}

type gqlField struct {
	Name string
	Args []struct {
		Name string
		Type gqlRef
	}
	Type     gqlRef
	mutation bool
}

type gqlRef struct {
	Kind   string
	Name   string
	OfType *gqlRef
}

// named is the type behind lists and non-nulls.
func (r gqlRef) named() gqlRef {
	for r.OfType != nil {
		r = *r.OfType
	}
	return r
}

func (r gqlRef) String() string {
	switch r.Kind {
	case "NON_NULL":
		return r.OfType.String() + "!"
	case "LIST":
		return "[" + r.OfType.String() + "]"
	}
	return r.Name
}

const introspection = `{ __schema { queryType { name } mutationType { name } types { kind name fields(includeDeprecated: true) {
  name args { name type { ...T } } type { ...T } } } } }
fragment T on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } }`

func newGraphQLWire(t testing.TB, url string, size host) *graphqlWire {
	t.Helper()
	w := &graphqlWire{url: url, size: size, types: map[string]gqlType{}, fields: map[string]gqlField{}}
	data, errs := w.post(t, introspection, nil)
	if errs != nil {
		t.Fatalf("introspection: %s", encode(t, errs))
	}
	var s struct {
		Schema struct {
			QueryType, MutationType struct{ Name string }
			Types                   []gqlType
		} `json:"__schema"`
	}
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	for _, typ := range s.Schema.Types {
		w.types[typ.Name] = typ
	}
	for _, f := range w.types[s.Schema.QueryType.Name].Fields {
		w.fields[f.Name] = f
	}
	for _, f := range w.types[s.Schema.MutationType.Name].Fields {
		f.mutation = true
		w.fields[f.Name] = f
	}
	return w
}

type gqlError struct {
	Message    string
	Path       []any
	Extensions map[string]any
}

// post posts one document and is its data and errors.
func (w *graphqlWire) post(t testing.TB, document string, variables map[string]json.RawMessage, headers ...string) (json.RawMessage, []gqlError) {
	t.Helper()
	body := encode(t, map[string]any{"query": document, "variables": variables})
	res := send(t, "POST", w.url+"/graphql", body, headers...)
	var reply struct {
		Data   json.RawMessage
		Errors []gqlError
	}
	if err := json.Unmarshal(res.Body, &reply); err != nil {
		t.Fatalf("HTTP %d, not a GraphQL response: %v\n%s", res.Status, err, res.Body)
	}
	return reply.Data, reply.Errors
}

func (w *graphqlWire) do(t *testing.T, c call) (answer, bool) {
	t.Helper()
	door, known := w.size.doors[strings.ToLower(c.entity())]
	if !known {
		return answer{}, false
	}
	if isMany(c.op()) {
		return w.many(t, c, door)
	}
	if c.op() == "aggregate" {
		return w.groups(t, c, door)
	}
	name := door.one + strings.ToUpper(c.op()[:1]) + c.op()[1:]
	switch c.op() {
	case "list":
		name = door.many
	case "findById":
		name = door.one
	case "create", "update", "delete":
		name = c.op() + door.typ
	}
	field, ok := w.fields[name]
	if !ok {
		return answer{}, false
	}
	r := request{wire: w, field: field, variables: map[string]json.RawMessage{}}
	for arg, v := range members(t, c.Params) {
		r.argument(arg, v)
	}
	if c.Body != "" {
		r.argument("input", json.RawMessage(c.Body))
	}
	var only []string
	total := true
	for arg, v := range members(t, c.Query) {
		switch arg {
		case "limit":
			backward := strings.Contains(c.Query, `"before"`) && !strings.Contains(c.Query, `"after"`)
			if way, ok := members(t, c.Query)["backward"]; ok {
				backward = string(way) == "true"
			}
			if arg = "first"; backward {
				arg = "last"
			}
		case "backward":
			continue // first or last say it
		case "sort":
			arg, v = "orderBy", orderBy(t, v)
		case "fields":
			if json.Unmarshal(v, &only) != nil || slices.Contains(only, "colour") {
				return answer{}, false // a field that is not there cannot be selected
			}
			continue
		case "total":
			total = string(v) != "false"
			continue
		}
		r.argument(arg, v)
	}
	if r.missing != "" {
		return answer{}, false
	}
	data, errs := w.post(t, r.document(door, only, w.unseen(c), total), r.variables, c.userHeader()...)
	if len(errs) > 0 {
		return answer{Err: w.failure(t, errs)}, true
	}
	value := decode(t, data).(map[string]any)["it"]
	if page, ok := value.(map[string]any); ok && !total && page["items"] != nil {
		page["total"] = json.Number("-1") // what was not asked for was not counted
	}
	return answer{Value: value}, true
}

// unseen are the fields that the caller has no use for asking for: GraphQL has to
// name what it wants, where the others give what there is.
func (w *graphqlWire) unseen(c call) []string {
	if c.User == staff {
		return nil
	}
	return w.size.hidden[strings.ToLower(c.entity())]
}

// request is a document in the making.
type request struct {
	wire      *graphqlWire
	field     gqlField
	variables map[string]json.RawMessage
	missing   string // an argument the field does not have
}

func (r *request) argument(name string, v json.RawMessage) {
	for _, a := range r.field.Args {
		if a.Name == name {
			r.variables[name] = v
			return
		}
	}
	r.missing = name
}

func (r *request) document(door doorShape, only, unseen []string, total bool) string {
	var declared, used []string
	for _, a := range r.field.Args {
		if _, ok := r.variables[a.Name]; ok {
			declared = append(declared, "$"+a.Name+": "+a.Type.String())
			used = append(used, a.Name+": $"+a.Name)
		}
	}
	word := "query"
	if r.field.mutation {
		word = "mutation"
	}
	doc := word + " E2E" + parens(declared) + " { it: " + r.field.Name + parens(used)
	typ := r.field.Type.named()
	switch {
	case strings.HasSuffix(typ.Name, "Connection"):
		doc += " { items " + r.wire.selection(strings.TrimSuffix(typ.Name, "Connection"), door, only, unseen)
		if total {
			doc += " total"
		}
		doc += " hasMore endCursor }"
	case typ.Kind == "OBJECT":
		doc += " " + r.wire.selection(typ.Name, door, only, unseen)
	}
	return doc + " }"
}

func parens(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// selection selects the members a row of the type has on the other surfaces.
func (w *graphqlWire) selection(name string, door doorShape, only, unseen []string) string {
	var b strings.Builder
	b.WriteString("{")
	for _, f := range w.types[name].Fields {
		raw := f.Name
		if to, ok := door.keys[raw]; ok && name == door.typ {
			raw = to // a relation without the Id suffix: the row calls the key as the card does
		}
		if file, is := strings.CutSuffix(raw, "Id"); is && slices.ContainsFunc(w.types[name].Fields, func(f gqlField) bool { return f.Name == file && f.Type.named().Name == "File" }) {
			raw = file // the id of a file
		}
		typ := f.Type.named()
		relation := strings.HasSuffix(typ.Name, "Connection") || typ.Name == "File" || w.size.types[typ.Name]
		if f.Name == "nodeId" || f.Name == "etag" || relation || only != nil && !slices.Contains(only, raw) || only == nil && slices.Contains(unseen, raw) {
			continue
		}
		if raw != f.Name {
			fmt.Fprintf(&b, " %s:", raw)
		}
		b.WriteString(" " + f.Name)
		if typ.Kind == "OBJECT" {
			b.WriteString(" " + w.selection(typ.Name, door, nil, nil))
		}
	}
	return b.String() + " }"
}

// loosen drops the null members of objects within rows: GraphQL answers every field
// it was asked for, where the object as it was written may not have had it.
func loosen(v any) any {
	row, ok := v.(map[string]any)
	if !ok {
		if list, ok := v.([]any); ok {
			for i := range list {
				list[i] = loosen(list[i])
			}
		}
		return v
	}
	if items, ok := row["items"]; ok {
		loosen(items)
		return row
	}
	for _, member := range row {
		dropNulls(member)
	}
	return row
}

func dropNulls(v any) {
	nested, _ := v.(map[string]any)
	for name, inner := range nested {
		if inner == nil {
			delete(nested, name)
		}
		dropNulls(inner)
	}
}

// failure is the KitError in the first error's extensions.
func (w *graphqlWire) failure(t *testing.T, errs []gqlError) *kitError {
	t.Helper()
	first := errs[0]
	for _, more := range errs[1:] { // the language refuses one thing an error
		if first.Extensions["code"] != "BAD_USER_INPUT" || more.Extensions["code"] != "BAD_USER_INPUT" {
			t.Errorf("%d errors for one failure: %s", len(errs), encode(t, errs))
		}
		first.Message += "\n" + more.Message
	}
	text := func(name string) string { s, _ := first.Extensions[name].(string); return s }
	e := &kitError{Code: text("code"), Message: first.Message, Entity: text("entity"), Operation: text("operation")}
	if d, ok := first.Extensions["details"]; ok {
		e.Details = decode(t, []byte(encode(t, d)))
	}
	if id := text("traceId"); id != "" && e.Details == nil { // it stands beside the details here
		e.Details = map[string]any{"traceId": id}
	}
	return e
}

// orderBy is a sort as GraphQL has it: [{createdAt: DESC}, {title: ASC}].
func orderBy(t *testing.T, v json.RawMessage) json.RawMessage {
	t.Helper()
	var keys []string
	if v[0] == '"' {
		keys = strings.Split(text(t, v), ",")
	} else if err := json.Unmarshal(v, &keys); err != nil {
		t.Fatal(err)
	}
	order := []any{}
	for _, k := range keys {
		field, desc := strings.CutPrefix(k, "-")
		way := "ASC"
		if desc {
			way = "DESC"
		}
		path, at := strings.Split(field, "."), any(way)
		if n := len(path); n > 2 && slices.Contains([]string{"countDistinct", "sum", "avg", "min", "max"}, path[n-1]) {
			slices.Reverse(path[n-2:]) // a function is before its field
		}
		for _, name := range slices.Backward(path) {
			at = map[string]any{name: at}
		}
		order = append(order, at)
	}
	return json.RawMessage(encode(t, order))
}
