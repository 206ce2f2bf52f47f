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
	Rows     float64 `json:"Actual Rows"` // of one loop
	Removed  float64 `json:"Rows Removed by Filter"`
	Loops    float64 `json:"Actual Loops"`
	Plans    []planNode
}

// explain precedes a statement whose plan [readPlan] reads.
const explain = "EXPLAIN (ANALYZE, FORMAT JSON) "

// readPlan reads the answer to an EXPLAIN; nil where it is none.
func readPlan(text []byte) *facade.Plan {
	var plans []struct {
		Plan planNode
		Took float64 `json:"Execution Time"`
	}
	if json.Unmarshal(text, &plans) != nil || len(plans) != 1 {
		return nil
	}
	plan := &facade.Plan{Took: time.Duration(plans[0].Took * float64(time.Millisecond))}
	plans[0].Plan.addTo(plan)
	return plan
}

// addTo appends the reads and sorts of a node and of those below it.
func (n *planNode) addTo(plan *facade.Plan) {
	rows := int64((n.Rows + n.Removed) * n.Loops)
	switch {
	case n.Relation != "":
		scan := facade.Scan{Text: n.Type + " on " + n.Relation, Whole: n.Type == "Seq Scan", Rows: rows}
		if n.Index != "" {
			scan.Text = fmt.Sprintf("%s using %s on %s", n.Type, n.Index, n.Relation)
		}
		plan.Scans = append(plan.Scans, scan)
		plan.Read += rows
	case n.Type == "Sort":
		plan.Scans = append(plan.Scans, facade.Scan{Text: n.Type, Whole: true, Rows: rows})
	}
	for i := range n.Plans {
		n.Plans[i].addTo(plan)
	}
}
