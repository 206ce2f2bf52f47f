package project

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Beside the cards of a remote, which frond sync wrote or discovery gives, a frond.yaml has the decisions of this gateway over
// the remote's doors (docs/remotes.md):
//
//	collectors: {product: [{when: user != nil, deny: [delete]}]}
//	computed:   {product: {inStock: {type: boolean, value: stock > 0}}}
//	search:     {product: off}
//	surfaces:   {rest: {except: [product.delete]}}
//	doors:      {product: {operations: {bySlug: {deprecated: use find}}}}
//	facts:      {newsletterSent: {open: true}}

// besideKeys are the keys of such a frond.yaml.
var besideKeys = []string{"name", "doors", "search", "collectors", "computed", "facts", "surfaces"}

// ReadBeside reads a frond.yaml beside the cards of a remote. The faults are as of [ReadConfig].
func ReadBeside(text Text) (Config, schema.Faults) {
	var c Config
	faults := readConfig(text, "a frond.yaml beside the cards of a remote", besideKeys, func(r *configReader) readers {
		return readers{
			"name":       func(value json.RawMessage, at string) { r.string(value, at) },
			"doors":      into(&c.Doors, r.deprecations),
			"search":     into(&c.Search, r.searchOff),
			"collectors": into(&c.Collectors, r.collectors),
			"computed":   into(&c.Computed, r.computed),
			"facts":      into(&c.OpenFacts, r.openFacts),
			"surfaces":   into(&c.Surfaces, r.surfaces),
		}
	})
	return c, faults
}

// IsBeside reports whether the Frond has no cards and declares no operations here. Its frond.yaml is then about the cards of a
// remote.
func (f *Frond) IsBeside() bool {
	if len(f.Cards) > 0 || f.Known != nil || f.Config.File == "" {
		return false
	}
	c, _ := ReadConfig(f.Config)
	return !slices.ContainsFunc(c.Doors, func(d *Door) bool {
		return d.Only != nil || len(d.Ops) == 0 || slices.ContainsFunc(d.Ops, func(o Operation) bool { return o.Deprecated == "" || o.Kind != "" || o.Off })
	})
}

// deprecations reads the doors of a frond.yaml beside the cards of a remote: they say which operations are deprecated.
func (r *configReader) deprecations(value json.RawMessage, at string) (all []*Door) {
	r.object(value, at, "doors", nil, func(name, at string, value json.RawMessage) {
		d := &Door{Name: name, At: at}
		r.object(value, at, "a door of a remote", []string{"operations"}, func(_, at string, value json.RawMessage) {
			r.object(value, at, "operations", nil, func(name, at string, value json.RawMessage) {
				o := Operation{Name: name, At: at}
				r.object(value, at, "an operation of a remote", []string{"deprecated"}, func(_, at string, value json.RawMessage) {
					o.Deprecated = r.deprecated(value, at)
				})
				d.Ops = append(d.Ops, o)
			})
		})
		all = append(all, d)
	})
	return all
}

// searchOff reads search: {product: off}: the doors of a remote whose search is not offered.
func (r *configReader) searchOff(value json.RawMessage, at string) (all []Search) {
	r.object(value, at, "search", nil, func(name, at string, value json.RawMessage) {
		if !isWord(value, "off") && jsontext.KindOf(value) != jsontext.False {
			r.fault(at, "the remote decides which fields are searched", fmt.Sprintf("write %s: off, or leave it out", name))
			return
		}
		all = append(all, Search{Door: name, At: at})
	})
	return all
}

// openFacts reads facts: {newsletterSent: {open: true}}: the facts of a remote without a door that everybody may receive.
func (r *configReader) openFacts(value json.RawMessage, at string) (all []Named) {
	r.object(value, at, "facts beside the cards of a remote", nil, func(name, at string, value json.RawMessage) {
		r.object(value, at, "a fact of a remote", []string{"open"}, func(_, here string, value json.RawMessage) {
			switch jsontext.KindOf(value) {
			case jsontext.True:
				all = append(all, Named{name, at})
			case jsontext.False:
			default:
				r.fault(here, "open has to be true or false", "write open: true")
			}
		})
	})
	return all
}
