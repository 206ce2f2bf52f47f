package projection

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/graphql-go/graphql"
	gast "github.com/graphql-go/graphql/language/ast"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/schema"
)

// reserved are the type names no entity can have: GraphQL's own, and the scalars and shared
// types of every schema. The shared filters are claimed when they are made.
var reserved = []string{
	"Query", "Mutation", "Subscription", "Int", "Float", "String", "Boolean", "ID",
	"DateTime", "Date", "Time", "UUID", "JSON", "BigInt", "Decimal",
	"Node", "PageInfo", "SortDirection", "RowChange",
}

// specifiedBy are the addresses that describe the values of each scalar. graphql-go does not
// store them; introspection reads them from the SDL.
var specifiedBy = map[string]string{
	"DateTime": "https://www.rfc-editor.org/rfc/rfc3339#section-5.6",
	"Date":     "https://www.rfc-editor.org/rfc/rfc3339#section-5.6",
	"Time":     "https://www.rfc-editor.org/rfc/rfc3339#section-5.6",
	"UUID":     "https://www.rfc-editor.org/rfc/rfc9562",
	"JSON":     "https://www.rfc-editor.org/rfc/rfc8259",
	"BigInt":   "https://spec.openapis.org/registry/format/int64",
	"Decimal":  "https://spec.openapis.org/registry/format/decimal",
}

// The types of values. The façade judges the values of the scalars beyond GraphQL's five: an
// invalid date is VALIDATION_FAILED with its field, not a refused document.
var (
	intType     = ast.NamedType("Int", nil)
	floatType   = ast.NamedType("Float", nil)
	stringType  = ast.NamedType("String", nil)
	booleanType = ast.NamedType("Boolean", nil)
	idType      = ast.NamedType("ID", nil)
	dateTime    = ast.NamedType("DateTime", nil)
	date        = ast.NamedType("Date", nil)
	timeOfDay   = ast.NamedType("Time", nil)
	uuid        = ast.NamedType("UUID", nil)
	decimal     = ast.NamedType("Decimal", nil)
	bigInt      = ast.NamedType("BigInt", nil)
	jsonAny     = ast.NamedType("JSON", nil)
)

// scalars are graphql-go's scalar types, by name. They are shared by all schemas of a process and
// never change.
var scalars = map[string]*graphql.Scalar{
	"Int": graphql.Int, "Float": graphql.Float, "String": graphql.String, "Boolean": graphql.Boolean, "ID": graphql.ID,
	"DateTime": textScalar("DateTime", "A point in time in UTC, such as 2026-01-31T09:30:00.000Z."),
	"Date":     textScalar("Date", "A day, such as 2026-01-31."),
	"Time":     textScalar("Time", "A time of day, such as 09:30:00Z."),
	"UUID":     textScalar("UUID", "A UUID, such as 9b2c0c1e-3f53-4b8a-9f0e-2d5b7a1c4e6f."),
	"Decimal":  textScalar("Decimal", "A decimal number of any size, written as a string so that no digit is lost: \"19.90\"."),
	"BigInt": graphql.NewScalar(graphql.ScalarConfig{
		Name:         "BigInt",
		Description:  "A whole number of 64 bits, written as a number in JSON. Some clients round values beyond 2^53 when they read them.",
		Serialize:    func(v any) any { return v },
		ParseValue:   parseBigInt,
		ParseLiteral: func(v gast.Value) any { return parseBigInt(literal(v)) },
	}),
	"JSON": graphql.NewScalar(graphql.ScalarConfig{
		Name:         "JSON",
		Description:  "Any JSON value.",
		Serialize:    func(v any) any { return v },
		ParseValue:   func(v any) any { return v },
		ParseLiteral: literal,
	}),
}

// isScalar reports whether a type is a scalar.
func isScalar(t *ast.Type) bool { return scalars[t.NamedType] != nil }

// textScalar returns a scalar whose values are strings, in both directions. Anything else is
// nil, which graphql-go reports as a value that does not fit.
func textScalar(name, description string) *graphql.Scalar {
	text := func(v any) any {
		if s, ok := v.(string); ok {
			return s
		}
		return nil
	}
	return graphql.NewScalar(graphql.ScalarConfig{
		Name:         name,
		Description:  description,
		Serialize:    text,
		ParseValue:   text,
		ParseLiteral: func(v gast.Value) any { return text(literal(v)) },
	})
}

// parseBigInt returns v as a json.Number with every digit, or nil if v is not an int64:
//
//	9007199254740993     json.Number("9007199254740993")
//	1e3 as a float64     json.Number("1000")
//	1.5, "7"             nil
func parseBigInt(v any) any {
	switch v := v.(type) {
	case int:
		return json.Number(strconv.Itoa(v))
	case int64:
		return json.Number(strconv.FormatInt(v, 10))
	case float64:
		return parseBigInt(json.Number(strconv.FormatFloat(v, 'f', -1, 64)))
	case json.Number:
		if _, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return v
		}
	}
	return nil
}

// literal returns a literal of a document as a Go value: numbers as json.Number so that no
// digit is lost, enum values as strings, lists as []any, objects as map[string]any. It returns
// nil for anything else; graphql-go reads no null.
func literal(v gast.Value) any {
	switch v := v.(type) {
	case *gast.StringValue:
		return v.Value
	case *gast.BooleanValue:
		return v.Value
	case *gast.EnumValue:
		return v.Value
	case *gast.IntValue:
		return json.Number(v.Value)
	case *gast.FloatValue:
		return json.Number(v.Value)
	case *gast.ListValue:
		list := make([]any, len(v.Values))
		for i, e := range v.Values {
			list[i] = literal(e)
		}
		return list
	case *gast.ObjectValue:
		object := make(map[string]any, len(v.Fields))
		for _, f := range v.Fields {
			object[f.Name.Value] = literal(f.Value)
		}
		return object
	}
	return nil
}

// formats are the string formats that have a scalar of their own, by the `format` of JSON
// Schema (Validation 7.3) and OpenAPI's decimal. A string of another format is a String.
var formats = map[string]*ast.Type{
	"date-time": dateTime, "date": date, "time": timeOfDay, "uuid": uuid, "decimal": decimal,
}

// bounds are the keywords that bound a number.
var bounds = []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}

// beyondInt reports whether a whole number may be beyond GraphQL's Int, which has 32 bits
// (GraphQL 3.5.1): its format is int64, or one of its bounds lies outside. An integer without
// either is an Int (docs/decisions/graphql-schema.md).
func beyondInt(s *schema.Shape) bool {
	if s.Format == "int64" {
		return true
	}
	for _, k := range bounds {
		var n float64
		if v := s.Extra.Get(k); v != nil && json.Unmarshal(v, &n) == nil && (n < math.MinInt32 || n > math.MaxInt32) {
			return true
		}
	}
	return false
}

// keyType returns the type of a primary key, or of a key that points at one, which has the
// type of its target's:
//
//	string of any format    ID
//	integer                 Int
//	integer beyond 32 bits  BigInt
//
// For a relation that stores a list of ids it is the type of one of them.
func keyType(p *schema.Property) *ast.Type {
	s := &p.Shape
	if l := p.Link; l != nil && l.Target != nil && l.Target.Primary != nil {
		s = &l.Target.Primary.Shape
	}
	if s.Type == "array" && s.Items != nil {
		s = s.Items
	}
	if s.Type != "integer" {
		return idType
	}
	if beyondInt(s) {
		return bigInt
	}
	return intType
}
