package catalog_test

import (
	"testing"

	"github.com/frondhost/frond/facade/catalog"
)

// spec 4.2.4: the kind follows the name, at a word boundary.
func TestKindOf(t *testing.T) {
	for name, want := range map[string]catalog.Kind{
		"list": catalog.Query, "listAll": catalog.Query, "find": catalog.Query, "findByID": catalog.Query, "get_it": catalog.Query,
		"get2": catalog.Query, "search": catalog.Query, "countWords": catalog.Query, "existsHere": catalog.Query, "stats": catalog.Query,
		"listen": catalog.Command, "finder": catalog.Command, "getaway": catalog.Command, "publish": catalog.Command,
		"create": catalog.Command, "counter": catalog.Command, "List": catalog.Command, "": catalog.Command, "reset": catalog.Command,
	} {
		if got := catalog.KindOf(name); got != want {
			t.Errorf("%s is a %s, want %s", name, got, want)
		}
	}
}
