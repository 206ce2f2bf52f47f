package schema_test

import (
	"strings"
	"testing"

	"github.com/frondhost/frond/schema"
)

func TestNames(t *testing.T) {
	tests := []struct {
		what string
		f    func(string) string
		in   string
		want string
	}{
		{"Kebab", schema.Kebab, "bySlug", "by-slug"},
		{"Kebab", schema.Kebab, "findByHTTPStatus", "find-by-http-status"},
		{"Kebab", schema.Kebab, "publish", "publish"},
		{"Kebab", schema.Kebab, "ship_now", "ship-now"},
		{"Kebab", schema.Kebab, "", ""},
		{"Camel", schema.Camel, "by-slug", "bySlug"},
		{"Camel", schema.Camel, "find-by-http-status", "findByHttpStatus"},
		{"Camel", schema.Camel, "publish", "publish"},
		{"Plural", schema.Plural, "post", "posts"},
		{"Plural", schema.Plural, "category", "categories"},
		{"Plural", schema.Plural, "key", "keys"},
		{"Plural", schema.Plural, "address", "addresses"},
		{"Plural", schema.Plural, "box", "boxes"},
		{"Plural", schema.Plural, "branch", "branches"},
		{"Plural", schema.Plural, "dish", "dishes"},
		{"Plural", schema.Plural, "quiz", "quizes"}, //nolint:misspell // what the rule makes of it; frond.yaml writes plural: quizzes
		{"Plural", schema.Plural, "orderline", "orderlines"},
		{"Plural", schema.Plural, "orderLine", "orderLines"},
		{"Plural", schema.Plural, "y", "ys"},
		{"Plural", schema.Plural, "", ""},
		{"GraphQLType", schema.GraphQLType, "orderLine", "OrderLine"},
		{"GraphQLType", schema.GraphQLType, "order-line", "OrderLine"},
		{"GraphQLType", schema.GraphQLType, "order_line", "OrderLine"},
		{"GraphQLType", schema.GraphQLType, "SKU", "SKU"},
		{"GraphQLType", schema.GraphQLType, "3d", "T3d"},
		{"GraphQLField", schema.GraphQLField, "unitPrice", "unitPrice"},
		{"GraphQLField", schema.GraphQLField, "unit_price", "unit_price"},
		{"GraphQLField", schema.GraphQLField, "unit-price", "unitPrice"},
		{"GraphQLField", schema.GraphQLField, "-x-", "x"},
		{"GraphQLField", schema.GraphQLField, "3d", "f3d"},
		{"GraphQLField", schema.GraphQLField, "größe", "grE"},
	}
	for _, test := range tests {
		if got := test.f(test.in); got != test.want {
			t.Errorf("%s(%q) = %q, want %q", test.what, test.in, got, test.want)
		}
	}
	for name, want := range map[string]bool{"a": true, "_a1": true, "__a": false, "1a": false, "a-b": false, "": false, "ä": false} {
		if got := schema.IsGraphQLName(name); got != want {
			t.Errorf("IsGraphQLName(%q) = %v", name, got)
		}
	}
}

func FuzzNames(f *testing.F) {
	for _, s := range []string{"orderLine", "by-slug", "HTTPServer2Go", "größe", "", "__", "a\xffb", "3d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		for _, s := range []string{schema.GraphQLType(name), schema.GraphQLField(name)} {
			if !schema.IsGraphQLName(s) {
				t.Errorf("%q became %q, which GraphQL cannot say", name, s)
			}
		}
		// spec 4.2: a path in kebab case leads back to the operation it was made from.
		kebab := schema.Kebab(name)
		if again := schema.Kebab(schema.Camel(kebab)); strings.ToLower(again) != again {
			t.Errorf("Kebab(%q) = %q has capitals", name, again)
		}
		if len(schema.Plural(name)) <= len(name) && name != "" {
			t.Errorf("Plural(%q) = %q", name, schema.Plural(name))
		}
	})
}
