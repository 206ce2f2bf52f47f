package facade_test

import (
	"context"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/seed"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/storetest"
)

// FuzzRows writes rules: whatever starts answers without failing, and a caller
// without what the rule reads never sees a row that every caller with it does not.
func FuzzRows(f *testing.F) {
	for _, rows := range []string{
		`{"customerId":{"eq":"$user.x"}}`, `{"not":{"customerId":{"in":["c1","$user.x"]}}}`,
		`{"or":[{"status":{"ne":"open"}},{"lines":{"none":{"what":{"eq":"$user.x"}}}}]}`,
		`{"customer":{"orders":{"every":{"total":{"gt":"$user.n"}}}}}`, `{"total":{"notIn":"$user.list"}}`,
		`{"internalNote":{"isNull":"$state.b"},"code":{"startsWith":"$$user"}}`, `{"placedAt":{"lt":"$user.at"}}`, `{"and":[{}]}`, `{"id":{"eq":"$user"}}`,
	} {
		f.Add(rows)
	}
	values := []access.State{
		{"user": map[string]any{"x": "c1", "n": 15, "list": []any{10, 20}, "at": "2026-01-01T00:00:00Z"}, "b": true},
		{"user": map[string]any{"x": "open", "n": 0.0, "list": []any{}, "at": ""}, "b": false},
		{"user": map[string]any{"x": "", "n": -1, "list": []any{nil, "a"}, "at": 1}, "b": "no"},
	}
	cards := desk("")
	delete(cards, "frond.yaml")
	f.Fuzz(func(t *testing.T, rows string) {
		if jsontext.Check([]byte(rows)) != nil || len(rows) > 2000 {
			return
		}
		cards["frond.json"] = `{"name":"desk","collectors":{"order":[{"rows":` + rows + `}]}}`
		p := projectOf(t, cards)
		compiled, err := compile.Project(p, nil)
		if err != nil {
			return
		}
		host, err := facade.New(compiled, storetest.NewStore(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := seed.Write(context.Background(), host); err != nil {
			t.Fatal(err)
		}
		list := func(state access.State) string {
			return ids(t, must(t, as(host, state), "order.list", "", "", ""))
		}
		without := strings.Fields(list(access.State{}))
		for _, state := range values {
			with := strings.Fields(list(state))
			for _, id := range without {
				if !contains(with, id) {
					t.Fatalf("%s shows %v without values, and with %v only %v", rows, without, state, with)
				}
			}
		}
	})
}

func contains(all []string, one string) bool {
	for _, s := range all {
		if s == one {
			return true
		}
	}
	return false
}
