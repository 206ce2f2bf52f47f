package frond

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path"
	"reflect"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// App is a program over a folder of cards. Fill it from one goroutine, then hand it to
// [Main], [App.Open] or [Test]; mistakes are reported there, all at once.
type App struct {
	project *facade.Project
	site    fs.FS  // of New
	below   string // the folder of site that has the project
	unread  error  // why the folder cannot be read; nil: it was
	builtIn []byte // gateway.yaml of the folder; nil: it has none
	session gateway.Session
	extras  []extra.Extra // of With
	options []func(*gateway.Options)
	// consumers come from OnFact.
	consumers []gateway.Consumer
	doors     map[reflect.Type]*door // by the type of their rows
	named     []*door
	faults    schema.Faults
}

// New is a program over a folder: fronds/NAME/…, or the entities of one Frond next to its
// frond.yaml. If the folder holds only one other folder, as an embedded one does, New reads
// that one. A gateway.yaml in it has the default settings of the program.
//
// An embedded folder makes a program of one file; New(os.DirFS("site")) reads the folder at each start.
// With --watch both follow the folder as it is edited (see [Main]).
//
// The program has the core: SQLite, files in folders, webhooks, and every surface. [With] links more.
func New(site fs.FS, options ...Option) *App {
	a := &App{doors: map[reflect.Type]*door{}, site: site}
	for _, set := range options {
		set(a)
	}
	site, a.below = projectIn(site)
	if a.project, a.unread = facade.Read(site); a.unread != nil {
		a.project = &facade.Project{Registry: schema.Builtins()}
	}
	text, err := fs.ReadFile(site, "gateway.yaml")
	if err == nil {
		a.builtIn = text
	} else if !errors.Is(err, fs.ErrNotExist) {
		a.unread = errors.Join(a.unread, err)
	}
	return a
}

// Option is an option of [New].
type Option func(*App)

// With links extras, which not every program needs: postgres.Stores, nats.Facts, s3.Files, otlp.Traces,
// prometheus.Metrics of the packages of those names, or all of them, all.Extras()... of gateway/extra/all.
// A setting that needs another extra is a fault of the start that names the import.
func With(extras ...extra.Extra) Option {
	return func(a *App) { a.extras = append(a.extras, extras...) }
}

// projectIn returns the folder with the project in it and its path: site, or the only folder of it.
func projectIn(site fs.FS) (fs.FS, string) {
	for at := "."; ; {
		entries, err := fs.ReadDir(site, ".")
		if err != nil || len(entries) != 1 || !entries[0].IsDir() || entries[0].Name() == "fronds" || entries[0].Name() == "entities" {
			return site, at
		}
		below, err := fs.Sub(site, entries[0].Name())
		if err != nil {
			return site, at
		}
		site, at = below, path.Join(at, entries[0].Name())
	}
}

// Generator answers the name that cards write under lifecycle.create.generate. generate is
// called from many goroutines.
func (a *App) Generator(name string, generate func() string) {
	if _, taken := a.project.Registry.Generators[name]; taken {
		a.fault("the generator "+name+" is there already", "give it another name")
	}
	a.project.Registry.Generators[name] = func() (json.RawMessage, error) { return jsontext.Quote(generate()), nil }
}

// Conversion registers the name that cards write under boundary.in.decode and
// boundary.out.encode, for text. decode gets the caller's text, and its error is the caller's
// VALIDATION_FAILED; encode gets the stored text. Either may be nil.
func (a *App) Conversion(name string, decode, encode func(string) (string, error)) {
	if _, taken := a.project.Registry.Conversions[name]; taken {
		a.fault("the conversion "+name+" is there already", "give it another name")
	}
	a.project.Registry.Conversions[name] = schema.Conversion{Decode: onText(decode), Encode: onText(encode)}
}

func onText(convert func(string) (string, error)) func(json.RawMessage) (json.RawMessage, error) {
	if convert == nil {
		return nil
	}
	return func(value json.RawMessage) (json.RawMessage, error) {
		if jsontext.KindOf(value) != jsontext.String {
			return value, nil // null
		}
		text, err := convert(jsontext.Unquote(jsontext.Trim(value)))
		return jsontext.Quote(text), err
	}
}

// Session identifies the caller of a request, in place of the settings under identity: nil for
// an anonymous caller, [SignedIn] for a user. An error refuses the request; for an invalid
// credential it is [Unauthorized]. It is called from many goroutines.
func (a *App) Session(session func(*http.Request) (State, error)) {
	if a.session != nil {
		a.fault("Session is called twice", "call it once")
	}
	a.session = session
}

// Project is the project in the folder, for attachments of package facade that this package
// lacks: collectors in Go, handlers of whole calls, presenters of rows.
func (a *App) Project() *facade.Project { return a.project }

// Configure changes the options that the gateway starts with, after flags, variables and
// files were read: GraphQL fields of your own (Extend), middleware, a logger.
func (a *App) Configure(change func(*gateway.Options)) { a.options = append(a.options, change) }

// fault keeps a mistake of the program until it starts.
func (a *App) fault(message, remedy string) {
	a.faults = append(a.faults, schema.Fault{File: goCode, Message: message, Remedy: remedy})
}

// goCode is the place of a fault in code, which has no file.
const goCode = "Go code"

// Open opens the program's store as [Main] does, with the settings of gateway.yaml and the
// variables, without serving: for scripts and jobs. The context it returns works like the
// context of a command without a caller: [Inside], [From] and [Call] take it. Call closeApp
// when done. The error lists all faults at once.
func (a *App) Open(ctx context.Context) (inner context.Context, closeApp func() error, err error) {
	config, err := a.load(&gateway.Flags{}, os.Environ())
	if err != nil {
		return nil, nil, err
	}
	return a.open(ctx, gateway.Options{Config: *config})
}

// Handler is every surface of the program as [Main] serves it, for a server of your own and
// for tests. Call closeApp when done.
func (a *App) Handler() (handler http.Handler, closeApp func() error, err error) {
	config, err := a.load(&gateway.Flags{}, os.Environ())
	if err != nil {
		return nil, nil, err
	}
	gw, err := gateway.New(a.project, a.configured(gateway.Options{Config: *config}))
	if err != nil {
		return nil, nil, err
	}
	return gw.Handler(), gw.Close, nil
}

func (a *App) open(ctx context.Context, options gateway.Options) (context.Context, func() error, error) {
	host, err := gateway.Open(ctx, a.project, a.configured(options))
	if err != nil {
		return nil, nil, err
	}
	return withScene(host.Enter(ctx, nil), &scene{app: a, host: host}), host.Close, nil
}

// load reads the settings; the error is everything that is wrong with them, the folder and
// the program.
func (a *App) load(s *gateway.Flags, environ []string) (*gateway.Config, error) {
	s.BuiltIn, s.Extras = a.builtIn, a.extras
	_, config, err := s.Load(".", environ, os.Stderr, func(*gateway.Config) (*facade.Project, error) { return a.project, a.unread })
	if len(a.faults) == 0 {
		return config, err
	}
	if err == nil { // the program does not start, and the faults of the cards are reported together with the rest
		_, err = compile.Project(a.project, nil)
	}
	return nil, errors.Join(a.faults, err)
}

func (a *App) configured(options gateway.Options) *gateway.Options {
	options.Session = a.session
	if options.Consumers == nil {
		options.Consumers = a.consumers
	}
	for _, change := range a.options {
		change(&options)
	}
	return &options
}
