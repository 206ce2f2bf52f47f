package migration

// The parts of a Planner, for tests.
var (
	Resolve = resolve
	Convert = convert
)

type Ledger = ledger

// Drop is Step.drop.
func (s *Step) Drop(task *Task, n int64) { s.drop(task, n) }
