package house_test

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

var (
	indented  = regexp.MustCompile(`(?m)^\s.*$`) // indented lines of a comment
	namedFile = regexp.MustCompile(`[\w./-]*\w\.(?:go|md)\b`)
	docLink   = regexp.MustCompile(`(?:^|[\s(])\[\*?([A-Za-z]\w*(?:\.[A-Z]\w*){0,2})\](?:[\s.,;:)]|$)`)
)

// elsewhere are files that programs write, and those of other repositories.
var elsewhere = []string{"contract.go", "INIT.md", "PROTOCOL.md"}

// TestComments: a file that a comment names exists, and so does what a [link] names, where its package is
// one of this module.
func TestComments(t *testing.T) {
	all := loadModule(t)
	byName := map[string][]*types.Package{}
	for _, p := range all {
		byName[p.Types.Name()] = append(byName[p.Types.Name()], p.Types)
	}
	there := map[string]bool{} // each file, and each end of its path
	for _, name := range tracked(t) {
		for rest := name; ; {
			there[rest] = true
			_, below, deeper := strings.Cut(rest, "/")
			if !deeper {
				break
			}
			rest = below
		}
	}
	for _, p := range all {
		for _, file := range p.Syntax {
			for _, group := range file.Comments {
				comment := group.Text()
				at := p.Fset.Position(group.Pos())
				for _, name := range namedFile.FindAllString(comment, -1) {
					beside := path.Join(path.Dir(filepath.ToSlash(at.Filename)), name)
					if strings.HasPrefix(name, "_test.") || slices.Contains(elsewhere, name) {
						continue // a pattern
					}
					if !there[strings.TrimPrefix(path.Clean(name), "../")] && !there[beside] {
						t.Errorf("%s: there is no file %s", at, name)
					}
				}
				for _, m := range docLink.FindAllStringSubmatch(indented.ReplaceAllString(comment, ""), -1) {
					if m[1] != strings.ToUpper(m[1]) && !linked(p, file, byName, m[1]) {
						t.Errorf("%s: [%s] names what does not exist", at, m[1])
					}
				}
			}
		}
	}
}

// linked reports whether the name of a link exists, as far as this module has it.
func linked(p *packages.Package, file *ast.File, byName map[string][]*types.Package, name string) bool {
	first, rest, _ := strings.Cut(name, ".")
	if obj := p.Types.Scope().Lookup(first); obj != nil {
		return rest == "" || member(obj, rest)
	}
	if types.Universe.Lookup(first) != nil {
		return true
	}
	if token.IsExported(first) {
		return false
	}
	candidates := byName[first]
	for _, imp := range file.Imports {
		at := strings.Trim(imp.Path.Value, `"`)
		if (imp.Name != nil && imp.Name.Name == first || path.Base(at) == first) && !strings.HasPrefix(at, module) {
			return true // another module's
		}
	}
	if len(candidates) == 0 {
		return true // a word, or a package that is not ours
	}
	of, below, _ := strings.Cut(rest, ".")
	for _, c := range candidates {
		if rest == "" {
			return true
		}
		if obj := c.Scope().Lookup(of); obj != nil && (below == "" || member(obj, below)) {
			return true
		}
	}
	return false
}

// member reports whether a type has a method or a field of a name.
func member(of types.Object, name string) bool {
	found, _, _ := types.LookupFieldOrMethod(of.Type(), true, of.Pkg(), name)
	return found != nil
}
