package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/frondhost/frond/schema/jsontext"
)

// Discovery is the result of rpc.discover (spec 2.5): what a host serves. The façade makes one
// of itself; a gateway reads those of its remotes.
type Discovery struct {
	Fronds []DiscoveredFrond
}

// DiscoveredFrond is one Frond of a host.
type DiscoveredFrond struct {
	Name  string
	Doors []DiscoveredDoor
	Facts []DiscoveredFact

	// Left is what of the document was left out: it goes beyond the specification, and
	// nothing is made of it. The pointers lead into the document.
	Ignored Faults
}

// DiscoveredDoor is a callable entity.
type DiscoveredDoor struct {
	Name   string
	Ops    []DiscoveredOp
	Schema *Card // nil: the door stores nothing

	// Computed is additive to the spec (DESIGN 5): the fields that presenters add to
	// the rows, as the properties of a card. nil: there are none.
	Computed *Card
}

// DiscoveredOp is an operation of a door.
type DiscoveredOp struct {
	Name        string
	Kind        string // query or command; "" where a foreign host does not say
	Description string
	Input       *Card // nil: the contract names no input view
	Output      *Card // nil: the contract names no output view

	// Additive to the spec (DESIGN 5).
	Params      *Card  // path parameters
	Query       *Card  // query parameters
	Cardinality string // of the output: one, maybe, many, page or none
	Mode        string // patch, on update: what is absent from the input stays as it is
	Deprecated  string // why it should not be used any more; "": it may be
}

// DiscoveredFact is what leaves a host on its own (spec 6).
type DiscoveredFact struct {
	Name   string
	Schema *Card // nil: a type the host does not store
}

// AppendJSON appends the document as JSON, its keys in a fixed order.
func (d *Discovery) AppendJSON(dst []byte) []byte {
	o := object{dst: append(dst, '{')}
	o.raw("x-kit-version", "1") // spec 9.1
	o.key("fronds")
	o.dst = appendList(o.dst, d.Fronds, func(o *object, f *DiscoveredFrond) {
		o.name(f.Name)
		o.key("doors")
		o.dst = appendList(o.dst, f.Doors, func(o *object, door *DiscoveredDoor) {
			o.name(door.Name)
			o.key("ops")
			o.dst = appendList(o.dst, door.Ops, func(o *object, op *DiscoveredOp) {
				o.name(op.Name)
				o.text("kind", op.Kind)
				o.text("description", op.Description)
				o.text("deprecated", op.Deprecated)
				o.card("params", op.Params)
				o.card("query", op.Query)
				o.card("input", op.Input)
				o.text("mode", op.Mode)
				o.card("output", op.Output)
				o.text("cardinality", op.Cardinality)
			})
			o.card("schema", door.Schema)
			o.card("computed", door.Computed)
		})
		o.key("facts")
		o.dst = appendList(o.dst, f.Facts, func(o *object, fact *DiscoveredFact) {
			o.name(fact.Name)
			o.card("schema", fact.Schema)
		})
	})
	return append(o.dst, '}')
}

// MarshalJSON is AppendJSON for encoding/json.
func (d *Discovery) MarshalJSON() ([]byte, error) { return d.AppendJSON(nil), nil }

// appendList appends a list of objects; an empty one is written too.
func appendList[T any](dst []byte, items []T, write func(*object, *T)) []byte {
	dst = append(dst, '[')
	for i := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		o := object{dst: append(dst, '{')}
		write(&o, &items[i])
		dst = append(o.dst, '}')
	}
	return append(dst, ']')
}

// name appends the member "name".
func (o *object) name(name string) {
	o.key("name")
	o.dst = jsontext.AppendString(o.dst, name)
}

// card appends a card, unless there is none.
func (o *object) card(name string, c *Card) {
	if c != nil {
		o.key(name)
		o.dst = c.AppendJSON(o.dst)
	}
}

// ReadDiscovery reads a discovery document. Keys it does not know are ignored: a
// newer host may say more. What goes beyond the specification in another form than
// here is left out (DiscoveredFrond.Left). What a gateway cannot do without is
// refused: a version other than 1, fronds, their names and doors, the names of doors,
// operations and facts, a broken card. The error is Faults, with pointers into the
// document; the caller adds whose it is.
func ReadDiscovery(data []byte) (*Discovery, error) {
	if err := jsontext.Check(data); err != nil {
		return nil, Faults{{Message: "the discovery document is not JSON: " + err.Error()}}
	}
	r := reader{foreign: true}
	d := r.discovery(data)
	if err := r.faults.Err(); err != nil {
		return nil, err
	}
	return d, nil
}

// UnmarshalJSON is ReadDiscovery for encoding/json.
func (d *Discovery) UnmarshalJSON(data []byte) error {
	read, err := ReadDiscovery(data)
	if err != nil {
		return err
	}
	*d = *read
	return nil
}

// discovery reads a whole document (spec 2.5).
func (r *reader) discovery(data json.RawMessage) *Discovery {
	d := &Discovery{Fronds: []DiscoveredFrond{}}
	if jsontext.KindOf(data) != jsontext.Object {
		r.fault("", "a discovery document has to be an object", "answer {x-kit-version: 1, fronds: [ … ]}")
		return d
	}
	if v := jsontext.Get(data, "x-kit-version"); v != nil {
		if n, ok := Integer(v); !ok || n != 1 {
			r.fault("/x-kit-version", "this version of the discovery document is not known here", "answer with x-kit-version: 1") // spec 9.3
		}
	}
	r.list(data, "", "fronds", true, func(v json.RawMessage, at string) {
		ignored := len(r.ignored)
		f := DiscoveredFrond{Name: r.named(v, at), Doors: []DiscoveredDoor{}, Facts: []DiscoveredFact{}}
		r.list(v, at, "doors", true, func(v json.RawMessage, at string) {
			door := DiscoveredDoor{Name: r.named(v, at), Ops: []DiscoveredOp{}, Schema: r.cardAt(v, at, "schema"), Computed: r.ownCardAt(v, at, "computed")}
			r.list(v, at, "ops", false, func(v json.RawMessage, at string) {
				op := DiscoveredOp{
					Name:        r.named(v, at),
					Description: r.textAt(v, at, "description"),
					Input:       r.cardAt(v, at, "input"),
					Output:      r.cardAt(v, at, "output"),
					Params:      r.ownCardAt(v, at, "params"),
					Query:       r.ownCardAt(v, at, "query"),
					Cardinality: r.textAt(v, at, "cardinality"),
					Mode:        r.textAt(v, at, "mode"),
					Deprecated:  r.deprecated(v),
				}
				if kind := jsontext.Get(v, "kind"); kind != nil {
					if op.Kind = r.word(kind, child(at, "kind"), "query", "command"); op.Kind == "" {
						op.Kind = "command" // whatever it is, it is not sent twice
					}
				}
				door.Ops = append(door.Ops, op)
			})
			f.Doors = append(f.Doors, door)
		})
		r.list(v, at, "facts", false, func(v json.RawMessage, at string) {
			f.Facts = append(f.Facts, DiscoveredFact{Name: r.named(v, at), Schema: r.cardAt(v, at, "schema")})
		})
		f.Ignored = slices.Clone(r.ignored[ignored:])
		d.Fronds = append(d.Fronds, f)
	})
	return d
}

// list calls read with each element of the list called name. must says whether the member has
// to be there.
func (r *reader) list(obj json.RawMessage, at, name string, must bool, read func(v json.RawMessage, at string)) {
	value := jsontext.Get(obj, name)
	here := child(at, name)
	if value == nil && !must {
		return
	}
	if jsontext.KindOf(value) != jsontext.Array {
		message := name + " has to be a list"
		if value == nil {
			message = name + " is missing"
		}
		r.fault(here, message, "answer "+name+": [ … ], empty where there is none")
		return
	}
	for i, v := range jsontext.Elements(value) {
		at := here + "/" + strconv.Itoa(i)
		if jsontext.KindOf(v) != jsontext.Object {
			r.fault(at, "an element of "+name+" has to be an object", "answer at least its name")
			continue
		}
		read(v, at)
	}
}

// named reads the name of an element, which has to be there.
func (r *reader) named(obj json.RawMessage, at string) string {
	v := jsontext.Get(obj, "name")
	if jsontext.KindOf(v) != jsontext.String || len(v) == len(`""`) {
		r.fault(child(at, "name"), "name is missing", fmt.Sprintf("answer the name of each of %s", parentToken(at)))
		return ""
	}
	return jsontext.Unquote(v)
}

// parentToken is the list an element stands in: fronds for /fronds/0.
func parentToken(at string) string {
	for i := len(at) - 1; i >= 0; i-- {
		if at[i] == '/' {
			return lastToken(at[:i])
		}
	}
	return at
}

// deprecated reads why something should no longer be used. Other hosts write true for it.
func (r *reader) deprecated(obj json.RawMessage) string {
	switch v := jsontext.Get(obj, "deprecated"); jsontext.KindOf(v) {
	case jsontext.String:
		return jsontext.Unquote(v)
	case jsontext.True:
		return Deprecated
	}
	return ""
}

// textAt reads an optional text; "" where it is absent or null.
func (r *reader) textAt(obj json.RawMessage, at, name string) string {
	v := jsontext.Get(obj, name)
	if v == nil || jsontext.IsNull(v) {
		return ""
	}
	return r.beyondString(v, child(at, name))
}

// ownCardAt reads a card that only this program's documents have. Under the same name another
// host may have something else, which is ignored.
func (r *reader) ownCardAt(obj json.RawMessage, at, name string) *Card {
	own := reader{foreign: true}
	c := own.cardAt(obj, at, name)
	if len(own.faults) > 0 {
		r.beyond(child(at, name), name+" is no card: "+own.faults[0].Message, "")
		return nil
	}
	r.ignored = append(r.ignored, own.ignored...)
	return c
}

// cardAt reads an optional card; nil where it is absent or null.
func (r *reader) cardAt(obj json.RawMessage, at, name string) *Card {
	v := jsontext.Get(obj, name)
	if v == nil || jsontext.IsNull(v) {
		return nil
	}
	return r.card(v, child(at, name))
}
