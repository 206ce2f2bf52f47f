package facade_test

import (
	"encoding/base64"
	"fmt"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/internal/kittest"
)

func TestCursorFromElsewhere(t *testing.T) {
	f := kittest.Facade(t)
	cursor := func(method, query string) string {
		t.Helper()
		page, err := facade.Do[facade.List[any]](t.Context(), f, method, facade.Invocation{Query: raw(query)})
		if err != nil || page.EndCursor == "" {
			t.Fatalf("%v %v", page, err)
		}
		return page.EndCursor
	}
	good := cursor("post.list", `{"sort":"-rating","limit":2}`)
	raw9, _ := base64.RawURLEncoding.DecodeString(good)
	with := func(array string) string {
		return base64.RawURLEncoding.EncodeToString(append(append([]byte{}, raw9[:9]...), array...))
	}
	for _, c := range []struct{ name, cursor, want string }{
		{"its own", good, "p4 p5 p3"},
		{"a null where a field may be null", with(`[null,"p3"]`), ""},
		{"other values of the right kinds", with(`[4,"p9"]`), "p4 p5 p3"},
		{"of another order", cursor("post.list", `{"sort":"rating","limit":2}`), "no"},
		{"of no order", cursor("post.list", `{"limit":2}`), "no"},
		{"of another entity", cursor("author.list", `{"limit":2}`), "no"},
		{"a value too few", with(`[4]`), "no"},
		{"a value too many", with(`[4,"p1",1]`), "no"},
		{"a value of another kind", with(`["4","p1"]`), "no"},
		{"a null key", with(`[4,null]`), "no"},
		{"an object", with(`{"rating":4}`), "no"},
		{"a nested value", with(`[[4],"p1"]`), "no"},
		{"no JSON", with(`[4,"p1"`), "no"},
		{"a head alone", with(``), "no"},
		{"another version", "AA" + good[2:], "no"},
		{"padding", good + "==", "no"},
		{"not base64", "!!!", "no"},
		{"very long", with(fmt.Sprintf(`[4,%q]`, make([]byte, 9000))), "no"},
		{"SQL", with(`[4,"' OR 1=1 --"]`), "p4 p5 p3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, err := do(t, f, "post.list", "", fmt.Sprintf(`{"sort":"-rating","after":%q}`, c.cursor), "")
			got := "no"
			if err == nil {
				got = ids(t, text)
			} else if err.Code != facade.ValidationFailed {
				t.Errorf("%v", err)
			}
			if got != c.want {
				t.Errorf("got %s want %s (%v)", got, c.want, err)
			}
		})
	}
}
