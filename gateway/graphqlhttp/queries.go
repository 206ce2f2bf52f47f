package graphqlhttp

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/frondhost/frond/console"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema"
)

// maxQuery is the greatest file of queries/, in bytes: the limit of the engine for a
// document, 64 KiB.
const maxQuery = 64 << 10

// ReadQueries reads the queries that the console offers: queries/NAME.graphql of the project's
// folder for everybody, queries/AUDIENCE/NAME.graphql for an audience, in the order of their
// names. A project without a folder on disk has no queries.
//
// A fault names the file and leaves that query out; the others are returned all the same. The
// text is not parsed: a query with a mistake opens in the console, which shows it.
func ReadQueries(dir string, s catalog.Surface) (queries []console.Query, faults schema.Faults) {
	if dir == "" {
		return nil, nil
	}
	// A surface is graphql or AUDIENCE/graphql, so its folder is queries/. or
	// queries/AUDIENCE.
	folder, fsys := path.Join("queries", path.Dir(string(s))), os.DirFS(dir)
	fault := func(file, message, remedy string) {
		faults = append(faults, schema.Fault{File: file, Message: message, Remedy: remedy})
	}
	entries, err := fs.ReadDir(fsys, folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		fault(folder, "cannot be read: "+setting.Reason(err), "make it a folder of .graphql files that can be, or remove it")
	}
	for _, e := range entries {
		name, isQuery := strings.CutSuffix(e.Name(), ".graphql")
		if !isQuery || e.IsDir() {
			continue
		}
		file := path.Join(folder, e.Name())
		switch text, err := fs.ReadFile(fsys, file); {
		case err != nil:
			fault(file, "cannot be read: "+setting.Reason(err), "make it a file that can be, or remove it")
		case len(text) > maxQuery:
			fault(file, fmt.Sprintf("is larger than the %d bytes of a document", maxQuery), "write a shorter one")
		case !utf8.Valid(text):
			fault(file, "is not UTF-8", "save it as UTF-8")
		default:
			queries = append(queries, console.Query{Name: name, Query: string(text)})
		}
	}
	return queries, faults
}

// FirstQuery is the query with which the console of a project without queries opens: the list
// of the first door with a list, or nil.
func FirstQuery(s *binding.Schema) []console.Query {
	for _, f := range s.AST.Query.Fields {
		if b := s.Fields.Of("Query", f.Name); b != nil && b.IsList() {
			return []console.Query{{Name: schema.GraphQLType(f.Name), Query: `# Ctrl+Space shows what can be written here, Ctrl+Enter runs it.
# The book on the left has every type, the clock what ran before.
` + sampleOf(s, f, "query")}}
		}
	}
	return nil
}
