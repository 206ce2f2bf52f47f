package contract

import "fmt"

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
