package diff

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// The ways out that several rules of GraphQL share.
const (
	keepElement = "keep it and deprecate it until no client names it; where it has only another name, declare that under renamed"
	nullable    = "leave it optional, or give it a value under lifecycle.create"
)

// graphQLRules are tried on every element of a GraphQL schema.
var graphQLRules = []rule[elementPair]{
	{
		changeKind{"graphql-type-removed", Breaking, []Surface{graphQLSurface}, "a type is gone", keepElement, ""},
		gone("type", kindText),
	},
	{
		changeKind{"graphql-type-kind-changed", Breaking, []Surface{graphQLSurface}, "a name is that of a type of another kind", "give the new type another name", ""},
		both("type", func(p elementPair) *change {
			return changed(p.was.def.Kind != p.is.def.Kind, kindText(p.was), kindText(p.is))
		}),
	},
	{
		changeKind{"graphql-name-changed", Breaking, []Surface{graphQLSurface}, "a type, a field or an input has another name", "keep the name with graphql: in frond.yaml, or move the clients first", ""},
		both("", func(p elementPair) *change {
			return changed(p.was.name != p.is.name, p.was.name, p.is.name)
		}),
	},
	{
		changeKind{"graphql-field-removed", Breaking, []Surface{graphQLSurface}, "a field is gone", keepElement, ""},
		gone("field", typeText),
	},
	{
		changeKind{"graphql-field-type-changed", Breaking, []Surface{graphQLSurface}, "the values of a field have a type that readers do not know", "add a field of another name with the new type, and deprecate this one", ""},
		both("field", func(p elementPair) *change {
			return changed(!readsAs(p.was.typ, p.is.typ), typeText(p.was), typeText(p.is))
		}),
	},
	{
		changeKind{"graphql-input-removed", Breaking, []Surface{graphQLSurface}, "an argument or a field of an input is gone", keepElement, ""},
		gone("input", typeText),
	},
	{
		changeKind{"graphql-input-required", Breaking, []Surface{graphQLSurface}, "an argument or a field of an input has to be sent", nullable, ""},
		func(p elementPair) *change {
			if p.kind() != "input" || p.is == nil || !p.is.required || p.was != nil && p.was.required {
				return nil
			}
			return &change{typeText(p.was), typeText(p.is)}
		},
	},
	{
		changeKind{"graphql-input-type-changed", Breaking, []Surface{graphQLSurface}, "an argument or a field of an input takes another type", "add an input of another name with the new type, and deprecate this one", ""},
		both("input", func(p elementPair) *change {
			// That it is required now is a rule of its own.
			was, is := bare(p.was.typ), bare(p.is.typ)
			return changed(!sendsAs(was, is), typeText(p.was), typeText(p.is))
		}),
	},
	{
		changeKind{"graphql-enum-value-removed", Breaking, []Surface{graphQLSurface}, "a value of an enum is gone", "keep the value in the card's enum until no row and no client has it", ""},
		gone("value", name),
	},
	{
		changeKind{"graphql-enum-value-added", Dangerous, []Surface{graphQLSurface}, "an enum has another value, which its readers may not know", "inform its readers before a row has the value", ""},
		added("value", name),
	},
	{
		changeKind{"graphql-interface-removed", Breaking, []Surface{graphQLSurface}, "a type does not implement an interface any more", "keep the primary key readable", ""},
		gone("interface", name),
	},
	{
		changeKind{"graphql-interface-added", Dangerous, []Surface{graphQLSurface}, "a type implements another interface: fields of that interface may give it", "check clients that branch on the type", ""},
		added("interface", name),
	},
	{
		changeKind{"graphql-type-added", safe, []Surface{graphQLSurface}, "a type is new", "no action needed", ""},
		added("type", kindText),
	},
	{
		changeKind{"graphql-field-added", safe, []Surface{graphQLSurface}, "a field is new", "no action needed", ""},
		added("field", typeText),
	},
	{
		changeKind{"graphql-input-added", safe, []Surface{graphQLSurface}, "an argument or a field of an input is new and may be left out", "no action needed", ""},
		func(p elementPair) *change {
			return changed(p.kind() == "input" && p.was == nil && !p.is.required, "", typeText(p.is))
		},
	},
	{
		changeKind{"graphql-type-compatible", safe, []Surface{graphQLSurface}, "a compatible change: a field is never null, or an input may be left out", "no action needed", ""},
		func(p elementPair) *change {
			if p.was == nil || p.is == nil || p.was.typ == nil || p.was.typ.String() == p.is.typ.String() {
				return nil
			}
			ok := p.kind() == "field" && readsAs(p.was.typ, p.is.typ) || p.kind() == "input" && sendsAs(p.was.typ, p.is.typ)
			return changed(ok, typeText(p.was), typeText(p.is))
		},
	},
	{
		changeKind{"graphql-deprecated", safe, []Surface{graphQLSurface}, "a deprecation has changed", "no action needed", ""},
		both("", func(p elementPair) *change {
			return changed(p.was.deprecated != p.is.deprecated, p.was.deprecated, p.is.deprecated)
		}),
	},
}

// both is a find for a pair of that kind, or of any with "", that both versions have.
func both(kind string, find func(elementPair) *change) func(elementPair) *change {
	return when(func(p elementPair) bool { return p.was != nil && p.is != nil && (kind == "" || p.kind() == kind) }, find)
}

// gone is a find for an element of that kind that the new version does not have.
func gone(kind string, text func(*element) string) func(elementPair) *change {
	return func(p elementPair) *change { return changed(p.kind() == kind && p.is == nil, text(p.was), "") }
}

// added is a find for an element of that kind that the old version does not have.
func added(kind string, text func(*element) string) func(elementPair) *change {
	return func(p elementPair) *change { return changed(p.kind() == kind && p.was == nil, "", text(p.is)) }
}

// name is the name of an element; "" of nil.
func name(e *element) string {
	if e == nil {
		return ""
	}
	return e.name
}

// typeText is the type of a field or an input; "" of nil.
func typeText(e *element) string {
	if e == nil || e.typ == nil {
		return ""
	}
	return e.typ.String()
}

// kindText is the kind of a type: object, input object, enum.
func kindText(e *element) string {
	if e == nil || e.def == nil {
		return ""
	}
	return strings.ToLower(strings.ReplaceAll(string(e.def.Kind), "_", " "))
}

// bare is a type without the mark that it is not null.
func bare(t *ast.Type) *ast.Type {
	out := *t
	out.NonNull = false
	return &out
}

// readsAs reports whether a client that reads values of type was can also read those of type
// is: they are the same, but may be null less often.
func readsAs(was, is *ast.Type) bool {
	if was.NonNull && !is.NonNull {
		return false
	}
	if was.Elem != nil || is.Elem != nil {
		return was.Elem != nil && is.Elem != nil && readsAs(was.Elem, is.Elem)
	}
	return was.NamedType == is.NamedType
}

// sendsAs reports whether values that are sent as type was may be sent as type is. A variable
// of type was fits too.
func sendsAs(was, is *ast.Type) bool { return readsAs(is, was) }
