// Package expression evaluates what authors write in frond.yaml: the when of rules and facts,
// computed fields, and the values of older rows. An expression is compiled at startup, has no
// side effects and always ends.
package expression

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Expr is an author's expression of a frond.yaml. It is compiled at startup and is safe for
// concurrent use. It has no side effects and always ends (docs/decisions/access-rules.md).
type Expr struct {
	Text    string
	program *vm.Program
	Names   []string   // what it reads of what it is given, each once
	User    []string   // the members of user that it reads, each once
	Texts   []UserText // the texts that it compares members of user with, each once
	Gives   string     // the JSON type of its value where startup knows it, else ""
	// Quick evaluates user == nil and user.role == "staff", and the same with !=, without a machine. known
	// is false for a member that is no text; user is nil for an anonymous caller. Quick is nil for any
	// other expression.
	Quick func(user map[string]any) (holds, known bool)
}

// Compile compiles text over names of these types. The types are used at startup
// alone: at run time every name has any type, so that a null where a value was expected is
// null and not a type that does not fit. A member of null is null.
func Compile(text string, names Names) (*Expr, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("the expression is empty")
	}
	read := &nameReader{known: names}
	judged, err := expr.Compile(text, expr.Env(types.Map(names)), expr.Optimize(false), now, expr.Patch(nullSafe{}), expr.Patch(read))
	if err != nil {
		return nil, placed(err)
	}
	if read.env {
		return nil, errors.New("$env is not available; use a field name")
	}
	loose := types.Map{}
	for name := range names {
		loose[name] = types.Any
	}
	program, err := expr.Compile(text, expr.Env(loose), expr.Optimize(false), now, expr.Patch(nullSafe{}))
	if err != nil {
		return nil, placed(err)
	}
	e := &Expr{Text: text, program: program, Names: read.names, User: read.user, Texts: read.texts, Quick: quick(judged.Node())}
	if t := judged.Node().Type(); t != nil {
		e.Gives = jsonTypeOf(t)
	}
	return e, nil
}

// placed is an error of the engine in one line, with the place in the expression.
func placed(err error) error {
	var at *file.Error
	if !errors.As(err, &at) {
		return err
	}
	if at.Line > 1 {
		return fmt.Errorf("%s, at line %d, column %d of the expression", at.Message, at.Line, at.Column+1)
	}
	return fmt.Errorf("%s, at column %d of the expression", at.Message, at.Column+1)
}

// UnknownName returns the name that an error of Compile says is unknown, or "".
func UnknownName(err error) string {
	name, found := strings.CutPrefix(err.Error(), "unknown name ")
	if !found {
		return ""
	}
	name, _, _ = strings.Cut(name, ",")
	return name
}

// ReadsKnownCaller reports whether the expression reads user alone, and of it the members alone that
// identity gives every caller.
func (e *Expr) ReadsKnownCaller() bool {
	return !slices.Contains(e.Names, "state") && !slices.ContainsFunc(e.User, func(name string) bool {
		return !slices.Contains([]string{"id", "roles", "scopes", "tenant"}, name)
	})
}

// now is the engine's own function in UTC, in any time zone of the host. Its date is in UTC
// too where the text names no zone.
var now = expr.Function("now", func(...any) (any, error) { return time.Now().UTC(), nil }, new(func() time.Time))

// machines are virtual machines of the engine, reused.
var machines = sync.Pool{New: func() any { return new(vm.VM) }}

// Run evaluates the expression over values.
func (e *Expr) Run(values map[string]any) (any, error) {
	m := machines.Get().(*vm.VM)
	out, err := m.Run(e.program, values)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Text, placed(err)) // a machine that failed is not used again
	}
	machines.Put(m)
	return out, nil
}

// quick returns the Quick of an expression.
func quick(n ast.Node) func(map[string]any) (holds, known bool) {
	b, ok := n.(*ast.BinaryNode)
	if !ok || b.Operator != "==" && b.Operator != "!=" {
		return nil
	}
	equal, operand := b.Operator == "==", b.Left
	if chain, ok := operand.(*ast.ChainNode); ok {
		operand = chain.Node
	}
	isUser := func(n ast.Node) bool { name, ok := n.(*ast.IdentifierNode); return ok && name.Value == "user" }
	member, isMember := operand.(*ast.MemberNode)
	switch right := b.Right.(type) {
	case *ast.NilNode:
		if isUser(operand) {
			return func(user map[string]any) (bool, bool) { return (user == nil) == equal, true }
		}
	case *ast.StringNode:
		if !isMember || !isUser(member.Node) {
			break
		}
		if name, ok := member.Property.(*ast.StringNode); ok {
			return func(user map[string]any) (bool, bool) {
				value := user[name.Value]
				text, isText := value.(string)
				return (isText && text == right.Value) == equal, isText || value == nil
			}
		}
	}
	return nil
}

// plain is a value of a row as expressions read it: int for a whole number that fits,
// float64 for any other, and the plain Go value for everything else.
func plain(text json.RawMessage) (any, error) {
	switch jsontext.KindOf(text) {
	case jsontext.Invalid, jsontext.Null:
		return nil, nil
	case jsontext.String:
		return jsontext.Unquote(text), nil
	case jsontext.True:
		return true, nil
	case jsontext.False:
		return false, nil
	case jsontext.Array:
		list := []any{}
		for _, item := range jsontext.Elements(text) {
			value, err := plain(item)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		return list, nil
	case jsontext.Object:
		object := map[string]any{}
		for name, member := range jsontext.Members(text) {
			value, err := plain(member)
			if err != nil {
				return nil, err
			}
			object[name] = value
		}
		return object, nil
	}
	if n, ok := schema.Integer(text); ok && int64(int(n)) == n {
		return int(n), nil
	}
	var n float64
	err := json.Unmarshal(text, &n)
	return n, err
}

// nullSafe makes every member access answer null on null: user.role of an anonymous caller is
// null and no failure.
type nullSafe struct{}

// Visit implements ast.Visitor.
func (nullSafe) Visit(node *ast.Node) {
	member, ok := (*node).(*ast.MemberNode)
	if !ok || member.Method {
		return
	}
	if of, ok := member.Node.(*ast.IdentifierNode); ok && of.Value == "$env" {
		return
	}
	member.Optional = true
	if chain, ok := member.Node.(*ast.ChainNode); ok {
		member.Node = chain.Node
	}
	chain := &ast.ChainNode{Node: member}
	chain.SetType(member.Type())
	*node = chain
}

// nameReader collects which of the known names an expression reads.
type nameReader struct {
	known Names
	names []string
	user  []string
	texts []UserText
	env   bool
}

// Visit implements ast.Visitor.
func (r *nameReader) Visit(node *ast.Node) {
	if member, ok := (*node).(*ast.MemberNode); ok {
		if name := memberOfUser(member); name != "" && !slices.Contains(r.user, name) {
			r.user = append(r.user, name)
		}
	}
	if comparison, ok := (*node).(*ast.BinaryNode); ok {
		r.compare(comparison)
	}
	name, ok := (*node).(*ast.IdentifierNode)
	if !ok {
		return
	}
	if name.Value == "$env" {
		r.env = true
	}
	if _, known := r.known[name.Value]; !known {
		return
	}
	if slices.Contains(r.names, name.Value) {
		return
	}
	r.names = append(r.names, name.Value)
}

// UserText is a text that an expression compares a member of user with.
type UserText struct {
	Member, Text string
	Listed       bool // the member is a list that has the text: "staff" in user.roles
}

// compare notes the texts of user.role == "clerk", user.role in ["clerk", "manager"] and
// "staff" in user.roles.
func (r *nameReader) compare(n *ast.BinaryNode) {
	add := func(member, text ast.Node, listed bool) {
		if chain, ok := member.(*ast.ChainNode); ok {
			member = chain.Node
		}
		of, isMember := member.(*ast.MemberNode)
		value, isText := text.(*ast.StringNode)
		if !isMember || !isText {
			return
		}
		if found := (UserText{memberOfUser(of), value.Value, listed}); found.Member != "" && !slices.Contains(r.texts, found) {
			r.texts = append(r.texts, found)
		}
	}
	switch n.Operator {
	case "==", "!=":
		add(n.Left, n.Right, false)
		add(n.Right, n.Left, false)
	case "in":
		add(n.Right, n.Left, true)
		if list, ok := n.Right.(*ast.ArrayNode); ok {
			for _, text := range list.Nodes {
				add(n.Left, text, false)
			}
		}
	}
}

// memberOfUser returns the member of user that a node reads: user.id, state.user.id or
// user["id"], or "".
func memberOfUser(node *ast.MemberNode) string {
	name, ok := node.Property.(*ast.StringNode)
	if !ok {
		return ""
	}
	of := node.Node
	if chain, ok := of.(*ast.ChainNode); ok {
		of = chain.Node
	}
	switch of := of.(type) {
	case *ast.IdentifierNode:
		if of.Value == "user" {
			return name.Value
		}
	case *ast.MemberNode:
		state, isState := of.Node.(*ast.IdentifierNode)
		if user, ok := of.Property.(*ast.StringNode); ok && isState && user.Value == "user" && state.Value == "state" {
			return name.Value
		}
	}
	return ""
}

// CompileFree compiles an expression over unknown names; they are in names of the result, in
// the order in which they are read. It gives the same value for the same row at any time: now()
// is not available.
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
