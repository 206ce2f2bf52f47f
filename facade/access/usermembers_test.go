package access_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/explain"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/storetest"
)

// noteRules is a project of notes with these rules.
func noteRules(rules string) map[string]string {
	return map[string]string{
		"fronds/f/frond.yaml": "collectors:\n  note:\n" + rules,
		"fronds/f/entities/note.yaml": `
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}
  text: {type: string}
  ownerId: {type: string}
required: [text, ownerId]
`,
	}
}

// TestMembersOfUser: a rule that names a member which no caller has is a fault with the nearest
// member, and advice where callers may have others.
func TestMembersOfUser(t *testing.T) {
	known := []string{"id", "roles", "scopes", "tenant", "claims"}
	for _, c := range []struct{ rule, want string }{
		{`    - when: '"a" in user.rolls'`, "/collectors/note/0/when: user.rolls: callers have no member rolls; did you mean roles?"},
		{`    - when: state.user["rolls"] == nil`, "/collectors/note/0/when: user.rolls: "},
		{`    - when: not (user?.teams.x == 1)`, "/collectors/note/0/when: user.teams: callers have no member teams; there is id, roles"},
		{`    - rows: {or: [{text: {eq: a}}, {ownerId: {eq: $user.name}}]}`, "/collectors/note/0/rows: $user.name: "},
		{`    - set: {ownerId: $user.ID}`, "/collectors/note/0/set/ownerId: $user.ID: callers have no member ID; did you mean id?"},
		{"    - when: (user.claims.level ?? 0) > 3 and user.id != nil and state.rolls == 1\n      rows: {ownerId: {in: $user.scopes}}\n      set: {ownerId: $user.tenant}", ""},
	} {
		compiled := func(u access.UserMembers) (*facade.Compiled, error) {
			return compile.Project(storetest.ProjectOf(t, noteRules(c.rule)), &compile.Options{User: u})
		}
		_, err := compiled(access.UserMembers{Names: known})
		if got := ""; err != nil {
			if got = err.Error(); c.want == "" || !strings.Contains(got, c.want) {
				t.Errorf("%s: %s, want %s", c.rule, got, c.want)
			}
		} else if c.want != "" {
			t.Errorf("%s: no fault, want %s", c.rule, c.want)
		}
		f, err := compiled(access.UserMembers{Names: known, Open: true})
		if err != nil {
			t.Fatal(err)
		}
		advice := ""
		for _, a := range f.Catalog.Advice {
			advice += a.Error()
		}
		if (advice == "") != (c.want == "") || !strings.Contains(advice, c.want) {
			t.Errorf("%s: the advice is %q, want %s", c.rule, advice, c.want)
		}
		if f, err = compiled(access.UserMembers{}); err != nil || len(f.Catalog.Advice) != 0 {
			t.Errorf("%s: %v where the members are not known", c.rule, err)
		}
	}
}

// TestCreateThatNeverSucceeds: a rule that hides a required field, or lets callers read it alone,
// opens no create in the table, and is advised on. With a set it does.
func TestCreateThatNeverSucceeds(t *testing.T) {
	for _, c := range []struct{ rule, advice string }{
		{"    - hide: [ownerId]", "note.create: no call under this rule can succeed, since ownerId is required and hidden; write it under set, or deny: [create]; or take it from hide"},
		{"    - readOnly: [ownerId]", "note.create: no call under this rule can succeed, since ownerId is required and read-only; write it under set, or deny: [create]; or take it from readOnly"},
		{"    - hide: [ownerId]\n      set: {ownerId: x}", ""},
		{"    - hide: [ownerId]\n      deny: [create]", ""},
		{"    - hide: [ownerId]\n      for: [list]\n    - {}", ""},
		{"    - {}", ""},
	} {
		f := storetest.New(t, storetest.ProjectOf(t, noteRules(c.rule)), storetest.NewStore(), nil)
		advice := ""
		for _, a := range f.Catalog().Advice {
			advice += strings.TrimPrefix(a.Error(), "fronds/f/frond.yaml#/collectors/note/0: ")
		}
		if advice != c.advice {
			t.Errorf("%s: the advice is %q, want %q", c.rule, advice, c.advice)
		}
		first := f.Catalog().Access[0].Rules[0]
		opens := strings.Contains(strings.Join(first.Opens, " "), "create")
		if c.advice != "" && (opens || !strings.Contains(strings.Join(first.Denies, " "), "create")) {
			t.Errorf("%s: the table opens %v and denies %v", c.rule, first.Opens, first.Denies)
		}
		if c.rule == "    - {}" && !opens {
			t.Error("a create that can succeed is not in the table")
		}
	}
}

// TestSetWithoutAValue: explain and the log say which value a rule could not set, and the caller does
// not see it.
func TestSetWithoutAValue(t *testing.T) {
	f := storetest.New(t, storetest.ProjectOf(t, noteRules("    - set: {ownerId: $user.tenant}")), storetest.NewStore(), nil)
	call := &facade.Call{Entity: "note", Operation: "create", Invocation: facade.Invocation{
		Body: json.RawMessage(`{"text":"a"}`), State: access.State{"user": map[string]any{"id": "ada"}},
	}}
	const why = "/collectors/note/0 sets ownerId to $user.tenant, and this caller has no such value that fits the field"
	explained, err := explain.Call(context.Background(), f, call)
	if kiterror.CodeOf(err) != kiterror.Forbidden || len(explained.Scopes) == 0 || explained.Scopes[0].Why != why {
		t.Errorf("explained: %v, %+v", err, explained.Scopes)
	}
	_, err = f.Call(context.Background(), call)
	var log bytes.Buffer
	shown := kiterror.Report(context.Background(), slog.New(slog.NewTextHandler(&log, nil)), err, "")
	if shown.Message != "note.create is not for you" || !strings.Contains(log.String(), why) {
		t.Errorf("shown %q, logged %s", shown.Message, log.String())
	}
}
