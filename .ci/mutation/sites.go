package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// site is one place and what stands there in the mutant.
type site struct {
	under     string // the package of the table that pkg is, or stands below
	pkg, file string // file from the repository's root
	line      int
	function  string
	from, end int // offsets of what is replaced
	was, to   string
}

func (s site) String() string {
	return fmt.Sprintf("%s:%d %s: %s -> %s", s.file, s.line, s.function, short(s.was), short(s.to))
}

// key names the site in survivors.txt, where lines would not stay.
func (s site) key() string {
	return fmt.Sprintf("%s %s: %s -> %s", s.file, s.function, short(s.was), short(s.to))
}

func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return "(nothing)"
	}
	if len(text) > 120 {
		text = text[:120] + "…"
	}
	return text
}

func sortSites(all []site) {
	slices.SortFunc(all, func(a, b site) int {
		if c := strings.Compare(a.file, b.file); c != 0 {
			return c
		}
		if a.from != b.from {
			return a.from - b.from
		}
		return strings.Compare(a.to, b.to)
	})
}

// sitesBelow are the places of a package and of those below it.
func sitesBelow(root, under string) (all []site, err error) {
	err = filepath.WalkDir(filepath.Join(root, under), func(dir string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if entry.Name() == "testdata" {
			return fs.SkipDir
		}
		pkg, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		found, err := sitesOf(root, under, filepath.ToSlash(pkg))
		all = append(all, found...)
		return err
	})
	return all, err
}

// sitesOf are the places of a package's files, tests aside.
func sitesOf(root, under, pkg string) (all []site, err error) {
	files, err := filepath.Glob(filepath.Join(root, pkg, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, text, 0)
		if err != nil {
			return nil, err
		}
		f := finder{set: set, text: text, under: under, pkg: pkg, file: filepath.ToSlash(filepath.Join(pkg, filepath.Base(name)))}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				f.function = fn.Name.Name
				ast.Inspect(fn.Body, f.look)
			}
		}
		all = append(all, f.sites...)
	}
	return all, nil
}

type finder struct {
	set                 *token.FileSet
	text                []byte
	under               string
	pkg, file, function string
	sites               []site
}

func (f *finder) add(from, end token.Pos, to string) {
	a, b := f.set.Position(from), f.set.Position(end)
	f.sites = append(f.sites, site{f.under, f.pkg, f.file, a.Line, f.function, a.Offset, b.Offset, string(f.text[a.Offset:b.Offset]), to})
}

// swaps are operators and what takes their place.
var swaps = map[token.Token][]string{
	token.EQL: {"!="}, token.NEQ: {"=="}, token.LSS: {"<="}, token.LEQ: {"<"}, token.GTR: {">="}, token.GEQ: {">"},
	token.LAND: {"||"}, token.LOR: {"&&"}, token.ADD: {"-"}, token.SUB: {"+"},
}

// look finds the places in one node.
func (f *finder) look(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		for _, to := range swaps[n.Op] {
			f.add(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), to)
		}
	case *ast.IfStmt:
		f.add(n.Cond.Pos(), n.Cond.End(), "!("+f.source(n.Cond)+")")
	case *ast.BasicLit:
		if v, err := strconv.Atoi(n.Value); n.Kind == token.INT && err == nil {
			f.add(n.Pos(), n.End(), strconv.Itoa(v+1))
		}
	case *ast.Ident:
		switch n.Name {
		case "true":
			f.add(n.Pos(), n.End(), "false")
		case "false":
			f.add(n.Pos(), n.End(), "true")
		}
	case *ast.ExprStmt:
		if _, ok := n.X.(*ast.CallExpr); ok {
			f.add(n.Pos(), n.End(), "")
		}
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			f.add(n.Pos(), n.End(), "")
		}
	case *ast.BranchStmt:
		if n.Label == nil && n.Tok == token.CONTINUE {
			f.add(n.Pos(), n.End(), "break")
		}
	}
	return true
}

func (f *finder) source(n ast.Node) string {
	return string(f.text[f.set.Position(n.Pos()).Offset:f.set.Position(n.End()).Offset])
}
