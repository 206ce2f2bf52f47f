package compile

import (
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// Source is a project before it is compiled: its files, and the Go code attached to it.
type Source struct {
	Vendor   string
	Fronds   []*project.Frond
	Registry *schema.Registry // nil: schema.Builtins
	Attached Attached
}

// Attached is what Go code attached, in the order it came. An unknown door, or one thing
// attached twice, is a fault. Doors have the names that Go code gives them.
type Attached struct {
	Handlers   []AttachedHandler
	Presenters []AttachedPresenter
	Collectors []AttachedCollector
	Hooks      []AttachedHook
	Checks     []AttachedCheck
}

// AttachedHandler is a handler of an operation.
type AttachedHandler struct {
	Door, Name string
	Kind       catalog.Kind // what the attaching function says it is; "": it does not
	Detached   bool
}

// AttachedPresenter is a computed field.
type AttachedPresenter struct {
	Door string
	*access.Presenter
}

// AttachedCollector is the collector of a door.
type AttachedCollector struct {
	Door string
	access.Collector
}

// AttachedHook is a hook of an operation; Before says that it runs before the write.
type AttachedHook struct {
	Door, Name string
	Before     bool
}

// AttachedCheck judges a door when the catalog is complete.
type AttachedCheck struct {
	Door  string
	Check func(*catalog.Door) schema.Faults
}
