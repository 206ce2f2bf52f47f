package project

import (
	"encoding/json"

	"github.com/frondhost/frond/schema"
)

// The data of a frond.yaml. Names are as the author wrote them: whether there is such a door,
// an operation or a field is checked when package facade compiles the project.
//
//	doors:
//	  product: {plural: goods, operations: {only: [list, findById], publish: {kind: command}}}
//	  stockCount: false
//	collectors:
//	  product: [{when: user != nil, rows: {ownerId: {eq: $user.id}}}, {deny: all}]
//	facts: [{name: orderPlaced, schema: order, on: order.create}]
//	changes: [product]

// Config is the content of a frond.yaml (docs/frond-yaml.md). Everything in it is
// optional. At is, in every type below, the JSON pointer to the value in the file.
type Config struct {
	Doors      []*Door // in the order they are written
	Many       []Many
	Nested     []Nested
	Files      []FileField
	Search     []Search
	Relations  []schema.ManyToMany // without their Frond
	Tables     []Table
	Facts      []Fact
	OpenFacts  []Named // of a remote, in [ReadBeside]
	Changes    []Named // doors, or [Others]
	Schedule   []Scheduled
	Collectors []Collector
	Computed   []Computed
	Surfaces   Surfaces
	Renamed    []Rename
	Gone       []Rename // renamed to null
	Values     []Value
}

// Rename says that an entity or a field had another name before: item: product, or
// product.name: product.title.
type Rename struct{ From, At, To, Until string }

// Value is the expression that gives rows that are older than a field, entity.field, their
// value of it.
type Value struct{ Of, At, Text string }

// Door is the entry of one door under doors. A door without an entry has the zero values: a
// façade with all built-in operations if it has an entity.
type Door struct {
	Name    string
	At      string
	Off     bool   // false, or {door: false}: the entity has no façade
	Plural  string // its segment in REST paths; "": the regular plural
	GraphQL string // the name of its type in GraphQL; "": of the entity
	Limits  ListLimits
	Only    []string // built-in operations; nil: all
	Ops     []Operation
	Many    *Many // that opens writes of many rows; nil: none
}

// Many opens writes of many rows of a door.
type Many struct {
	Door, At string
	Words    []Named // create, update, delete, upsert
	All      bool    // '*': all that the door has the operations for
}

// Nested opens writes of the rows of relations in the bodies of a door.
type Nested struct {
	Door, At  string
	Relations []Named
}

// Search has the rows of a door searched by words.
type Search struct {
	Door, At string
	Fields   []SearchField
	Language string // "": simple
	Headline string // name of the computed field; "": there is none
}

// SearchField is a searched field with its weight, A to D.
type SearchField struct {
	Name, At string
	Weight   byte
}

// Operation is an operation that a door declares, or its entry for a built-in one. Order is its
// order in the file.
type Operation struct {
	Name, At    string
	Off         bool    // false: a built-in operation that the door does not have
	Kind        string  // query or command; "": by its name
	Parts       [4]Part // by PartParams, PartQuery, PartInput, PartOutput
	Cardinality string  // one, maybe, many, page or none; "": by the output
	Description string
	Deprecated  string // why it is deprecated; "": it is not
	GraphQL     string // the name of its field in GraphQL; "": by entity and operation
}

// The parts of an operation that a card describes.
const (
	PartParams = iota
	PartQuery
	PartInput
	PartOutput
)

// PartNames are the keys of the parts, by their indexes.
var PartNames = [4]string{"params", "query", "input", "output"}

// Part is a card written inline (Card), or the name of an entity or a view (Name); the zero
// Part is neither. Card is JSON, also where the file is YAML.
type Part struct {
	At   string
	Name string
	Card json.RawMessage
}

// Given reports whether the part names or holds a card.
func (p Part) Given() bool { return p.Name != "" || p.Card != nil }

// Fact is an announcement that a Frond declares (spec 6). Schema is the card of the data it
// carries; the zero Part leaves that open, or to the door that On names. On are the operations
// that emit it as door.operation; nil: Go code does. When is an expression; "": always.
type Fact struct {
	Name, At string
	Schema   Part
	On       []Named
	When     string
}

// Named is a name that a frond.yaml lists, and its place there.
type Named struct{ Name, At string }

// Scheduled is a command that runs at times. Cron is a line of cron, Zone the name of a time zone, ""
// for UTC, and State a JSON object, or nil for the host itself.
type Scheduled struct {
	Name, At   string // the operation, as door.operation
	Cron, Zone string
	State      json.RawMessage
}

// ListLimits are how many rows one page holds (docs/frond-yaml.md).
type ListLimits struct {
	Default int // where the caller says none; 0: 50
	Max     int // a larger limit is cut to it; 0: 500
}

// Or returns l with the limits that it lacks taken from below. Default is never more than Max in
// the result: a door that lowers max alone lowers both.
func (l ListLimits) Or(below ListLimits) ListLimits {
	if l.Max <= 0 {
		l.Max = below.Max
	}
	if l.Default <= 0 {
		l.Default = below.Default
	}
	l.Default = min(l.Default, l.Max)
	return l
}

// Collector has the access rules of one door, or of all doors without an entry of their own ([Others]).
// Rules are tried in order and the first that matches counts; without a match the call is denied
// (docs/decisions/access-rules.md). Open and Rules exclude each other.
type Collector struct {
	Name, At string
	Open     bool // the word open in place of rules
	Rules    []Rule
}

// Others is the name of the collector of every door without an entry of its own.
const Others = "*"

// Rule is one rule of a collector; docs/collectors.md describes it. nil lists were not
// written, which differs from empty ones.
type Rule struct {
	At   string
	When string   // "": always
	Ops  []string // for: of these operations alone; nil: of all
	// Rows is a filter with placeholders, as JSON; nil: all rows.
	Rows     json.RawMessage
	Hide     []string
	ReadOnly []string
	Actor    bool // of events, shown
	Set      []Preset
	Allow    []string // operations; nil: not written
	AllowAll bool     // allow: all
	Deny     []string // operations
	DenyAll  bool     // deny: all
}

// Preset is a field that a rule writes at creation, as the rule has it: a value or a
// reference such as $user.id.
type Preset struct {
	Name, At string
	Value    json.RawMessage
}

// Computed is one computed field as its frond.yaml has it: a shape, and the expression that
// gives its value.
//
//	order: {total: {type: integer, value: subtotal + shipping}}
//
// Value is then "subtotal + shipping" and Shape {"type":"integer"}. Value is "" for a field
// that the host's own presenter makes.
type Computed struct {
	Door, DoorAt string
	Name, At     string
	Shape        json.RawMessage // the keys beside value
	Value        string
}

// Surfaces is the entry surfaces of a frond.yaml:
//
//	surfaces:
//	  graphql: {only: [product, category.list]}   # doors, or single operations
//	  rest: {except: [order.delete]}              # all but these
//	  envelope: false                             # no door of this Frond
//	  audiences:
//	    partner:                                  # shows only the named doors
//	      rest: {only: [product.list]}
//
// Without an entry, a surface of everybody's shows the whole Frond, and an audience's shows no
// part of it.
type Surfaces struct {
	Surfaces  []Surface
	Audiences []string
}

// Surface is what one surface shows of a Frond. The forms in the file become
//
//	true              Except, no Names
//	false             no Names
//	{only: [a]}       Names
//	{except: [a]}     Except, Names
type Surface struct {
	Kind, Audience string  // graphql, rest or envelope; of everybody where audience is ""
	Except         bool    // except: all but the named; else the named alone
	Names          []Named // doors (product), or operations as door.operation (category.list)
}

// Text is a file as it was read. The zero Text is a missing file.
type Text struct {
	File string // as faults name it; its ending says whether it is YAML or JSON
	Data []byte
}
