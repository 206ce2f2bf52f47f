package topology

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
)

// call is one request to a gateway.
type call struct {
	user, method, path, body string
	media                    string // of the body; "": JSON
	file                     string // a file that is sent before, for field; its id takes the place of $file in the body
	field                    string
	writes                   bool
}

func (c *call) String() string {
	return fmt.Sprintf("%s %s %s  as %s%s", c.method, c.path, c.body, c.user, strings.TrimSuffix("  with the file "+c.file, "  with the file "))
}

// dice makes calls.
type dice struct{ *rand.Rand }

func pick[T any](d dice, of ...T) T { return of[d.IntN(len(of))] }

// one in n times
func (d dice) one(n int) bool { return d.IntN(n) == 0 }

// Callers: staff see everything; the others have an id that a person may have.
func (d dice) user() string {
	return pick(d, `{"id": "s", "roles": ["staff"]}`, `{"id": "s", "roles": ["staff"]}`, `{"id": "s", "roles": ["staff"]}`, `{"id": "person1"}`, `{"id": "person2"}`, ``)
}

// id returns the key of one of few rows, so that calls meet each other.
func (d dice) id(entity string) string { return fmt.Sprintf("%s%d", entity, 1+d.IntN(6)) }

func (d dice) value(f *field) any {
	switch f.kind {
	case "text":
		return pick(d, "a", "b b", "hidden", "Ü", "x\"y", "")
	case "int":
		return pick(d, 0, 1, 2, 3, 2147483647)
	case "decimal":
		return pick(d, "1.50", "1.5", "-2", "100000000000000000000.01")
	case "enum":
		return pick(d, "draft", "active", "active", "active", "retired")
	}
	if f.null && d.one(4) {
		return nil
	}
	return d.id(f.to)
}

func (e *entity) field(d dice, kinds string) *field {
	var all []*field
	for i := range e.fields {
		if f := &e.fields[i]; strings.Contains(kinds, f.kind) {
			all = append(all, f)
		}
	}
	if all == nil {
		return nil
	}
	return all[d.IntN(len(all))]
}

// row returns the body of a create.
func (d dice) row(e *entity, id string) map[string]any {
	row := map[string]any{"id": id}
	for i := range e.fields {
		if f := &e.fields[i]; f.kind != "id" && f.kind != "many" && f.kind != "file" && !(f.null && d.one(2)) {
			row[f.name] = d.value(f)
		}
	}
	if d.one(40) {
		delete(row, e.field(d, "text int decimal enum one").name)
	}
	if e.name == "order" && d.one(3) {
		lines := []any{}
		for range d.IntN(3) {
			line := d.row(entityOf("line"), d.id("line"))
			delete(line, "orderId")
			lines = append(lines, line)
		}
		row["lines"] = map[string]any{"create": lines}
	}
	return row
}

// patch returns the body of an update.
func (d dice) patch(e *entity) map[string]any {
	body := map[string]any{}
	for range 1 + d.IntN(2) {
		f := e.field(d, "text int decimal enum one")
		body[f.name] = d.value(f)
	}
	return body
}

// where returns a condition on rows of an entity, through at most depth relations.
func (d dice) where(e *entity, depth int) map[string]any {
	if d.one(5) {
		a, b := d.where(e, depth), d.where(e, depth)
		return pick(d, map[string]any{"and": []any{a, b}}, map[string]any{"or": []any{a, b}}, map[string]any{"not": a})
	}
	kinds := "id text int decimal enum one"
	if depth > 0 {
		kinds = "one many one many text"
	}
	f := e.field(d, kinds)
	switch {
	case f.kind == "many" && d.one(4):
		of := entityOf(f.to).field(d, "int")
		if of == nil || d.one(2) {
			return map[string]any{f.name: map[string]any{"count": map[string]any{pick(d, "eq", "gte", "lt"): d.IntN(3)}}}
		}
		return map[string]any{f.name: map[string]any{d.function(of): map[string]any{of.name: map[string]any{pick(d, "gte", "lt", "ne"): d.value(of)}}}}
	case f.kind == "many":
		return map[string]any{f.name: map[string]any{pick(d, "some", "some", "none", "every"): d.where(entityOf(f.to), depth-1)}}
	case f.kind == "one" && depth > 0 && !d.one(4):
		return map[string]any{strings.TrimSuffix(f.name, "Id"): d.where(entityOf(f.to), depth-1)}
	case f.kind == "one" && f.null && d.one(2):
		return map[string]any{f.name: map[string]any{"isNull": d.one(2)}}
	case f.kind == "id", f.kind == "one":
		name := f.to
		if f.kind == "id" {
			name = e.name
		}
		return map[string]any{f.name: pick(d, map[string]any{"eq": d.id(name)}, map[string]any{"in": []string{d.id(name), d.id(name), d.id(name)}}, map[string]any{"ne": d.id(name)})}
	case f.kind == "enum":
		return map[string]any{f.name: map[string]any{pick(d, "eq", "ne"): d.value(f)}}
	}
	return map[string]any{f.name: map[string]any{pick(d, "eq", "ne", "gte", "lt"): d.value(f)}}
}

// sort returns an order of rows: mostly by their own fields.
func (d dice) sort(e *entity) string {
	f := e.field(d, "id text int decimal enum one many")
	name := f.name
	if f.kind == "many" || f.kind == "one" && d.one(2) {
		name = d.behind(f, 2)
	}
	return pick(d, "", "-") + name
}

// behind returns a path to a value behind a relation.
func (d dice) behind(f *field, depth int) string {
	to := entityOf(f.to)
	if f.kind == "many" {
		if of := to.field(d, "id text int decimal enum"); d.one(2) {
			return f.name + "." + of.name + "." + d.function(of)
		}
		return f.name + ".count"
	}
	name := strings.TrimSuffix(f.name, "Id") + "."
	if on := to.field(d, "one many"); depth > 0 && on != nil && d.one(2) {
		return name + d.behind(on, depth-1)
	}
	return name + to.field(d, "id text int decimal enum").name
}

// function returns a function that a field has.
func (d dice) function(f *field) string {
	switch f.kind {
	case "int":
		return pick(d, "countDistinct", "sum", "avg", "min", "max")
	case "decimal":
		return pick(d, "countDistinct", "sum", "avg", "min", "max")
	}
	return pick(d, "countDistinct", "min", "max")
}

// selection returns fields of a row in GraphQL's language.
func (d dice) selection(e *entity, depth int) string {
	words := []string{"id"}
	for i := range e.fields {
		f := &e.fields[i]
		switch {
		case f.kind == "many" && depth > 0 && d.one(2):
			args := pick(d, "", "(first: 2)", "(orderBy: [{id: DESC}])")
			words = append(words, fmt.Sprintf("%s%s { total items { %s } }", f.name, args, d.selection(entityOf(f.to), depth-1)))
		case f.kind == "one" && depth > 0 && d.one(2):
			words = append(words, fmt.Sprintf("%s { %s }", strings.TrimSuffix(f.name, "Id"), d.selection(entityOf(f.to), depth-1)))
		case f.kind == "file" && d.one(2):
			words = append(words, f.name+" { name type size sha256 url }")
		case f.kind == "file":
			words = append(words, f.name+"Id")
		case f.kind != "many" && f.kind != "id" && d.one(2):
			words = append(words, f.name)
		}
	}
	return strings.Join(words, " ")
}

// paths returns the value of `fields`: names, and names behind relations.
func (d dice) paths(e *entity, depth int) string {
	words := []string{"id"}
	for i := range e.fields {
		f := &e.fields[i]
		switch {
		case f.kind == "many" && depth > 0 && d.one(3), f.kind == "one" && depth > 0 && d.one(3):
			for _, p := range strings.Split(d.paths(entityOf(f.to), depth-1), ",") {
				words = append(words, strings.TrimSuffix(f.name, "Id")+"."+p)
			}
		case f.kind != "many" && f.kind != "id" && d.one(2):
			words = append(words, f.name)
		}
	}
	return strings.Join(words, ",")
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// query returns the words of a list in the envelope's form.
func (d dice) query(e *entity) map[string]any {
	q := map[string]any{}
	if !d.one(3) {
		q["filter"] = d.where(e, d.IntN(4))
	}
	if !d.one(3) {
		q["sort"] = d.sort(e)
	}
	if d.one(2) {
		q["limit"] = 1 + d.IntN(4)
	}
	if d.one(5) {
		q["offset"] = d.IntN(4)
	}
	if d.one(2) {
		q["fields"] = d.paths(e, 2)
	}
	if d.one(10) {
		q["search"] = pick(d, "a", "b", "x -a", "hidden or a")
	}
	return q
}

// params returns the same words for a URL.
func params(q map[string]any) string {
	values := url.Values{}
	for name, v := range q {
		if s, is := v.(string); is {
			values.Set(name, s)
		} else {
			values.Set(name, text(v))
		}
	}
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}

// rpc returns a call through the envelope.
func rpc(method string, params map[string]any) call {
	return call{method: "POST", path: "/_kit/call", body: text(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})}
}

// command returns the method and the params of a write.
func (d dice) command(e *entity) (string, map[string]any) {
	id := map[string]any{"id": d.id(e.name)}
	many := map[string]any{"where": d.where(e, d.IntN(3)), "max": 10}
	if d.one(3) {
		many["fields"] = d.paths(e, 0)
	}
	switch d.IntN(10) {
	case 0, 1, 2, 3:
		return e.name + ".create", map[string]any{"body": d.row(e, d.id(e.name))}
	case 4, 5:
		return e.name + ".update", map[string]any{"params": id, "body": d.patch(e)}
	case 6:
		return e.name + ".delete", map[string]any{"params": id}
	case 7:
		var rows []any
		for range 1 + d.IntN(3) {
			rows = append(rows, d.row(e, d.id(e.name)))
		}
		return e.name + ".createMany", map[string]any{"body": rows}
	case 8:
		if d.one(2) {
			return e.name + ".deleteMany", map[string]any{"query": many}
		}
		return e.name + ".updateMany", map[string]any{"query": many, "body": d.patch(e)}
	}
	return e.name + ".upsert", map[string]any{"query": map[string]any{"by": "id"}, "body": d.row(e, d.id(e.name))}
}

// call makes the next call.
func (d dice) call() call {
	e := &entities[d.IntN(len(entities))]
	at := "/api/" + e.frond + "/" + e.plural
	c := d.form(e, at)
	c.user = d.user()
	return c
}

// bytes makes a call about the file of a row.
func (d dice) bytes(e *entity, f *field, at string) call {
	one := at + "/" + d.id(e.name)
	content := pick(d, "one", "two", "three\n", "", strings.Repeat("much ", 300))
	switch d.IntN(8) {
	case 0, 1:
		return call{method: "PUT", path: one + "/" + f.name, body: content, media: pick(d, "text/plain", "text/plain", "text/plain", "image/png"), writes: true}
	case 2:
		return call{method: "DELETE", path: one + "/" + f.name, writes: true}
	case 3:
		row := d.row(e, d.id(e.name))
		row[f.name] = "$file"
		return call{method: "POST", path: at, body: text(row), file: content, field: e.name + "." + f.name, writes: true}
	case 4:
		patch := map[string]any{f.name: pick[any](d, "$file", "$file", "unknown", nil)}
		return call{method: "PATCH", path: one, body: text(patch), file: content, field: e.name + "." + f.name, writes: true}
	}
	return call{method: pick(d, "GET", "GET", "GET", "HEAD"), path: one + "/" + f.name}
}

func (d dice) form(e *entity, at string) call {
	if f := e.field(d, "file"); f != nil && d.one(4) {
		return d.bytes(e, f, at)
	}
	kind := strings.ToUpper(e.name[:1]) + e.name[1:]
	graphql := func(query string, variables map[string]any) call {
		return call{method: "POST", path: "/graphql", body: text(map[string]any{"query": query, "variables": variables}), writes: strings.HasPrefix(query, "mutation")}
	}
	switch d.IntN(24) {
	case 0, 1, 2:
		return call{method: "POST", path: at, body: text(d.row(e, d.id(e.name))), writes: true}
	case 3:
		return call{method: "PATCH", path: at + "/" + d.id(e.name), body: text(d.patch(e)), writes: true}
	case 4:
		return call{method: "DELETE", path: at + "/" + d.id(e.name), writes: true}
	case 5, 6, 7, 8:
		method, in := d.command(e)
		c := rpc(method, in)
		c.writes = true
		return c
	case 9:
		return graphql("mutation($i: Create"+kind+"Input!) { create"+kind+"(input: $i) { "+d.selection(e, 2)+" } }", map[string]any{"i": d.row(e, d.id(e.name))})
	case 10:
		return graphql("mutation($i: Update"+kind+"Input!) { update"+kind+"(id: \""+d.id(e.name)+"\", input: $i) { "+d.selection(e, 2)+" } }", map[string]any{"i": d.patch(e)})
	case 11:
		return graphql("mutation { delete"+kind+"(id: \""+d.id(e.name)+"\") }", nil)
	case 12:
		var calls []any
		for range 1 + d.IntN(3) {
			f := e
			for d.one(3) && f.frond == e.frond {
				f = &entities[d.IntN(len(entities))]
			}
			method, in := d.command(f)
			if d.one(4) {
				method, in = f.name+".list", map[string]any{"query": d.query(f)}
			}
			calls = append(calls, map[string]any{"method": method, "params": in})
		}
		return call{method: "POST", path: "/api/atomic", body: text(map[string]any{"calls": calls}), writes: true}
	case 13, 14, 15:
		return call{method: "GET", path: at + params(d.query(e))}
	case 16:
		return rpc(e.name+".list", map[string]any{"query": d.query(e)})
	case 17:
		return call{method: "GET", path: at + "/" + d.id(e.name) + "?fields=" + d.paths(e, 2)}
	case 18:
		return rpc(e.name+".findByIds", map[string]any{"params": map[string]any{"ids": []string{d.id(e.name), d.id(e.name), d.id(e.name)}}})
	case 19:
		q := map[string]any{"by": []string{e.field(d, "text int enum one").name}, "select": []string{"count"}}
		if d.one(2) {
			q["filter"] = d.where(e, d.IntN(3))
		}
		return rpc(e.name+".aggregate", map[string]any{"query": q})
	case 20:
		return graphql("{ "+e.name+"(id: \""+d.id(e.name)+"\") { "+d.selection(e, 3)+" } }", nil)
	case 21:
		return graphql("query($f: "+kind+"Filter) { "+e.plural+"(filter: $f) { aggregate { count } items { "+d.selection(e, 1)+" } } }", map[string]any{"f": d.where(e, d.IntN(4))})
	}
	return graphql("query($f: "+kind+"Filter) { "+e.plural+"(filter: $f, orderBy: [{id: "+pick(d, "ASC", "DESC")+"}], first: "+pick(d, "2", "10")+") { total hasMore endCursor items { "+d.selection(e, 3)+" } } }", map[string]any{"f": d.where(e, d.IntN(4))})
}
