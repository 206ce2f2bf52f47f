package differential

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/graphql-go/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/validation"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/storetest"
)

// world is a schema with what stands behind it.
type world struct {
	seed     uint32
	entities []*entity
	things   map[string]*graphql.Object
	store    *spoiled
	schema   *binding.Schema
	ast      *ast.Schema
	engine   *resolvers.Engine
}

// unlimited: what limits refuse, the reference runs.
var unlimited = resolvers.Limits{Document: -1, Tokens: -1, Depth: -1, Aliases: -1, Roots: -1, Fields: -1, Response: -1, Execution: -1}

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func newWorld(r *rand.Rand) (*world, error) {
	w := &world{seed: r.Uint32(), entities: newEntities(r), store: &spoiled{Store: storetest.NewStore()}}
	compiled, err := compile.Project(w.project(), nil)
	if err != nil {
		return nil, err
	}
	f, err := facade.New(compiled, w.store, nil)
	if err != nil {
		return nil, err
	}
	if err := w.plant(f.Catalog().Set); err != nil {
		return nil, err
	}
	b := projection.NewBuilder()
	if err := projection.RegisterAll(b, f.Catalog(), nil); err != nil {
		return nil, err
	}
	if err := w.register(r, b); err != nil {
		return nil, err
	}
	if w.schema, err = b.Build(); err != nil {
		return nil, err
	}
	sdl := patch(w.schema.SDL())
	w.schema.SDL = func() string { return sdl }
	if w.schema.AST, err = validation.LoadSchema(sdl); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, sdl)
	}
	w.ast = w.schema.AST
	w.engine, err = resolvers.NewEngine(w.schema, f, &resolvers.Options{Logger: quiet, Limits: unlimited})
	return w, err
}

// project is the cards, with operations that say what they were called with, and
// computed fields one of which always fails.
func (w *world) project() *facade.Project {
	src := &project.Frond{Name: "wood"}
	doors := map[string]any{}
	for _, e := range w.entities {
		src.Cards = append(src.Cards, schema.Source{File: e.name + ".json", Name: e.name, Data: []byte(e.card())})
		some := map[string]any{"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer"}}, "required": []string{"n"}}
		doors[e.name] = map[string]any{"operations": map[string]any{
			"only":  []string{"list", "findById", "findByIds"},
			"ask":   map[string]any{"kind": "query", "params": askCard, "query": askCard2},
			"tell":  map[string]any{"kind": "command", "params": askCard, "input": bodyCard},
			"first": map[string]any{"kind": "query", "params": some, "output": e.name, "cardinality": "many"},
			"maybe": map[string]any{"kind": "query", "params": some, "output": e.name, "cardinality": "maybe"},
		}}
	}
	src.Config = project.Text{File: "frond.json", Data: []byte(encode(map[string]any{"doors": doors}))}
	p := &facade.Project{Registry: schema.Builtins(), Fronds: []*project.Frond{src}}
	for _, e := range w.entities {
		door := p.Door(e.name)
		facade.Handle(door, "ask", echo)
		facade.Handle(door, "tell", echo)
		facade.Handle(door, "first", some(e, false))
		facade.Handle(door, "maybe", some(e, true))
		optional := schema.Shape{Type: "string", Nullable: true}
		facade.Present(door, e.name+"Name", optional, func(_ context.Context, found []rows.Row) ([]string, error) {
			var all []string
			for _, r := range found {
				all = append(all, e.name+" "+strings.Trim(string(r.Get("id")), `"`))
			}
			return all, nil
		}, "id")
		facade.Present(door, e.name+"Fails", optional, func(context.Context, []rows.Row) ([]string, error) {
			return nil, fmt.Errorf("%s fails", e.name)
		}, "id")
	}
	return p
}

// askCard is params of every kind, none of them required but one.
var (
	askCard = optionalCard(map[string]any{
		"must": map[string]any{"type": "integer"},
		"s":    map[string]any{"type": []string{"string", "null"}},
		"b":    map[string]any{"type": []string{"boolean", "null"}},
		"hue":  map[string]any{"type": []string{"string", "null"}, "enum": []any{"RED", "GREEN", nil}},
	}, "must")
	askCard2 = optionalCard(map[string]any{
		"f":    map[string]any{"type": []string{"number", "null"}},
		"big":  map[string]any{"type": []string{"integer", "null"}, "format": "int64"},
		"list": map[string]any{"type": []string{"array", "null"}, "items": map[string]any{"type": []string{"integer", "null"}}},
		"any":  map[string]any{},
	})
	bodyCard = optionalCard(map[string]any{
		"a":    map[string]any{"type": "string"},
		"n":    map[string]any{"type": []string{"integer", "null"}},
		"rows": map[string]any{"type": []string{"array", "null"}, "items": map[string]any{"type": "array", "items": map[string]any{"type": "string"}}},
		"deep": map[string]any{"type": []string{"object", "null"}, "properties": map[string]any{
			"x": map[string]any{"type": "integer"}, "y": map[string]any{"type": []string{"string", "null"}},
		}, "required": []string{"x"}},
	}, "a")
)

func optionalCard(properties map[string]any, required ...string) map[string]any {
	for name, p := range properties {
		if !slices.Contains(required, name) {
			p.(map[string]any)["x-kit"] = map[string]any{"lifecycle": map[string]any{"create": "optional"}}
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": append([]string{}, required...)}
}

// echo answers what it was called with.
func echo(_ context.Context, c *facade.Call) (any, error) {
	out := map[string]any{}
	for name, part := range map[string]json.RawMessage{"params": c.Invocation.ParamsJSON(), "query": c.Invocation.Query, "body": c.Invocation.Body} {
		var v map[string]any
		if len(part) > 0 && json.Unmarshal(part, &v) == nil && len(v) > 0 {
			out[name] = v
		}
	}
	return json.RawMessage(canonical(out)), nil
}

// some answers the first rows, or the one at a place.
func some(e *entity, single bool) facade.Handler {
	return func(ctx context.Context, c *facade.Call) (any, error) {
		n, _ := schema.Integer(jsontext.Get(c.Invocation.Params, "n"))
		query := fmt.Sprintf(`{"limit":%d}`, n)
		if single {
			query = fmt.Sprintf(`{"limit":1,"offset":%d}`, n)
		}
		res, err := facade.Inside(ctx).Call(ctx, &facade.Call{Entity: e.name, Operation: "list", Invocation: facade.Invocation{Query: json.RawMessage(query)}})
		if err != nil {
			return nil, err
		}
		form := facade.FormRows
		if single {
			form = facade.FormRow
		}
		return &facade.Result{Form: form, Rows: res.Rows}, nil
	}
}

// plant writes the rows past the façade, which would refuse those that are broken.
func (w *world) plant(set *schema.Set) error {
	ctx, none := context.Background(), rows.NewLayout([]string{"id"})
	for _, links := range []bool{false, true} { // what points at rows is written when they are there
		for _, e := range w.entities {
			compiled := set.Entity(e.name)
			for _, row := range e.rows {
				var record facade.Record
				for _, p := range compiled.Fields {
					if v, ok := row[p.Name]; ok && p.Stored && (p.Link != nil) == links {
						record = append(record, schema.Member{Name: p.Name, Value: json.RawMessage(encode(v))})
					}
				}
				var err error
				if links {
					_, err = w.store.Update(ctx, compiled, json.RawMessage(encode(row["id"])), nil, record, nil, none)
				} else {
					_, err = w.store.Insert(ctx, compiled, []facade.Record{record}, nil, none)
				}
				if err != nil {
					return fmt.Errorf("%s: %w", encode(row), err)
				}
			}
		}
	}
	return nil
}

func typeName(e *entity) string { return strings.ToUpper(e.name[:1]) + e.name[1:] }

// given is a world as the reference gets it.
func (w *world) given() map[string]any {
	entities := map[string]any{}
	nodes := map[string]string{}
	for _, e := range w.entities {
		entities[e.name] = map[string]any{"type": typeName(e), "rows": append([]map[string]any{}, e.rows...)}
	}
	fields := map[string]any{}
	for typ, of := range w.schema.Fields {
		for name, b := range of {
			f := map[string]any{"kind": kindNames[b.Kind], "column": b.Column}
			if b.Door != nil {
				f["entity"] = b.Door.Name
			}
			if b.Kind == binding.NodeID {
				f["entity"] = b.Output.Key
			}
			if b.Relation != nil && b.Relation.Link.Inverse != nil {
				f["by"] = b.Relation.Link.Inverse.Name
			}
			if b.Operation != nil {
				f["op"] = b.Operation.Name
			}
			args := map[string]any{}
			for _, a := range b.Args {
				args[a.Name] = []string{places[a.Into], cmp.Or(a.Key, a.Name)}
			}
			f["args"] = args
			fields[typ+"."+name] = f
		}
	}
	for key, n := range w.schema.Nodes {
		nodes[key] = n.Door.Name
	}
	return map[string]any{"sdl": w.schema.SDL(), "seed": w.seed, "entities": entities, "fields": fields, "nodes": nodes}
}

var kindNames = map[binding.Kind]string{
	binding.Operation: "operation", binding.Column: "column", binding.Computed: "computed", binding.ToOne: "one",
	binding.ToMany: "many", binding.ToManyIDs: "ids", binding.NodeID: "nodeId", binding.NodeRoot: "node",
	binding.Items: "items", binding.Total: "total", binding.HasMore: "hasMore", binding.EndCursor: "endCursor",
	binding.Edges: "edges", binding.PageInfo: "pageInfo", binding.EdgeNode: "edgeNode", binding.EdgeCursor: "edgeCursor",
	binding.HasNextPage: "hasMore", binding.HasPreviousPage: "hasPrevious", binding.StartCursor: "startCursor",
	binding.PageInfoEndCursor: "endCursor", binding.Aggregate: "aggregate", binding.Groups: "groups",
}

var places = map[binding.Place]string{
	binding.IntoID: "params", binding.IntoParams: "params", binding.IntoQuery: "query", binding.IntoBody: "body", binding.IntoSort: "sort",
	binding.IntoFirst: "first", binding.IntoLast: "last", binding.IntoAfter: "after", binding.IntoBefore: "before",
}
