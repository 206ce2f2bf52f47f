package storetest

import (
	"slices"
	"testing"

	"github.com/frondhost/frond/facade"
)

// The list of all tests. The order is from the plain to the compound: where an early test
// fails, later ones fail for the same reason.

// Run runs the suite, each test as a subtest over a store of its own. A store passes where all
// of them do; the names of the subtests are its promises.
func Run(t *testing.T, h Harness) {
	// Names are sentences: each is a promise that a failing store does not keep.
	run := 0
	for _, test := range []struct {
		name string
		run  func(*testing.T, *world)
	}{
		// Writes: values, the three writes, constraints, and the terms of a write.
		{"values come back as they were judged", careful(testValues)},
		{"values that cannot stand in their column are refused", careful(testOddValues)},
		{"insert", testInsert},
		{"update", testUpdate},
		{"delete", testDelete},
		{"unique constraints", testUnique},
		{"relations hold", testReferences},
		{"the terms of a write", testTerms},
		{"terms are judged in the transaction", testJudgedInTheTransaction},
		// Reads: filters, orders, pages, totals, groups, selections.
		{"filters", testFilters},
		{"filters through relations", testRelations},
		{"order", testOrder},
		{"pages by cursor", testKeyset},
		{"cursors of another order", careful(testOddCursors)},
		{"pages by offset", testOffset},
		{"totals", testTotals},
		{"many keys at once", testEach},
		{"selections", testSelections},
		{"a row by its key", testRow},
		{"groups", testGroups},
		{"groups where the clock changes at midnight", testGroupsAtMidnight},
		{"searches by words", testSearch},
		{"rank", testRank},
		{"sums that are too large", testGroupOverflow},
		{"orders and conditions by sums that are too large", testDerivedOverflow},
		// Seeds, and what only goes wrong with odd texts, lost callers and many at once.
		{"seeds are written once", testSeeds},
		{"hostile text is only text", testHostile},
		{"a caller who is gone", testCancelled},
		{"a write is seen by who reads after it", testVisible},
		{"writers and readers side by side", testConcurrent},
		{"rows of keys are read beside searches", testKept},
		{"a request has one budget of work", careful(testWork)},
		{"an observer gets the plan of a read", careful(testPlans)},
		{"key values have one writer a version", testKeyValues},
		// Several calls as one, where the store has transactions.
		{"a transaction is committed whole or not at all", transacting(testTransaction)},
		{"transactions within each other", transacting(testNested)},
		{"calls beside and behind a transaction", transacting(testTransactionEnds)},
		{"the last seats are sold once", transacting(testSeats)},
		{"transfers keep the sum", transacting(testTransfers)},
		{"two transactions that read what the other writes", transacting(testSkew)},
		// Last, since its failures are the hardest to read: the others name the fault.
		{"values behind relations", testDerived},
		{"random reads against the reference store", testRandom},
		{"random groups against the reference store", testRandomGroups},
		{"random searches against the reference store", testRandomSearch},
	} {
		if h.Only != nil && !slices.Contains(h.Only, test.name) {
			continue
		}
		run++
		t.Run(test.name, func(t *testing.T) {
			// Cards are compiled for each test, so that no store keeps the table of an entity
			// beyond its test.
			set := Cards(t)
			test.run(t, &world{T: t, set: set, store: h.Open(t, set.Entities), harness: h})
		})
	}
	if h.Only != nil && run != len(h.Only) {
		t.Errorf("%d of the %d tests in Only are there", run, len(h.Only))
	}
}

// careful wraps a test that a trusting store does not take: it is skipped there.
func careful(test func(*testing.T, *world)) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		if w.harness.Trusting {
			t.Skip("the store trusts what it is given")
		}
		test(t, w)
	}
}

// transacting wraps a test of [facade.Transactor]: it is skipped where a store has none.
func transacting(test func(*testing.T, *world, facade.Transactor)) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		transactor := w.store.Abilities().Transactor
		if transactor == nil {
			t.Skip("the store has no transactions")
		}
		test(t, w, transactor)
	}
}
