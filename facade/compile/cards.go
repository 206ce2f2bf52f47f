package compile

import (
	"slices"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// compileCards compiles the cards of all Fronds as one set. It returns nil if they have faults.
func compileCards(r *report, source *facade.Project, configs []project.Config, registry *schema.Registry, o *Options) *schema.Set {
	var sources []schema.Source
	opts := schema.CompileOptions{Vendor: source.Vendor, Remote: map[string]bool{}, Unknown: o.Incomplete, Unregistered: o.Unregistered}
	opts.Ignored = func(f schema.Fault) { r.ignored = append(r.ignored, f) }
	cards := cardsOf(source.Fronds, configs)
	for i, f := range source.Fronds {
		for _, s := range cards[i] {
			s.Frond = f.Name
			sources = append(sources, s)
		}
		opts.Remote[f.Name] = f.Remote != ""
		for _, m := range configs[i].Relations {
			m.Frond = f.Name
			opts.Relations = append(opts.Relations, m)
		}
		mapped(sources[len(sources)-len(cards[i]):], configs[i].Tables)
	}
	set, err := schema.Compile(sources, registry, &opts)
	if err != nil {
		r.keep(err)
		inlineCards(r, source.Fronds, configs, registry, opts)
		return nil
	}
	return set
}

// builtinCards gives a built-in operation the cards of its params and query. The
// surfaces read them; the path judges these few keys by hand.
func (b *doorBuilder) builtinCards(d *catalog.Door, op *catalog.Operation) {
	id := schema.Field{Name: "id", Shape: d.Entity.Primary.Shape}
	// Reads and patches do not judge the length of a key: a row with a longer one is still found by it.
	id.Shape.Extra = slices.DeleteFunc(slices.Clone(id.Shape.Extra), func(k schema.Keyword) bool { return k.Name == "maxLength" })
	if len(catalog.RowKeys[op.Name]) > 0 && op.Name != "findByIds" {
		if b.rowCards[op.Name] == nil {
			b.rowCards[op.Name] = b.shared(d, schema.Capital(op.Name), catalog.RowQuery(op.Name))
		}
		op.Query = b.rowCards[op.Name]
	}
	switch op.Name {
	case "findById", "update", "delete":
		if b.ownCards[d] == nil {
			b.ownCards[d] = b.idCard(d, "Id", func() *schema.Card {
				return &schema.Card{Fields: []schema.Field{id}, Required: []string{"id"}}
			})
		}
		op.Params = b.ownCards[d]
	case "findByIds":
		op.Query = b.idCard(d, "Ids", func() *schema.Card {
			ids := schema.Field{Name: "ids", Shape: schema.Shape{
				Type: "array", Items: &id.Shape, Description: "The ids of the rows, in the order of the result.",
				Extra: catalog.Keywords("maxItems", catalog.MaxIDs),
			}}
			return &schema.Card{Fields: append([]schema.Field{ids}, catalog.RowQuery(op.Name).Fields...), Required: []string{"ids"}}
		})
	case "list", catalog.Aggregate:
		// The same for all doors with the same limits: the filterable fields come
		// from the entity here, and from discovery elsewhere.
		key := queryCard{op.Name, d.Limits, d.Entity.Search != nil}
		if b.listCards[key] == nil {
			var searched []string
			if key.searched {
				searched = []string{}
			}
			card := catalog.ListCard(d.Limits, schema.Shape{Type: "object"}, searched)
			if op.Name == catalog.Aggregate {
				card = catalog.AggregateCard(d.Limits, searched)
			}
			b.listCards[key] = b.shared(d, schema.Capital(op.Name), card)
		}
		op.Query = b.listCards[key]
	}
}

// shared compiles a card of several doors, of which d is the first.
func (b *doorBuilder) shared(d *catalog.Door, name string, card *schema.Card) *schema.Entity {
	return b.model.view(b.report, &catalog.Door{Name: "any", Frond: d.Frond}, name, card)
}

// idCard returns the card of the door's id, or of several ids. Those of doors with equal ids share all but
// their names.
func (b *doorBuilder) idCard(d *catalog.Door, name string, card func() *schema.Card) *schema.Entity {
	key := idCard{name, string(d.Entity.Primary.Shape.AppendJSON(nil)), d.Frond.Remote}
	if b.idCards[key] == nil {
		b.idCards[key] = b.shared(d, name, card())
	}
	return b.idCards[key].Named(d.Name + name)
}

// inlineCards reports the faults of the cards inside the frond.yaml files of a project whose
// files of cards have faults already. Doors and operations cannot be made of such a project,
// and without this pass an author would meet these faults only in the next run. Cards cut from
// an entity (of) are left for that run: their entity may be the one at fault.
func inlineCards(r *report, fronds []*project.Frond, configs []project.Config, registry *schema.Registry, opts schema.CompileOptions) {
	// Against an empty set: a relation may name an entity that could not be compiled.
	opts.Unknown, opts.Ignored, opts.Relations = true, nil, nil
	set, err := schema.Compile(nil, registry, &opts)
	if err != nil {
		r.keep(err)
		return
	}
	m := &model{set: set}
	for i, f := range fronds {
		card := func(name string, p project.Part) {
			if p.Card != nil && jsontext.Get(p.Card, "of") == nil {
				m.card(r, f.Config.File, f.Name, name, p)
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
			computedShape(r, m, f.Config.File, f.Name, c)
		}
	}
}
