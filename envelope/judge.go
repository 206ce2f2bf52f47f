package envelope

import (
	"sync"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
)

const (
	judgedEvery = time.Second // an operation's answers, where nothing is refused
	maxShapes   = 100         // violations that are logged of one remote
)

// shapes is what was looked at of a remote's answers, and what was said about it.
type shapes struct {
	mu     sync.Mutex
	judged map[string]time.Time // by entity.op
	told   map[string]bool
}

// judge holds an answer against the output card of its operation. In strict mode
// what does not fit is BAD_GATEWAY. Else it is logged, each shape of it once, and an
// operation's answers are looked at once a second: judging costs as much as reading.
func (r *Remote) judge(q *question, result *facade.Result) *facade.Error {
	if q.op == nil || q.op.Output == nil || result.Rows.Len() == 0 {
		return nil
	}
	if !r.options.Strict && !r.shapes.due(methodKey(q.call.Entity, q.call.Operation)) {
		return nil
	}
	for i := range result.Rows.Len() {
		for _, d := range violations(q.op.Output, result.Rows.Row(i)) {
			if r.options.Strict {
				return facade.Errorf(facade.BadGateway, "the host's answer does not fit its card: %s %s", d.Path, d.Message)
			}
			if shape := q.call.Entity + "." + q.call.Operation + " " + d.Code + " " + d.Path; r.shapes.tell(shape) {
				r.options.Log.Warn("a remote's answer does not fit its card",
					"remote", r.options.Name, "entity", q.call.Entity, "operation", q.call.Operation, "path", d.Path, "code", d.Code, "message", d.Message)
			}
		}
	}
	return nil
}

// violations are what a row says that its card does not allow. A row may lack
// fields (they were not selected, or the caller may not see them) and have further
// ones (computed fields, what a newer host has); a null may stand where the field
// may be left out at creation; an encoded field is what its conversion makes of it.
func violations(card *schema.Entity, row facade.Row) []schema.Detail {
	_, all := card.Judge(schema.Plain, row.JSON(), "")
	some := all[:0]
	for _, d := range all {
		name := d.Path
		for i := range name {
			if name[i] == '.' {
				name = name[:i]
				break
			}
		}
		p := card.Property(name)
		switch {
		case p == nil:
		case name == d.Path && (d.Code == "required" || d.Code == "type" && string(row.Get(name)) == "null" && p.MayBeNull()):
		case p.Axes.Out.Name != "":
		default:
			some = append(some, d)
		}
	}
	return some
}

func (s *shapes) due(method string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.judged == nil {
		s.judged = map[string]time.Time{}
	}
	if at, before := s.judged[method]; before && time.Since(at) < judgedEvery {
		return false
	}
	s.judged[method] = time.Now()
	return true
}

func (s *shapes) tell(shape string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told[shape] || len(s.told) >= maxShapes {
		return false
	}
	if s.told == nil {
		s.told = map[string]bool{}
	}
	s.told[shape] = true
	return true
}
