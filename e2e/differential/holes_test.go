package differential

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/rows"
)

// TestHoles: the comparison finds what it is there to find. Each hole spoils the
// engine's answers, or its requests, in one way.
func TestHoles(t *testing.T) {
	if raced {
		t.Skip("it runs without the race detector")
	}
	refs := references(t)
	answers := func(spoil func(body string) string) engine {
		return func(w *world, q *request) string { return spoil(ask(w, q)) }
	}
	requests := func(spoil func(q *request)) engine {
		return func(w *world, q *request) string {
			c := *q
			spoil(&c)
			return ask(w, &c)
		}
	}
	replace := func(pattern, with string) func(string) string {
		re := regexp.MustCompile(pattern)
		return func(s string) string {
			if at := re.FindStringSubmatchIndex(s); at != nil { // the first alone
				return s[:at[0]] + string(re.ExpandString(nil, with, s, at)) + s[at[1]:]
			}
			return s
		}
	}
	for _, c := range []struct {
		name string
		hole engine
	}{
		{"no hole", nil},
		{"members in another order", answers(replace(`\{("\w+":(?:-?\d+|"\w+"|null)),("\w+":(?:-?\d+|"\w+"|null))`, `{$2,$1`))},
		{"an error dropped", answers(func(s string) string { return dropError(s, 0) })},
		{"only the first error kept", answers(func(s string) string { return dropError(s, 1) })},
		{"a path without its index", answers(replace(`("path":\[[^\]]*),\d+`, `$1`))},
		{"a path that stops at the list", answers(replace(`("path":\["\w+"),\d+,"\w+"\]`, `$1]`))},
		{"a place one column further", answers(replace(`("data".*"column":\d+)`, `${1}0`))},
		{"only the first place of merged fields", answers(replace(`(,"locations":\[\{[^}]*\}),\{[^}]*\}`, `$1`))},
		{"null where there is a value", answers(replace(`"data":\{("\w+"):(?:-?\d+|"\w+")`, `"data":{$1:null`))},
		{"null for the whole answer", answers(replace(`"data":\{.*\}(,"errors")`, `"data":null$1`))},
		{"an empty object for null", answers(replace(`null`, `{}`))},
		{"a number as a string", answers(func(s string) string {
			data, errors, failed := strings.Cut(s, `,"errors":`)
			data = replace(`("data":\{.*?:)(-?\d+)([,}]|$)`, `$1"$2"$3`)(data)
			if failed {
				data += `,"errors":` + errors
			}
			return data
		})},
		{"refusals executed", answers(func(s string) string {
			if !strings.HasPrefix(s, `{"data"`) {
				return `{"data":null,"errors":[]}`
			}
			return s
		})},
		{"answers refused", answers(func(s string) string {
			if strings.Contains(s, `"errors"`) {
				return `{"errors":[{"message":"no"}]}`
			}
			return s
		})},
		{"variables forgotten", requests(func(q *request) { q.Variables = "" })},
		{"null variables taken for absent", requests(func(q *request) {
			q.Variables = replace(`"v\d+":null,?`, ``)(strings.Replace(q.Variables, ",}", "}", 1))
		})},
		{"the operation's name forgotten", requests(func(q *request) { q.OperationName = "" })},
		{"@skip ignored", requests(func(q *request) {
			q.Query = strings.ReplaceAll(q.Query, "@skip(if: true)", strings.Repeat(" ", len("@skip(if: true)")))
		})},
		{"@include ignored", requests(func(q *request) {
			q.Query = strings.ReplaceAll(q.Query, "@include(if: false)", strings.Repeat(" ", len("@include(if: false)")))
		})},
		{"escapes read as they stand", requests(func(q *request) { q.Query = strings.ReplaceAll(q.Query, `\u00e9`, `\\00e9`) })},
		{"a default ignored", requests(func(q *request) { q.Query = replace(`(\$v\d+: \w+) = -?\d+`, `$1`)(q.Query) })},
		{"the second of two mutations left out", requests(func(q *request) {
			q.Query = replace(`^(mutation[^{]*\{ \w+: \w+\([^()]*\)) a`, `$1 @skip(if: false) a`)(q.Query)
			if strings.HasPrefix(q.Query, "mutation") {
				q.Query = replace(`\bbumpF0 `, `__typename `)(q.Query)
			}
		})},
		{"null behind a relation on the other side", func(w *world, q *request) string {
			w.store.find = nullTurned
			return ask(w, q)
		}},
		{"rows behind a relation counted in the other direction", requests(func(q *request) {
			q.Query = replace(`(orderBy: \[[^\]]*\{\w+: \{count: )DESC`, `${1}ASC `)(q.Query)
		})},
		{"the least behind a relation for the greatest", requests(func(q *request) {
			q.Query = replace(`(orderBy: \[[^\]]*\{\w+: \{)min: `, `${1}max: `)(q.Query)
		})},
	} {
		t.Run(c.name, func(t *testing.T) {
			var n count
			for seed := uint64(1); seed < 30; seed++ {
				found, err := n.compare(refs, seed, c.hole)
				if err != nil {
					t.Fatal(err)
				}
				if len(found) > 0 {
					if c.hole == nil {
						t.Error(found[0])
					}
					return
				}
			}
			if c.hole != nil {
				t.Errorf("%d cases do not find it", n.cases)
			}
		})
	}
}

// dropError drops the errors of an executed answer but for the first keep.
func dropError(body string, keep int) string {
	var r struct {
		Data   json.RawMessage   `json:"data"`
		Errors []json.RawMessage `json:"errors,omitempty"`
	}
	if json.Unmarshal([]byte(body), &r) != nil || r.Data == nil || len(r.Errors) <= keep {
		return body
	}
	r.Errors = r.Errors[:keep]
	return canonical(r)
}

// spoiled is a store with a hole in its finds; nil: none.
type spoiled struct {
	facade.Store
	find func(context.Context, facade.Store, *facade.Find) (*facade.Found, error)
}

func (s *spoiled) Find(ctx context.Context, q *facade.Find) (*facade.Found, error) {
	if s.find == nil {
		return s.Store.Find(ctx, q)
	}
	return s.find(ctx, s.Store, q)
}

// nullTurned finds rows whose first key leads through a relation to null on the side that
// the port does not say.
func nullTurned(ctx context.Context, store facade.Store, q *facade.Find) (*facade.Found, error) {
	if len(q.Sort) == 0 || q.Sort[0].Derived == nil || q.Each != nil || q.Backward {
		return store.Find(ctx, q)
	}
	whole := *q
	whole.Limit, whole.Offset, whole.Keys = math.MaxInt32, 0, true
	found, err := store.Find(ctx, &whole)
	if err != nil {
		return nil, err
	}
	turned := rows.New(q.Select, found.Rows.Len())
	for _, null := range []bool{q.Sort[0].Desc, !q.Sort[0].Desc} {
		for i, key := range found.Keys {
			if null == bytes.HasPrefix(key, []byte("[null,")) {
				turned.CopyRow(found.Rows.Row(i))
			}
		}
	}
	from := min(q.Offset, turned.Len())
	to := min(from+max(q.Limit, 0), turned.Len())
	cut := rows.New(q.Select, to-from)
	for i := from; i < to; i++ {
		cut.CopyRow(turned.Row(i))
	}
	return &facade.Found{Rows: cut, Total: found.Total, More: to < turned.Len(), Keys: found.Keys[from:to]}, nil
}
