package facade_test

import (
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/facade/remote"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// gatewayOver is a host without rows over another one: with its folder, or with what its
// discovery says alone.
func gatewayOver(t *testing.T, there *facade.Facade, folder map[string]string) *facade.Facade {
	t.Helper()
	client := served(t, there)
	p := &facade.Project{Registry: schema.Builtins()}
	if folder != nil {
		p = projectOf(t, folder)
	} else {
		document, err := client.Discover(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		known, err := schema.ReadDiscovery(document)
		if err != nil {
			t.Fatal(err)
		}
		p.Fronds = []*project.Frond{project.Discovered(&known.Fronds[0], "http://there")}
	}
	p.Fronds[0].Remote = "http://there"
	f, err := facade.New(storetest.Compiled(t, p), nil, &facade.Options{Remotes: remote.New(map[string]facade.Caller{"shop": client}), Suggest: true})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestWatchOfARemote: whose rows are kept elsewhere is shown as their host shows them.
func TestWatchOfARemote(t *testing.T) {
	there, log := outboxOf(t, shopWithFacts, nil)
	placed(t, there)
	created := log.taken()
	must(t, as(there, staff), "order.update", `{"id":"o-bob"}`, "", `{"customerId":"ada"}`)
	must(t, as(there, staff), "order.update", `{"id":"o-bob"}`, "", `{"customerId":"bob"}`)
	moved := log.taken()
	must(t, as(there, staff), "order.delete", `{"id":"o-bob"}`, "", "")
	deleted := log.taken()
	for i, e := range append(append(created, moved...), deleted...) { // as they arrive
		out, err := there.Outward(e)
		if err != nil {
			t.Fatal(err)
		}
		if before := e.Before; before != nil {
			was := *e
			was.Data = before
			w, err := there.Outward(&was)
			if err != nil {
				t.Fatal(err)
			}
			out.Before = w.Data
		}
		switch {
		case i < len(created):
			created[i] = out
		case i < len(created)+len(moved):
			moved[i-len(created)] = out
		default:
			deleted[i-len(created)-len(moved)] = out
		}
	}
	const ofAda = `created "o-ada" {"id":"o-ada","status":"open","total":7,"customerId":"ada","double":14}` + "\n"
	for name, folder := range map[string]map[string]string{"with its folder": shopWithFacts, "by its discovery": nil} {
		t.Run(name, func(t *testing.T) {
			here := gatewayOver(t, there, folder)
			if f := here.Catalog().Fact("shop", "orderChanged"); f == nil || !f.Changes || f.Door == nil || f.Door.Name != "order" {
				t.Fatalf("the fact of changes is %+v", f)
			}
			shown := func(events []*facade.Event, s facade.Subscription) string {
				t.Helper()
				s.Frond = "shop"
				return revealed(t, here, events, s)
			}
			if got := shown(created, facade.Subscription{Fact: "orderChanged", State: ada}); got != ofAda {
				t.Errorf("own rows: got\n%s", got)
			}
			if got := shown(created, facade.Subscription{Fact: "orderPlaced", State: ada}); got != `created "o-ada" {"id":"o-ada","status":"open"}`+"\n" {
				t.Errorf("a view: got\n%s", got)
			}
			if got := shown(created, facade.Subscription{Fact: "orderChanged", State: ada, Select: []string{"total"}, Filter: raw(`{"status":{"eq":"open"}}`)}); got != `created "o-ada" {"total":7}`+"\n" {
				t.Errorf("a selection and a filter: got\n%s", got)
			}
			if got := shown(created, facade.Subscription{Fact: "orderChanged", State: ada, Filter: raw(`{"status":{"eq":"paid"}}`)}); got != "" {
				t.Errorf("a filter that is not met: got\n%s", got)
			}
			if got := shown(created, facade.Subscription{Fact: "orderChanged"}); !strings.Contains(got, "UNAUTHORIZED") {
				t.Errorf("nobody: got\n%s", got)
			}
			// What the rules of the row's host are is known here by its folder alone.
			wantMoved, wantDeleted := "", ""
			if folder != nil {
				wantMoved = "left \"o-bob\" \n"
				wantDeleted = `deleted "o-bob" {"id":"o-bob","status":"open","total":7,"note":"n","customerId":"bob","double":null}` + "\n"
			}
			if got := shown(moved, facade.Subscription{Fact: "orderChanged", State: ada}); got != wantMoved {
				t.Errorf("a row that left: got\n%q want\n%q", got, wantMoved)
			}
			if got := shown(deleted, facade.Subscription{Fact: "orderChanged", State: staff}); got != wantDeleted {
				t.Errorf("a row that is gone: got\n%q want\n%q", got, wantDeleted)
			}
			if got := shown(deleted, facade.Subscription{Fact: "orderChanged", State: ada}); got != "" {
				t.Errorf("a row of another one that is gone: got\n%q", got)
			}
		})
	}
}
