package schema

// Source is one card as it was found: a file of a project, or a member of a bundle.
type Source struct {
	File  string // for faults
	Name  string // the entity's name as spelled: the file name without its ending
	Frond string
	View  bool
	Data  []byte // YAML or JSON, told by File's ending; ignored where Card is given
	Card  *Card
}

// Set is the compiled cards of a host: entities and views, by key.
type Set struct {
	Entities []*Entity // in the order of their sources
	Views    []*Entity
	byKey    map[string]*Entity
}

// Entity is the entity or view called name in any spelling, or nil.
func (s *Set) Entity(name string) *Entity { return s.byKey[EntityKey(name)] }

// CompileOptions are optional; a nil pointer is fine.
type CompileOptions struct {
	Vendor string // x-kit-vendor where a card says none; default "frondhost"
	// Remote names the Fronds whose operations run elsewhere: their generators and
	// conversions need not be known here (spec 2.2.3).
	Remote map[string]bool
}

// Compile reads and links cards. The error is Faults: every fault of every source at once.
func Compile(sources []Source, reg *Registry, opts *CompileOptions) (*Set, error) {
	panic("not yet")
}

// ReadCard reads one card from YAML or JSON, told by the ending of file. The error is Faults.
func ReadCard(file string, data []byte) (*Card, error) { panic("not yet") }
