package adopt

import (
	"fmt"
	"regexp"
	"strings"
)

// Names of columns that hold secrets, and of tables that are a program's bookkeeping, as spaced
// writes them. A name is a hint alone: frond.yaml gets a comment, and no rule.
var (
	secretName = regexp.MustCompile(`password|passwd|passphrase|secret|apikey| (pwd|tokens?|api key|private key|access key|salt|otp|totp|credentials?) `)
	recordName = regexp.MustCompile(`migrations?\b|databasechangelog| (sessions?|tokens?|flyway|alembic|goose|schema version|ar internal metadata) `)
	humps      = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	separators = regexp.MustCompile(`[^A-Za-z0-9]+`)
)

// spaced returns the words of a name in lower case, with a space around each: " reset token ".
func spaced(name string) string {
	return " " + strings.TrimSpace(strings.ToLower(separators.ReplaceAllString(humps.ReplaceAllString(name, "$1 $2"), " "))) + " "
}

// suggest finds the entities that are bookkeeping by the names of their tables, and of the others
// the fields that hold secrets by the names of their columns.
func (b *builder) suggest(e *Entity) {
	if recordName.MatchString(spaced(e.Table.Name)) {
		e.Doorless = true
		b.note(suggested, e.Table.FullName(), "", "sessions, tokens or the record of migrations, by its name; write door: false for %s if no caller needs it", e.Name)
		return
	}
	for _, f := range e.Fields {
		if f.Column != nil && !f.Primary && secretName.MatchString(spaced(f.Column.Name)) {
			e.Secrets = append(e.Secrets, f.Name)
			b.note(suggested, e.Table.FullName(), f.Column.Name, "a secret, by its name; write hide: [%s] in the rules of %s", f.Name, e.Name)
		}
	}
}

// suggestions are the rules about secrets, as comments of frond.yaml; "" for none.
func (p *Project) suggestions() string {
	var rules strings.Builder
	for _, e := range p.Entities {
		if len(e.Secrets) > 0 {
			fmt.Fprintf(&rules, "#   %s:\n#     - when: user != nil\n#       hide: [%s] # secrets, by their names\n#     - deny: all\n", e.Name, strings.Join(e.Secrets, ", "))
		}
	}
	return rules.String()
}
