package house_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/frondhost/frond"

// root is the package at the module's root, as floors and guests name it.
const root = "frond"

// folders are what may stand at the top of the repository; names with a dot in
// front and bin/ (what is built) aside. Adding one takes a decision record.
const folders = "gateway projection resolvers envelope rest facade schema e2e" + // the user's
	" deploy" + // manifests, beside docker-compose.yml
	" cmd store facts client describe examples docs bench console" // ours

// floors says which of our packages each package may import. Adding a word here
// is a design decision: arrows go down, and siblings never import one another.
var floors = map[string]string{
	"schema/jsontext": "",
	"schema/format":   "",
	"schema":          "schema/format schema/jsontext",
	// The judge of a card, written as data for JavaScript.
	"schema/script": "schema schema/format schema/jsontext",

	"facade/budget": "facade/kiterror facade/rows schema/jsontext", // counts the values of a body as it comes in
	// What authors write in frond.yaml to be evaluated.
	"facade/expression": "schema schema/jsontext facade/rows",
	// The words that rows are searched for.
	"facade/search": "",

	"facade/filter":    "schema schema/jsontext facade/search",
	"facade/aggregate": "schema schema/format schema/jsontext facade/filter facade/rows",
	"facade/project":   "schema schema/jsontext",
	// What a caller has to see of stores whose reads go to copies.
	"facade/consistency": "facade/kiterror",
	"facade/rows":        "schema/jsontext",
	"facade/kiterror":    "schema schema/jsontext",
	// The data that describes a host's doors, and the access rules over them.
	"facade/cron":    "",
	"facade/catalog": "facade/cron facade/expression facade/filter facade/kiterror facade/project schema schema/jsontext facade/search",
	"facade/access":  "facade/catalog facade/expression facade/filter facade/kiterror facade/project facade/rows schema schema/jsontext",
	"facade":         "facade/aggregate schema schema/format schema/jsontext facade/kiterror facade/rows facade/filter facade/budget facade/project facade/consistency facade/access facade/catalog facade/nested facade/search",
	// A project, with the Go code of its author, becomes what a host serves.
	"facade/compile": "facade facade/access facade/catalog facade/cron facade/expression facade/filter facade/project facade/rows schema schema/format schema/jsontext",
	// The hosts of the Fronds that run elsewhere, over the calls that the path gives them.
	"facade/remote": "facade facade/catalog facade/filter facade/kiterror facade/rows schema schema/jsontext",

	// What a call did, for the author; and what a live query read.
	"facade/explain": "facade facade/access facade/aggregate facade/catalog facade/filter facade/kiterror facade/rows schema schema/jsontext",
	"facade/who":     "facade facade/access facade/catalog facade/filter facade/kiterror facade/rows schema schema/jsontext",
	// Tests of access rules.
	"facade/rights":  "facade facade/access facade/catalog facade/kiterror facade/project schema schema/jsontext",
	"facade/readset": "facade facade/budget facade/catalog facade/filter facade/kiterror facade/rows schema",

	// Rows that are written with their owner.
	"facade/nested": "facade/catalog schema schema/jsontext",

	// The rows of the first start.
	"facade/seed": "facade facade/kiterror facade/rows schema schema/jsontext",

	// The calls of one request as one transaction.
	"facade/rehearse": "facade facade/access facade/catalog facade/consistency facade/filter facade/kiterror facade/rows schema schema/jsontext",
	"facade/atomic":   "facade facade/rehearse facade/access facade/catalog facade/kiterror schema schema/jsontext",

	// The rows of a list as a file.
	"facade/bulk": "facade facade/catalog facade/kiterror facade/rows schema schema/jsontext",

	// Under the surfaces: equal requests share one run; calls are signed the same way
	// wherever they come from.
	"facade/singleflight": "",
	"envelope/signing":    "facade/access facade/kiterror schema/jsontext",

	// Both ends of the envelope over the frames they agree on.
	"envelope":        "facade facade/access facade/budget facade/catalog facade/consistency facade/kiterror facade/project schema schema/jsontext envelope/signing",
	"envelope/client": "envelope facade facade/consistency schema schema/jsontext facade/singleflight facade/budget facade/catalog facade/kiterror facade/rows envelope/signing",

	// What every surface that streams over HTTP writes.
	"facts/outlet": "",
	"facts/sse":    "facts/outlet",
	// One reader of a log of events for all who follow it.
	"facts": "facade facade/budget facade/kiterror",
	// A function of the program for every event of some facts.
	"facts/consumer": "facade facade/kiterror facts/delivery",

	// What a database says of itself, as plain data.
	"store/dbschema": "",
	// What SQL stores share stands under them.
	"store/migration":       "facade/catalog schema schema/jsontext store/sqltext", // a computed value is one of a column
	"store/turns":           "",
	"store/sqltext":         "facade facade/aggregate facade/budget facade/filter facade/kiterror facade/rows schema schema/format schema/jsontext store/turns facade/search", // a read says which lane it takes
	"store":                 "facade facade/budget facade/filter facade/kiterror facade/rows schema store/dbschema store/migration store/sqltext",
	"store/sqlite":          "facade facade/aggregate facade/budget facade/catalog facade/filter facade/kiterror facade/rows schema schema/format schema/jsontext store store/dbschema store/migration store/sqltext store/sqlite/engine facade/search",
	"store/sqlite/engine":   "facade facade/kiterror store/sqltext store/turns",
	"store/postgres":        "facade facade/aggregate facade/budget facade/catalog facade/filter facade/kiterror facade/rows schema schema/jsontext store store/dbschema store/migration store/sqltext store/postgres/engine store/postgres/outbox facade/search",
	"store/postgres/outbox": "facade facade/catalog store/postgres/engine",
	"store/postgres/engine": "facade facade/consistency facade/kiterror store/turns",
	"rest":                  "facade facade/bulk facade/filter facade/rows facade/consistency facade/kiterror facade/access facade/budget facade/catalog facts facts/outlet facts/sse schema schema/jsontext",

	// Ways out of facts that an operator sets up, over what they have in common.
	"facts/delivery":              "facade schema/jsontext",
	"facts/delivery/deliverytest": "facade facade/catalog facts/delivery",
	"gateway/publish":             "facade facade/catalog schema schema/jsontext facts/delivery gateway/extra gateway/setting",

	// What a program links by name: where rows, bytes and facts are kept on servers, and where spans and metrics go.
	"gateway/extra":      "schema",
	"gateway/extra/all":  "gateway/extra gateway/nats gateway/otlp gateway/prometheus gateway/s3 store/postgres",
	"gateway/nats":       "facade facts/delivery gateway/publish gateway/setting schema",
	"gateway/s3":         "gateway/files",
	"gateway/otlp":       "gateway/telemetry schema",
	"gateway/prometheus": "gateway/telemetry",

	// Under the executors: what the fields of a generated schema do, and how fields that are
	// registered by hand load rows.
	"resolvers/binding": "facade facade/filter facade/rows facade/catalog facade/kiterror schema schema/jsontext",

	// A document on its way: parsed and coerced, validated, planned, executed and written.
	"resolvers/language":   "facade/kiterror schema schema/jsontext",
	"resolvers/validation": "resolvers/language",
	"resolvers":            "facade facade/consistency facade/readset schema/jsontext facade/singleflight facade/access facade/budget facade/catalog facade/kiterror facade/rows resolvers/binding resolvers/language resolvers/validation facade/rehearse",
	"projection":           "facade facade/aggregate facade/filter facade/catalog facade/kiterror schema schema/jsontext resolvers/binding resolvers/language resolvers/validation",

	"gateway/graphqlhttp": "facade facade/access facade/budget facade/catalog facade/kiterror schema schema/jsontext resolvers resolvers/binding console gateway/setting facts/sse",
	// GraphQL subscriptions, and the websockets and event streams that they leave by.
	"gateway/subscriptions":      "facade facade/readset facade/access facade/budget facade/kiterror schema/jsontext facts facts/outlet facts/sse resolvers gateway/setting",
	"gateway/identity":           "facade/access facade/kiterror schema schema/jsontext gateway/setting",
	"gateway/gatewaytest":        "",
	"gateway/identity/tokentest": "",
	"gateway/setting":            "schema schema/jsontext",
	"gateway/guard":              "facade facade/consistency facade/budget facade/kiterror schema gateway/setting facts/sse",
	"gateway/telemetry":          "facts facts/delivery facade facade/budget facade/catalog facade/kiterror schema envelope/client gateway/extra gateway/jobs gateway/setting",
	"gateway/jobs":               "facade facade/cron facade/kiterror",
	// The queries that a Frond's next host is asked too, and how its answers differ.
	"gateway/shadow":    "facade facade/catalog facade/kiterror schema schema/jsontext",
	"gateway/startpage": "facade facade/access facade/catalog facade/kiterror schema",
	"gateway/files":     "facade facade/access facade/budget facade/catalog facade/cron facade/kiterror schema schema/jsontext envelope envelope/client envelope/signing rest gateway/extra gateway/jobs gateway/setting",
	"gateway/topology":  "facade facade/compile facade/catalog facade/kiterror facade/project schema schema/jsontext envelope/client envelope/signing gateway/setting",
	"gateway":           "store/migration facts facts/consumer facts/delivery facade facade/compile facade/atomic facade/consistency facade/readset facade/access facade/budget facade/catalog facade/explain facade/kiterror facade/project facade/remote facade/seed schema schema/jsontext store store/sqlite envelope envelope/client envelope/signing rest resolvers resolvers/binding projection console gateway/extra gateway/files gateway/jobs gateway/setting gateway/guard gateway/telemetry gateway/identity gateway/graphqlhttp gateway/subscriptions gateway/topology gateway/shadow gateway/startpage describe facts/outlet facts/sse gateway/publish facade/rehearse facade/who",

	// What Go authors write against.
	"frond": "facade facade/compile facade/kiterror facade/access facade/catalog facade/project facade/rights facade/rows schema schema/jsontext gateway gateway/extra",

	"console": "client",

	// The npm package that is written, as far as it is the same for every Frond.
	"client": "",

	// What a host serves, as documents for other tools, and values made out of cards.
	"describe":        "facade facade/atomic facade/filter facade/catalog facade/kiterror schema schema/jsontext schema/script describe/sample",
	"describe/sample": "schema schema/jsontext",

	// Beside the commands: what a Frond promises written as files, Go and TypeScript (frond sync, build-frond), and mock data (frond mock).
	"cmd/frond/contract":         "client describe facade facade/compile facade/aggregate facade/catalog facade/kiterror facade/project schema schema/jsontext schema/script envelope/client envelope/signing",
	"cmd/frond/contract/support": "facade facade/access facade/catalog facade/kiterror facade/nested schema schema/jsontext",
	// A project of a database that is there (frond init --from).
	"cmd/frond/adopt":    "schema schema/jsontext store/dbschema",
	"cmd/frond/mockdata": "facade facade/compile facade/catalog facade/kiterror facade/project facade/rows schema schema/format schema/jsontext describe/sample",

	// Two versions of a project, compared by what they project to.
	"cmd/frond/conform": "envelope envelope/signing facade facade/compile facade/catalog facade/kiterror facade/project schema schema/jsontext",
	"cmd/frond/diff":    "facade facade/access facade/compile facade/filter facade/kiterror facade/project facade/catalog facade/rows schema schema/jsontext projection resolvers/binding rest",

	"cmd/frond": "facts facts/delivery facade facade/compile facade/access facade/bulk facade/catalog facade/explain facade/kiterror facade/project facade/rights facade/who schema schema/jsontext envelope envelope/client envelope/signing gateway gateway/extra/all gateway/telemetry store/dbschema store/migration store/postgres store/sqlite cmd/frond/adopt cmd/frond/conform cmd/frond/contract cmd/frond/diff cmd/frond/mockdata",

	// Beside the floors: what shows, tests and measures the program.
	"examples/blog":    "frond",
	"examples/shop":    "frond gateway/extra/all",
	"examples/weather": "facade/rows frond gateway projection resolvers/binding",
	"store/storetest":  "facade facade/compile facade/aggregate facade/catalog facade/explain facade/filter facade/kiterror facade/project facade/rows facade/seed schema schema/jsontext store/migration facade/search facade/access facade/atomic facade/rehearse",
	// Real PostgreSQL servers for tests.
	"store/postgres/pgtest": "e2e/freeport",
	"bench":                 "*",
	"bench/subject":         "*",
	"e2e":                   "*",
	"e2e/leak":              "*",
	"e2e/soak":              "*",
	"e2e/topology":          "*",
	"e2e/places":            "*",
	"e2e/differential":      "*",
	"e2e/existing":          "*",
	"e2e/documents":         "*",
	"e2e/evolution":         "*",
	"e2e/frames":            "*",
	"e2e/house":             "",
	"e2e/reference":         "facade facade/kiterror facade/rows schema/jsontext resolvers/binding",
	"e2e/nodeprocess":       "",
	// Ports at which tests start a program again.
	"e2e/freeport": "",
	// The programs of tests.
	"e2e/testprogram":  "",
	"e2e/facts":        "*",
	"e2e/judge":        "*",
	"e2e/judge/oracle": "schema schema/jsontext",
}

// forTests are packages that only test files import.
var forTests = []string{"facts/delivery/deliverytest", "gateway/gatewaytest", "gateway/identity/tokentest", "store/storetest", "store/postgres/pgtest", "e2e/reference", "e2e/freeport", "e2e/places", "e2e/testprogram"}

// guests says which packages may import a module that is not ours. A dependency
// is a guest: named in docs/decisions/graphql-stack.md, docs/decisions/tests.mdkept to as few rooms as can be.
var guests = map[string]string{
	"github.com/goccy/go-yaml":                   "schema",
	"github.com/santhosh-tekuri/jsonschema/v6":   "schema schema/format schema/script",
	"github.com/google/uuid":                     "schema",
	"github.com/nrednav/cuid2":                   "schema",
	"golang.org/x/text":                          "schema",
	"golang.org/x/net/idna":                      "schema/format",
	"github.com/expr-lang/expr":                  "facade/expression",
	"github.com/ncruces/go-sqlite3":              "store/sqlite store/sqlite/engine",
	"github.com/gofrs/flock":                     "store/sqlite/engine",
	"github.com/jackc/pgx/v5":                    "store/postgres/engine store/postgres/pgtest",
	"github.com/graphql-go/graphql":              "projection resolvers resolvers/binding e2e/reference examples/weather",
	"github.com/vektah/gqlparser/v2":             "projection resolvers resolvers/binding resolvers/language resolvers/validation gateway/graphqlhttp gateway/topology cmd/frond/diff",
	"github.com/graph-gophers/dataloader/v7":     "resolvers/binding",
	"github.com/kljensen/snowball":               "facade/search",
	"github.com/gorilla/mux":                     "gateway",
	"github.com/go-jose/go-jose/v4":              "gateway/identity",
	"github.com/coder/websocket":                 "gateway/subscriptions",
	"github.com/rs/cors":                         "gateway/guard",
	"github.com/klauspost/compress":              "gateway/guard gateway/gatewaytest",
	"golang.org/x/sync":                          "store/sqlite/engine",
	"golang.org/x/time":                          "gateway/guard",
	"golang.org/x/image":                         "gateway/files",
	"github.com/minio/minio-go/v7":               "gateway/s3",
	"github.com/failsafe-go/failsafe-go":         "envelope/client",
	"github.com/gowebpki/jcs":                    "envelope/signing",
	"github.com/nats-io/nats-server/v2":          "gateway/nats",
	"github.com/nats-io/nats.go":                 "gateway/nats",
	"go.opentelemetry.io":                        "gateway/telemetry gateway/otlp",
	"github.com/prometheus/client_golang":        "gateway/prometheus",
	"github.com/spf13/cobra":                     "cmd/frond",
	"github.com/google/go-cmp":                   "store/storetest",
	"github.com/rogpeppe/go-internal/testscript": "",
}

// contract is the part that also runs in browsers (spec 1.8).
var contract = []string{"schema", "schema/format", "schema/jsontext", "schema/script", "facade", "facade/singleflight", "facade/kiterror", "facade/rows", "facade/filter", "facade/budget", "facade/project", "facade/consistency", "facade/expression", "facade/catalog", "facade/access", "facade/compile", "facade/remote", "facade/explain", "facade/readset", "facade/rights", "facade/seed", "facade/who"}

func TestFloors(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range sources(t) {
		if strings.HasSuffix(f.name, "_test.go") {
			continue
		}
		seen[f.pkg] = true
		allowed, listed := floors[f.pkg]
		if !listed {
			t.Errorf("%s: the package %s stands on no floor; give it a line in floors", f.name, f.pkg)
			continue
		}
		for _, imp := range f.imports {
			ours, isOurs := strings.CutPrefix(imp, module+"/")
			if imp == module {
				ours, isOurs = root, true
			}
			switch {
			case isOurs:
				if slices.Contains(forTests, ours) && !slices.Contains(forTests, f.pkg) && f.pkg != "bench" {
					t.Errorf("%s imports %s, which is for tests alone", f.name, ours)
				} else if allowed != "*" && !has(allowed, ours) {
					t.Errorf("%s imports %s; from %s the floor plan allows: %q", f.name, ours, f.pkg, allowed)
				}
			case strings.Contains(strings.Split(imp, "/")[0], "."):
				if !invited(f.pkg, imp) {
					t.Errorf("%s imports %s, which is no guest of %s; use what is there, or write a decision record and a line in guests", f.name, imp, f.pkg)
				}
			default:
				if why := misplaced(f.pkg, imp); why != "" {
					t.Errorf("%s imports %s: %s", f.name, imp, why)
				}
			}
		}
	}
	for _, pkg := range contract {
		if !seen[pkg] {
			t.Errorf("the test saw no file of %s; does the test run at the root?", pkg)
		}
	}
}

// misplaced says why a package of the standard library does not belong in pkg.
// Only direct imports are held: the judge's engine imports os itself, and builds
// for browsers all the same, which `make wasm` shows.
func misplaced(pkg, imp string) string {
	under := func(p string) bool { return imp == p || strings.HasPrefix(imp, p+"/") }
	switch {
	case under("database/sql") && !strings.HasPrefix(pkg, "store/"):
		return "SQL lives in store alone"
	case !slices.Contains(contract, pkg):
		return ""
	case imp == "net/url" || imp == "net/netip": // pure text, in spite of their names
		return ""
	case under("net"), under("os"), under("syscall"), imp == "path/filepath", imp == "plugin", imp == "unsafe":
		return "the contract part runs in browsers and workers, without a network, files or processes"
	}
	return ""
}

func TestTopLevelFolders(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := e.Name(); e.IsDir() && name != "bin" && !strings.HasPrefix(name, ".") && !has(folders, name) {
			t.Errorf("the folder %s/ is not in the floor plan; put it inside one that is, or write a decision record and name it in folders", name)
		}
	}
}

type source struct {
	pkg, name string
	imports   []string
}

// sources are all Go files of the module, whatever their build tags.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); base == "testdata" || base == "bin" || base == "node_modules" || base != "." && strings.HasPrefix(base, ".") {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		s := source{pkg: path.Dir(name), name: name}
		if s.pkg == "." {
			s.pkg = root
		}
		for _, imp := range file.Imports {
			p, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				return err
			}
			s.imports = append(s.imports, p)
		}
		all = append(all, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// invited says whether pkg may import imp from outside.
func invited(pkg, imp string) bool {
	if pkg == "bench" {
		return true
	}
	for guest, hosts := range guests {
		if imp == guest || strings.HasPrefix(imp, guest+"/") {
			return has(hosts, pkg)
		}
	}
	return false
}

func has(words, word string) bool { return slices.Contains(strings.Fields(words), word) }
