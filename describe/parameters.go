package describe

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// parameters are the parameters of a route, without its body: the id of the path, then the
// fields of the cards of params, query and, for a query, input, each name once
// (docs/decisions/http-guards.md).
func (d *openAPI) parameters(route Route) []json.RawMessage {
	op := route.Operation
	var all []json.RawMessage
	var taken []string
	if strings.Contains(route.Path, "{id}") {
		all = append(all, d.pathID(op))
		taken = append(taken, "id")
	}
	cards := []*schema.Entity{op.Params}
	if op.Kind == catalog.Query || !op.Builtin || op.IsMany() {
		cards = append(cards, op.Query)
	}
	if op.Kind == catalog.Query {
		cards = append(cards, op.Input)
	}
	for _, card := range cards {
		if card == nil {
			continue
		}
		for _, p := range card.Fields {
			if slices.Contains(taken, p.Name) || op.Builtin && op.Name == "list" && !d.takes(op, p.Name) {
				continue
			}
			taken = append(taken, p.Name)
			if op.IsMany() {
				all = append(all, d.manyParameter(op, card, p))
				continue
			}
			all = append(all, d.parameter(op, card, p))
			if p.Name == "filter" && (op.Builtin && op.Name == "list" || op.Aggregates()) {
				all = append(all, d.brackets(op.Door.Entity)...)
			}
		}
	}
	if op.Kind == catalog.Query && op.Output != nil && !slices.Contains(taken, "fields") {
		all = append(all, d.shared("fields", func() json.RawMessage {
			return listParameter("fields", "Names of the fields to return, such as id,title.", object("type", "string"))
		}))
	}
	if op.Builtin {
		all = append(all, d.headers(op)...)
	}
	if op.Kind == catalog.Command && !op.HasWords() {
		all = append(all, d.words()...)
	}
	return all
}

// words are the parameters of a rehearsal and of its approval (docs/rights.md).
func (d *openAPI) words() (all []json.RawMessage) {
	for _, word := range []struct {
		name, description string
		schema            json.RawMessage
	}{
		{catalog.Rehearse, aboutRehearse, object("type", "boolean", "const", true)},
		{catalog.Approve, aboutApprove, object("type", "string")},
	} {
		all = append(all, d.shared(word.name, func() json.RawMessage {
			return object("name", word.name, "in", "query", "description", word.description, "schema", word.schema)
		}))
	}
	return all
}

// The words beside a command.
const (
	aboutRehearse = "Make the command and undo it. The status is 200, and the answer has the members rehearsal (a token), result, changes, events and more."
	aboutApprove  = "The token of a rehearsal of this call: write if it still changes the same rows in the same way; else the status is 412."
)

// takes says whether a list accepts a key: a remote's accepts those that its discovery lists.
func (d *openAPI) takes(op *catalog.Operation, key string) bool {
	keys, known := d.lists[op.Door.Name]
	return !known || slices.Contains(keys, key)
}

// pathID is the id in the path.
func (d *openAPI) pathID(op *catalog.Operation) json.RawMessage {
	shape := object("type", "string")
	var sample json.RawMessage
	card := op.Params
	if card == nil || card.Property("id") == nil {
		card = op.Door.Entity
	}
	if card != nil {
		p := card.Property("id")
		if p == nil {
			p = card.Primary
		}
		if p != nil {
			shape = d.inline(card, p)
		}
	}
	if e := op.Door.Entity; e != nil && e.Primary != nil {
		sample = d.schemas.exampleOf(e, e.Primary)
	}
	return object("name", "id", "in", "path", "required", true, "schema", shape, "example", sample)
}

// parameter is one name of the query string.
//
//	an object           JSON text
//	an array            one parameter with commas
//	fields, sort, ids   names or ids with commas, even if their cards allow other forms
//	anything else       its text
func (d *openAPI) parameter(op *catalog.Operation, card *schema.Entity, p *schema.Property) json.RawMessage {
	grammar := op.Builtin && (op.Name == "list" || op.Name == "findByIds" || op.Name == "findById" || op.Aggregates())
	switch {
	case grammar && p.Name == "filter":
		return jsonParameter("filter", "Filter as JSON, such as {\"price\":{\"gte\":10}}; filter[price][gte]=10 is the other form. Use one of the two.",
			d.schemas.of(op.Door.Entity, filters), nil)
	case grammar && (p.Name == "fields" || p.Name == "sort" || p.Name == "by" || p.Name == "select"):
		return d.shared(op.Name+"."+p.Name, func() json.RawMessage {
			return listParameter(p.Name, p.Shape.Description, object("type", "string"))
		})
	case grammar && p.Name == "having":
		return d.shared(op.Name+".having", func() json.RawMessage {
			return jsonParameter(p.Name, p.Shape.Description+" having[count][gte]=5 is the other form. Use one of the two.", object("type", "object"), nil)
		})
	case grammar && op.Aggregates():
		return d.shared(op.Name+"."+p.Name, func() json.RawMessage {
			shape := p.Shape
			shape.Description = ""
			return object("name", p.Name, "in", "query", "description", p.Shape.Description, "schema", shape.AppendJSON(nil))
		})
	case grammar && op.Name == "list":
		return d.shared("list."+p.Name, func() json.RawMessage {
			shape := p.Shape
			shape.Description = ""
			if p.Name == "count" { // a parameter is a text: true and false are members of the other kind
				return object("name", p.Name, "in", "query", "description", p.Shape.Description, "schema", object("type", "string", "enum", []string{"exact", "estimated", "none", "true", "false"}))
			}
			return object("name", p.Name, "in", "query", "description", optional(p.Shape.Description), "schema", shape.AppendJSON(nil))
		})
	}
	shape := d.inline(card, p)
	pairs := []any{"name", p.Name, "in", "query", "description", optional(p.Shape.Description)}
	if p.Required() {
		pairs = append(pairs, "required", true)
	}
	if p.Shape.Deprecated {
		pairs = append(pairs, "deprecated", true)
	}
	sample := d.schemas.exampleOf(card, p)
	switch p.Shape.Type {
	case "object":
		return jsonText(pairs, shape, sample)
	case "array":
		pairs = append(pairs, "style", "form", "explode", false)
	}
	return object(append(pairs, "schema", shape, "example", sample)...)
}

// manyParameter is one name of the query string of a write of many rows. The filter is not marked
// as required, since filter[status][eq]=draft is in its place.
func (d *openAPI) manyParameter(op *catalog.Operation, card *schema.Entity, p *schema.Property) json.RawMessage {
	sample, name := d.schemas.manyQueryExample(op), object("type", "string")
	switch p.Name {
	case "where":
		const text = "The condition on the rows, in the form of a list's filter, as JSON or in brackets. It is required, and must not be empty."
		return jsonParameter("filter", text, d.schemas.of(op.Door.Entity, filters), jsontext.Get(sample, "where"))
	case "by":
		var example []string
		if by := jsontext.Get(sample, "by"); by != nil {
			example = strings.Split(jsontext.Unquote(by), ",")
		}
		return listParameter(p.Name, p.Shape.Description, name, "required", true, "example", example)
	case "fields", "columns":
		return listParameter(p.Name, p.Shape.Description, name)
	}
	return d.parameter(op, card, p)
}

// brackets are the conditions of each field that may be read, as filter[price][gte]=10: a parameter
// for each field, since the deepObject of OpenAPI has one level. Conditions through relations, and,
// or and not have the JSON form alone.
func (d *openAPI) brackets(e *schema.Entity) (all []json.RawMessage) {
	for _, p := range e.Fields {
		if !p.Readable() || p.Link != nil && !p.Stored {
			continue
		}
		key := p.Name
		if p.Link != nil {
			key = p.Link.Key
		}
		all = append(all, object("name", "filter["+key+"]", "in", "query", "style", "deepObject", "explode", true, "schema", d.bracketed(filter.CardOf(p))))
	}
	return all
}

// bracketed refers to the operators of a kind of fields as the query string has them, each with
// one text: a list has commas.
func (d *openAPI) bracketed(kind string) json.RawMessage {
	return d.schemas.named(schema.GraphQLType(kind)+"Operators", func() json.RawMessage {
		shape := filter.Card(kind)
		var fields schema.Object
		for _, f := range shape.Properties {
			of := f.Shape.AppendJSON(nil)
			if f.Shape.Type == "array" {
				of = object("type", "string", "description", "Values with commas.")
			}
			add(&fields, f.Name, of)
		}
		return object("type", "object", "properties", fields, "additionalProperties", false)
	})
}

// jsonParameter is a parameter whose text is JSON. It is declared as a text: of a parameter with
// content, code generators write "[object Object]" or stop, and of a text with contentMediaType
// some make a file.
func jsonParameter(name, description string, of, sample json.RawMessage) json.RawMessage {
	return jsonText([]any{"name", name, "in", "query", "description", description}, of, sample)
}

func jsonText(pairs []any, of, sample json.RawMessage) json.RawMessage {
	var example any
	if sample != nil {
		example = string(sample)
	}
	return object(append(pairs, "schema", object("type", "string", "contentSchema", of), "example", example)...)
}

// listParameter is a parameter of names with commas between them.
func listParameter(name, description string, item json.RawMessage, more ...any) json.RawMessage {
	return object(append([]any{
		"name", name, "in", "query", "description", optional(description), "style", "form", "explode", false,
		"schema", object("type", "array", "items", item),
	}, more...)...)
}

// headers are what built-in operations read of the header: versions (RFC 9110, section 13) and
// how a total is counted.
func (d *openAPI) headers(op *catalog.Operation) []json.RawMessage {
	header := func(name, description string) json.RawMessage {
		return d.shared(name, func() json.RawMessage {
			return object("name", name, "in", "header", "description", description, "schema", object("type", "string"))
		})
	}
	switch op.Name {
	case "findById":
		return []json.RawMessage{header("If-None-Match", "The ETag of the caller's copy of the row: the status is 304 if it is still the same.")}
	case "update", "delete":
		all := []json.RawMessage{header("If-Match", "The expected ETag of the row; if the row has another, the status is 412.")}
		if op.Query != nil && op.Query.Property("where") != nil && op.Door.Entity != nil {
			all = append(all, jsonParameter("where", "Condition on the row, in the form of a list's filter, as JSON; if the row does not meet it, the status is 412.", d.schemas.of(op.Door.Entity, filters), nil))
		}
		return all
	}
	return nil
}

// shared refers to a parameter that several operations have.
func (d *openAPI) shared(key string, write func() json.RawMessage) json.RawMessage {
	if d.params.Get(key) == nil {
		add(&d.params, key, write())
	}
	return object("$ref", "#/components/parameters/"+jsontext.Token(key))
}

// inline is the schema of a field outside of its card's component.
func (d *openAPI) inline(card *schema.Entity, p *schema.Property) json.RawMessage {
	shape := p.Shape
	shape.Description = ""
	return d.schemas.shape(&shape, card)
}
