package adopt

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/frondhost/frond/store/dbschema"
)

// Row-level security judges by the role or the settings of a connection, and the gateway's connections have
// one role for all callers. A project lists the policies, and has the rules that common ones would be, as
// comments above a rule that denies.

// policies notes the policies of an entity's table.
func (b *builder) policies(e *Entity) {
	for _, p := range e.Table.Policies {
		b.note(policied, e.Table.FullName(), "", "the policy %s", policyText(&p))
	}
}

// policyText is a policy in one line.
func policyText(p *dbschema.Policy) string {
	text := p.Name + " of " + p.Command
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
//	#     # policy mine of ALL, rows (owner = CURRENT_USER)
//	#     # - rows: { owner: { eq: $user.id } } # review: made of the policy mine
//	#     - deny: all
func (e *Entity) policyRules() string {
	var b strings.Builder
	fmt.Fprintf(&b, "#   %s:\n", e.Name)
	for _, p := range e.Table.Policies {
		fmt.Fprintf(&b, "#     # policy %s\n", policyText(&p))
		if rows := e.policyRows(p.Rows); rows != "" {
			fmt.Fprintf(&b, "#     # - rows: %s # review: made of the policy %s\n", rows, strings.Join(strings.Fields(p.Name), " "))
		}
	}
	if len(e.Secrets) > 0 {
		fmt.Fprintf(&b, "#     # hide: [%s] # secrets, by their names\n", strings.Join(e.Secrets, ", "))
	}
	b.WriteString("#     - deny: all\n")
	return b.String()
}

// The shapes of a condition that compares a column with the caller: their role, a setting of the connection,
// or the function of a well-known service.
var (
	callerText = `\(*(?:CURRENT_USER|SESSION_USER|current_setting\('[^']*'(?:::text)?(?:, (?:true|false))?\)|auth\.uid\(\)| *SELECT (?:auth\.)?uid\(\)(?: AS uid)?)\)*(?:::[a-z ]+)?\)*`
	columnText = `\(*"?([A-Za-z_][A-Za-z0-9_]*)"?\)*(?:::[a-z ]+)?\)*`
	columnIs   = regexp.MustCompile(`^` + columnText + ` = ` + callerText + `$`)
	isColumn   = regexp.MustCompile(`^` + callerText + ` = ` + columnText + `$`)
)

// policyRows is a policy's condition as the rows of an access rule; "" for a condition of another shape. A
// column of tenants is compared with the caller's tenant.
func (e *Entity) policyRows(condition string) string {
	m := columnIs.FindStringSubmatch(condition)
	if m == nil {
		m = isColumn.FindStringSubmatch(condition)
	}
	if m == nil {
		return ""
	}
	for _, f := range e.Fields {
		if f.Column == nil || f.Column.Name != m[1] {
			continue
		}
		caller := "$user.id"
		if strings.Contains(strings.ToLower(m[1]), "tenant") {
			caller = "$user.tenant"
		}
		return fmt.Sprintf("{ %s: { eq: %s } }", f.Name, caller)
	}
	return ""
}
