package differential

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/resolvers/binding"
)

// dice are numbers that follow from a seed; the reference throws the same ones
// (mulberry32).
type dice uint32

func (d *dice) next() uint32 {
	*d += 0x6D2B79F5
	t := uint32(*d)
	t = (t ^ t>>15) * (t | 1)
	t ^= t + (t^t>>7)*(t|61)
	return t ^ t>>14
}

func (d *dice) below(n int) int { return int(d.next() % uint32(n)) }

// seedOf is FNV-1a.
func seedOf(text string) uint32 {
	h := uint32(2166136261)
	for i := range len(text) {
		h = (h ^ uint32(text[i])) * 16777619
	}
	return h
}

// thing is an object that a hand-written field gives: everything in it follows
// from the seed.
type thing struct {
	Type string
	Seed uint32
	Mark string // read by a field without a Resolve
}

// hand is the Resolve of every hand-written field.
func (w *world) hand(p graphql.ResolveParams) (any, error) {
	parent, name := p.Info.ParentType.Name(), p.Info.FieldName
	field, ok := p.Info.ParentType.(*graphql.Object)
	if !ok {
		return nil, fmt.Errorf("the parent of %s is no object", name)
	}
	def := field.Fields()[name]
	seed := w.seed
	switch source := p.Source.(type) {
	case rows.Row:
		seed = seedOf(parent + ":" + string(source.Get("id")))
	case thing:
		seed = source.Seed
	case *thing:
		seed = source.Seed
	}
	args := map[string]any{}
	for _, a := range def.Args {
		if v, ok := p.Args[a.PrivateName]; ok {
			args[a.PrivateName] = plain(a.Type, v)
		}
	}
	key := fmt.Sprintf("%d|%s.%s|%s", seed, parent, name, canonical(args))
	if parent == "Mutation" { // these see how many went before
		t := p.Context.Value(tallyKey{}).(*tally)
		t.n++
		key += fmt.Sprintf("|%d", t.n)
	}
	d := dice(seedOf(key))
	later := seedOf(key)&8 == 0
	v := w.throw(&d, p, p.Info.ReturnType)
	if fail, ok := v.(error); ok && !later {
		return nil, fail
	}
	if _, ok := v.(error); ok || later {
		return func() (any, error) { fail, _ := v.(error); return without(v), fail }, nil
	}
	return v, nil
}

func without(v any) any {
	if _, failed := v.(error); failed {
		return nil
	}
	return v
}

// tally counts the mutations of one request.
type tally struct{ n int }

type tallyKey struct{}

var errDice = kiterror.Errorf(kiterror.Conflict, "the dice say no")

// throw makes up a value of a type, or an error in its place.
func (w *world) throw(d *dice, p graphql.ResolveParams, t graphql.Type) any {
	roll := d.below(100)
	if n, ok := t.(*graphql.NonNull); ok {
		if roll < 2 {
			return nil
		}
		t = n.OfType
	} else if roll < 12 {
		return nil
	}
	roll = d.below(100)
	if roll < 3 {
		return errDice
	}
	switch t := t.(type) {
	case *graphql.List:
		if roll < 5 {
			return "this is no list"
		}
		list := make([]any, d.below(4))
		for i := range list {
			v := w.throw(d, p, t.OfType)
			if fail, ok := v.(error); ok {
				list[i] = func() (any, error) { return nil, fail }
				continue
			}
			list[i] = v
		}
		return list
	case *graphql.Object:
		return w.object(d, p, t.Name())
	case *graphql.Interface, *graphql.Union:
		var names []string
		for _, o := range p.Info.Schema.PossibleTypes(t.(graphql.Abstract)) {
			names = append(names, o.Name())
		}
		slices.Sort(names)
		name := names[d.below(len(names))]
		if roll < 5 {
			name = "" // nobody says what it is
		}
		return w.object(d, p, name)
	case *graphql.Enum:
		if roll < 5 {
			return "nothing of the kind"
		}
		values := slices.Clone(t.Values())
		slices.SortFunc(values, func(a, b *graphql.EnumValueDefinition) int { return strings.Compare(a.Name, b.Name) })
		return values[d.below(len(values))].Value
	}
	n := d.below(1000)
	switch t.Name() {
	case "Int":
		if roll < 5 {
			return int64(1)<<31 + int64(n)
		}
		return n - 500
	case "Float":
		if roll < 5 {
			return math.NaN()
		}
		return float64(n) / 8
	case "Boolean":
		return n%2 == 0
	case "ID":
		if roll < 40 {
			return n
		}
		return fmt.Sprintf("id%d", n)
	case "BigInt":
		return int64(n) << 33
	case "JSON":
		return []any{map[string]any{"n": n, "l": []any{nil, true}}, []any{n}, n, "j"}[n%4]
	}
	return fmt.Sprintf("s%d %s", n, texts[n%len(texts)])
}

// object is a row where the type has rows, else a thing.
func (w *world) object(d *dice, p graphql.ResolveParams, name string) any {
	seed := d.next()
	for _, e := range w.entities {
		if typeName(e) == name {
			key := json.RawMessage(encode(e.key(int(seed % uint32(len(e.rows)+1)))))
			return binding.Load(p.Context, e.name, key)
		}
	}
	t := thing{Type: name, Seed: seed, Mark: fmt.Sprintf("mark%d", seed%7)}
	if seed%2 == 0 {
		return &t
	}
	return t
}

// typeOf says which of its types a thing has, for interfaces and unions.
func (w *world) typeOf(v any) *graphql.Object {
	switch v := v.(type) {
	case thing:
		return w.things[v.Type]
	case *thing:
		return w.things[v.Type]
	}
	return nil
}

// plain is an argument as both sides write it: enums by their names.
func plain(t graphql.Type, v any) any {
	if v == nil {
		return nil
	}
	switch t := t.(type) {
	case *graphql.NonNull:
		return plain(t.OfType, v)
	case *graphql.List:
		var list []any
		for _, e := range v.([]any) {
			list = append(list, plain(t.OfType, e))
		}
		return append([]any{}, list...)
	case *graphql.Enum:
		return t.Serialize(v)
	case *graphql.InputObject:
		object := map[string]any{}
		for name, e := range v.(map[string]any) {
			object[name] = plain(t.Fields()[name].Type, e)
		}
		return object
	}
	return v
}

// canonical is JSON with its keys sorted and as JSON.stringify writes it.
func canonical(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String())
}
