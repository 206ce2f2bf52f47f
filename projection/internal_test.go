package projection

import (
	"encoding/json"
	"testing"

	"github.com/graphql-go/graphql"
	"github.com/graphql-go/graphql/language/ast"
	"github.com/graphql-go/graphql/language/parser"

	"github.com/frondhost/frond/resolvers/validation"
	"github.com/frondhost/frond/schema"
)

func TestFieldName(t *testing.T) {
	for typ, want := range map[string]string{
		"Post": "post", "OrderLine": "orderLine", "APIKey": "apiKey", "API": "api", "HTTPStatus": "httpStatus", "X": "x", "XRay": "xRay", "A1": "a1",
	} {
		if got := fieldName(typ); got != want {
			t.Errorf("fieldName(%q) = %q, want %q", typ, got, want)
		}
	}
}

// TestDescriptions: whatever an author writes about a card is what a reader of the
// SDL reads.
func TestDescriptions(t *testing.T) {
	for _, text := range []string{
		"plain", `with "quotes" and a \`, "two\nlines", "  indented\nfirst line", "an indented\n  second line", "\nempty first", "empty last\n",
		"three \"\"\" in a row\nand a line", "ends in a quote\"\n\"", "ends in a backslash\\\n\\", "tab\there\nand\tthere", "carriage\r\nreturn", "bell\u0007\nline",
		"blank\n\nbetween", "blank with space\n \nbetween", "umlaut ü\nund 漢字 😀", "\"", "\\", `"""`, "delete\u007f",
	} {
		p := &printer{}
		p.describe("", text)
		p.put("type Query {\n")
		p.describe("  ", text)
		p.put("  x: Int @deprecated(reason: ", quote(text), ")\n}\n")
		s, err := validation.LoadSchema(p.String())
		if err != nil {
			t.Errorf("%q: %v\n%s", text, err, p.String())
			continue
		}
		for where, got := range map[string]string{
			"type": s.Query.Description, "field": s.Query.Fields[0].Description,
			"reason": s.Query.Fields[0].Directives[0].Arguments[0].Value.Raw,
		} {
			if got != text {
				t.Errorf("%s: %q was read as %q from\n%s", where, text, got, p.String())
			}
		}
	}
}

func TestBeyondInt(t *testing.T) {
	for _, tt := range []struct {
		shape schema.Shape
		want  bool
	}{
		{schema.Shape{}, false},
		{schema.Shape{Format: "int64"}, true},
		{schema.Shape{Format: "int32"}, false},
		{schema.Shape{Extra: schema.Keywords{{Name: "maximum", Value: json.RawMessage("2147483647")}}}, false},
		{schema.Shape{Extra: schema.Keywords{{Name: "maximum", Value: json.RawMessage("2147483648")}}}, true},
		{schema.Shape{Extra: schema.Keywords{{Name: "exclusiveMinimum", Value: json.RawMessage("-1e12")}}}, true},
		{schema.Shape{Extra: schema.Keywords{{Name: "minimum", Value: json.RawMessage("0")}}}, false},
	} {
		if got := beyondInt(&tt.shape); got != tt.want {
			t.Errorf("beyondInt(%+v) = %v", tt.shape, got)
		}
	}
}

// TestScalars: what each scalar takes from a literal and a variable.
func TestScalars(t *testing.T) {
	read := func(text string) ast.Value {
		doc, err := parser.Parse(parser.ParseParams{Source: "{ f(a: " + text + ") }"})
		if err != nil {
			t.Fatal(err)
		}
		return doc.Definitions[0].(*ast.OperationDefinition).SelectionSet.Selections[0].(*ast.Field).Arguments[0].Value
	}
	for _, tt := range []struct {
		scalar        *graphql.Scalar
		literal, want string // want "": refused
	}{
		{scalars["BigInt"], "9007199254740993", "9007199254740993"},
		{scalars["BigInt"], "-1", "-1"},
		{scalars["BigInt"], "9223372036854775808", ""},
		{scalars["BigInt"], `"1"`, ""},
		{scalars["BigInt"], "1.5", ""},
		{scalars["BigInt"], "true", ""},
		{scalars["DateTime"], `"2026-01-31T00:00:00Z"`, `"2026-01-31T00:00:00Z"`},
		{scalars["DateTime"], "1", ""},
		{scalars["Decimal"], `"19.90"`, `"19.90"`},
		{scalars["Decimal"], "19.90", ""},
		{scalars["JSON"], `{a: [1, 2.50, "x", true, RED]}`, `{"a":[1,2.50,"x",true,"RED"]}`},
	} {
		v := tt.scalar.ParseLiteral(read(tt.literal))
		got, _ := json.Marshal(v)
		if v == nil {
			got = nil
		}
		if string(got) != tt.want {
			t.Errorf("%s from %s: %s, want %q", tt.scalar.Name(), tt.literal, got, tt.want)
		}
	}
	for _, v := range []any{7, int64(7), 7.0, json.Number("7")} {
		if got := scalars["BigInt"].ParseValue(v); got != json.Number("7") {
			t.Errorf("BigInt from %T: %v", v, got)
		}
	}
	for _, v := range []any{7.5, 1e300, "7", nil, true, json.Number("7.5")} {
		if got := scalars["BigInt"].ParseValue(v); got != nil {
			t.Errorf("BigInt took %v (%T) as %v", v, v, got)
		}
	}
	for name := range specifiedBy {
		if scalars[name] == nil {
			t.Errorf("there is no scalar %s", name)
		}
	}
}

// TestReserved: every type a generated schema always or sometimes has by itself
// is reserved, or claimed when it is made.
func TestReserved(t *testing.T) {
	c := newClaims()
	for name := range scalars {
		if c.claim(typeNames, name, &origin{what: "a test"}) {
			t.Errorf("the name %s was free", name)
		}
	}
}
