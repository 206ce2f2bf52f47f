package house_test

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"
)

// fewest is how many files a reader holds in mind at once.
const fewest = 7

// TestFilesOfAPackage holds each package to one idea: at most half of its files, and
// never more than 11, reach each other in both ways. A file reaches another when it uses
// a type, function, method, variable or constant that is declared there.
func TestFilesOfAPackage(t *testing.T) {
	for _, p := range loadModule(t) {
		name := strings.TrimPrefix(strings.TrimPrefix(p.PkgPath, module), "/")
		circle := largestCircle(filesReached(p))
		allowed := max(fewest, min(11, len(p.Syntax)/2))
		t.Logf("%-28s %2d of %2d", cmp.Or(name, "frond"), len(circle), len(p.Syntax))
		if len(circle) > allowed {
			t.Errorf("%s: %d of %d files reach each other in both ways, %d may; split the package by idea, or let the arrows run one way: %s",
				name, len(circle), len(p.Syntax), allowed, strings.Join(circle, " "))
		}
	}
}

var parsed = sync.OnceValues(func() ([]*packages.Package, error) {
	return packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo,
	}, "./...")
})

// loadModule returns all packages of the module with their types, tests left out.
func loadModule(t *testing.T) []*packages.Package {
	t.Helper()
	all, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 15 {
		t.Fatalf("only %d packages were loaded", len(all))
	}
	for _, p := range all {
		for _, e := range p.Errors {
			t.Fatal(e)
		}
	}
	return all
}

// filesReached says for each file of p which other files of p declare what it uses.
func filesReached(p *packages.Package) map[string][]string {
	fileOf := func(n interface{ Pos() token.Pos }) string { return filepath.Base(p.Fset.Position(n.Pos()).Filename) }
	out := map[string][]string{}
	for _, file := range p.Syntax {
		from := fileOf(file)
		out[from] = nil
		ast.Inspect(file, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			used := p.TypesInfo.Uses[id]
			if used == nil || used.Pkg() != p.Types {
				return true
			}
			if v, ok := used.(*types.Var); ok && v.IsField() {
				return true
			}
			if to := fileOf(used); to != from && !slices.Contains(out[from], to) {
				out[from] = append(out[from], to)
			}
			return true
		})
	}
	return out
}

// largestCircle is the largest set of files that reach each other both ways.
func largestCircle(reached map[string][]string) []string {
	var all func(from string, seen map[string]bool) map[string]bool
	all = func(from string, seen map[string]bool) map[string]bool {
		for _, to := range reached[from] {
			if !seen[to] {
				seen[to] = true
				all(to, seen)
			}
		}
		return seen
	}
	reach := map[string]map[string]bool{}
	for file := range reached {
		reach[file] = all(file, map[string]bool{file: true})
	}
	var largest []string
	for file := range reached {
		var circle []string
		for other := range reach[file] {
			if reach[other][file] {
				circle = append(circle, other)
			}
		}
		if len(circle) > len(largest) {
			largest = circle
		}
	}
	slices.Sort(largest)
	return largest
}
