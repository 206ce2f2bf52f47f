package adopt

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/frondhost/frond/store/dbschema"
)

// Row-level security judges by the role or the settings of a connection, and the gateway's connections have
// one role for all callers. A project lists the policies, and has the rules that common ones would be, as
// comments above a rule that denies.

// policies notes the policies of an entity's table, and whether they hold for the role of the connection.
func (b *builder) policies(e *Entity) {
	if !e.Table.Secured {
		return
	}
	switch {
	case !e.Table.Judged:
		b.note(policied, e.Table.FullName(), "", "the role of the connection passes by the policies: access rules alone guard its rows")
	case len(e.Table.Policies) == 0:
		b.note(policied, e.Table.FullName(), "", "it has no policy, so that the role of the connection sees no row; connect as its owner, or as a role with BYPASSRLS")
	default:
		b.note(policied, e.Table.FullName(), "", "the policies judge the role of the connection too, and every caller misses the rows that they hide from it; connect as the table's owner, or as a role with BYPASSRLS")
	}
	for _, p := range e.Table.Policies {
		b.note(policied, e.Table.FullName(), "", "the policy %s", policyText(&p))
	}
}

// policyText is a policy in one line.
func policyText(p *dbschema.Policy) string {
	text := p.Name + " of " + p.Command
	if p.Roles != nil {
		text += " to " + strings.Join(p.Roles, ", ")
	}
	if p.Rows != "" {
		text += ", rows " + p.Rows
	}
	if p.Written != "" {
		text += ", written rows " + p.Written
	}
	return strings.Join(strings.Fields(text), " ")
}

// policyRules are the commented lines of an entity's rules.
//
//	#   note:
//	#     # policy mine of SELECT, rows (owner = CURRENT_USER)
//	#     # - for: [list, findById]
//	#     #   rows: { owner: { eq: $user.id } } # review: made of the policy mine
//	#     - deny: all
func (e *Entity) policyRules() string {
	var b strings.Builder
	fmt.Fprintf(&b, "#   %s:\n", e.Name)
	for _, p := range e.Table.Policies {
		fmt.Fprintf(&b, "#     # policy %s\n", policyText(&p))
		lines := e.policyRule(&p)
		for i, line := range lines {
			start, end := "  ", ""
			if i == 0 {
				start = "- "
			}
			if i == len(lines)-1 {
				end = " # review: made of the policy " + strings.Join(strings.Fields(p.Name), " ")
			}
			fmt.Fprintf(&b, "#     # %s%s%s\n", start, line, end)
		}
	}
	if len(e.Secrets) > 0 {
		fmt.Fprintf(&b, "#     # hide: [%s] # secrets, by their names\n", strings.Join(e.Secrets, ", "))
	}
	b.WriteString("#     - deny: all\n")
	return b.String()
}

// policyOperations are the operations that a policy of a command judges; a policy of ALL judges all.
var policyOperations = map[string]string{"SELECT": "list, findById", "INSERT": "create", "UPDATE": "update", "DELETE": "delete"}

// policyRule is the access rule that a policy would be, a line each; nil for a condition of a shape that has
// no counterpart. The condition of new rows becomes the field that the rule sets.
func (e *Entity) policyRule(p *dbschema.Policy) []string {
	var lines []string
	if p.Roles != nil && !slices.Contains(p.Roles, "anon") && slices.Contains(p.Roles, "authenticated") {
		lines = append(lines, "when: user.id != nil")
	}
	if operations := policyOperations[p.Command]; operations != "" {
		lines = append(lines, "for: ["+operations+"]")
	}
	condition := p.Rows
	if p.Command == "INSERT" {
		condition = p.Written
	}
	f, caller := e.callersColumn(condition)
	switch {
	case condition == "true" && lines == nil:
		return []string{"{}"}
	case condition == "true":
		return lines
	case f == nil:
		return nil
	case p.Command == "INSERT":
		return append(lines, fmt.Sprintf("set: { %s: %s }", f.Name, caller))
	}
	name := f.Name
	if f.Relation != nil {
		_, name = linkNames(f.Name, f.Relation.To.Name) // the key, and not the row that it leads to
	}
	return append(lines, fmt.Sprintf("rows: { %s: { eq: %s } }", name, caller))
}

// The shapes of a condition that compares a column with the caller: their role, a setting of the connection,
// or a function that returns the caller's id.
var (
	callerText = `\(*(?:CURRENT_USER|SESSION_USER|current_setting\('[^']*'(?:::text)?(?:, (?:true|false))?\)| *(?:SELECT )?(?:[a-z_]+\.)?(?:uid|user_id|current_[a-z_]*id|viewer_id|get_current_user_id)\(\)(?: AS [a-z_]+)?)\)*(?:::[a-z ]+)?\)*`
	columnText = `\(*"?([A-Za-z_][A-Za-z0-9_]*)"?\)*(?:::[a-z ]+)?\)*`
	columnIs   = regexp.MustCompile(`^` + columnText + ` = ` + callerText + `$`)
	isColumn   = regexp.MustCompile(`^` + callerText + ` = ` + columnText + `$`)
)

// callersColumn returns the field that a policy's condition compares with the caller, and the caller as an
// access rule has it; nil for a condition of another shape. A column of tenants is compared with the caller's
// tenant.
func (e *Entity) callersColumn(condition string) (f *Field, caller string) {
	m := columnIs.FindStringSubmatch(condition)
	if m == nil {
		m = isColumn.FindStringSubmatch(condition)
	}
	if m == nil {
		return nil, ""
	}
	f = e.field(m[1])
	if strings.Contains(strings.ToLower(m[1]), "tenant") {
		return f, "$user.tenant"
	}
	return f, "$user.id"
}
