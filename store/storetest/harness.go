package storetest

import (
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
)

// Harness makes the stores that are tried. Open has to be set.
type Harness struct {
	// Open makes a new, empty store that holds entities; it is closed by t.Cleanup.
	Open func(t testing.TB, entities []*schema.Entity) facade.Store
	// Trusting says that the store keeps every text as it came and checks none: the tests of
	// spelling and of refused values are left out. Default: it checks.
	Trusting bool
	// NoNUL says that texts cannot have U+0000: the store refuses them with VALIDATION_FAILED,
	// and the tests of texts have U+0001 instead. Default: a NUL is a sign like others.
	NoNUL bool
	// PlainZero says that a decimal of zero has no sign: "-0.00" comes back as "0.00".
	PlainZero bool
	// Beside makes another store over the data of one that Open made, as another process has it;
	// it is closed by t.Cleanup. nil: no other process can have the data.
	Beside func(t testing.TB, store facade.Store) facade.Store
	// Few says that another store of the suite runs the same statements, or that this one is the
	// reference: the random tests make a fifth of their finds.
	Few bool
	// Only names the tests of [Run] that are run; nil is all of them.
	Only []string
	// SideBySide says that a transaction that has written does not keep others from writing.
	SideBySide bool
}
