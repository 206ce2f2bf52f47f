package frond_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"testing/fstest"
	"time"

	"github.com/frondhost/frond"
)

type base struct {
	ID string
}

type kind string

type size struct{ W, H float64 }

// thing has a field of every sort that a struct may have.
type thing struct {
	base
	Kind    kind
	Count   int64
	Small   int8
	Share   float64
	Loose   *float64
	Open    bool
	Tags    []string
	Size    *size
	Any     json.RawMessage
	At      time.Time
	Day     string `json:"on"`
	Price   string
	Skipped string `json:"-"`
}

// flat is thing without an embedded struct: its rows are read field by field.
type flat struct {
	ID    string
	Kind  kind
	Count int64
	Small int8
	Share float64
	Loose *float64
	Open  bool
	Tags  []string
	Size  *size
	Any   json.RawMessage
	At    time.Time
	On    string
	Price string
}

const thingCard = `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}
  kind: {type: string}
  count: {type: integer, format: int64}
  small: {type: integer, x-kit: {lifecycle: {create: {value: 7}}}}
  share: {type: number}
  loose: {type: [number, 'null'], x-kit: {lifecycle: {create: optional}}}
  open: {type: boolean}
  tags: {type: array, items: {type: string}, x-kit: {lifecycle: {create: {value: []}}}}
  size: {type: [object, 'null'], properties: {w: {type: number}, h: {type: number}}, x-kit: {lifecycle: {create: optional}}}
  any: {type: object, x-kit: {lifecycle: {create: optional}}}
  at: {type: string, format: date-time, x-kit: {lifecycle: {create: now}}}
  on: {type: string, format: date}
  price: {type: string, format: decimal}
required: [kind, count, share, open, on, price]
`

// TestFields: what a struct holds is what a row holds, whatever the types.
func TestFields(t *testing.T) {
	files := fstest.MapFS{
		"frond.yaml":          {Data: []byte("collectors: {'*': open}\n")},
		"entities/thing.yaml": {Data: []byte(thingCard)},
		"entities/flat.yaml":  {Data: []byte(thingCard)},
	}
	app := frond.New(files)
	frond.Door[thing](app, "thing")
	frond.Door[flat](app, "flat")
	ctx := frond.Test(t, app)

	half := 0.5
	in := flat{
		Kind: "k\n\"ä", Count: 1 << 60, Share: 1e-7, Loose: &half, Open: false, Tags: []string{"a", "b"}, Size: &size{1.5, 2},
		Any: json.RawMessage(`{"deep":[1]}`), At: time.Date(2026, 5, 1, 12, 0, 0, 123e6, time.UTC), On: "2026-05-01", Price: "12.50",
	}
	made, err := frond.Inside[flat](ctx).Create(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	want := in
	want.ID, want.Small = made.ID, 7
	found, err := frond.Inside[flat](ctx).Find(ctx, made.ID)
	if err != nil || !reflect.DeepEqual(*made, want) || !reflect.DeepEqual(*found, want) {
		t.Errorf("made  %+v\nfound %+v, %v\nwant  %+v", made, found, err, want)
	}
	one, err := frond.Inside[thing](ctx).Create(ctx, &thing{base: base{ID: "t"}, Kind: "x", Day: "2026-05-02", Price: "0"})
	if err != nil || one.ID != "t" || one.Day != "2026-05-02" || one.Small != 7 || one.Loose != nil || one.At.IsZero() || one.Tags == nil {
		t.Errorf("%+v, %v", one, err)
	}
	again, err := frond.Inside[thing](ctx).Update(ctx, "t", frond.Set{"count": int64(1)<<60 + 1, "loose": nil, "size": map[string]any{"w": 3}})
	if err != nil || again.Count != 1<<60+1 || again.Size.W != 3 {
		t.Errorf("%+v, %v", again, err)
	}
}
