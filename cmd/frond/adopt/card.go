package adopt

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/dbschema"
)

// keyword is one line of a card: a keyword with its value as YAML.
type keyword struct{ name, value string }

// The forms of texts that have no format of JSON Schema: a date and a time without a zone, and
// a time of day as databases write it.
const (
	dateTimePattern = `^\d{4,}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?$`
	timePattern     = `^\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?([+-]\d{2}(:\d{2})?)?$`
)

// shapeType is the type of JSON Schema that values of a type have; "" for any JSON.
func shapeType(t *dbschema.Type) string {
	switch {
	case t.List:
		return "array"
	case t.Kind == dbschema.Boolean:
		return "boolean"
	case t.Kind == dbschema.Integer:
		return "integer"
	case t.Kind == dbschema.Float:
		return "number"
	case t.Kind == dbschema.JSON:
		return ""
	}
	return "string"
}

// shape is a type as the keywords of a card:
//
//	boolean, integer, float   boolean; integer, with format int64 for 64 bits; number
//	decimal                   string, format decimal
//	text, enum                string with maxLength; string with its values
//	date, instant, uuid       string with that format
//	datetime, time            string with a pattern: JSON Schema's formats want a zone
//	json                      no type: any JSON
//	other                     string: the text that the database writes
//	a list                    array of these
func shape(t *dbschema.Type, nullable bool) []keyword {
	typ := shapeType(t)
	var out []keyword
	switch {
	case typ == "":
	case nullable:
		out = append(out, keyword{"type", "[" + typ + ", 'null']"})
	default:
		out = append(out, keyword{"type", typ})
	}
	if t.List {
		item := *t
		item.List = false
		inner := shape(&item, true) // any element of an array may be null
		parts := make([]string, len(inner))
		for i, k := range inner {
			parts[i] = k.name + ": " + k.value
		}
		return append(out, keyword{"items", "{ " + strings.Join(parts, ", ") + " }"})
	}
	switch t.Kind {
	case dbschema.Integer:
		out = append(out, integerKeywords(t)...)
	case dbschema.Decimal:
		out = append(out, keyword{"format", "decimal"})
	case dbschema.Text:
		if t.Length > 0 {
			out = append(out, keyword{"maxLength", strconv.Itoa(t.Length)})
		}
	case dbschema.Enum:
		values := make([]string, len(t.Values), len(t.Values)+1)
		for i, v := range t.Values {
			values[i] = yamlText(v)
		}
		if nullable {
			values = append(values, "null")
		}
		out = append(out, keyword{"enum", "[" + strings.Join(values, ", ") + "]"})
	case dbschema.Date:
		out = append(out, keyword{"format", "date"})
	case dbschema.Instant:
		out = append(out, keyword{"format", "date-time"})
	case dbschema.UUID:
		out = append(out, keyword{"format", "uuid"})
	case dbschema.DateTime:
		out = append(out, keyword{"pattern", "'" + dateTimePattern + "'"})
	case dbschema.Time:
		out = append(out, keyword{"pattern", "'" + timePattern + "'"})
	}
	return out
}

// integerKeywords returns the format and the bounds of a column of integers.
func integerKeywords(t *dbschema.Type) []keyword {
	var out []keyword
	if t.Bits == 64 {
		out = append(out, keyword{"format", "int64"})
	}
	least, most := t.Least, t.Most
	if t.Bits == 16 {
		least, most = within(least, -1<<15), within(most, 1<<15-1)
	}
	if least != nil {
		out = append(out, keyword{"minimum", strconv.FormatInt(*least, 10)})
	}
	if most != nil {
		out = append(out, keyword{"maximum", strconv.FormatInt(*most, 10)})
	}
	return out
}

// within returns the bound that is said, or else the type's own.
func within(said *int64, own int64) *int64 {
	if said != nil {
		return said
	}
	return &own
}

// keywords is a field as the lines of its card, x-kit included.
func (f *Field) keywords() []keyword {
	var out []keyword
	if f.Description != "" {
		out = append(out, keyword{"description", yamlText(f.Description)})
	}
	switch {
	case f.Column != nil:
		out = append(out, shape(&f.Column.Type, f.Nullable)...)
	case f.Made != nil && f.Nullable:
		out = append(out, keyword{"type", "[string, 'null']"})
	case f.Primary, f.Made != nil:
		out = append(out, keyword{"type", "string"})
	}
	var axes, lifecycle []string
	if role := f.role(); role != nil {
		axes = append(axes, "role: { "+strings.Join(role, ", ")+" }")
	}
	if f.Optional {
		lifecycle = append(lifecycle, "create: optional")
	}
	if f.Fixed {
		lifecycle = append(lifecycle, "update: forbidden")
	}
	if lifecycle != nil {
		axes = append(axes, "lifecycle: { "+strings.Join(lifecycle, ", ")+" }")
	}
	if f.Closed {
		axes = append(axes, "boundary: { in: closed }")
	}
	if axes != nil {
		out = append(out, keyword{"x-kit", "{ " + strings.Join(axes, ", ") + " }"})
	}
	return out
}

// role returns the members of a field's role.
func (f *Field) role() []string {
	var role []string
	if f.Primary {
		role = append(role, "primary: true")
	}
	for i, members := range f.Unique {
		if i == 0 {
			role = append(role, "unique: [")
		} else {
			role[len(role)-1] += ", "
		}
		role[len(role)-1] += "[" + strings.Join(members, ", ") + "]"
	}
	if len(f.Unique) > 0 {
		role[len(role)-1] += "]"
	}
	if f.Index && len(f.Unique) == 0 {
		role = append(role, "index: true")
	}
	if r := f.Relation; r != nil {
		kind := "one"
		if r.Many {
			kind = "many"
		}
		text := "relation: { to: " + schema.EntityKey(r.To.Name) + ", kind: " + kind
		if r.OnDelete != "" {
			text += ", onDelete: " + r.OnDelete
		}
		if r.By != "" {
			text += ", by: " + r.By
		}
		role = append(role, text+" }")
	}
	return role
}

// card is an entity's card as YAML. The properties are last, so that a later run may add some
// at the end of the file.
//
//	description: …
//	type: object
//	properties:
//	  albumId:
//	    type: integer
//	    x-kit: { role: { primary: true }, lifecycle: { create: optional } }
func (e *Entity) card() string {
	var b strings.Builder
	b.WriteString("# yaml-language-server: $schema=../../../.schema/card.json\n")
	if comment, _ := plainComment(e.Table.Comment); comment != "" {
		fmt.Fprintf(&b, "description: %s\n", yamlText(comment))
	}
	b.WriteString("type: object\nproperties:\n")
	for _, f := range e.Fields {
		b.WriteString(f.property())
	}
	return b.String()
}

// property is a field as a member of properties.
func (f *Field) property() string {
	lines := f.keywords()
	if len(lines) == 0 {
		return "  " + f.Name + ": {}\n"
	}
	var b strings.Builder
	b.WriteString("  " + f.Name + ":\n")
	for _, k := range lines {
		fmt.Fprintf(&b, "    %s: %s\n", k.name, k.value)
	}
	return b.String()
}

// plainText are texts that YAML reads as themselves without quotes, in a block and in a list.
var plainText = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_.()/ -]*[A-Za-z0-9_.)])?$`)

// keywordsOfYAML are words that YAML does not read as texts.
var keywordsOfYAML = map[string]bool{"true": true, "false": true, "null": true, "yes": true, "no": true, "on": true, "off": true, "nan": true, "inf": true, "y": true, "n": true}

// yamlText is a text as YAML: plain if that is certainly right, else in double quotes, with the
// escapes of JSON.
func yamlText(s string) string {
	if plainText.MatchString(s) && !keywordsOfYAML[strings.ToLower(s)] && !strings.Contains(s, " #") {
		return s
	}
	return string(jsontext.AppendString(nil, s))
}
