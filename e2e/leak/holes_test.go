package leak

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// holes are mutations of the program, one place each. They stand between two floors,
// where a mistake in the façade, in a store or in a handler would have the same effect.
var holes = []hole{
	{
		name: "batches forget the rows' condition",
		store: finds(func(q *facade.Find) {
			if q.Each != nil {
				q.Where = nil
			}
		}),
	},
	{
		name: "one row is found whoever asks",
		store: finds(func(q *facade.Find) {
			if q.Key != nil {
				q.Where = nil
			}
		}),
	},
	{
		name: "totals count what is hidden",
		store: func(s facade.Store) facade.Store {
			return storeHole{Store: s, find: func(ctx context.Context, q *facade.Find) (*facade.Found, error) {
				found, err := s.Find(ctx, q)
				if err != nil || !q.Count || q.Each != nil {
					return found, err
				}
				all := *q
				all.Where, all.From, all.Backward = nil, nil, false
				every, err := s.Find(ctx, &all)
				if err != nil {
					return nil, err
				}
				found.Total = every.Total
				return found, nil
			}}
		},
	},
	{
		name: "filters reach through relations to rows that are hidden",
		store: finds(func(q *facade.Find) {
			q.Where = unscoped(q.Where)
		}),
	},
	{
		name: "there are more rows: hidden ones",
		store: func(s facade.Store) facade.Store {
			return storeHole{Store: s, find: func(ctx context.Context, q *facade.Find) (*facade.Found, error) {
				found, err := s.Find(ctx, q)
				if err == nil && q.Each == nil && !found.More && q.Limit > 0 {
					all := *q
					all.Where = nil
					every, err := s.Find(ctx, &all)
					if err != nil {
						return nil, err
					}
					found.More = every.More
				}
				return found, err
			}}
		},
	},
	{
		name: "updates go by the id alone",
		store: func(s facade.Store) facade.Store {
			return storeHole{Store: s, update: func(ctx context.Context, e *schema.Entity, id json.RawMessage, _ *filter.Filter, set facade.Record, terms *facade.Terms, sel *rows.Layout) (*rows.Rows, error) {
				return s.Update(ctx, e, id, nil, set, terms, sel)
			}}
		},
	},
	{
		name: "deletes go by the id alone",
		store: func(s facade.Store) facade.Store {
			return storeHole{Store: s, remove: func(ctx context.Context, e *schema.Entity, id json.RawMessage, _ *filter.Filter, terms *facade.Terms) (bool, error) {
				return s.Delete(ctx, e, id, nil, terms)
			}}
		},
	},
	{
		name: "a delete without an id takes the first row",
		caller: func(next facade.Caller) facade.Caller {
			return facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
				var params struct{ ID any }
				if c.Operation == "delete" && json.Unmarshal(c.Invocation.ParamsJSON(), &params) == nil && params.ID == "" {
					page, err := next.Call(ctx, &facade.Call{Entity: c.Entity, Operation: "list", Invocation: facade.Invocation{State: c.Invocation.State}})
					if err == nil && page.Rows.Len() > 0 {
						own := *c
						own.Invocation.ID, own.Invocation.Params = page.Rows.Row(0).Get("id"), nil
						return next.Call(ctx, &own)
					}
				}
				return next.Call(ctx, c)
			})
		},
	},
	{
		name: "a conflict says which row has the value",
		store: func(s facade.Store) facade.Store {
			return storeHole{Store: s, insert: func(ctx context.Context, e *schema.Entity, list []facade.Record, terms *facade.Terms, sel *rows.Layout) (*rows.Rows, error) {
				out, err := s.Insert(ctx, e, list, terms, sel)
				if kiterror.CodeOf(err) != kiterror.Conflict {
					return out, err
				}
				found, ferr := s.Find(ctx, &facade.Find{Entity: e, Select: rows.NewLayout(stored(e)), Sort: []facade.SortKey{{Field: e.Primary}}, Limit: 500})
				if ferr != nil {
					return nil, ferr
				}
				return nil, kiterror.Errorf(kiterror.Conflict, "taken by one of %s", found.Rows.AppendJSON(nil))
			}}
		},
	},
	{
		name: "a hidden field is shown by findById",
		collector: scopes(func(op string, s *access.Scope) {
			if op == "findById" {
				s.Hide = nil
			}
		}),
	},
	{
		name: "a hidden field may be asked for in lists",
		collector: scopes(func(op string, s *access.Scope) {
			if op == "list" && len(s.Hide) > 0 {
				s.Hide = s.Hide[1:]
			}
		}),
	},
	{
		name: "rows are not scoped in updates",
		collector: scopes(func(op string, s *access.Scope) {
			if op == "update" {
				s.Rows = nil
			}
		}),
	},
	{
		name:      "presets are not set",
		collector: scopes(func(_ string, s *access.Scope) { s.Set = nil }),
	},
	{
		name: "a hidden row differs from an absent one",
		store: func(s facade.Store) facade.Store {
			return storeHole{Store: s, update: func(ctx context.Context, e *schema.Entity, id json.RawMessage, where *filter.Filter, set facade.Record, terms *facade.Terms, sel *rows.Layout) (*rows.Rows, error) {
				rows, err := s.Update(ctx, e, id, where, set, terms, sel)
				if err == nil && rows.Len() == 0 {
					if there, err := s.Update(ctx, e, id, nil, nil, nil, sel); err == nil && there.Len() > 0 {
						return nil, kiterror.Errorf(kiterror.Forbidden, "this row is not yours")
					}
				}
				return rows, err
			}}
		},
	},
	{
		name: "a computed field is given what its reader may not see",
		project: func(g *garden, p *facade.Project) {
			for _, e := range g.entities {
				needs := []string{}
				for _, f := range e.fields {
					if f.stored() {
						needs = append(needs, f.name)
					}
				}
				facade.Present(p.Door(e.name), e.name+"WholeDump", schema.Shape{Type: "string"}, func(_ context.Context, list []rows.Row) ([]string, error) {
					var all []string
					for _, r := range list {
						all = append(all, string(r.JSON()))
					}
					return all, nil
				}, needs...)
			}
		},
	},
	{
		name: "a command is open that no allow names",
		config: rules(func(r map[string]any) {
			if r["allow"] == nil && r["deny"] == nil {
				r["allow"] = "all"
			}
		}),
	},
	{
		name: "what an allow does not name is open",
		config: rules(func(r map[string]any) {
			if r["allow"] != nil {
				r["allow"] = "all"
			}
		}),
	},
	{
		name:   "what may only be read can be sent",
		config: rules(func(r map[string]any) { delete(r, "readOnly") }),
	},
	{
		name: "$now is another moment",
		config: rules(func(r map[string]any) {
			if rows := r["rows"]; rows != nil {
				var v any
				_ = json.Unmarshal([]byte(strings.ReplaceAll(encode(rows), `"$now"`, `"1990-01-01T00:00:00.001Z"`)), &v)
				r["rows"] = v
			}
		}),
	},
	{
		name:   "'*' is forgotten",
		config: func(collectors map[string]any) { delete(collectors, "*") },
	},
	{
		name: "the form of an operand is looked at before the name",
		caller: func(next facade.Caller) facade.Caller {
			return facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
				var query struct{ Filter map[string]any }
				_ = json.Unmarshal(c.Invocation.Query, &query)
				for name, v := range query.Filter {
					if _, object := v.(map[string]any); strings.Contains(name, "Many") && !object {
						return nil, kiterror.Errorf(kiterror.ValidationFailed, "%s must be an object", name)
					}
				}
				return next.Call(ctx, c)
			})
		},
	},
}

// rules goes through every rule of the collectors.
func rules(change func(rule map[string]any)) func(map[string]any) {
	return func(collectors map[string]any) {
		for _, door := range collectors {
			list, _ := door.([]any)
			for _, r := range list {
				change(r.(map[string]any))
			}
		}
	}
}

// most is how many cases a hole may stay unfound in.
const most = 60_000

// TestHoles opens one hole after another and expects the proof to find each: a
// proof that cannot fail proves nothing. A short run opens every sixth.
func TestHoles(t *testing.T) {
	if raced {
		t.Skip("it runs without the race detector")
	}
	for i, h := range holes {
		if testing.Short() && i%6 != 0 {
			continue
		}
		t.Run(h.name, func(t *testing.T) {
			cases := 0
			for seed := uint64(1); cases < most; seed++ {
				n, err := prove(seed, int(seed%3), h.config != nil, h)
				cases += n
				if err != nil && n == 0 {
					t.Fatal(err) // the garden itself does not open
				}
				if err != nil {
					what, _, _ := strings.Cut(err.Error(), "\n")
					t.Logf("found after %d cases: %s", cases, what)
					return
				}
			}
			t.Errorf("%d cases did not find it", cases)
		})
	}
}

// storeHole is a store of which some methods are other ones.
type storeHole struct {
	facade.Store
	find   func(context.Context, *facade.Find) (*facade.Found, error)
	insert func(context.Context, *schema.Entity, []facade.Record, *facade.Terms, *rows.Layout) (*rows.Rows, error)
	update func(context.Context, *schema.Entity, json.RawMessage, *filter.Filter, facade.Record, *facade.Terms, *rows.Layout) (*rows.Rows, error)
	remove func(context.Context, *schema.Entity, json.RawMessage, *filter.Filter, *facade.Terms) (bool, error)
}

func (s storeHole) Find(ctx context.Context, q *facade.Find) (*facade.Found, error) {
	if s.find != nil {
		return s.find(ctx, q)
	}
	return s.Store.Find(ctx, q)
}

func (s storeHole) Insert(ctx context.Context, e *schema.Entity, found []facade.Record, terms *facade.Terms, sel *rows.Layout) (*rows.Rows, error) {
	if s.insert != nil {
		return s.insert(ctx, e, found, terms, sel)
	}
	return s.Store.Insert(ctx, e, found, terms, sel)
}

func (s storeHole) Update(ctx context.Context, e *schema.Entity, id json.RawMessage, where *filter.Filter, set facade.Record, terms *facade.Terms, sel *rows.Layout) (*rows.Rows, error) {
	if s.update != nil {
		return s.update(ctx, e, id, where, set, terms, sel)
	}
	return s.Store.Update(ctx, e, id, where, set, terms, sel)
}

func (s storeHole) Delete(ctx context.Context, e *schema.Entity, id json.RawMessage, where *filter.Filter, terms *facade.Terms) (bool, error) {
	if s.remove != nil {
		return s.remove(ctx, e, id, where, terms)
	}
	return s.Store.Delete(ctx, e, id, where, terms)
}

// finds is a store whose reads are changed before they are made.
func finds(change func(*facade.Find)) func(facade.Store) facade.Store {
	return func(s facade.Store) facade.Store {
		return storeHole{Store: s, find: func(ctx context.Context, q *facade.Find) (*facade.Found, error) {
			own := *q
			change(&own)
			return s.Find(ctx, &own)
		}}
	}
}

// scopes is a collector whose word is changed.
func scopes(change func(op string, s *access.Scope)) func(access.Collector) access.Collector {
	return func(c access.Collector) access.Collector {
		return access.CollectorFunc(func(ctx context.Context, state access.State, door *catalog.Door, op *catalog.Operation) (access.Scope, error) {
			s, err := c.Scope(ctx, state, door, op)
			change(op.Name, &s)
			return s, err
		})
	}
}

// unscoped is a filter whose relations lead anywhere: of a condition on the other
// side the first half, which is the rows that exist there, is left out.
func unscoped(f *filter.Filter) *filter.Filter {
	if f == nil {
		return nil
	}
	out := *f
	out.Sub = nil
	for _, s := range f.Sub {
		if (f.Op == filter.Some || f.Op == filter.None) && s.Op == filter.And && len(s.Sub) == 2 {
			s = s.Sub[1]
		}
		out.Sub = append(out.Sub, unscoped(s))
	}
	return &out
}

func stored(e *schema.Entity) (names []string) {
	for _, p := range e.Fields {
		if p.Stored {
			names = append(names, p.Name)
		}
	}
	return names
}
