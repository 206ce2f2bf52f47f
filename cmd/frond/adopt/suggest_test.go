package adopt_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/cmd/frond/adopt"
	"github.com/frondhost/frond/store/dbschema"
)

// TestSuggestions: secrets and bookkeeping are listed, and what frond.yaml suggests compiles.
func TestSuggestions(t *testing.T) {
	table := func(name string, columns ...string) dbschema.Table {
		all := []dbschema.Column{integer("id")}
		for _, c := range columns {
			all = append(all, text(c))
		}
		return dbschema.Table{Name: name, Columns: all, Primary: []string{"id"}}
	}
	p := adopt.New(&dbschema.Database{Product: "SQLite", Tables: []dbschema.Table{
		table("users", "name", "PasswordHash", "encrypted_password", "reset_token", "apiKey", "hotpot", "saltiness"),
		table("sessions", "token"), table("schema_migrations"), table("__EFMigrationsHistory"), table("databasechangelog"), table("tokenizers"),
	}}, nil)
	files := p.Files()
	config := files["fronds/app/frond.yaml"]
	_, after, _ := strings.Cut(config, "# collectors:\n")
	comments, _, _ := strings.Cut(after, "\n# Where the rows")
	want := `#   '*':
#     - when: user != nil
#     - deny: all
#   user:
#     - when: user != nil
#       hide: [passwordHash, encryptedPassword, resetToken, apiKey] # secrets, by their names
#     - deny: all
`
	if diff := cmp.Diff(want, comments); diff != "" {
		t.Error(diff)
	}
	for _, line := range []string{"- users.reset_token: a secret, by its name; write hide: [resetToken] in the rules of user", "- sessions: sessions, tokens or the record of migrations, by its name; write door: false for session if no caller needs it"} {
		if !strings.Contains(files["INIT.md"], line) {
			t.Errorf("INIT.md lacks %q:\n%s", line, files["INIT.md"])
		}
	}
	if n := strings.Count(config, "\n    door: true # false takes it from every surface"); n != 4 {
		t.Errorf("%d doors are to be considered, want 4:\n%s", n, config)
	}
	config = strings.ReplaceAll(config, "door: true", "door: false")
	for _, comment := range []string{"collectors:", "  "} {
		config = strings.ReplaceAll(config, "\n# "+comment, "\n"+comment)
	}
	files["fronds/app/frond.yaml"] = config
	compileFiles(t, files)
}
