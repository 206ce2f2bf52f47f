package expression

import (
	"fmt"
	"slices"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/types"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Condition is the when of a fact: an expression over the row as it was and as it is.
//
//	when: before.status != "shipped" and after.status == "shipped"
type Condition struct {
	*Expr
	reads [2][]string // the fields that it reads of before and of after
}

// RowNames names the two rows that a condition reads, in the order of its reads.
var RowNames = [2]string{"before", "after"}

// CompileCondition compiles text over before and after, two rows of e.
func CompileCondition(text string, e *schema.Entity) (*Condition, error) {
	row := types.Map(FieldsOf(e))
	x, err := Compile(text, Names{RowNames[0]: row, RowNames[1]: row})
	if err != nil {
		return nil, err
	}
	c := &Condition{Expr: x}
	for i, name := range RowNames {
		c.reads[i] = membersOf(x, name)
	}
	return c, nil
}

// ReadsBefore reports whether the row as it was has to be known.
func (c *Condition) ReadsBefore() bool {
	return c != nil && slices.Contains(c.Names, RowNames[0])
}

// Holds evaluates the condition of a fact; a nil condition always holds. null counts as false, and so
// does a failure if one of the fields that it reads is null.
func (c *Condition) Holds(fact string, before, after []byte) (bool, error) {
	if c == nil {
		return true, nil
	}
	given := make(map[string]any, len(RowNames))
	missing := false
	for i, text := range [2][]byte{before, after} {
		if !slices.Contains(c.Names, RowNames[i]) {
			continue
		}
		row, err := plain(text)
		if err != nil {
			return false, fmt.Errorf("the when of the fact %s: %w", fact, err)
		}
		given[RowNames[i]] = row
		for _, name := range c.reads[i] {
			value := jsontext.Get(text, name)
			missing = missing || value == nil || jsontext.IsNull(value)
		}
	}
	out, err := c.Run(given)
	holds, is := out.(bool)
	switch {
	case err == nil && (is || out == nil):
		return holds, nil
	case missing:
		return false, nil
	case err == nil:
		err = fmt.Errorf("%s: it gave %T instead of true or false", c.Text, out)
	}
	return false, fmt.Errorf("the when of the fact %s: %w", fact, err)
}

// membersOf are the members that an expression reads of a name.
func membersOf(e *Expr, of string) []string {
	r := &memberReader{of: of}
	node := e.program.Node()
	ast.Walk(&node, r)
	return r.names
}

// memberReader collects the members of one name that an expression reads.
type memberReader struct {
	of    string
	names []string
}

// Visit implements ast.Visitor.
func (r *memberReader) Visit(node *ast.Node) {
	member, ok := (*node).(*ast.MemberNode)
	if !ok {
		return
	}
	of, isName := member.Node.(*ast.IdentifierNode)
	name, isText := member.Property.(*ast.StringNode)
	if isName && isText && of.Value == r.of && !slices.Contains(r.names, name.Value) {
		r.names = append(r.names, name.Value)
	}
}
