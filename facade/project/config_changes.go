package project

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// The entries of a frond.yaml for cards that change (docs/migrations.md):
//
//	renamed:
//	  item: product
//	  product.name: product.title
//	  maker: {to: vendor, until: 2027-06-01}
//	  coupon: null
//	values:
//	  product.price: int(price * 100)

// renameKeys are the keys of a rename in the form of an object.
var renameKeys = schema.KeyNames(schema.Below(frondKeys, "renamed", "*"))

// renamed reads the renames, in the order of the file, and the lines that say that something has no
// new name.
func (r *configReader) renamed(value json.RawMessage, at string) (all, gone []Rename) {
	r.object(value, at, "renamed", nil, func(from, at string, value json.RawMessage) {
		n := Rename{From: from, At: at}
		if jsontext.IsNull(value) && isPlace(from) {
			gone = append(gone, n)
			return
		}
		if jsontext.KindOf(value) == jsontext.Object {
			r.object(value, at, "a rename", renameKeys, func(name, at string, value json.RawMessage) {
				if name == "to" {
					n.To = r.string(value, at)
				} else {
					n.Until = r.until(value, at)
				}
			})
		} else {
			n.To = r.string(value, at)
		}
		switch {
		case n.To == "":
			r.fault(at, "a rename has to say the new name", "write "+from+": NEW")
		case !isPlace(from) || !isPlace(n.To):
			r.fault(at, fmt.Sprintf("%s: %s is no rename", from, n.To), "write the names of entities, item: product, or of fields, product.name: product.title")
		case strings.Contains(from, ".") != strings.Contains(n.To, "."):
			r.fault(at, fmt.Sprintf("%s: %s renames an entity to a field, or a field to an entity", from, n.To), "write two entities, item: product, or two fields, product.name: product.title")
		default:
			all = append(all, n)
		}
	})
	return all, gone
}

// until reads the last day of an alias; "" with a fault for any other value.
func (r *configReader) until(value json.RawMessage, at string) string {
	if n, ok := schema.Integer(value); ok { // 20270601 and 2027 are numbers of YAML
		write := "2027-06-01"
		if day, err := time.Parse("20060102", strconv.FormatInt(n, 10)); err == nil {
			write = day.Format(time.DateOnly)
		}
		r.fault(at, fmt.Sprintf("until: %d is a number, and no date", n), "write the last day with hyphens: until: "+write)
		return ""
	}
	day := r.string(value, at)
	if day == "" {
		return ""
	}
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		r.fault(at, fmt.Sprintf("until: %s is no date", day), "write the last day on which the old name is answered: until: 2027-06-01")
		return ""
	}
	return day
}

// values reads the expressions for older rows, in the order of the file.
func (r *configReader) values(value json.RawMessage, at string) (all []Value) {
	r.object(value, at, "values", nil, func(of, at string, value json.RawMessage) {
		if v := (Value{of, at, r.string(value, at)}); v.Text != "" {
			all = append(all, v)
		}
	})
	return all
}

// isPlace reports whether text is the name of an entity, or entity.field.
func isPlace(text string) bool {
	entity, field, has := strings.Cut(text, ".")
	return schema.IsName(entity) && (!has || schema.IsName(field))
}
