package migration

import (
	"encoding/json"
)

// Database is a database whose plan a [Planner] makes. It uses the names of tables and columns of
// [Table].
type Database interface {
	// Ledger returns the record of names, and History the latest migrations, most at most.
	Ledger() ([]Called, error)
	History(most int) ([]Entry, error)
	// Definitions returns the record of definitions, by table.
	Definitions() (map[string][]string, error)
	// Served returns the definitions of tables that other gateways serve, by table, one map a gateway.
	Served() ([]map[string]string, error)
	// Plain returns the tables of the task's cards under the names of a database without tables.
	Plain() []*Table
	// Compile compiles the tables of the task's cards under their names, and Wanted returns them.
	Compile(names *Names) error
	Wanted() []*Table
	// Settle takes all differences before they are planned, and returns the names after the plan.
	Settle(all []Difference) (*Names, error)
	// Accept has a table served with a difference that a start leaves.
	Accept(d *Difference)
	// Adopted reports whether another program made a table of the database that is no entity's.
	Adopted(table string) bool
	// Rename, Create and Alter add the steps of a rename, of a missing table, and of all
	// differences of an existing one.
	Rename(r *Renaming)
	Create(d *Difference)
	Alter(differences []Difference) error
	// Move adds the steps that change names in the database, in order. after has the names afterwards.
	Move(after *Names, moves []Move) error
	// Number runs a statement that returns one number, and List one that returns texts.
	Number(sql string) (int64, error)
	List(sql string) ([]string, error)
	// Scan calls row for the rows that get a value by f, with the key and the columns f.Reads as JSON.
	Scan(r *Rows, f *Filling, row func(key string, read []json.RawMessage)) error
	// Qualified returns the name of a table as SQL has it.
	Qualified(table string) string
}

// Planner is the plan of a task over a database. It does not change the database.
type Planner struct {
	Task *Task
	Plan Plan
	// Present are the tables of the database.
	Present []*Table
	// Defined are the entries that the record of definitions gets, by table.
	Defined map[string][]string
	// Awaited are the columns that may be null while gateways with other cards serve, as differences.
	Awaited []Difference
	// Older says that newer cards have defined some table.
	Older bool
	// Current are the definitions of the task's cards, by table.
	Current map[string]string

	others map[string]int64 // gateways with another definition, by table
}

// Make compares the cards' tables with a database's tables, and makes a step of each
// difference.
func (p *Planner) Make(db Database, naming Naming) error {
	count := func(table, where string) (int64, error) {
		return db.Number("SELECT count(*) FROM " + db.Qualified(table) + where)
	}
	called, err := db.Ledger()
	if err != nil {
		return err
	}
	record := ledger{Names: called, History: func() ([]Entry, error) { return db.History(maxHistory) }}
	names, renamed, refused, err := resolve(p.Task, naming, p.Present, record, func(table string) (int64, error) { return count(table, "") })
	if err != nil {
		return err
	}
	plain := db.Plain()
	if err := db.Compile(names); err != nil {
		return err
	}
	recorded, err := db.Definitions()
	if err != nil {
		return err
	}
	served, err := db.Served()
	if err != nil {
		return err
	}
	wanted := db.Wanted()
	p.Plan.Steps = append(p.Plan.Steps, refused...)
	for i := range renamed {
		db.Rename(&renamed[i])
	}
	older := p.date(recorded, served, plain, wanted)
	if p.await(db, wanted, older); len(p.Awaited) > 0 {
		wanted = db.Wanted()
	}
	all := compare(p.Present, wanted)
	if names, err = db.Settle(all); err != nil {
		return err
	}
	for i := range p.Awaited {
		db.Accept(&p.Awaited[i]) // of the tables after the plan too
	}
	all = p.leave(db, older, all)
	var own []*Table
	for _, t := range p.Present {
		if !db.Adopted(t.Name) {
			own = append(own, t)
		}
	}
	undeclared, err := names.undeclared(p.Task, own, wanted, count)
	if err != nil {
		return err
	}
	p.Plan.Steps = append(p.Plan.Steps, undeclared...)
	for _, differences := range byTable(all) {
		if differences[0].Op == CreateTable {
			db.Create(&differences[0])
		} else if err := db.Alter(differences); err != nil {
			return err
		}
	}
	for _, name := range unknown(own, wanted) {
		p.Plan.Notices = append(p.Plan.Notices, "table "+name)
	}
	if !p.Task.Physical {
		return nil
	}
	return p.physical(db, names, len(served))
}
