package storetest_test

import (
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// TestReferenceStore holds the suite and the reference store to each other: what SQL stores are
// measured by has to be true of rows in a slice, too.
func TestReferenceStore(t *testing.T) {
	storetest.Run(t, storetest.Harness{
		Trusting: true, Few: true,
		Open: func(testing.TB, []*schema.Entity) facade.Store { return storetest.NewStore() },
	})
}

func TestReferenceOutbox(t *testing.T) {
	storetest.RunOutbox(t, storetest.Harness{
		Trusting: true,
		Open:     func(testing.TB, []*schema.Entity) facade.Store { return storetest.NewStore() },
	})
}
