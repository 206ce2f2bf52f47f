package resolvers_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema/jsontext"
)

// fake is a Caller over rows that are just text, whatever a card would say of
// them: a far Frond, as bad as it gets.
type fake map[string]string // by entity, or entity.operation: a JSON array or value

func (f fake) Call(_ context.Context, c *facade.Call) (*facade.Result, error) {
	name := c.Entity + "." + c.Operation
	if text, ok := f[name]; ok {
		if text == "fails" {
			return nil, kiterror.Errorf(kiterror.Conflict, "%s fails", name).At(c.Entity, c.Operation)
		}
		return &facade.Result{Form: facade.FormValue, Value: json.RawMessage(text)}, nil
	}
	fields := append([]string{"id"}, c.Select...)
	if c.Each != nil {
		fields = append(fields, c.Each.Field)
	}
	all, ok := rows.Read(rows.NewLayout(fields), json.RawMessage(f[c.Entity]))
	if !ok {
		return nil, kiterror.Errorf(kiterror.InternalError, "no rows of %s", c.Entity)
	}
	switch {
	case c.Each != nil:
		found := rows.New(all.Layout(), all.Len())
		groups := make([]facade.Group, len(c.Each.Keys))
		for i, k := range c.Each.Keys {
			groups[i].From = found.Len()
			for j := range all.Len() {
				if string(all.Row(j).Get(c.Each.Field)) == string(k) {
					copyInto(found, all.Row(j))
				}
			}
			groups[i].To = found.Len()
			groups[i].Page.Total = int64(groups[i].To - groups[i].From)
		}
		return &facade.Result{Form: facade.FormRow, Rows: found, Groups: groups}, nil
	case c.Operation == "findById":
		id := jsontext.Get(c.Invocation.ParamsJSON(), "id")
		found := rows.New(all.Layout(), 1)
		for j := range all.Len() {
			if string(all.Row(j).Get("id")) == string(id) {
				copyInto(found, all.Row(j))
			}
		}
		return &facade.Result{Form: facade.FormRow, Rows: found}, nil
	}
	return &facade.Result{Form: facade.FormPage, Rows: all, Page: facade.Page{Total: int64(all.Len()), Cursors: []string{"end"}}}, nil
}

func copyInto(found *rows.Rows, r rows.Row) {
	found.BeginRow()
	for i := range found.Layout().Fields {
		if v := r.At(i); v != nil {
			found.Put(i, v)
		}
	}
	found.EndRow()
}

// faked runs a query of the blog's schema over a fake.
func faked(t testing.TB, s *binding.Schema, f fake, query, variables string) string {
	t.Helper()
	e, err := resolvers.NewEngine(s, f, &resolvers.Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	return string(e.Execute(context.Background(), &resolvers.Request{Query: query, Variables: json.RawMessage(variables)}).Body)
}
