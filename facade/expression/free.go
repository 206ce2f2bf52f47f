package expression

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
)

// CompileFree compiles an expression over names that are not known yet; they are in names of
// the result, in the order in which they are read. It gives the same value for the same row at
// any time: now() is not available.
func CompileFree(text string) (*Expr, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("the expression is empty")
	}
	free := &freeNames{own: map[string]bool{}}
	program, err := expr.Compile(text, expr.Env(map[string]any{}), expr.AllowUndefinedVariables(), expr.DisableBuiltin("now"), expr.Optimize(false), expr.Patch(nullSafe{}), expr.Patch(free))
	if err != nil {
		return nil, placed(err)
	}
	if free.called != "" {
		return nil, fmt.Errorf("there is no function %s", free.called)
	}
	names := slices.DeleteFunc(free.names, func(name string) bool { return free.own[name] })
	if slices.Contains(names, "$env") {
		return nil, errors.New("$env is not available; use a field name")
	}
	return &Expr{Text: text, program: program, Names: names}, nil
}

// freeNames collects the names that an expression reads, and those it declares with let.
type freeNames struct {
	names  []string
	own    map[string]bool
	called string // a function that is not there
}

// Visit implements ast.Visitor. A called name is visited before its call, and is no field.
func (f *freeNames) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		if !slices.Contains(f.names, n.Value) {
			f.names = append(f.names, n.Value)
		}
	case *ast.VariableDeclaratorNode:
		f.own[n.Name] = true
	case *ast.CallNode:
		if of, ok := n.Callee.(*ast.IdentifierNode); ok {
			f.called = of.Value
		}
	}
}
