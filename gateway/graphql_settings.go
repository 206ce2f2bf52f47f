package gateway

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/schema"
)

// GraphQL says what is answered at /graphql. The zero value takes any document within
// the limits and tells nobody what there is.
type GraphQL struct {
	// Introspection answers __schema and __type; else they are refused, and __typename is
	// not. Console shows a browser the console; else it gets what every client gets. Nil is
	// as Config.Mode says: on in development, off in production and without a Config.
	Introspection, Console *bool

	NoCoalesce  bool // equal queries that come at once run each by itself
	NoPersisted bool // documents are not remembered by their hash (automatic persisted queries)
	Documents   Documents
	// Limits hold for every document, trusted ones too. Zero: as resolvers has it.
	Limits resolvers.Limits
}

// Documents are the trusted documents: those of a folder, which are asked for by id.
type Documents struct {
	// Folder is a path below the project's folder, or an absolute one; "": there are none.
	Folder string
	// Mode is what becomes of documents that are not in Folder: [DocumentsOff], which
	// is also "", [DocumentsLog] or [DocumentsEnforce].
	Mode string
}

// The modes of Documents.
const (
	DocumentsOff     = "off"     // they run
	DocumentsLog     = "log"     // they run, and each is logged once
	DocumentsEnforce = "enforce" // they are refused
)

// The values of Config.Mode.
const (
	Production  = "production"
	Development = "development"
)

// mostExecution leaves the server time to write the answer; see newServer.
const mostExecution = 50 * time.Second

func (g GraphQL) withDefaults(mode string) GraphQL {
	open := mode == Development
	g.Introspection, g.Console = cmp.Or(g.Introspection, &open), cmp.Or(g.Console, &open)
	g.Documents.Mode = cmp.Or(g.Documents.Mode, DocumentsOff)
	l, def := &g.Limits, resolvers.DefaultLimits()
	l.Document = cmp.Or(l.Document, def.Document)
	l.Tokens = cmp.Or(l.Tokens, def.Tokens)
	l.Depth = cmp.Or(l.Depth, def.Depth)
	l.Aliases = cmp.Or(l.Aliases, def.Aliases)
	l.Roots = cmp.Or(l.Roots, def.Roots)
	l.Fields = cmp.Or(l.Fields, def.Fields)
	l.Expanded = cmp.Or(l.Expanded, def.Expanded)
	l.Execution = cmp.Or(l.Execution, def.Execution)
	l.Response = cmp.Or(l.Response, def.Response)
	return g
}

// check finds what is wrong between settings that are each right.
func (g *GraphQL) check() (faults schema.Faults) {
	if d := g.Documents; d.Folder == "" && d.Mode != DocumentsOff && d.Mode != "" {
		faults = append(faults, schema.Fault{
			File: ConfigFile, Pointer: "/graphql/documents/mode",
			Message: fmt.Sprintf("there are no trusted documents to tell others from in the mode %s", d.Mode),
			Remedy:  "name their folder in graphql.documents.folder, or write off",
		})
	}
	return faults
}

// engine are the options of an engine that answers as these settings say.
func (g *GraphQL) engine() *resolvers.Options {
	return &resolvers.Options{Limits: g.Limits, NoIntrospection: !on(g.Introspection), NoCoalesce: g.NoCoalesce}
}

// on says whether a switch is on; one that nobody has set is off.
func on(s *bool) bool { return s != nil && *s }

// pointed makes a reader give what it reads behind a pointer: a setting that is not
// made is nil.
func pointed[T any](read func(string) (T, error)) func(string) (*T, error) {
	return func(text string) (*T, error) {
		v, err := read(text)
		return &v, err
	}
}

// not makes the reader of a switch that Go code knows by its opposite.
func not(read func(string) (bool, error)) func(string) (bool, error) {
	return func(text string) (bool, error) {
		v, err := read(text)
		return !v && err == nil, err
	}
}

// readBytes reads a size into an int.
func readBytes(text string) (int, error) {
	n, err := readSize(text)
	return int(n), err
}

func readDocumentsMode(text string) (string, error) {
	switch text {
	case DocumentsOff, DocumentsLog, DocumentsEnforce:
		return text, nil
	}
	return "", errors.New("write off, log or enforce")
}

func readMode(text string) (string, error) {
	switch text {
	case Production, Development:
		return text, nil
	}
	return "", errors.New("write production or development")
}

func readExecution(text string) (time.Duration, error) {
	d, err := readDuration(text)
	if err != nil || d < time.Millisecond || d > mostExecution {
		return 0, fmt.Errorf("write a duration such as 15s, of at most %s", mostExecution)
	}
	return d, nil
}
