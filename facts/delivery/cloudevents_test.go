package delivery_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facts/delivery"
)

// TestActorAttributes: an event has the attributes of its actor where they are wanted, and no others.
func TestActorAttributes(t *testing.T) {
	whole := &facade.Actor{User: `u-"eve"`, Call: "order.update", Request: "4bf9", By: catalog.ByCall, As: "u-ann", Token: "ci"}
	for _, c := range []struct {
		name  string
		write bool
		actor *facade.Actor
		want  map[string]string
	}{
		{"all", true, whole, map[string]string{"actoruser": `u-"eve"`, "actorcall": "order.update", "actorrequest": "4bf9", "actorby": "call", "actoras": "u-ann", "actortoken": "ci"}},
		{"of a job", true, &facade.Actor{Call: "order.sweep", By: catalog.ByJob}, map[string]string{"actorcall": "order.sweep", "actorby": "job"}},
		{"of an older event", true, nil, map[string]string{}},
		{"not wanted", false, whole, map[string]string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := delivery.CloudEvents{Actor: c.write}
			text, err := w.Write(&facade.Event{ID: "1", Frond: "shop", Name: "orderChanged", At: time.Unix(0, 0), Data: json.RawMessage(`{"id":"o-1"}`), Actor: c.actor})
			if err != nil {
				t.Fatal(err)
			}
			var all map[string]any
			if err := json.Unmarshal(text, &all); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			got := map[string]string{}
			for name := range all {
				if strings.HasPrefix(name, "actor") {
					got[name], _ = all[name].(string)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
		})
	}
}
