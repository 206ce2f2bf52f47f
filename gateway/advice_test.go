package gateway_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/explain"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
)

// TestAdvice: the admin listener lists the reads of a whole table, and so does the store once the gateway
// has ended; callers see nothing of it.
func TestAdvice(t *testing.T) {
	project := func() *facade.Project {
		return folderOf(t, map[string]string{"entities/note.yaml": noteCard, "frond.yaml": "collectors: {note: open}\nmany: {note: [create]}\n"})
	}
	opts := &gateway.Options{Logger: silence, Config: gateway.Config{Extras: all.Extras(), Dir: t.TempDir(), Store: "sqlite:notes.db", Admin: gateway.Admin{Listen: "127.0.0.1:0"}}}
	gw, err := gateway.New(project(), opts)
	if err != nil {
		t.Fatal(err)
	}
	closed := false
	t.Cleanup(func() {
		if !closed {
			_ = gw.Close()
		}
	})
	var notes []string
	for i := range 900 {
		notes = append(notes, fmt.Sprintf(`{"id":"n%d","title":"secret %d"}`, i, i))
	}
	if w := askHandler(gw.Handler(), "POST", "/api/app/notes", "["+strings.Join(notes, ",")+"]"); w.Code != 201 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	read := func() (all []explain.Advice) {
		t.Helper()
		w := askHandler(gw.AdminHandler(), "GET", "/advice", "")
		if err := json.Unmarshal(w.Body.Bytes(), &all); err != nil || w.Code != 200 || strings.Contains(w.Body.String(), "secret") {
			t.Fatalf("/advice: %d %s", w.Code, w.Body)
		}
		return all
	}
	if all := read(); len(all) != 0 {
		t.Errorf("before a read it has %+v", all)
	}
	for range 2 {
		if w := askHandler(gw.Handler(), "GET", "/api/app/notes?filter[title]=secret%207&sort=id", ""); w.Code != 200 || !strings.Contains(w.Body.String(), `"n7"`) {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	for range 2 { // the second has nothing new
		if all := read(); len(all) != 1 || all[0].Shape != "note where title eq sort id with total" || all[0].Reads != 2 || all[0].Field != "title" {
			t.Errorf("/advice has %+v", all)
		}
	}
	if w := askHandler(gw.Handler(), "GET", "/advice", ""); w.Code != 404 {
		t.Errorf("callers get %d %s", w.Code, w.Body)
	}
	askHandler(gw.Handler(), "GET", "/api/app/notes?filter[title]=x&sort=id", "")
	if err := gw.Close(); err != nil {
		t.Fatal(err)
	}
	closed = true
	if all, err := gateway.Advise(t.Context(), project(), opts); err != nil || len(all) != 1 || all[0].Reads != 3 {
		t.Errorf("the store has %+v, %v", all, err)
	}
}
