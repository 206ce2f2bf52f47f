package house_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// A ratchet is a bound of a size of the code base that only goes down. A change that makes
// a size smaller lowers its bound too. A commit that raises a bound gives the reason.
type ratchet struct {
	what string
	most float64 // the largest size that passes
	aim  float64 // the size that the bound is lowered to
}

var ratchets = []ratchet{
	{"code lines of the product", 121_700, 97_000},
	{"code lines of the core", 97_200, 72_000},
	{"modules that the core links", 32, 24},
	{"packages that the core links", 437, 380},
	{"packages of the product", 84, 60},
	{"floors of the product", 12, 12},
	{"code lines of one folder", 13_200, 4_000},
	{"code lines of folders without a test", 1_500, 1_500},
	{"exported names", 2_570, 1_500},
	{"exported names that no other package uses", 0, 0},
	{"exported methods that no other package uses", 0, 0},
	{"methods of one type, and functions that take it", 250, 60},
	{"functions of facade that take an execution or a viewer", 312, 60},
	{"places of facade that ask who answers a call", 32, 2},
	{"places of facade that ask whether it is explained", 30, 4},
	{"names of functions that both stores have", 110, 45},
	{"code lines of functions that both stores have, percent", 51, 20},
	{"files of a package that reach each other", 10, 8},
	{"production files under 40 code lines, percent", 5, 5},
	{"functions over 60 lines", 15, 15},
	{"words of Markdown", 87_700, 70_000},
	{"hard sentence forms in 1,000 lines of comments", 1, 8},
	{"hard sentence forms in 1,000 messages", 2.1, 8},
	{"hard sentence forms in 1,000 lines of Markdown", 0.3, 8},
	{"that of, those of: in 1,000 lines of comments", 2, 2},
	{"where it, where nothing: in 1,000 lines of comments", 1, 3},
	{"that is …ed: in 1,000 lines of comments", 5, 6},
	{"nobody, nothing, none: in 1,000 lines of comments", 4, 8},
	{"words of a message of an error", 10.5, 8.5},
	{"messages of errors over 14 words, percent", 10, 8},
}

// TestSizes holds every ratchet and prints the table of them: go test ./e2e/house -run TestSizes -v.
func TestSizes(t *testing.T) {
	sizes := map[string]measured{}
	maps.Copy(sizes, sizesOfCode(t))
	maps.Copy(sizes, sizesOfCore(t))
	maps.Copy(sizes, sizesOfMiddle(t))
	maps.Copy(sizes, sizesOfProse(t))
	t.Logf("%-55s %9s %9s %9s", "", "now", "most", "aim")
	for _, r := range ratchets {
		m, ok := sizes[r.what]
		if !ok {
			t.Fatalf("no measure is called %q", r.what)
		}
		t.Logf("%-55s %9.6g %9.6g %9.6g  %s", r.what, m.size, r.most, r.aim, m.where)
		if m.size > r.most {
			t.Errorf("%s: %.6g is above the bound of %.6g; make it smaller, or raise the bound in e2e/house/sizes_test.go and give the reason in the commit", r.what, m.size, r.most)
		}
	}
}

// measured is a size and the place that it was found at, or some of the places.
type measured struct {
	size  float64
	where string
}

// isProduct says whether a package, named below the module, is part of the program: not
// an example, a benchmark, an end-to-end test or a helper of tests.
func isProduct(pkg string) bool {
	top, _, _ := strings.Cut(pkg, "/")
	return !slices.Contains(forTests, pkg) && top != "bench" && top != "e2e" && top != "examples"
}

func packageName(p *types.Package) string {
	return cmp.Or(strings.TrimPrefix(strings.TrimPrefix(p.Path(), module), "/"), root)
}

// productOf returns the packages of the product.
func productOf(t *testing.T) (product []*packages.Package) {
	for _, p := range loadModule(t) {
		if isProduct(packageName(p.Types)) {
			product = append(product, p)
		}
	}
	return product
}

// linesOf counts the code lines of a package.
func linesOf(t *testing.T, p *packages.Package) (n int) {
	for _, file := range p.Syntax {
		n += codeLines(t, p.Fset, file)
	}
	return n
}

func sizesOfCode(t *testing.T) map[string]measured {
	product := productOf(t)
	var lines, files, short, long, exported int
	var longest []string
	var untested measured
	var without []string
	folder, circle, methods := measured{}, measured{}, measured{}
	larger := func(m *measured, size int, where string) {
		if float64(size) > m.size {
			*m = measured{float64(size), where}
		}
	}
	for _, p := range product {
		name := packageName(p.Types)
		own := linesOf(t, p)
		larger(&folder, own, name)
		if tests, _ := filepath.Glob(filepath.Join(p.Dir, "*_test.go")); tests == nil {
			untested.size += float64(own)
			without = append(without, fmt.Sprint(name, " ", own))
		}
		together := largestCircle(filesReached(p))
		larger(&circle, len(together), name+": "+strings.Join(together, " "))
		for _, file := range p.Syntax {
			n := codeLines(t, p.Fset, file)
			lines += n
			if len(file.Decls) == 0 {
				continue // doc.go: the comment of a package alone
			}
			files++
			if n < 40 {
				short++
			}
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				if span := p.Fset.Position(f.End()).Line - p.Fset.Position(f.Pos()).Line + 1; span > 60 {
					long++
					longest = append(longest, name+"."+f.Name.Name)
				}
			}
		}
		for _, id := range p.Types.Scope().Names() {
			obj := p.Types.Scope().Lookup(id)
			if obj.Exported() && name != root {
				exported++
			}
			if named, ok := obj.(*types.TypeName); ok && !named.IsAlias() && !types.IsInterface(named.Type()) {
				larger(&methods, ownMethods(named)+takers(p, named), name+"."+id)
				for m := range methodsOf(named) {
					if m.Exported() && obj.Exported() && name != root {
						exported++
					}
				}
			}
		}
	}
	names, lone := usedByNobody(t, loadModule(t), product)
	untested.where = strings.Join(without, ", ")
	return map[string]measured{
		"code lines of the product":                       {float64(lines), ""},
		"packages of the product":                         {float64(len(product)), ""},
		"floors of the product":                           floorsOf(product),
		"code lines of one folder":                        folder,
		"code lines of folders without a test":            untested,
		"exported names":                                  {float64(exported), ""},
		"exported names that no other package uses":       {float64(len(names)), strings.Join(names, " ")},
		"exported methods that no other package uses":     {float64(len(lone)), strings.Join(lone, " ")},
		"methods of one type, and functions that take it": methods,
		"files of a package that reach each other":        circle,
		"production files under 40 code lines, percent":   {float64(100*short) / float64(files), fmt.Sprintf("%d of %d", short, files)},
		"functions over 60 lines":                         {float64(long), strings.Join(longest, " ")},
	}
}

// codeLines counts the lines of a file that hold a token of Go; a generated file has none.
func codeLines(t *testing.T, fset *token.FileSet, file *ast.File) int {
	if ast.IsGenerated(file) {
		return 0
	}
	text, err := os.ReadFile(fset.Position(file.Pos()).Filename)
	if err != nil {
		t.Fatal(err)
	}
	comment := map[int]bool{} // lines that begin inside of a comment
	for _, group := range file.Comments {
		for _, c := range group.List {
			from, to := fset.Position(c.Pos()), fset.Position(c.End())
			for l := from.Line + 1; l <= to.Line; l++ {
				comment[l] = true
			}
		}
	}
	n, line := 0, 0
	for l := range strings.Lines(string(text)) {
		line++
		l = strings.TrimSpace(l)
		if l != "" && !strings.HasPrefix(l, "//") && !strings.HasPrefix(l, "/*") && !comment[line] {
			n++
		}
	}
	return n
}

// ownMethods counts the methods of a type with those that it gets by embedding. The methods of
// an embedded type of another module are documented there and do not count.
func ownMethods(named *types.TypeName) int {
	n, set := 0, types.NewMethodSet(types.NewPointer(named.Type()))
	for i := range set.Len() {
		if p := set.At(i).Obj().Pkg(); p != nil && strings.HasPrefix(p.Path(), module) {
			n++
		}
	}
	return n
}

// takers counts the functions of a package, and the methods of its other types, that take a type or a pointer to it.
func takers(p *packages.Package, of ...*types.TypeName) (n int) {
	for _, file := range p.Syntax {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && takes(p.TypesInfo.Defs[f.Name].Type().(*types.Signature).Params(), of) {
				n++
			}
		}
	}
	return n
}

func takes(parameters *types.Tuple, of []*types.TypeName) bool {
	for v := range parameters.Variables() {
		t := v.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		if named, ok := t.(*types.Named); ok && slices.Contains(of, named.Obj()) {
			return true
		}
	}
	return false
}

func methodsOf(named *types.TypeName) func(yield func(*types.Func) bool) {
	return func(yield func(*types.Func) bool) {
		if n, ok := named.Type().(*types.Named); ok {
			for m := range n.Methods() {
				if !yield(m) {
					return
				}
			}
		}
	}
}

// floorsOf is the longest chain of packages of the product in which each imports the next.
func floorsOf(product []*packages.Package) measured {
	of := map[string]*packages.Package{}
	for _, p := range product {
		of[p.PkgPath] = p
	}
	chains := map[string][]string{}
	var chain func(p *packages.Package) []string
	chain = func(p *packages.Package) []string {
		if c, ok := chains[p.PkgPath]; ok {
			return c
		}
		var longest []string
		for _, name := range slices.Sorted(maps.Keys(p.Imports)) {
			if below := of[name]; below != nil {
				if c := chain(below); len(c) > len(longest) {
					longest = c
				}
			}
		}
		chains[p.PkgPath] = append([]string{packageName(p.Types)}, longest...)
		return chains[p.PkgPath]
	}
	var longest []string
	for _, p := range product {
		if c := chain(p); len(c) > len(longest) {
			longest = c
		}
	}
	return measured{float64(len(longest)), strings.Join(longest, " > ")}
}

// promised are exported names for programs and tests outside of the product, each with a file
// that uses or documents it.
var promised = map[string]string{
	"facade.Collect":                "docs/collectors.md",
	"facade/access.CollectorFunc":   "facade/example_test.go",
	"facade/filter.Parse":           "facade/example_test.go", // the rows of a Go collector
	"facade.IfMatch":                "docs/writes.md",
	"projection.RegisterOperations": "docs/graphql.md",
	"resolvers/binding.Load":        "docs/graphql.md",
	"resolvers/binding.LoadMany":    "docs/graphql.md",
	"schema/jsontext.Error":         "e2e/judge/oracle/main.go",    // a program for js, which is not loaded here
	"schema.CardKeys":               "e2e/house/reference_test.go", // docs/cards.md and docs/frond-yaml.md are made of both
	"facade/project.FrondKeys":      "e2e/house/reference_test.go",
}

// usedByNobody lists the exported names and methods of the product that no other package
// of the product uses. It leaves out the root package and gateway, which are written for
// other programs (spec 4.3), the file that generated clients have a copy of, the names of
// [promised], the types that a used name shows, and the methods that answer an interface.
func usedByNobody(t *testing.T, all, product []*packages.Package) (names, methods []string) {
	used := map[types.Object]bool{}
	asked := map[string]bool{} // the names of methods of all interfaces in sight
	seen := map[*types.Package]bool{}
	var look func(p *types.Package)
	look = func(p *types.Package) {
		if seen[p] {
			return
		}
		seen[p] = true
		for _, id := range p.Scope().Names() {
			if i, ok := p.Scope().Lookup(id).Type().Underlying().(*types.Interface); ok {
				for m := range i.Methods() {
					asked[m.Name()] = true
				}
			}
		}
		for _, imp := range p.Imports() {
			look(imp)
		}
	}
	for _, p := range all {
		look(p.Types)
		// Examples and the program itself use the product as others would; tests are not loaded.
		for _, obj := range p.TypesInfo.Uses {
			if obj.Pkg() != nil && obj.Pkg() != p.Types {
				used[origin(obj)] = true
			}
		}
		for node, t := range p.TypesInfo.Types { // interfaces without a name
			if i, ok := t.Type.(*types.Interface); ok && node != nil {
				for m := range i.Methods() {
					asked[m.Name()] = true
				}
			}
		}
	}
	// A used name shows the types that its own type is made of.
	shown := map[*types.TypeName]bool{}
	var show func(t types.Type)
	show = func(t types.Type) {
		switch t := t.(type) {
		case *types.Alias:
			show(types.Unalias(t))
		case *types.Named:
			if obj := t.Origin().Obj(); !shown[obj] {
				shown[obj] = true
				show(t.Underlying())
				for m := range t.Origin().Methods() {
					if m.Exported() {
						show(m.Type())
					}
				}
			}
			for a := range t.TypeArgs().Types() {
				show(a)
			}
		case *types.Pointer:
			show(t.Elem())
		case *types.Slice:
			show(t.Elem())
		case *types.Array:
			show(t.Elem())
		case *types.Chan:
			show(t.Elem())
		case *types.Map:
			show(t.Key())
			show(t.Elem())
		case *types.Signature:
			show(t.Params())
			show(t.Results())
		case *types.Tuple:
			for v := range t.Variables() {
				show(v.Type())
			}
		case *types.Struct:
			for f := range t.Fields() {
				if f.Exported() {
					show(f.Type())
				}
			}
		case *types.Interface:
			for m := range t.Methods() {
				show(m.Type())
			}
		}
	}
	for obj := range used {
		if obj.Type() != nil {
			show(obj.Type())
		}
	}
	for name, file := range promised {
		text, err := os.ReadFile(filepath.FromSlash(file))
		if _, id, _ := strings.Cut(path.Base(name), "."); err != nil || !strings.Contains(string(text), id) {
			t.Errorf("%s is said to be used in %s, and is not; take it out of promised", name, file)
		}
	}
	for _, p := range product {
		name := packageName(p.Types)
		if name == root || name == "gateway" || name == "cmd/frond/contract/support" || p.Name == "main" {
			continue
		}
		for _, id := range p.Types.Scope().Names() {
			obj := p.Types.Scope().Lookup(id)
			named, isType := obj.(*types.TypeName)
			if obj.Exported() && !used[obj] && !(isType && shown[named]) && promised[name+"."+id] == "" {
				names = append(names, name+"."+id)
			}
			if !isType || !obj.Exported() {
				continue
			}
			for m := range methodsOf(named) {
				if m.Exported() && !used[m] && !asked[m.Name()] {
					methods = append(methods, name+"."+id+"."+m.Name())
				}
			}
		}
	}
	return names, methods
}

// origin is the declaration of a function or method that a use instantiates.
func origin(obj types.Object) types.Object {
	switch obj := obj.(type) {
	case *types.Func:
		return obj.Origin()
	case *types.Var:
		return obj.Origin()
	}
	return obj
}
