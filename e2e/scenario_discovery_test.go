package e2e_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/schema"
)

// discovered is a discovery document as a consumer reads it (spec 2.5).
type discovered struct {
	Version int `json:"x-kit-version"`
	Fronds  []struct {
		Name  string
		Doors []struct {
			Name string
			Ops  []struct {
				Name, Kind, Description string
				Input, Output           json.RawMessage
			}
			Schema json.RawMessage
		}
		Facts []struct {
			Name   string
			Schema json.RawMessage
		}
	}
}

func discover(t *testing.T, url string) (discovered, []byte) {
	t.Helper()
	res := send(t, "POST", url+"/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`)
	var frame struct{ Result json.RawMessage }
	var d discovered
	if err := json.Unmarshal(res.Body, &frame); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(frame.Result, &d); err != nil {
		t.Fatal(err)
	}
	return d, frame.Result
}

// TestDiscovery: the document says what is callable, and nothing of what is not.
func TestDiscovery(t *testing.T) {
	t.Parallel()
	p := startPress(t)
	d, text := discover(t, p.URL)
	if d.Version != 1 {
		t.Errorf("x-kit-version is %d", d.Version)
	}
	if len(d.Fronds) != 1 || d.Fronds[0].Name != "press" {
		t.Fatalf("fronds: %+v", d.Fronds)
	}
	frond := d.Fronds[0]
	var doors []string
	type op struct {
		Kind          string
		Input, Output string // the title of the card, or "" for none
		Described     bool
	}
	ops := map[string]op{}
	for _, door := range frond.Doors {
		doors = append(doors, door.Name)
		if stored := door.Schema != nil; stored == (door.Name == "desk") {
			t.Errorf("%s: a schema is there: %v", door.Name, stored)
		}
		for _, o := range door.Ops {
			ops[door.Name+"."+o.Name] = op{o.Kind, title(t, o.Input), title(t, o.Output), o.Description != ""}
		}
	}
	slices.Sort(doors)
	// The ledger has no façade: its shape is not published (rule 2).
	if want := []string{"author", "book", "desk", "visit"}; !slices.Equal(doors, want) {
		t.Errorf("doors are %v, want %v", doors, want)
	}
	for name, want := range map[string]op{
		"book.create":       {"command", "book", "book", ops["book.create"].Described},
		"book.reprint":      {"command", "reprintinput", "book", true},
		"book.labels":       {"query", "", "booklabel", false},
		"book.findCheapest": {"query", "", "book", false},
		"book.countPages":   {"query", "", "", true}, // no shape, no output (rule 1)
		"book.shelve":       {"command", ops["book.shelve"].Input, "", true},
		"book.fail":         {"command", "", "", false},
		"desk.check":        {"query", "", "", true},
	} {
		if got := ops[name]; got != want {
			t.Errorf("%s is %+v, want %+v", name, got, want)
		}
	}
	if ops["book.shelve"].Input == "" {
		t.Error("book.shelve names no input")
	}
	if _, there := ops["author.update"]; there {
		t.Error("author.update is published and not served")
	}
	if len(frond.Facts) != 2 || frond.Facts[0].Name != "bookPrinted" || title(t, frond.Facts[0].Schema) != "booklabel" ||
		frond.Facts[1].Name != "inkLow" || frond.Facts[1].Schema != nil {
		t.Errorf("facts: %+v", frond.Facts)
	}
	// Facts are the same on every way to them (rule 3), and are not called.
	answered := run(t, "", "call", "rpc.discover", "--url", p.URL, "--json")
	if diff := cmp.Diff(decode(t, text), decode(t, []byte(answered.stdout))); diff != "" {
		t.Errorf("frond call rpc.discover differs:\n%s", diff)
	}
	// Its events are read there, and nothing is called.
	if res := send(t, "POST", p.URL+"/api/press/facts/bookPrinted", `{}`); res.Status != 405 {
		t.Errorf("a fact is called: %d %s", res.Status, res.Body)
	}
}

// title is the title of a card, which has to be whole: version, vendor, type.
func title(t *testing.T, card json.RawMessage) string {
	t.Helper()
	if card == nil {
		return ""
	}
	var c struct {
		Title, Type string
		Version     int    `json:"x-kit-version"`
		Vendor      string `json:"x-kit-vendor"`
	}
	if err := json.Unmarshal(card, &c); err != nil || c.Type != "object" || c.Version != 1 || c.Vendor != "frondhost" {
		t.Errorf("not a whole card: %v %s", err, card)
	}
	return c.Title
}

// TestConsumerJudgesAlike: who rebuilds the entities from what the host publishes
// judges a body with the host's own words (spec 1.5).
func TestConsumerJudgesAlike(t *testing.T) {
	t.Parallel()
	p := startPress(t)
	d, _ := discover(t, p.URL)
	var sources []schema.Source
	for _, door := range d.Fronds[0].Doors {
		if door.Schema == nil {
			continue
		}
		card := &schema.Card{}
		if err := json.Unmarshal(door.Schema, card); err != nil {
			t.Fatal(err)
		}
		sources = append(sources, schema.Source{File: door.Name, Name: door.Name, Frond: "press", Card: card})
	}
	set, err := schema.Compile(sources, schema.Builtins(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{
		`{}`, `null`, `[]`, `{"title":null,"shelf":3,"copies":4,"author":7}`,
		`{"title":"","author":"a-1","price":"1.00","pages":0,"bound":"yes","language":"la"}`,
		`{"title":"x","author":"a-1","price":"1.00","pages":1,"bound":null,"colophon":{"typeface":"a","ink":"b","paper":{"weight":1.5}}}`,
		`{"title":"x","author":"a-1","price":"1.00","pages":1,"bound":null,"printedAt":"yesterday","bornOn":"2001-02-29"}`,
	} {
		_, near := set.Entity("book").Judge(schema.Create, json.RawMessage(body), "/body")
		res := send(t, "POST", p.URL+"/api/press/volumes", body)
		var problem struct{ Data struct{ Details any } }
		if err := json.Unmarshal(res.Body, &problem); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(decode(t, []byte(encode(t, problem.Data.Details))), decode(t, []byte(encode(t, near)))); diff != "" || len(near) == 0 {
			t.Errorf("%s (-host +consumer):\n%s\n%s", body, diff, res.Body)
		}
	}
}
