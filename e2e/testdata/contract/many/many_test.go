package shapes

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/frondhost/frond/facade"
)

// TestMany: writes of many rows send the bodies that the host takes, and read its answers.
func TestMany(t *testing.T) {
	var sent, answer string
	things := NewClient(facade.CallerFunc(func(_ context.Context, c *facade.Call) (*facade.Result, error) {
		sent = c.Operation + " " + string(c.Invocation.Query) + " " + string(c.Invocation.Body)
		return &facade.Result{Form: facade.FormValue, Value: json.RawMessage(answer)}, nil
	})).Thing
	ctx := t.Context()
	is := func(want string, err error) {
		t.Helper()
		if err != nil || sent != want {
			t.Errorf("sent %s (%v), want %s", sent, err, want)
		}
	}

	answer = `{"items":[{"id":1,"text":"a"},{"id":2,"text":"b"}]}`
	made, err := things.CreateMany(ctx, nil, Fields("id", "text"))
	is(`createMany {"fields":["id","text"]} []`, err)
	if len(made) != 2 || made[1].Text != "b" {
		t.Error(made)
	}
	answer = `{"count":2,"items":[{"id":1},{"id":2}]}`
	written, err := things.UpdateMany(ctx, Filter{"text": Filter{"eq": "a"}}, ThingPatch{Text: Set("c")}, Max(3))
	is(`updateMany {"max":3,"where":{"text":{"eq":"a"}}} {"text":"c"}`, err)
	if written.Count != 2 || len(written.Items) != 2 {
		t.Error(written)
	}
	_, err = things.DeleteMany(ctx, Filter{"id": Filter{"lt": 3}})
	is(`deleteMany {"where":{"id":{"lt":3}}} `, err)
	_, err = things.DeleteMany(ctx, nil, Where(Filter{"id": Filter{"lt": 3}}))
	is(`deleteMany {"where":{"and":[{"id":{"lt":3}},null]}} `, err)
	answer = `{"created":true,"item":{"id":1,"text":"a"}}`
	row, err := things.Upsert(ctx, "id", ThingInput{})
	if err != nil || !row.Created || row.Item.Text != "a" || sent[:len(`upsert {"by":"id"} {`)] != `upsert {"by":"id"} {` {
		t.Error(row, sent, err)
	}
	answer = `{"items":[{"key":{"text":null},"count":2,"text":{"max":"b"}}],"hasMore":false,"endCursor":null}`
	groups, err := things.Aggregate(ctx, ThingAggregateIn{By: Set(json.RawMessage(`"text"`)), Select: Set(json.RawMessage(`"count,text.max"`))})
	is(`aggregate {"by":"text","select":"count,text.max"} `, err)
	if g := groups.Items[0]; *g.Count != 2 || *g.Text.Max != "b" || g.Key.Text != nil || groups.EndCursor != nil {
		t.Errorf("%+v", groups)
	}
	answer = `{"created":1,"updated":2,"rows":4,"complete":true,"faults":[{"row":3,"column":"text","code":"minLength","message":"must have at least 1 character"}]}`
	report, err := things.Import(ctx, "id", nil, DryRun(), Faults(9))
	is(`import {"by":"id","dryRun":true,"faults":9} []`, err)
	if !report.Complete || report.Updated != 2 || report.Faults[0].Row != 3 || *report.Faults[0].Column != "text" {
		t.Error(report)
	}
}
