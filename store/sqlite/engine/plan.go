package engine

import (
	"strings"
	"time"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade"
)

// planOf asks SQLite how it runs a statement; nil for one that reads no rows. Whole tables are
// SCAN without an index; sorts are USE TEMP B-TREE.
func (c *Conn) planOf(sql string) *facade.Plan {
	if verb, _, _ := strings.Cut(sql, " "); verb != "SELECT" && verb != "UPDATE" && verb != "DELETE" {
		return nil
	}
	st, _, err := c.db.Prepare("EXPLAIN QUERY PLAN " + sql)
	if err != nil {
		return nil // the statement itself says what is wrong
	}
	defer func() { _ = st.Close() }()
	plan := &facade.Plan{}
	for st.Step() {
		text := st.ColumnText(3)
		scan := facade.Scan{Text: text, Whole: strings.HasPrefix(text, "USE TEMP B-TREE")}
		if strings.HasPrefix(text, "SCAN ") {
			scan.Whole = !strings.Contains(text, " USING ") && !strings.Contains(text, "VIRTUAL TABLE") && !strings.HasPrefix(text, "SCAN CONSTANT") && !strings.HasPrefix(text, "SCAN (")
		}
		if scan.Whole || strings.HasPrefix(text, "SCAN ") || strings.HasPrefix(text, "SEARCH ") {
			plan.Scans = append(plan.Scans, scan)
		}
	}
	return plan
}

// follow begins to count the rows that the statement reads, for a plan.
func (st *Stmt) follow(plan *facade.Plan) {
	if st.plan = plan; plan != nil {
		st.began = time.Now()
		st.Status(sqlite3.STMTSTATUS_FULLSCAN_STEP, true)
	}
}

// followed ends what follow began.
func (st *Stmt) followed() {
	if st.plan != nil {
		st.plan.Took = time.Since(st.began)
		st.plan.Read = int64(st.Status(sqlite3.STMTSTATUS_FULLSCAN_STEP, true))
		st.plan = nil
	}
}
