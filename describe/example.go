package describe

import (
	"encoding/json"
	"strings"

	"github.com/frondhost/frond/describe/sample"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// example is the body of a card in one of its uses, or a row of it; nil if it could not make
// one that the judge accepts. The same card has the same example.
func (s *schemas) example(e *schema.Entity, u use) json.RawMessage {
	var o schema.Object
	for _, p := range e.Fields {
		if !p.Stored || !exampled(p, u) || u != row && s.fileless(e, p) {
			continue
		}
		if v := s.exampleOf(e, p); v != nil {
			add(&o, p.Name, v)
		}
	}
	text := o.AppendJSON(nil)
	mode := schema.Plain
	switch u {
	case creation:
		mode = schema.Create
	case patch:
		mode = schema.Update
	case row:
		return text
	}
	if _, details := e.Judge(mode, text, ""); len(details) > 0 {
		return nil
	}
	return text
}

// fileless says whether a body does without a field: an example cannot have the id of an uploaded file.
func (s *schemas) fileless(e *schema.Entity, p *schema.Property) bool {
	d := s.catalog.Door(e.Key)
	return d != nil && d.File(p.Name) != nil && p.MayBeNull()
}

// manyQueryExample is the query of a write of many rows: the condition for one row, and a unique
// key that the example of the body has. It is nil if neither can be made.
func (s *schemas) manyQueryExample(op *catalog.Operation) json.RawMessage {
	e := op.Door.Entity
	switch op.Name {
	case "updateMany", "deleteMany":
		if id := s.exampleOf(e, e.Primary); id != nil && e.Primary.Readable() {
			return object("where", object(e.Primary.Name, object("eq", id)))
		}
	case "upsert", "import":
		body := s.example(op.Input, creation)
		for _, key := range catalog.UniqueKeys(e) {
			var names []string
			for _, p := range key {
				if p.Readable() && jsontext.Get(body, p.Name) != nil {
					names = append(names, p.Name)
				}
			}
			if len(names) == len(key) {
				return object("by", strings.Join(names, ","))
			}
		}
	}
	return nil
}

// exampled says whether a field is in the example of a use: a body has the fields that the
// caller has to send or commonly does, a patch one mutable field.
func exampled(p *schema.Property, u use) bool {
	switch u {
	case row:
		return p.Readable() && p.Axes.Out.Name == ""
	case patch:
		return !p.Axes.In.Closed && !p.Axes.Primary && p.Axes.Update == "" && p.Link == nil && p.Kind == firstKind(p.Owner)
	case creation:
		return !p.Axes.In.Closed && (p.Required() || p.Axes.Create == nil && !p.Axes.Primary && p.Link == nil)
	}
	return true
}

// firstKind is the kind of the first field of a card that a patch may change, so that the
// example of a patch is short: the fields of that kind.
func firstKind(e *schema.Entity) schema.Kind {
	for _, p := range e.Fields {
		if p.Stored && !p.Axes.In.Closed && !p.Axes.Primary && p.Axes.Update == "" && p.Link == nil {
			return p.Kind
		}
	}
	return schema.KindJSON
}

// exampleOf is a value of one field that the card's judge accepts, or nil. Of a relation it is
// the id that the example of the other entity has. It is made once: a field is in the examples
// of many operations.
func (s *schemas) exampleOf(e *schema.Entity, p *schema.Property) json.RawMessage {
	v, made := s.values[p]
	if !made {
		v = s.valueOf(e, p)
		s.values[p] = v
	}
	return v
}

func (s *schemas) valueOf(e *schema.Entity, p *schema.Property) json.RawMessage {
	key, of, root := e.Key, p, s.root(e)
	if d := e.Card.Derived; d != nil {
		key = d.From // a view has the values of the entity that it was cut from
	}
	if p.Link != nil && !p.Link.Many {
		key, of, root = p.Link.Target.Key, p.Link.Target.Primary, s.root(p.Link.Target)
	}
	if of != nil && of.Axes.Primary {
		if v, ok := sample.ID(key, sample.ShapeOf(of), root, 0); ok {
			return v
		}
	}
	chance := sample.Chance(0)
	m := &sample.Maker{Rand: chance.At(key, p.Name), Root: root, About: sample.NewSubject(key, chance.At(key))}
	v, _ := m.Fitting(
		func() (json.RawMessage, bool) { return m.Value(sample.ShapeOf(p), sample.NewName(p.Name)) },
		func(v json.RawMessage) string { return sample.Refusal(e, p, v) })
	return v
}
