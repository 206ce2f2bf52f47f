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
var graphQLRules = []rule[pair[element]]{
	{changeKind{"graphql-type-removed", Breaking, onGraphQL, "a type is gone", keepElement, ""}, of(aType, gone(kindText))},
	{changeKind{"graphql-type-kind-changed", Breaking, onGraphQL, "a type is of another kind", "give the new type another name", ""}, of(aType, differs(kindText))},
	{changeKind{"graphql-name-changed", Breaking, onGraphQL, "a type, a field or an input has another name", "keep the name with graphql: in frond.yaml, or move the clients first", ""}, differs(name)},
	{changeKind{"graphql-field-removed", Breaking, onGraphQL, "a field is gone", keepElement, ""}, of(aField, gone(typeText))},
	{changeKind{"graphql-field-type-changed", Breaking, onGraphQL, "a field has values of another type", "add a field of another name with the new type, and deprecate this one", ""}, of(aField, turned(func(was, is *element) bool { return !readsAs(was.typ, is.typ) }, typeText))},
	{changeKind{"graphql-input-removed", Breaking, onGraphQL, "an argument or an input field is gone", keepElement, ""}, of(anInput, gone(typeText))},
	{changeKind{"graphql-input-required", Breaking, onGraphQL, "an argument or an input field has to be sent", nullable, ""}, hasToBeSent},
	// That it is required now is a rule of its own.
	{changeKind{"graphql-input-type-changed", Breaking, onGraphQL, "an argument or an input field takes another type", "add an input of another name with the new type, and deprecate this one", ""}, of(anInput, turned(func(was, is *element) bool { return !sendsAs(bare(was.typ), bare(is.typ)) }, typeText))},
	{changeKind{"graphql-enum-value-removed", Breaking, onGraphQL, "a value of an enum is gone", "keep the value in the card's enum until no row and no client has it", ""}, of(aValue, gone(name))},
	{changeKind{"graphql-enum-value-added", Dangerous, onGraphQL, "an enum has a further value", "inform its readers before a row has the value", ""}, of(aValue, added(name))},
	{changeKind{"graphql-interface-removed", Breaking, onGraphQL, "a type no longer implements an interface", "keep the primary key readable", ""}, of(anInterface, gone(name))},
	{changeKind{"graphql-interface-added", Dangerous, onGraphQL, "a type implements a further interface, whose fields may give it", "check clients that branch on the type", ""}, of(anInterface, added(name))},
	{changeKind{"graphql-type-added", safe, onGraphQL, "a type is new", noAction, ""}, of(aType, added(kindText))},
	{changeKind{"graphql-field-added", safe, onGraphQL, "a field is new", noAction, ""}, of(aField, added(typeText))},
	{changeKind{"graphql-input-added", safe, onGraphQL, "an argument or an input field is new and optional", noAction, ""}, of(anInput, addedIf(func(e *element) bool { return !e.required }, typeText))},
	{changeKind{"graphql-type-compatible", safe, onGraphQL, "a field is never null, or an input may be left out", noAction, ""}, turned(isCompatible, typeText)},
	{changeKind{"graphql-deprecated", safe, onGraphQL, "a deprecation has changed", noAction, ""}, differs(func(e *element) string { return e.deprecated })},
}

// of restricts a find to elements of a kind.
func of(kind elementKind, find func(pair[element]) *change) func(pair[element]) *change {
	return func(p pair[element]) *change {
		if p.either().kind != kind {
			return nil
		}
		return find(p)
	}
}

// hasToBeSent finds an input that is new and required, or has become required.
func hasToBeSent(p pair[element]) *change {
	if p.is == nil || !p.is.required || p.was != nil && p.was.required {
		return nil
	}
	return &change{typeText(p.was), typeText(p.is)}
}

// isCompatible reports whether the type of a field or an input is another that its clients can
// go on with.
func isCompatible(was, is *element) bool {
	if was.typ == nil || was.typ.String() == is.typ.String() {
		return false
	}
	return was.kind == aField && readsAs(was.typ, is.typ) || was.kind == anInput && sendsAs(was.typ, is.typ)
}

// name is the name of an element.
func name(e *element) string { return e.name }

// typeText is the type of a field or an input; "" of nil.
func typeText(e *element) string {
	if e == nil || e.typ == nil {
		return ""
	}
	return e.typ.String()
}

// kindText is the kind of a type: object, input object, enum.
func kindText(e *element) string {
	return strings.ToLower(strings.ReplaceAll(string(e.def.Kind), "_", " "))
}

// bare is a type without the mark that it is not null.
func bare(t *ast.Type) *ast.Type {
	out := *t
	out.NonNull = false
	return &out
}

// readsAs reports whether a client that reads values of type was can also read values of type
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

// sendsAs reports whether values of type was may be sent as type is. A variable of type was
// fits too.
func sendsAs(was, is *ast.Type) bool { return readsAs(is, was) }
