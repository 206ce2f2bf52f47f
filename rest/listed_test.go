package rest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
)

// TestNews: what a list has said of a row is no news, and neither is what was so before.
func TestNews(t *testing.T) {
	for _, c := range []struct{ batches, want string }{
		{"a:2", "a:2"},                     // the list is older
		{"a:1", ""},                        // the list has said it
		{"a:2 a:1", ""},                    // the list was read behind both
		{"a:2 a:1 a:3", "a:3"},             // and before the third
		{"a:2 b:5 a:1 x:1 a:4", "x:1 a:4"}, // rows apart from one another
		{"a:1 a:left a:1", ""},
		{"a:left", "a:left"},
		{"a:left a:1 a:deleted", "a:deleted"},
		{"a:1, a:1", ", a:1"}, // what comes later is news
		{"a:2, a:1", "a:2, a:1"},
		{"x:1 x:1", "x:1 x:1"}, // no row of the list
	} {
		l := listed{`"a"`: hashOf([]byte("1")), `"b"`: hashOf([]byte("5"))}
		var got []string
		for batch := range strings.SplitSeq(c.batches, ",") {
			var shown []facade.Revealed
			for text := range strings.FieldsSeq(batch) {
				key, said, _ := strings.Cut(text, ":")
				r := facade.Revealed{Key: json.RawMessage(fmt.Sprintf("%q", key)), Change: catalog.Updated, Data: json.RawMessage(said)}
				if said == "left" || said == "deleted" {
					r.Change, r.Data = catalog.Change(said), nil
				}
				shown = append(shown, r)
			}
			var list []string
			for _, r := range l.news(shown) {
				said := string(r.Data)
				if r.Data == nil {
					said = string(r.Change)
				}
				list = append(list, strings.Trim(string(r.Key), `"`)+":"+said)
			}
			got = append(got, strings.Join(list, " "))
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s: %q, want %q", c.batches, text, c.want)
		}
	}
}
