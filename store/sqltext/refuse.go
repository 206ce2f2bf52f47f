package sqltext

import (
	"fmt"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Refuse returns VALIDATION_FAILED for one field of a write, with one detail whose code is keyword.
// The judge has refused most such values before; those that arrive here come from a handler, a
// conversion or another program's rows.
func Refuse(p *schema.Property, keyword string) error {
	message := fmt.Sprintf("the value of %s breaks its card's %s; send one that keeps to it", p.Name, keyword)
	switch keyword {
	case schema.ReadOnly:
		message = fmt.Sprintf("%s is made of other fields; send those", p.Name)
	case "required":
		message = fmt.Sprintf("%s has no value; send one", p.Name)
	case "type":
		message = fmt.Sprintf("%s holds a value of another type than its card says; send %s", p.Name, kindWord(p.Kind))
	case "format":
		example := "2006-01-02T15:04:05Z"
		if p.Kind == schema.KindDecimal {
			example = "19.90"
		}
		message = fmt.Sprintf("%s is not a %s; send one such as %s", p.Name, p.Shape.Format, example)
	}
	return kiterror.Invalid(message, schema.Detail{
		Path: p.Name, Pointer: "/body/" + jsontext.Token(p.Name), Code: keyword, Message: message,
	})
}

// kindWord says in a message what to send for a kind.
func kindWord(k schema.Kind) string {
	switch k {
	case schema.KindString, schema.KindDecimal:
		return "a string"
	case schema.KindDateTime, schema.KindDate:
		return "a string with a date"
	case schema.KindInteger:
		return "an integer between -2^63 and 2^63-1"
	case schema.KindNumber:
		return "a number"
	case schema.KindBoolean:
		return "true or false"
	}
	return "JSON"
}
