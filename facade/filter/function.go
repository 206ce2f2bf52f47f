package filter

import (
	"slices"

	"github.com/frondhost/frond/schema"
)

// Func is a function of the values of rows: the zero value is the value itself, as the key of a group.
type Func uint8

// The functions.
const (
	Key Func = iota
	Count
	CountDistinct
	Sum
	Avg
	Min
	Max
)

// functions are their names.
var functions = [...]string{Count: "count", CountDistinct: "countDistinct", Sum: "sum", Avg: "avg", Min: "min", Max: "max"}

// String returns the name of the function.
func (f Func) String() string { return functions[f] }

// Function is the function of a name; [Key] of any other name.
func Function(name string) Func {
	return Func(max(0, slices.Index(functions[:], name))) //nolint:gosec // one of the functions
}

// OfField are the functions that a field may have, in the order in which they are listed.
var OfField = []Func{CountDistinct, Sum, Avg, Min, Max}

// On reports whether values of a kind have the function.
func (f Func) On(kind schema.Kind) bool {
	switch f {
	case Key, CountDistinct:
		return kind != schema.KindJSON
	case Sum, Avg:
		return kind == schema.KindInteger || kind == schema.KindNumber || kind == schema.KindDecimal
	case Min, Max:
		return kind != schema.KindJSON && kind != schema.KindBoolean
	}
	return false
}

// Kind is the kind of the function's values for a field of a kind.
func (f Func) Kind(of schema.Kind) schema.Kind {
	switch {
	case f == Count, f == CountDistinct:
		return schema.KindInteger
	case f == Avg && of == schema.KindInteger:
		return schema.KindNumber
	}
	return of
}
