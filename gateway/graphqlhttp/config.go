package graphqlhttp

import (
	"cmp"
	"fmt"
	"time"

	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/schema"
)

// Config is the settings of graphql. The zero value executes any document within the limits,
// and hides the schema.
type Config struct {
	// Introspection answers __schema and __type, which are refused without it; __typename is
	// always answered. Console serves the console to browsers. Nil follows the mode: on in
	// development, else off.
	Introspection, Console *bool

	NoCoalesce  bool // equal queries that arrive together are executed one by one
	NoPersisted bool // automatic persisted queries are refused
	Documents   Documents
	// SemanticNonNull are the audiences whose schema has @semanticNonNull; [Everybody] is the
	// audience of all others.
	SemanticNonNull []string
	// Limits hold for every document, trusted ones included. A zero field has its default, from
	// [resolvers.DefaultLimits].
	Limits resolvers.Limits
}

// Documents say which documents are trusted: the documents of a folder, which clients send the
// ids of.
type Documents struct {
	// Folder is a path below the project's folder, or absolute; "": trusted documents are off.
	Folder string
	// Mode is how documents outside of Folder are handled: [DocumentsOff], which is also "",
	// [DocumentsLog] or [DocumentsEnforce].
	Mode string
}

// Everybody is the name for surfaces without an audience.
const Everybody = "everybody"

// The modes of Documents.
const (
	DocumentsOff     = "off"     // they run
	DocumentsLog     = "log"     // they run, and each is logged once
	DocumentsEnforce = "enforce" // they are refused
)

// mostExecution leaves the server time to write the answer before its write timeout.
const mostExecution = 50 * time.Second

// Settings are the rows of graphql. Each row reads its text into the field of c that it is
// bound to.
func (c *Config) Settings() []setting.Setting {
	return []setting.Setting{
		setting.New("graphql.introspection", "false", "answer __schema and __type; the default in development is true", setting.Optional(setting.Bool), &c.Introspection),
		setting.New("graphql.console", "false", "serve the console to browsers; the default in development is true", setting.Optional(setting.Bool), &c.Console),
		setting.New("graphql.coalesce", "true", "execute equal queries that arrive together once", setting.Not, &c.NoCoalesce),
		setting.New("graphql.persisted", "true", "accept automatic persisted queries", setting.Not, &c.NoPersisted),
		setting.New("graphql.documents.folder", "", "the folder of the trusted documents", setting.Text, &c.Documents.Folder),
		setting.Choice("graphql.documents.mode", DocumentsOff, "how untrusted documents are handled: off runs them, log runs and logs them, enforce refuses them", &c.Documents.Mode, DocumentsOff, DocumentsLog, DocumentsEnforce),
		setting.New("graphql.semanticNonNull", "[]", "the audiences whose schema marks fields that are null only beside an error with @semanticNonNull; everybody is the schema without an audience", setting.List, &c.SemanticNonNull),
		setting.New("graphql.limits.document", "64KiB", "the maximum size of a document", setting.Bytes, &c.Limits.Document),
		setting.New("graphql.limits.tokens", "5000", "the maximum number of tokens of a document", setting.Count, &c.Limits.Tokens),
		setting.New("graphql.limits.depth", "15", "the maximum depth of fields; introspection is counted separately, up to twice that", setting.Count, &c.Limits.Depth),
		setting.New("graphql.limits.aliases", "30", "the maximum number of aliases of a document", setting.Count, &c.Limits.Aliases),
		setting.New("graphql.limits.roots", "20", "the maximum number of root fields of an operation", setting.Count, &c.Limits.Roots),
		setting.New("graphql.limits.fields", "3500", "the maximum number of fields of a document, fragments counted wherever they are spread", setting.Count, &c.Limits.Fields),
		setting.New("graphql.limits.expanded", "10000", "the maximum number of fields, arguments, values, directives and spreads of a document", setting.Count, &c.Limits.Expanded),
		setting.New("graphql.limits.execution", "15s", "the maximum duration of an operation", readExecution, &c.Limits.Execution),
		setting.New("graphql.limits.response", "64MiB", "the maximum size of an answer", setting.Bytes, &c.Limits.Response),
	}
}

// WithDefaults is c with every empty setting filled in, for a gateway in mode development or
// not. c itself is not changed.
func (c Config) WithDefaults(development bool) Config {
	c.Introspection, c.Console = cmp.Or(c.Introspection, &development), cmp.Or(c.Console, &development)
	c.Documents.Mode = cmp.Or(c.Documents.Mode, DocumentsOff)
	l, def := &c.Limits, resolvers.DefaultLimits()
	l.Document = cmp.Or(l.Document, def.Document)
	l.Tokens = cmp.Or(l.Tokens, def.Tokens)
	l.Depth = cmp.Or(l.Depth, def.Depth)
	l.Aliases = cmp.Or(l.Aliases, def.Aliases)
	l.Roots = cmp.Or(l.Roots, def.Roots)
	l.Fields = cmp.Or(l.Fields, def.Fields)
	l.Expanded = cmp.Or(l.Expanded, def.Expanded)
	l.Execution = cmp.Or(l.Execution, def.Execution)
	l.Response = cmp.Or(l.Response, def.Response)
	return c
}

// Check reports faults between settings that are each valid. The only one is a mode without a
// folder; [Folder.Verify] reports the faults inside the folder.
func (c *Config) Check() (faults schema.Faults) {
	if d := c.Documents; d.Folder == "" && d.Mode != DocumentsOff && d.Mode != "" {
		faults = append(faults, schema.Fault{
			File: setting.File, Pointer: "/graphql/documents/mode",
			Message: fmt.Sprintf("the mode %s needs trusted documents", d.Mode),
			Remedy:  "name their folder in graphql.documents.folder, or write off",
		})
	}
	return faults
}

// engine is the settings that are the engine's, as its options.
func (c *Config) engine() *resolvers.Options {
	return &resolvers.Options{Limits: c.Limits, NoIntrospection: !on(c.Introspection), NoCoalesce: c.NoCoalesce}
}

// on reports whether a switch is on; an unset one is off.
func on(s *bool) bool { return s != nil && *s }

// readExecution reads the time limit of an operation, which ends before the server stops
// writing.
func readExecution(text string) (time.Duration, error) {
	d, err := setting.Duration(text)
	if err != nil || d < time.Millisecond || d > mostExecution {
		return 0, fmt.Errorf("write a duration such as 15s, of at most %s", mostExecution)
	}
	return d, nil
}
