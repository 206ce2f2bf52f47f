package house_test

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

var (
	asksWho     = regexp.MustCompile(`runner\.by\b|\bbyRemote\b|\bRemoteOf\(`)
	asksExplain = regexp.MustCompile(`\.trace\b`)
)

// sizesOfMiddle measures the path of a call in facade, and how much of SQLite's store PostgreSQL's has again.
func sizesOfMiddle(t *testing.T) map[string]measured {
	of := map[string]*packages.Package{}
	for _, p := range productOf(t) {
		of[packageName(p.Types)] = p
	}
	facade, sqlite, postgres := of["facade"], of["store/sqlite"], of["store/postgres"]
	var whole []*types.TypeName
	for _, name := range []string{"execution", "viewer"} {
		if named, ok := facade.Types.Scope().Lookup(name).(*types.TypeName); ok {
			whole = append(whole, named)
		}
	}
	given, all := 0, 0
	for _, file := range facade.Syntax {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			all++
			signature := facade.TypesInfo.Defs[f.Name].Type().(*types.Signature)
			if takes(signature.Params(), whole) || f.Recv != nil && takes(types.NewTuple(signature.Recv()), whole) {
				given++
			}
		}
	}
	inSQLite, linesOfSQLite := functionLines(sqlite)
	inPostgres, linesOfPostgres := functionLines(postgres)
	both, twice := 0, [2]int{}
	for name, n := range inSQLite {
		if m, ok := inPostgres[name]; ok {
			both++
			twice[0], twice[1] = twice[0]+n, twice[1]+m
		}
	}
	a, b := 100*float64(twice[0])/float64(linesOfSQLite), 100*float64(twice[1])/float64(linesOfPostgres)
	return map[string]measured{
		"functions of facade that take an execution or a viewer": {float64(given), fmt.Sprint("of ", all)},
		"places of facade that ask who answers a call":           places(t, facade, asksWho),
		"places of facade that ask whether it is explained":      places(t, facade, asksExplain),
		"names of functions that both stores have":               {float64(both), fmt.Sprintf("of %d and %d", len(inSQLite), len(inPostgres))},
		"code lines of functions that both stores have, percent": {max(a, b), fmt.Sprintf("SQLite %.0f, PostgreSQL %.0f", a, b)},
	}
}

// functionLines returns the lines of the functions of a package by their names, and the lines of all of them.
func functionLines(p *packages.Package) (byName map[string]int, all int) {
	byName = map[string]int{}
	for _, file := range p.Syntax {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				byName[f.Name.Name] += p.Fset.Position(f.End()).Line - p.Fset.Position(f.Pos()).Line + 1
			}
		}
	}
	for n := range maps.Values(byName) {
		all += n
	}
	return byName, all
}

// places counts the lines of a package, comments aside, that a pattern matches.
func places(t *testing.T, p *packages.Package, pattern *regexp.Regexp) measured {
	t.Helper()
	n, files := 0, []string{}
	for _, name := range p.GoFiles {
		found := 0
		for line := range strings.Lines(read(t, name)) {
			if !strings.HasPrefix(strings.TrimSpace(line), "//") && pattern.MatchString(line) {
				found++
			}
		}
		if n += found; found > 0 {
			files = append(files, filepath.Base(name))
		}
	}
	slices.Sort(files)
	return measured{float64(n), fmt.Sprintf("in %d files: %s", len(files), strings.Join(files, " "))}
}
