package evolution

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"

	"github.com/frondhost/frond/schema"
)

// request is one request of a client.
type request struct {
	caller string // the header of development; "" is nobody
	method string
	path   string
	body   string
}

const (
	staff    = `{"id": "s1", "roles": ["staff"]}`
	customer = `{"id": "c1"}`
)

// String is the request on one line, for a failure.
func (q request) String() string { return strings.TrimSpace(q.method + " " + q.path + " " + q.body) }

// rowID is the id of a row that is there from the start.
func rowID(e *entity, i int) string { return fmt.Sprintf("%s-%d", e.name, i) }

// rowsEach is how many rows an entity has at the start.
const rowsEach = 6

// row is a body that an entity accepts: what has to be sent, and some of the rest.
func (e *entity) row(r *rand.Rand, patch bool) object {
	body := object{}
	for _, f := range e.fields {
		switch {
		case f.in, f.kind == "key", f.kind == "many", patch && f.update != "":
			continue
		case patch && r.IntN(3) > 0, !patch && f.create != "" && r.IntN(2) == 0:
			continue
		}
		body[f.name] = f.sent(r)
	}
	return body
}

// sent is a value that a caller sends.
func (f *field) sent(r *rand.Rand) any {
	switch {
	case f.nullable && r.IntN(5) == 0:
		return nil
	case f.kind == "id":
		return fmt.Sprintf("%s-%d", f.to, r.IntN(rowsEach))
	case f.name == "name":
		return fmt.Sprint("n", r.IntN(9))
	case f.unique:
		return fmt.Sprint("u", r.IntN(1e9))
	}
	return f.sample(r)
}

// seeds are the requests that write the rows of the start.
func seeds(r *rand.Rand, m *model) (all []request) {
	for _, e := range m.entities {
		for i := range rowsEach {
			body := e.row(r, false)
			body["id"] = rowID(e, i)
			// In the row of before, nothing points at what is not there yet.
			for _, f := range e.fields {
				if f.kind == "id" && m.entity(f.to) != m.entities[0] {
					delete(body, f.name)
				}
			}
			all = append(all, rpc(staff, e.name+".create", object{"body": body}))
		}
	}
	return all
}

// rpc is a call of the envelope.
func rpc(caller, method string, params object) request {
	text, _ := json.Marshal(object{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	return request{caller, "POST", "/_kit/call", string(text)}
}

// graphql is a document with variables.
func graphql(caller, query string, variables object) request {
	text, _ := json.Marshal(object{"query": query, "variables": variables})
	return request{caller, "POST", "/graphql", string(text)}
}

// requests are what clients of a model ask: every operation of every door on every surface, by
// everybody, some of it refused.
func requests(r *rand.Rand, m *model) (all []request) {
	n := 0
	for _, e := range m.entities {
		plural := e.plural
		if plural == "" {
			plural = schema.Plural(e.name)
		}
		base := "/api/app/" + plural
		typ := schema.GraphQLType(e.name)
		if e.graphql != "" {
			typ = e.graphql
		}
		root := strings.ToLower(typ[:1]) + typ[1:]
		for _, who := range []string{staff, customer, ""} {
			filter, sort := e.filter(r)
			condition, _ := json.Marshal(filter)
			all = append(all,
				request{who, "GET", base, ""},
				request{who, "GET", base + "?limit=2&filter=" + url.QueryEscape(string(condition)) + "&sort=" + sort, ""},
				request{who, "GET", base + "/" + rowID(e, r.IntN(rowsEach)), ""},
				rpc(who, e.name+".list", object{"query": object{"filter": filter, "sort": sort, "limit": 3}}),
				rpc(who, e.name+".findById", object{"params": object{"id": rowID(e, r.IntN(rowsEach))}}),
				rpc(who, e.name+".findByIds", object{"query": object{"ids": []string{rowID(e, 0), rowID(e, 2)}}}),
				graphql(who, fmt.Sprintf("query($f: %sFilter) { %s(first: 3, filter: $f) { total items { %s } } }", typ, schema.Plural(root), e.selection(m)), object{"f": filter}),
				graphql(who, fmt.Sprintf("{ %s(id: %q) { %s } }", root, rowID(e, r.IntN(rowsEach)), e.selection(m)), nil),
			)
			create := func() object {
				n++
				body := e.row(r, false)
				body["id"] = fmt.Sprintf("made-%d", n)
				return body
			}
			text := func(v any) string { out, _ := json.Marshal(v); return string(out) }
			all = append(all,
				request{who, "POST", base, text(create())},
				rpc(who, e.name+".create", object{"body": create()}),
				graphql(who, fmt.Sprintf("mutation($i: Create%sInput!) { create%[1]s(input: $i) { %s } }", typ, e.selection(m)), object{"i": create()}),
				request{who, "PATCH", base + "/" + rowID(e, r.IntN(rowsEach)), text(e.row(r, true))},
				rpc(who, e.name+".update", object{"params": object{"id": rowID(e, r.IntN(rowsEach))}, "body": e.row(r, true)}),
				graphql(who, fmt.Sprintf("mutation($i: Update%sInput!) { update%[1]s(id: %q, input: $i) { %s } }", typ, rowID(e, r.IntN(rowsEach)), e.selection(m)), object{"i": e.row(r, true)}),
				request{who, "DELETE", base + "/" + rowID(e, r.IntN(rowsEach)), ""},
			)
			for _, named := range e.named {
				name, _, _ := strings.Cut(named, " ")
				all = append(all, rpc(who, e.name+"."+name, object{}))
			}
		}
	}
	// The writes of one entity change what the reads of another answer; any order will do.
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// filter is a condition on some field that a list filters by, and an order.
func (e *entity) filter(r *rand.Rand) (object, string) {
	conditions := []object{{"name": object{"ne": "n1"}}}
	sort := "name"
	for _, f := range e.fields {
		if f.out || f.kind == "many" || f.kind == "object" {
			continue
		}
		switch f.kind {
		case "string", "integer", "number", "date", "date-time", "decimal", "enum":
			conditions = append(conditions, object{f.name: object{"in": []any{f.sample(r), f.sample(r)}}}, object{f.name: object{"isNull": false}})
			if r.IntN(3) == 0 {
				sort = "-" + f.name
			}
		case "array":
			conditions = append(conditions, object{f.name: object{"has": "one"}})
		case "id":
			conditions = append(conditions, object{strings.TrimSuffix(f.name, "Id"): object{"name": object{"ne": "n2"}}})
		}
	}
	return conditions[r.IntN(len(conditions))], sort
}

// selection is every field of a type that has no arguments, and what it leads to.
func (e *entity) selection(m *model) string {
	out := []string{"nodeId", "id"}
	for _, f := range e.fields {
		switch {
		case f.out, f.kind == "key":
		case f.kind == "object":
			var members []string
			for _, inner := range f.members {
				members = append(members, inner.name)
			}
			out = append(out, f.name+" { "+strings.Join(members, " ")+" }")
		case f.kind == "id":
			out = append(out, f.name)
			if to := m.entity(f.to); to != nil && !to.noDoor && !to.off["findById"] {
				out = append(out, strings.TrimSuffix(f.name, "Id")+" { id name }")
			}
		case f.kind == "many":
			if to := m.entity(f.to); to != nil && !to.noDoor && !to.off["list"] {
				out = append(out, f.name+"(first: 2) { total items { id name } }")
			}
		default:
			out = append(out, f.name)
		}
	}
	for name := range e.computed {
		out = append(out, name)
	}
	return strings.Join(out, " ")
}
