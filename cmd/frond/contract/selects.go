package contract

import (
	"fmt"
	"slices"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
)

// Relations are the relations of an entity's rows that a caller may select fields of.
type Relations struct {
	Name string // ProductRelations
	Row  *Decl
	To   []RelationTo
	big  []string // names of members of the rows that are int64
}

// RelationTo is one of Relations.
type RelationTo struct {
	Name string
	Door string // the name of the door it leads to
	Many bool
	Of   *Relations
}

// related reads the relations of all doors. Types of rows of other Fronds are declared in
// Model.Related: callers read them, and send nothing of them.
func (b *reading) related(f *facade.Frond, doors []*Door) {
	own := b.model.Types
	for i, d := range f.Doors {
		if d.Entity != nil {
			doors[i].Reach.Relations = b.relations(d.Entity)
		}
	}
	b.model.Related = slices.Clone(b.model.Types[len(own):])
	b.model.Types = own
	for _, d := range doors {
		if d.Reach.Relations != nil {
			d.Reach.Big = d.Reach.Relations.bigs(nil, map[*Relations]bool{})
		}
	}
}

// relations are those of an entity, which lead to those of its targets.
func (b *reading) relations(e *schema.Entity) *Relations {
	if r := b.relationsOf[e.Key]; r != nil {
		return r
	}
	r := &Relations{Name: b.taken.take(schema.GraphQLType(e.Name) + "Relations"), Row: b.row(e), big: bigFields(e)}
	b.relationsOf[e.Key] = r
	b.model.Relations = append(b.model.Relations, r)
	for _, p := range e.Fields {
		if p.Link == nil {
			continue
		}
		if to := facade.RelationTo(e, p.Link, b.catalog.Door(p.Link.Target.Key)); to != nil {
			r.To = append(r.To, RelationTo{Name: p.Link.Name, Door: to.Door.Name, Many: p.Link.Many, Of: b.relations(p.Link.Target)})
		}
	}
	return r
}

// bigs adds the names of members that are int64 in the rows and behind their relations.
func (r *Relations) bigs(names []string, seen map[*Relations]bool) []string {
	if seen[r] {
		return names
	}
	seen[r] = true
	for _, name := range r.big {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, to := range r.To {
		names = to.Of.bigs(names, seen)
	}
	return names
}

// relations declares the relations of an entity:
//
//	export interface ProductRelations {
//	  category: One<Category, CategoryRelations>;
//	  reviews: Many<Review, ReviewRelations>;
//	}
func (w *tsWriter) relations(r *Relations) {
	w.line("\nexport interface %s {", r.Name)
	for _, to := range r.To {
		form := "One"
		if to.Many {
			form = "Many"
		}
		w.line("  %s: %s;", tsKey(to.Name), tsAbsent(to.Name, fmt.Sprintf("%s<%s, %s>", form, to.Of.Row.Name, to.Of.Name)))
	}
	w.line("}")
}

// table is the relations as data, for the transport that writes their selections.
func (r *Relations) table() (o record) {
	for _, to := range r.To {
		var one record
		one.text("door", to.Door)
		one.flag("many", to.Many)
		o.object(to.Name, one)
	}
	return o
}
