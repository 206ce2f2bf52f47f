package access_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/store/storetest"
)

// TestWhenOfOtherLanguages: a when that is neither true nor false for callers is a fault, whether the
// types of user are known or not, and the fault says a line that compiles.
func TestWhenOfOtherLanguages(t *testing.T) {
	compiled := func(rule string, u access.UserMembers) error {
		_, err := compile.Project(storetest.ProjectOf(t, noteRules(rule)), &compile.Options{User: u})
		return err
	}
	written := regexp.MustCompile(`when: ('[^']*'|user\.id != nil)|rows: \{.*\}`)
	known := []string{"id", "roles", "scopes", "tenant", "claims"}
	for _, c := range []struct {
		when, want string
		typed      bool // only the types of user show it
	}{
		{`user`, "true or false", false},
		{`user.id`, "true or false", false},
		{`user.roles`, "user.roles and user.scopes are lists of texts", false},
		{`state.user.roles`, "lists of texts", true},
		{`user && user.id != nil`, "", false},
		{`!user`, "", false},
		{`user.id ?? false`, "", false},
		{`user.roles.includes("staff")`, "lists of texts", false},
		{`user.roles contains 'staff'`, "lists of texts", false},
		{`user.roles == "staff"`, "lists of texts", true},
		{`user.roles === "staff"`, "== or !=", false},
		{`3 in user.roles`, "lists of texts", true},
		{`user.id !== undefined`, "", false},
		{`user.id != null`, "write nil", false},
		{`user.id == ownerId`, `rows: \{ownerId: \{eq: \$user.id\}\}`, false},
		{`status == "open"`, "compare members of user", false},
		{`"yes"`, "", false},
		{`user.id matches 3`, "", false},
	} {
		rule := "    - when: '" + strings.ReplaceAll(c.when, "'", "''") + "'"
		for _, u := range []access.UserMembers{{}, {Names: known}, {Names: known, Open: true}} {
			err := compiled(rule, u)
			if c.typed && u.Names == nil {
				continue
			}
			if err == nil || !regexp.MustCompile(c.want).MatchString(err.Error()) && c.want != "" {
				t.Errorf("%s with %v: %v, want %s", c.when, u, err, c.want)
				continue
			}
			line := written.FindString(err.Error())
			if line == "" {
				t.Errorf("%s: %v says no line to write", c.when, err)
			} else if err := compiled("    - "+line, u); err != nil {
				t.Errorf("%s: the line %s is refused: %v", c.when, line, err)
			}
		}
	}
}

// TestWhenThatFailsForSome: a when that fails for callers who lack a member is advised on, unless an
// earlier rule decides their calls.
func TestWhenThatFailsForSome(t *testing.T) {
	for _, c := range []struct{ rules, want string }{
		{"    - when: user.level > 3", "calls fail for a caller without user: "},
		{"    - when: user.id != nil and user.level > 3", "calls fail for a user with id alone: "},
		{`    - when: user.id startsWith "ops:"`, ""},
		{"    - {when: user == nil, deny: all}\n    - {when: user.level == nil, deny: all}\n    - when: user.level > 3", ""},
		{"    - {when: user == nil, for: [list], deny: all}\n    - when: user.level > 3", "calls fail for a caller without user: "},
		{"    - when: (user.level ?? 0) > 3", ""},
		{"    - when: user.level != nil and user.level > 3", ""},
		{"    - when: user.tenant == 7 or user.admin", ""},
		{"    - when: state.level > 3", "calls fail for a caller without user: "},
		{"    - when: state.caller == \"shop\"", ""},
	} {
		f, err := compile.Project(storetest.ProjectOf(t, noteRules(c.rules)), nil)
		if err != nil {
			t.Errorf("%s: %v", c.rules, err)
			continue
		}
		advice := ""
		for _, a := range f.Catalog.Advice {
			advice += a.Error()
		}
		if (advice == "") != (c.want == "") || !strings.Contains(advice, c.want) {
			t.Errorf("%s: the advice is %q, want %q", c.rules, advice, c.want)
		}
	}
}
