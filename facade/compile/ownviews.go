package compile

import (
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// The title of a view in a remote's document is that document's own: two hosts may have an operation publish whose input
// card is called publish. A view whose name is taken in this project is written out in each operation and fact that names it, and
// is then called after them (letterPublishInput).

// cardsOf returns the cards of the project without the views of remotes whose names are taken. configs has those written
// out.
func cardsOf(fronds []*project.Frond, configs []project.Config) [][]schema.Source {
	all := make([][]schema.Source, len(fronds))
	owner := map[string]int{}
	take := func(i int, views bool) {
		for _, s := range fronds[i].Cards {
			key := schema.EntityKey(s.Name)
			if _, taken := owner[key]; !taken && s.View == views {
				owner[key] = i
			}
		}
	}
	var order []int // of those who take names of views: this project, the remotes served before, the others
	for rank := range 3 {
		for i, f := range fronds {
			if f.Foreign && f.Served && rank == 1 || f.Foreign && !f.Served && rank == 2 || !f.Foreign && rank == 0 {
				order = append(order, i)
			}
		}
	}
	for i := range fronds {
		take(i, false)
	}
	for _, i := range order {
		take(i, true)
	}
	for i, f := range fronds {
		out := map[string]json.RawMessage{}
		all[i] = slices.Clone(f.Cards)
		all[i] = slices.DeleteFunc(all[i], func(s schema.Source) bool {
			key := schema.EntityKey(s.Name)
			if !f.Foreign || !s.View || owner[key] == i {
				return false
			}
			text, err := textOf(s)
			if err == nil {
				out[key] = text
			}
			return err == nil // a file with a fault stays, and is reported
		})
		if len(out) > 0 {
			writeOut(&configs[i], out)
		}
	}
	return all
}

// textOf is the JSON of a card.
func textOf(s schema.Source) (json.RawMessage, error) {
	if s.Card != nil {
		return s.Card.AppendJSON(nil), nil
	}
	return schema.ToJSON(s.File, s.Data)
}

// writeOut puts cards in the place of their names.
func writeOut(c *project.Config, cards map[string]json.RawMessage) {
	part := func(p *project.Part) {
		if text := cards[schema.EntityKey(p.Name)]; p.Name != "" && text != nil {
			p.Name, p.Card = "", text
		}
	}
	for _, d := range c.Doors {
		for i := range d.Ops {
			for j := range d.Ops[i].Parts {
				part(&d.Ops[i].Parts[j])
			}
		}
	}
	for i := range c.Facts {
		part(&c.Facts[i].Schema)
	}
}
