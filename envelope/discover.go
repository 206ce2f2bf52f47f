package envelope

import (
	"sync"

	"github.com/frondhost/frond/facade"
)

// documentOf is the catalog's discovery document as text, made when first asked
// for: a catalog never changes.
func documentOf(cat *facade.Catalog) func() []byte {
	return sync.OnceValue(func() []byte { return cat.Discovery().AppendJSON(nil) })
}
