package adopt_test

import (
	"strings"
	"testing"

	"github.com/frondhost/frond/cmd/frond/adopt"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

// TestPolicies: the policies of row-level security are in the report, and common ones are rules to review
// above one that denies.
func TestPolicies(t *testing.T) {
	db, _ := openPostgres(t, pgtest.Database(t), `CREATE SCHEMA auth; CREATE FUNCTION auth.uid() RETURNS uuid LANGUAGE sql AS 'SELECT NULL::uuid';
CREATE TABLE note (id int PRIMARY KEY, owner text, user_id uuid, tenant_id int, open boolean);
CREATE POLICY a ON note USING (owner = current_user); CREATE POLICY b ON note FOR SELECT USING (auth.uid() = user_id);
CREATE POLICY c ON note FOR UPDATE USING (tenant_id = current_setting('app.tenant')::int) WITH CHECK (open);
CREATE POLICY d ON note FOR DELETE USING (owner = current_setting('app.user', true)); CREATE POLICY e ON note FOR SELECT USING (open OR id < 9);
ALTER TABLE note ENABLE ROW LEVEL SECURITY;
CREATE TABLE off (id int PRIMARY KEY); CREATE POLICY f ON off USING (true)`)
	files := adopt.New(db, nil).Files()
	config := files["fronds/app/frond.yaml"]
	const want = `#   note:
#     # policy a of ALL, rows (owner = CURRENT_USER)
#     # - rows: { owner: { eq: $user.id } } # review: made of the policy a
#     # policy b of SELECT, rows (auth.uid() = user_id)
#     # - rows: { userId: { eq: $user.id } } # review: made of the policy b
#     # policy c of UPDATE, rows (tenant_id = (current_setting('app.tenant'::text))::integer), written rows open
#     # - rows: { tenantId: { eq: $user.tenant } } # review: made of the policy c
#     # policy d of DELETE, rows (owner = current_setting('app.user'::text, true))
#     # - rows: { owner: { eq: $user.id } } # review: made of the policy d
#     # policy e of SELECT, rows (open OR (id < 9))
#     - deny: all
`
	if !strings.Contains(config, want) || strings.Contains(config, "policy f") {
		t.Errorf("frond.yaml is\n%s\nwant in it\n%s", config, want)
	}
	if report := files["INIT.md"]; !strings.Contains(report, "## Row-level security") || !strings.Contains(report, "- note: the policy e of SELECT, rows (open OR (id < 9))") {
		t.Errorf("INIT.md is\n%s", report)
	}
}
