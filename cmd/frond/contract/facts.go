package contract

import (
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// Fact is a fact of frond.yaml's facts. The facts that announce changes of a door are the
// door's: [Reach.Changes].
type Fact struct {
	Name   string
	Door   string   // the door whose rows it is about, or the fact's own name
	Path   string   // where its events are streamed
	Key    *Key     // of that door's rows; nil where it is about none
	Big    []string // names of members that are int64, at any depth
	Data   *Type    // the data of an event; nil: the cards do not describe it
	Filter *Filter  // nil: it takes none
}

// facts reads the facts that a Frond declares by name.
func (b *reading) facts(f *catalog.Frond) {
	for _, fact := range f.Facts {
		if fact.Changes {
			continue
		}
		out := &Fact{Name: fact.Name, Door: fact.Name, Path: factPath(fact)}
		if fact.Door != nil {
			out.Door = fact.Door.Name
			out.Key = b.key(fact.Door.Entity)
		}
		if e := fact.Data; e != nil && e.Card.Fields != nil { // else an object of any keys
			out.Data, out.Filter, out.Big = &Type{Basic: named, Decl: b.row(e)}, b.filter(e), bigFields(e)
		}
		b.model.Facts = append(b.model.Facts, out)
	}
}

// factPath is where the events of a fact are streamed.
func factPath(f *catalog.Fact) string { return "/api/" + f.Frond.Name + "/facts/" + f.Name }

// bigFields are the names of members that are int64 in a row.
func bigFields(e *schema.Entity) (names []string) {
	for _, p := range e.Fields {
		names = append(names, bigNames(p.Name, &p.Shape)...)
	}
	return names
}
