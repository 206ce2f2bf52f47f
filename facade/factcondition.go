package facade

import (
	"fmt"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// condition is the when of a fact: an expression over the row as it was and as it is.
//
//	when: before.status != "shipped" and after.status == "shipped"
type condition struct {
	*expression
	reads [2][]string // the fields that it reads of before and of after
}

// The rows that a condition reads, by their places in condition.reads.
var rowNames = [2]string{"before", "after"}

// readsBefore reports whether the row as it was has to be known.
func (c *condition) readsBefore() bool {
	return c != nil && slices.Contains(c.names, rowNames[0])
}

// holds evaluates the condition of a fact; a nil condition always holds. null counts as false, and so
// does a failure where one of the fields that it reads is null: nothing can be made of nothing.
// Any other failure is INTERNAL_ERROR.
func (c *condition) holds(fact string, before, after []byte) (bool, error) {
	if c == nil {
		return true, nil
	}
	given := make(map[string]any, len(rowNames))
	missing := false
	for i, text := range [2][]byte{before, after} {
		if !slices.Contains(c.names, rowNames[i]) {
			continue
		}
		row, err := plain(text)
		if err != nil {
			return false, kiterror.Internal(fmt.Errorf("the when of the fact %s: %w", fact, err))
		}
		given[rowNames[i]] = row
		for _, name := range c.reads[i] {
			value := jsontext.Get(text, name)
			missing = missing || value == nil || jsontext.IsNull(value)
		}
	}
	out, err := c.run(given)
	holds, is := out.(bool)
	switch {
	case err == nil && (is || out == nil):
		return holds, nil
	case missing:
		return false, nil
	case err == nil:
		err = fmt.Errorf("%s: it gave %T instead of true or false", c.text, out)
	}
	return false, kiterror.Internal(fmt.Errorf("the when of the fact %s: %w", fact, err))
}

// membersOf are the members that an expression reads of a name.
func membersOf(e *expression, of string) []string {
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
