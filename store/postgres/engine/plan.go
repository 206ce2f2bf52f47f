package engine

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/frondhost/frond/facade"
)

// planNode is a node of EXPLAIN's JSON.
type planNode struct {
	Type     string  `json:"Node Type"`
	Relation string  `json:"Relation Name"`
	Index    string  `json:"Index Name"`
	Cond     string  `json:"Index Cond"`
	Filter   string  `json:"Filter"`
	Rows     float64 `json:"Actual Rows"` // of one loop
	Removed  float64 `json:"Rows Removed by Filter"`
	Loops    float64 `json:"Actual Loops"`
	Plans    []planNode
}

// One of these precedes a statement whose plan [readPlan] reads; the first runs it.
const (
	explainAnalyze = "EXPLAIN (ANALYZE, FORMAT JSON) "
	explainOnly    = "EXPLAIN (FORMAT JSON) "
)

// estimateRows is the number of rows of a relation as the server knows it. Before the server's first
// count, it assumes rows of a hundred bytes.
const estimateRows = `SELECT (CASE WHEN reltuples < 0 THEN pg_relation_size(oid) / 100 ELSE reltuples END)::bigint FROM pg_class WHERE oid = to_regclass(quote_ident($1))`

// readPlan reads the answer to an EXPLAIN; nil for any other text. whole are the relations that the
// plan reads from their beginning.
func readPlan(text []byte) (plan *facade.Plan, whole []string) {
	var plans []struct {
		Plan planNode
		Took float64 `json:"Execution Time"`
	}
	if json.Unmarshal(text, &plans) != nil || len(plans) != 1 {
		return nil, nil
	}
	plan = &facade.Plan{Took: time.Duration(plans[0].Took * float64(time.Millisecond))}
	plans[0].Plan.addTo(plan, &whole)
	return plan, whole
}

// addTo appends the reads and sorts of a node and of those below it, and the relations read as a whole.
func (n *planNode) addTo(plan *facade.Plan, whole *[]string) {
	rows := int64((n.Rows + n.Removed) * n.Loops)
	switch {
	case n.Relation != "":
		scan := facade.Scan{Text: n.Type + " on " + n.Relation, Whole: n.Type == "Seq Scan", Rows: rows}
		if n.Index != "" {
			scan.Text = fmt.Sprintf("%s using %s on %s", n.Type, n.Index, n.Relation)
		}
		plan.Scans = append(plan.Scans, scan)
		plan.Read += rows
		if scan.Whole || n.Index != "" && n.Cond == "" && n.Filter != "" { // in the order of an index
			*whole = append(*whole, n.Relation)
		}
	case n.Type == "Sort":
		plan.Scans = append(plan.Scans, facade.Scan{Text: n.Type, Whole: true, Rows: rows})
	}
	for i := range n.Plans {
		n.Plans[i].addTo(plan, whole)
	}
}
