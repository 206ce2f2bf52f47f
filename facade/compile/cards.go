package compile

import (
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
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
