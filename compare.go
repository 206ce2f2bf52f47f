package frond

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
)

// fieldNames are the names of fields, for messages.
func fieldNames(fields []schema.Field) string {
	names := make([]string, len(fields))
	for i := range fields {
		names[i] = fields[i].Name
	}
	return strings.Join(names, ", ")
}

// compare reports fields of the struct that the card does not have, and those whose Go type
// does not fit the card's. what names the card.
func (r *record) compare(what string, fields []schema.Field) (faults schema.Faults) {
	for _, m := range r.fields {
		i := slices.IndexFunc(fields, func(f schema.Field) bool { return strings.EqualFold(f.Name, m.name) })
		if i < 0 {
			faults = append(faults, schema.Fault{
				File: goCode, Message: fmt.Sprintf("%s has no field for %s.%s", what, r.typ, m.goName),
				Remedy: fmt.Sprintf("name it as one of %s, or keep it out with the tag `json:\"-\"`", fieldNames(fields)),
			})
			continue
		}
		if has, holds := fields[i].Shape.Type, jsonType(m.typ); has != "" && holds != "" && has != holds && !(has == "integer" && holds == "number") {
			faults = append(faults, schema.Fault{
				File: goCode, Message: fmt.Sprintf("%s.%s is a %s, and %s.%s is of type %s", r.typ, m.goName, m.typ, what, fields[i].Name, has),
				Remedy: "give the field a Go type for " + has,
			})
		}
		if inner := propertiesOf(&fields[i].Shape); inner != nil && m.nested != nil {
			faults = append(faults, m.nested.compare(what+"."+fields[i].Name, inner)...)
		}
	}
	return faults
}

// propertiesOf are the fields of the objects a shape has, alone or in a list, or nil.
func propertiesOf(s *schema.Shape) []schema.Field {
	if s.Items != nil {
		s = s.Items
	}
	return s.Properties
}

// cover reports fields of the card that the struct lacks.
func (r *record) cover(what string, e *schema.Entity) (faults schema.Faults) {
	var missing []string
	for _, p := range e.Fields {
		if p.Stored && p.Readable() && !slices.ContainsFunc(r.fields, func(m member) bool { return strings.EqualFold(m.name, p.Name) }) {
			missing = append(missing, p.Name)
		}
	}
	if missing == nil {
		return nil
	}
	return schema.Faults{{
		File: goCode, Message: fmt.Sprintf("%s answers %s, and %s has no field for %s", what, e.Name, r.typ, strings.Join(missing, ", ")),
		Remedy: "add the missing fields, or name a view of these fields as the output in frond.yaml",
	}}
}
