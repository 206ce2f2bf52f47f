package compile

import (
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// inlineCards reports the faults of the cards inside the frond.yaml files of
// a project whose files of cards have faults already. Doors and operations cannot be
// made of such a project, and without this pass an author would meet these faults only
// in the next run. Cards that are cut from an entity (of) are left for that run: their
// entity may be the one at fault.
func (b *compiler) inlineCards(configs []project.Config, opts schema.CompileOptions) {
	// Against an empty set: a relation may name an entity that could not be compiled.
	opts.Unknown, opts.Ignored = true, nil
	var err error
	if b.set, err = schema.Compile(nil, b.registry, &opts); err != nil {
		b.keep(err)
		return
	}
	for i, f := range b.source.Fronds {
		card := func(name string, p project.Part) {
			if p.Card != nil && jsontext.Get(p.Card, "of") == nil {
				b.card(f.Config.File, f.Name, name, p)
			}
		}
		for _, d := range configs[i].Doors {
			for _, op := range d.Ops {
				for j, p := range op.Parts {
					card(d.Name+schema.Capital(op.Name)+schema.Capital(project.PartNames[j]), p)
				}
			}
		}
		for _, fact := range configs[i].Facts {
			card(fact.Name, fact.Schema)
		}
		for _, c := range configs[i].Computed {
			b.computedShape(f.Config.File, f.Name, c)
		}
	}
}
