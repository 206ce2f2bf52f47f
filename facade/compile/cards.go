package compile

import (
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// builtinCards gives a built-in operation the cards of its params and query. The
// surfaces read them; the path judges these few keys by hand.
func (b *compiler) builtinCards(d *catalog.Door, op *catalog.Operation) {
	id := schema.Field{Name: "id", Shape: d.Entity.Primary.Shape}
	if fields := catalog.RowQuery(op.Name); fields != nil && op.Name != "findByIds" {
		if b.rowCards == nil {
			b.rowCards = map[string]*schema.Entity{}
		}
		if b.rowCards[op.Name] == nil {
			b.rowCards[op.Name] = b.view(&catalog.Door{Name: "any", Frond: d.Frond}, schema.Capital(op.Name), &schema.Card{Fields: fields, Required: []string{}})
		}
		op.Query = b.rowCards[op.Name]
	}
	switch op.Name {
	case "findById", "update", "delete":
		if b.idCards[d] == nil {
			b.idCards[d] = b.view(d, "Id", &schema.Card{Fields: []schema.Field{id}, Required: []string{"id"}})
		}
		op.Params = b.idCards[d]
	case "findByIds":
		ids := schema.Field{Name: "ids", Shape: schema.Shape{
			Type: "array", Items: &id.Shape, Description: "The ids of the rows, in the order of the result.",
			Extra: catalog.Keywords("maxItems", catalog.MaxIDs),
		}}
		op.Query = b.view(d, "Ids", &schema.Card{Fields: append([]schema.Field{ids}, catalog.RowQuery(op.Name)...), Required: []string{"ids"}})
	case "list":
		// The same for all doors with the same limits: the filterable fields come
		// from the entity here, and from discovery elsewhere.
		if b.listCards == nil {
			b.listCards = map[project.ListLimits]*schema.Entity{}
		}
		if b.listCards[d.Limits] == nil {
			b.listCards[d.Limits] = b.view(&catalog.Door{Name: "any", Frond: d.Frond}, "List", catalog.ListCard(d.Limits, schema.Shape{Type: "object"}))
		}
		op.Query = b.listCards[d.Limits]
	}
}

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
