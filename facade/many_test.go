package facade_test

import (
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

func TestMany(t *testing.T) {
	storetest.RunMany(t, storetest.Harness{Open: func(testing.TB, []*schema.Entity) facade.Store { return storetest.NewStore() }})
}
