package leak

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// attacks counts requests by the attack they belong to and the surface they go to. An
// attack is a call of probe, ask, frozen or same, named by its function and how many such
// calls stand before it there: "pages 1". The tests of this package run one after another.
type attacks map[string]map[string]int

var (
	made     = attacks{}
	attackAt map[string]string // file:line of a call to the attack; see readAttacks
)

// asking are the methods that an attack calls; what they do among themselves is none.
var asking = []string{"probe", "ask", "frozen", "same"}

// count enters a request under the attack that is on the stack.
func (a attacks) count(r request) {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		frame, more := frames.Next()
		if name := attackAt[fmt.Sprint(filepath.Base(frame.File), ":", frame.Line)]; name != "" {
			surface := r.surface
			if surface == "" {
				surface = "direct"
			}
			if a[name] == nil {
				a[name] = map[string]int{}
			}
			a[name][surface]++
			return
		}
		if !more {
			return
		}
	}
}

// readAttacks finds the attacks in the sources of this package.
func readAttacks(t *testing.T) {
	t.Helper()
	if attackAt != nil {
		return
	}
	attackAt = map[string]string{}
	names, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(files, name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || slices.Contains(asking, f.Name.Name) {
				continue
			}
			n := 0
			ast.Inspect(f, func(node ast.Node) bool {
				call, ok := node.(*ast.CallExpr)
				if !ok {
					return true
				}
				if method, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains(asking, method.Sel.Name) {
					n++
					attackAt[fmt.Sprint(name, ":", files.Position(method.Sel.Pos()).Line)] = fmt.Sprint(f.Name.Name, " ", n)
				}
				return true
			})
		}
	}
}

// missing returns the attacks that no request belongs to.
func (a attacks) missing() (names []string) {
	all := map[string]bool{}
	for _, name := range attackAt {
		all[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if a[name] == nil {
			names = append(names, name)
		}
	}
	return names
}

// String lists every attack with its surfaces.
func (a attacks) String() string {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(a)) {
		fmt.Fprintf(&out, "%-14s", name)
		for _, surface := range slices.Sorted(maps.Keys(a[name])) {
			fmt.Fprintf(&out, " %s %d", surface, a[name][surface])
		}
		out.WriteByte('\n')
	}
	return out.String()
}
