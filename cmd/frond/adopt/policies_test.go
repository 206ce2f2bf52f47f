package adopt_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/frondhost/frond/cmd/frond/adopt"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

// TestPolicies: the policies of row-level security are in the report, and common ones are rules to review
// above one that denies.
func TestPolicies(t *testing.T) {
	db, _ := openPostgres(t, pgtest.Database(t), `CREATE SCHEMA auth; CREATE FUNCTION auth.uid() RETURNS uuid LANGUAGE sql AS 'SELECT NULL::uuid';
CREATE TABLE person (id text PRIMARY KEY); CREATE TABLE note (id int PRIMARY KEY, owner text, writer text REFERENCES person, user_id uuid, tenant_id int, open boolean);
CREATE POLICY a ON note USING (owner = current_user); CREATE POLICY b ON note FOR SELECT USING (auth.uid() = user_id);
CREATE POLICY c ON note FOR UPDATE USING (tenant_id = current_setting('app.tenant')::int) WITH CHECK (open);
CREATE POLICY d ON note FOR DELETE USING (owner = current_setting('app.user', true)); CREATE POLICY e ON note FOR SELECT USING (open OR id < 9);
ALTER TABLE note ENABLE ROW LEVEL SECURITY;
CREATE POLICY g ON note FOR INSERT WITH CHECK ((SELECT auth.uid()) = user_id); CREATE POLICY h ON note FOR SELECT USING (true);
CREATE FUNCTION current_user_id() RETURNS int LANGUAGE sql AS 'SELECT 1'; CREATE POLICY i ON note FOR UPDATE USING (id = current_user_id()); CREATE POLICY j ON note FOR DELETE USING (writer = current_user);
CREATE TABLE off (id int PRIMARY KEY); CREATE POLICY f ON off USING (true)`)
	files := adopt.New(db, nil).Files()
	config := files["fronds/app/frond.yaml"]
	const want = `#   note:
#     # policy a of ALL, rows (owner = CURRENT_USER)
#     # - rows: { owner: { eq: $user.id } } # review: made of the policy a
#     # policy b of SELECT, rows (auth.uid() = user_id)
#     # - for: [list, findById]
#     #   rows: { userId: { eq: $user.id } } # review: made of the policy b
#     # policy c of UPDATE, rows (tenant_id = (current_setting('app.tenant'::text))::integer), written rows open
#     # - for: [update]
#     #   rows: { tenantId: { eq: $user.tenant } } # review: made of the policy c
#     # policy d of DELETE, rows (owner = current_setting('app.user'::text, true))
#     # - for: [delete]
#     #   rows: { owner: { eq: $user.id } } # review: made of the policy d
#     # policy e of SELECT, rows (open OR (id < 9))
#     # policy g of INSERT, written rows (( SELECT auth.uid() AS uid) = user_id)
#     # - for: [create]
#     #   set: { userId: $user.id } # review: made of the policy g
#     # policy h of SELECT, rows true
#     # - for: [list, findById] # review: made of the policy h
#     # policy i of UPDATE, rows (id = current_user_id())
#     # - for: [update]
#     #   rows: { id: { eq: $user.id } } # review: made of the policy i
#     # policy j of DELETE, rows (writer = CURRENT_USER)
#     # - for: [delete]
#     #   rows: { writerId: { eq: $user.id } } # review: made of the policy j
#     - deny: all
`
	if !strings.Contains(config, want) || strings.Contains(config, "policy f") {
		t.Errorf("frond.yaml is\n%s\nwant in it\n%s", config, want)
	}
	if report := files["INIT.md"]; !strings.Contains(report, "## Row-level security") || !strings.Contains(report, "- note: the policy e of SELECT, rows (open OR (id < 9))") {
		t.Errorf("INIT.md is\n%s", report)
	}
	if report := files["INIT.md"]; !strings.Contains(report, "- note: the role of the connection passes by the policies") || strings.Contains(report, "- off: the role") {
		t.Errorf("INIT.md is\n%s", report)
	}
}

// TestPoliciesOfTheConnection: the report says for each table with row-level security whether its policies hold for the
// role of the connection, and for which roles they are.
func TestPoliciesOfTheConnection(t *testing.T) {
	address := pgtest.Database(t)
	_, _ = openPostgres(t, address, `CREATE TABLE note (id int PRIMARY KEY, owner text); CREATE TABLE shut (id int PRIMARY KEY);
ALTER TABLE note ENABLE ROW LEVEL SECURITY; ALTER TABLE shut ENABLE ROW LEVEL SECURITY;
DROP ROLE IF EXISTS authenticated_visitor; CREATE ROLE authenticated_visitor LOGIN PASSWORD 'x'; CREATE POLICY mine ON note TO authenticated_visitor USING (owner = current_user);
GRANT SELECT ON note, shut TO authenticated_visitor; GRANT INSERT ON note TO authenticated_visitor`)
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	at.User = url.UserPassword("authenticated_visitor", "x")
	db, err := postgres.Describe(t.Context(), postgres.Options{URL: at.String()})
	if err != nil {
		t.Fatal(err)
	}
	report := adopt.New(db, nil).Files()["INIT.md"]
	for _, want := range []string{
		"- note: the policies judge the role of the connection too, and every caller misses the rows that they hide from it; connect as the table's owner, or as a role with BYPASSRLS",
		"- note: the policy mine of ALL to authenticated_visitor, rows (owner = CURRENT_USER)",
		"- shut: it has no policy, so that the role of the connection sees no row; connect as its owner, or as a role with BYPASSRLS",
	} {
		if !strings.Contains(report, want+"\n") {
			t.Errorf("INIT.md lacks %q:\n%s", want, report)
		}
	}
}
