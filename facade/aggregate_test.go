package facade_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/storetest"
)

func TestAggregate(t *testing.T) {
	f := storetest.Facade(t)
	for _, c := range []struct{ query, want string }{
		{``, `{"items":[{"key":{},"count":5}],"hasMore":false,"endCursor":null}`},
		{`{"filter":{"author":{"name":{"startsWith":"Al"}}}}`, `{"items":[{"key":{},"count":2}],"hasMore":false,"endCursor":null}`},
		{`{"by":"status","limit":0}`, `{"items":[],"hasMore":true,"endCursor":null}`},
		{
			`{"by":["status"],"select":"count","sort":["-count","status"]}`,
			`{"items":[{"key":{"status":"draft"},"count":2},{"key":{"status":"published"},"count":2},{"key":{"status":"archived"},"count":1}],"hasMore":false,"endCursor":"…"}`,
		},
		{
			`{"by":"authorId","select":"price.sum,price.avg","filter":{"authorId":{"eq":"ada"}}}`,
			`{"items":[{"key":{"authorId":"ada"},"price":{"sum":"12.50","avg":"12.50000000"}}],"hasMore":false,"endCursor":"…"}`,
		},
		{
			`{"by":"createdAt:quarter","zone":"Asia/Kolkata"}`,
			`{"items":[{"key":{"createdAt":"2024-01-01T00:00:00+05:30"},"count":5}],"hasMore":false,"endCursor":"…"}`,
		},
		{
			`{"select":["price.min","price.max","count","price.min"],"having":{"price":{"max":{"gt":"1"}},"count":{"lt":9}}}`,
			`{"items":[{"key":{},"price":{"min":"-1.5","max":"12.50"},"count":5}],"hasMore":false,"endCursor":null}`,
		},
	} {
		got, err := do(t, f, "post.aggregate", "", c.query, "")
		if err != nil {
			t.Errorf("%s: %v", c.query, err)
			continue
		}
		if end := jsontext.Get(json.RawMessage(got), "endCursor"); !jsontext.IsNull(end) {
			got = strings.Replace(got, string(end), `"…"`, 1)
		}
		if got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.query, got, c.want)
		}
	}
}

// TestAggregatePages: the pages of an order are the whole of it, and a cursor is of one grouping.
func TestAggregatePages(t *testing.T) {
	f := storetest.Facade(t)
	page := func(query string) (groups []string, end string) {
		t.Helper()
		text, err := do(t, f, "post.aggregate", "", query, "")
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		for _, g := range jsontext.Elements(jsontext.Get(json.RawMessage(text), "items")) {
			groups = append(groups, string(g))
		}
		if string(jsontext.Get(json.RawMessage(text), "hasMore")) == "false" {
			return groups, ""
		}
		return groups, string(jsontext.Get(json.RawMessage(text), "endCursor"))
	}
	for _, of := range []string{`"by":"status","sort":"-count"`, `"by":"rating,status"`, `"by":"createdAt:day","zone":"Europe/Paris","sort":"-createdAt"`, `"by":"authorId","select":"price.avg","sort":"price.avg"`} {
		want, _ := page("{" + of + "}")
		var got []string
		after := ""
		for range len(want) + 1 {
			groups, end := page("{" + of + `,"limit":1` + after + "}")
			got = append(got, groups...)
			if end == "" {
				break
			}
			after = `,"after":` + end
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") || len(want) < 2 {
			t.Errorf("%s: got\n%s\nwant\n%s", of, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	_, end := page(`{"by":"createdAt:day","limit":1}`)
	for _, other := range []string{`"by":"createdAt"`, `"by":"createdAt:month"`, `"by":"createdAt:day","zone":"Europe/Paris"`, `"by":"createdAt:day","sort":"-createdAt"`, `"by":"status"`} {
		_, err := do(t, f, "post.aggregate", "", "{"+other+`,"after":`+end+"}", "")
		if got := refusals(err); !strings.HasPrefix(got, "/query/after cursor: is no cursor of post.aggregate in this order") {
			t.Errorf("a cursor of another grouping, %s: %s", other, got)
		}
	}
}

func TestAggregateRefusals(t *testing.T) {
	f := storetest.Facade(t)
	for _, c := range []struct{ query, want string }{
		{`{"by":"status:month"}`, "/query/by operator: names status by month, and its values are no dates; write status alone"},
		{`{"by":"createdAt:decade"}`, "/query/by enum: names createdAt by decade, which is no unit; the units are hour, day, week, month, quarter, year"},
		{`{"by":"dueOn:hour"}`, "/query/by operator: names dueOn by hour, and its dates have no time; write day or a longer unit"},
		{`{"by":"createdAt:day,createdAt:month"}`, "/query/by uniqueItems: names createdAt twice; a field groups once"},
		{`{"by":"keywords"}`, "/query/by operator: names keywords, whose values cannot be compared; leave it out"},
		{`{"by":7}`, `/query/by type: must be names of fields, such as "status,placedAt:month" or ["status", "placedAt:month"]`},
		{`{"by":"a,b,c,d,e,f,g,h,i"}`, "/query/by maxItems: must have at most 8 names"},
		{`{"select":"price"}`, "/query/select operator: names price without a function; write one of price.countDistinct, price.sum, price.avg, price.min, price.max"},
		{`{"select":"price.median"}`, "/query/select operator: names median, which is no function; price has price.countDistinct, price.sum, price.avg, price.min, price.max"},
		{`{"select":"title.sum"}`, "/query/select operator: names title.sum, which its values do not have; title has title.countDistinct, title.min, title.max"},
		{`{"select":"featured.max"}`, "/query/select operator: names featured.max, which true and false do not have; write by: featured for the rows of each, or featured.countDistinct"},
		{`{"select":"avg(price)"}`, "/query/select unknown_key: names avg(price), which post does not have; write price.avg"},
		{`{"select":"sum.price"}`, "/query/select unknown_key: names sum.price, which post does not have; write price.sum"},
		{`{"by":"createdAt.month"}`, "/query/by unknown_key: names createdAt.month, which post does not have; write createdAt:month"},
		{`{"by":"year(createdAt)"}`, "/query/by unknown_key: names year(createdAt), which post does not have; write createdAt:year"},
		{`{"select":"nothing.sum"}`, "/query/select unknown_key: names nothing, which post does not have"},
		{`{"sort":"-price.sum"}`, "/query/sort unknown_key: names price.sum, which is neither in by nor in select; name it there too, or leave it out"},
		{`{"by":"status","sort":"status,-status"}`, "/query/sort uniqueItems: names status twice; leave the second one out"},
		{`{"having":{"price":{"sum":{"gt":"1"}}}}`, "/query/having/price unknown_key: names price, which is not in select; name it there too, or leave it out"},
		{`{"select":"price.avg","having":{"or":[{"price":{"sum":{"gt":"1"}}}]}}`, "/query/having/or/0/price/sum unknown_key: names price.sum, which is not in select; name it there too, or leave it out"},
		{`{"select":"price.avg","having":{"price":{"avg":{"gt":1}}}}`, `/query/having/price/avg/gt type: must be a decimal number in quotes, such as "12.50"`},
		{`{"having":{"count":5}}`, `/query/having/count type: must be an object of operators; write {"eq": …} around the value`},
		{`{"zone":"Mars/Olympus"}`, "/query/zone zone: is no time zone; write a name such as Europe/Paris, or leave it out for UTC"},
		{`{"zone":"Local"}`, "/query/zone zone: is no time zone; write a name such as Europe/Paris, or leave it out for UTC"},
		{`{"after":"x"}`, "/query/after cursor: cannot be used without by: there is one group; leave it out"},
		{`{"offset":1}`, "/query/offset unknown_key: is not a key of post.aggregate"},
	} {
		_, err := do(t, f, "post.aggregate", "", c.query, "")
		if got := refusals(err); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", c.query, got, c.want)
		}
	}
	if _, err := do(t, f, "post.aggregate", "", "", `{"by":"status"}`); refusals(err) == "" {
		t.Error("a body was taken")
	}
}

// TestAggregateOfACaller: the rows and the fields are those of list, and a hidden field answers as one that
// does not exist.
func TestAggregateOfACaller(t *testing.T) {
	p := projectOf(t, desk(`
name: desk
collectors:
  order:
    - {when: user.clerk, hide: [internalNote], rows: {total: {lt: 40}}}
    - {when: user.auditor, deny: [aggregate]}
    - {deny: all}
  customer: open
  line: open
`))
	f := storetest.New(t, p, storetest.NewStore(), &facade.Options{})
	clerk, auditor := user(f, "clerk", true), user(f, "auditor", true)
	if got := answer(t, clerk, "order.aggregate", "", `{"select":"count,total.sum,total.max"}`, ""); got != `{"items":[{"key":{},"count":3,"total":{"sum":60,"max":30}}],"hasMore":false,"endCursor":null}` {
		t.Errorf("the rows of a clerk: %s", got)
	}
	for _, query := range []string{`{"by":"NAME"}`, `{"select":"NAME.min"}`, `{"select":"NAME"}`, `{"sort":"NAME"}`, `{"by":"NAME:month"}`, `{"having":{"NAME":{"min":{"eq":"x"}}}}`, `{"filter":{"NAME":{"eq":"x"}}}`} {
		_, hidden := do(t, clerk, "order.aggregate", "", strings.ReplaceAll(query, "NAME", "internalNote"), "")
		_, missing := do(t, clerk, "order.aggregate", "", strings.ReplaceAll(query, "NAME", "none"), "")
		if got, want := strings.ReplaceAll(refusals(hidden), "internalNote", "none"), refusals(missing); got != want || got == "" {
			t.Errorf("%s: a hidden field answers\n%s\nand one that is not there\n%s", query, got, want)
		}
	}
	if _, err := do(t, auditor, "order.aggregate", "", "", ""); kiterror.CodeOf(err) != kiterror.Forbidden {
		t.Errorf("denied by its name: %v", err)
	}
	if _, err := do(t, auditor, "order.list", "", "", ""); err != nil {
		t.Errorf("list beside it: %v", err)
	}
	if _, err := do(t, as(f, nil), "order.aggregate", "", "", ""); kiterror.CodeOf(err) != kiterror.Unauthorized {
		t.Errorf("nobody: %v", err)
	}
}

// TestAggregateOfManyKeys: a call for many keys has a page for each, near and far.
func TestAggregateOfManyKeys(t *testing.T) {
	there := hosting(t, nil)
	keys := []json.RawMessage{[]byte(`"ada"`), []byte(`"nobody"`), []byte(`null`), []byte(`"alan"`), []byte(`"ada"`), []byte(`7`)}
	for name, f := range map[string]*facade.Facade{"near": there, "far": atRemote(t, there, cardsAndKnown, nil)} {
		ask := func(query string, each facade.Each) (string, error) {
			each.Keys = keys
			res, err := f.Call(t.Context(), &facade.Call{Entity: "post", Operation: "aggregate", Each: &each, Invocation: facade.Invocation{Query: json.RawMessage(query)}})
			if err != nil {
				return "", err
			}
			return ends.ReplaceAllString(string(res.AppendJSON(nil)), `"endCursor":"…"`), nil
		}
		of := func(groups string, more bool, end string) string {
			return fmt.Sprintf(`{"items":[%s],"hasMore":%v,"endCursor":%s}`, groups, more, end)
		}
		for query, want := range map[string][]string{
			`{"select":"count,price.max,status.countDistinct"}`: {
				of(`{"key":{},"count":1,"price":{"max":"12.50"},"status":{"countDistinct":1}}`, false, "null"),
				of(`{"key":{},"count":0,"price":{"max":null},"status":{"countDistinct":0}}`, false, "null"),
				of(`{"key":{},"count":2,"price":{"max":"10.00"},"status":{"countDistinct":2}}`, false, "null"),
			},
			`{"by":"status","sort":"-status","limit":1}`: {
				of(`{"key":{"status":"published"},"count":1}`, false, `"…"`), of("", false, "null"), of(`{"key":{"status":"published"},"count":1}`, true, `"…"`),
			},
		} {
			got, err := ask(query, facade.Each{Field: "authorId"})
			if list := "[" + strings.Join([]string{want[0], want[1], want[1], want[2], want[0], want[1]}, ",") + "]"; err != nil || got != list {
				t.Errorf("%s, %s: %v, got\n%s\nwant\n%s", name, query, err, got, list)
			}
		}
		list := []string{of(`{"key":{},"count":2}`, false, "null"), of(`{"key":{},"count":0}`, false, "null"), of(`{"key":{},"count":1}`, false, "null")}
		ids := []json.RawMessage{[]byte(`"p1"`), []byte(`"p2"`), []byte(`"nobody"`), []byte(`"p1"`), []byte(`null`), []byte(`"p3"`)}
		res, err := f.Call(t.Context(), &facade.Call{Entity: "post", Operation: "aggregate", Each: &facade.Each{Field: "id", Keys: ids, Ends: []int{4, 4, 6}}})
		if err != nil || string(res.AppendJSON(nil)) != "["+strings.Join(list, ",")+"]" {
			t.Errorf("%s: lists of keys: %v %s", name, err, res.AppendJSON(nil))
		}
		if _, err := f.Call(t.Context(), &facade.Call{Entity: "post", Operation: "list", Each: &facade.Each{Field: "id", Keys: ids, Ends: []int{6}}}); kiterror.CodeOf(err) != kiterror.BadRequest {
			t.Errorf("%s: a list of lists: %v", name, err)
		}
		if _, err := ask(`{"having":{"count":{"gt":1}}}`, facade.Each{Field: "authorId"}); refusals(kiterror.AsError(err)) != "/query/having exclusive: cannot be used without by in a call for many keys; leave it out" {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := ask(``, facade.Each{Field: "none"}); kiterror.CodeOf(err) != kiterror.ValidationFailed {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// ends are the cursors of pages.
var ends = regexp.MustCompile(`"endCursor":"[^"]+"`)

// TestAggregateBehindAHandler: where the author's code answers list, callers have no aggregate.
func TestAggregateBehindAHandler(t *testing.T) {
	p := storetest.Project(t)
	facade.Handle(p.Door("post"), "list", func(ctx context.Context, c *facade.Call) (any, error) { return facade.Inside(ctx).Call(ctx, c) })
	f := storetest.New(t, p, storetest.NewStore(), &facade.Options{Now: noon})
	if _, err := do(t, f, "post.aggregate", "", "", ""); kiterror.CodeOf(err) != kiterror.NotFound {
		t.Errorf("got %v", err)
	}
	if _, err := do(t, f, "author.aggregate", "", "", ""); err != nil {
		t.Errorf("another door: %v", err)
	}
}

// TestAggregateElsewhere: a remote Frond without the operation is known by its discovery, and the call
// names the reason. Other doors of the same host have it.
func TestAggregateElsewhere(t *testing.T) {
	there := hosting(t, func(p *facade.Project) {
		facade.Handle(p.Door("post"), "list", func(ctx context.Context, c *facade.Call) (any, error) { return facade.Inside(ctx).Call(ctx, c) })
	})
	for _, mode := range []string{cardsAndKnown, knownAlone} {
		far := atRemote(t, there, mode, nil)
		_, err := do(t, far, "post.aggregate", "", "", "")
		const want = "post has no operation called aggregate: the host that it runs at does not offer it; list the rows, and group them where they are read"
		if e := kiterror.AsError(err); e == nil || e.Code != kiterror.NotFound || e.Message != want {
			t.Errorf("%s: got %v", mode, err)
		}
		if got := answer(t, far, "comment.aggregate", "", `{"filter":{"likes":{"gte":12}}}`, ""); !strings.HasPrefix(got, `{"items":[{"key":{},"count":`) {
			t.Errorf("%s: another door: %s", mode, got)
		}
	}
}
