package facade

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/aggregate"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/nested"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/facade/search"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// execution is one call on its way along the path: what each step found for the next.
type execution struct {
	viewer
	within  *boundOperation // whose handler, hook or presenter is calling
	runner  runner          // of op: another one answers the author's own code
	pending *pendingPrecondition
	passed  func(context.Context, *execution) (*Result, error) // see callContext

	// Found by admit.
	params       json.RawMessage // judged; of a handler's call also decoded and filled
	query        json.RawMessage
	body         schema.Object
	id           json.RawMessage
	list         listing
	each         *eachOf
	fields       [2][]string // Call.Select and the fields of the query, with the columns of relations
	relations    []*selectedRelation
	places       []int             // of the selected fields in the list that was sent; nil: their own
	levels       int               // of relations above the rows
	sel          *selection        // the columns that are read, and those that leave
	precondition *Precondition     // that the row is held to; nil: none
	condition    *filter.Filter    // on the row; nil: none
	amended      schema.Object     // what hooks wrote over the body
	merging      *mergePatch       // of a patch that reaches into nested objects
	points       []Points          // relations of the body that the store has to follow
	many         *manyRows         // of a write of many rows
	groups       *grouping         // of aggregate
	nestable     []*catalog.Nested // relations whose rows the body has
	nested       []*nested.Rows    // that are written with the rows

	// Found by run.
	before *rows.Rows // the rows of a handler's answer, where they have crossed the boundary once
}

// viewer is the caller, with the doors and fields that exist for it: all that judging and scoping need.
type viewer struct {
	refusals
	host        *host
	call        *Call
	depth       int          // of calls within each other
	transaction *transaction // that the call is part of; nil: none
	late        *LateKeys    // that judges the unique keys of what the call writes; nil: they are judged at once
	inside      bool         // the author's own code is calling (see Inside)
	kept        bool         // values are not encoded (see FromKept)
	owned       bool         // the call writes rows that belong to a row
	state       access.State
	at          time.Time        // of the call; see now
	catalogView *catalog.Catalog // what the surface shows that the call came in by
	trace       *Trace           // nil: nobody traces the call
	// exist says of rows elsewhere, by entity and key, whether they exist for the caller: of those that the batch of an import names.
	exist map[*schema.Entity]map[string]bool

	// Found by find.
	from *callContext // that the call is made in; nil: it is made by itself
	door *boundDoor
	op   *boundOperation

	// Found by scope.
	doorScope    *access.Scope                   // of the door's rows
	resultScope  *access.Scope                   // of the rows that are answered: doorScope, where they are the door's own
	scopes       map[*catalog.Door]*access.Scope // of doors that a relation led to
	versionScope *access.Scope                   // of the fields that versions are made of; nil: they may not be read
}

// now is the time of the call, the same moment for every use.
func (x *viewer) now() time.Time {
	if x.at.IsZero() {
		x.at = x.host.now()
	}
	return x.at
}

// cause returns the cause of the events of the call.
func (x *viewer) cause(ctx context.Context) cause {
	c := causeOf(ctx, x.from)
	if c.by == catalog.BySigned && c.op == nil {
		if carried, err := ReadActor(json.RawMessage(x.state.Actor())); err == nil && carried != nil {
			c.by, c.call = carried.By, carried.Call
			if carried.Call != "" {
				c.state = carried.state()
			}
		}
	}
	if c.by == "" {
		if c.by = catalog.ByCall; x.op.Name == "import" {
			c.by = catalog.ByImport
		}
	}
	if c.op == nil && c.call == "" {
		c.op = x.op.Operation
	}
	if c.state == nil {
		c.state = x.state
	}
	c.parent = cmp.Or(c.parent, x.call.Invocation.Trace)
	return c
}

// sentState is the state for the host of the call's rows. The state of a command has the actor, in place of the
// call's own words about it.
func (x *viewer) sentState(ctx context.Context) access.State {
	if x.op.Kind != catalog.Command {
		return x.state
	}
	c := x.cause(ctx)
	a := &Actor{By: c.by}
	if c.op != x.op.Operation {
		a = c.actor()
	}
	return x.state.WithActor(string(a.AppendJSON(nil)))
}

// where names the operation in messages.
func (x *viewer) where() string { return x.door.Name + "." + x.op.Name }

// place returns the index, in the caller's list of fields, of the i-th field read.
func (x *execution) place(i int) int {
	if x.places != nil {
		return x.places[i]
	}
	return i
}

// instead ends a message about a field that does not exist for the caller. In production
// it names no field that does.
func (x *viewer) instead(name string, names func() []string) string {
	if !x.Suggests() {
		return "; leave it out"
	}
	return schema.Instead(name, names(), true)
}

// Suggests implements [filter.Host]: messages name what exists in development alone.
func (x *viewer) Suggests() bool { return x.host.suggest }

// pendingPrecondition is the precondition and the condition of a call that the author's
// handler answers, on their way to the write that the handler makes inside: the first write
// of that row is held to them.
type pendingPrecondition struct {
	cond  *Precondition
	where *filter.Filter
	door  *boundDoor
	id    json.RawMessage
	used  atomic.Bool
}

// transaction is a store's transaction as the façade knows it: one try of a command whose
// author's code may make several calls ([Transactor]).
type transaction struct {
	host *host
	// base is the context that the outermost command began with. It is in no
	// transaction.
	base context.Context
	// inquiry is what other hosts answered; nil: they are asked within the transaction.
	inquiry *inquiry

	mu sync.Mutex
	// after is what runs once the outermost command is committed.
	after []func()

	// late judges the unique keys of the next calls; nil: each call does. The goroutine that makes them has it.
	late *LateKeys
	// deleting are the rows, by entity and key, of a deleteMany that knows their followers.
	deleting map[any]bool
}

// followed reports whether a deleteMany that deletes a row knows its followers.
func (t *transaction) followed(e *schema.Entity, key any) bool {
	return t != nil && t.deleting[[2]any{e, key}]
}

// follows notes that the followers of these rows are known, until done is called.
func (t *transaction) follows(e *schema.Entity, keys []any) (done func()) {
	if t == nil {
		return func() {}
	}
	before := t.deleting
	t.deleting = maps.Clone(before)
	if t.deleting == nil {
		t.deleting = map[any]bool{}
	}
	for _, key := range keys {
		t.deleting[[2]any{e, key}] = true
	}
	return func() { t.deleting = before }
}

// committed runs what waits for the commit, or leaves it to the transaction around.
func (t *transaction) committed(outer *transaction) {
	for _, do := range t.after {
		if outer != nil {
			outer.later(do)
		} else {
			do()
		}
	}
}

// mark returns a function that forgets the work kept for the commit from here on.
func (t *transaction) mark() (undo func()) {
	if t == nil {
		return func() {}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	kept := len(t.after)
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.after = t.after[:kept]
	}
}

// later keeps do until the transaction is committed; without a transaction it runs at once.
func (t *transaction) later(do func()) {
	if t == nil {
		do()
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.after = append(t.after, do)
}

// selectedRelation is a selected relation, with the selected fields of its rows.
type selectedRelation struct {
	*catalog.Relation
	scope  *access.Scope // of its rows, for the caller
	name   string        // in the row
	fields []string      // of its rows
	places []int         // of fields in the list that was sent
	limit  int           // 0: none was sent
	hide   bool          // Column was not selected, and is read for the relation alone
}

// eachOf is the keys of a batch, each of them once.
type eachOf struct {
	field  *schema.Property
	link   *schema.Link      // through rows in between, whose field it is; nil: it is the door's
	via    *filter.Filter    // the condition on the rows in between
	pairs  bool              // the rows in between are read first
	values []json.RawMessage // distinct, in their one spelling
	order  []int             // of every key that was sent, its place in values; -1: it fits no row
	lists  [][]int           // places in values; nil: the keys are no lists
	known  jsontext.Distinct
}

// key is the batch as a store is asked for it.
func (e *eachOf) key() *EachKey {
	k := &EachKey{Field: e.field, Values: e.values, Via: e.via, Lists: e.lists}
	if e.link != nil {
		k.Through = e.link.Through
	}
	return k
}

// take takes distinct keys as they are, where all have their one spelling.
func (e *eachOf) take(keys []json.RawMessage) bool {
	for i, k := range keys {
		if text, why := e.field.KeyText(k); why != "" || len(text) != len(k) || &text[0] != &k[0] {
			e.order = e.order[:0]
			return false
		}
		e.order = append(e.order, i)
	}
	e.values = keys
	return true
}

// add adds a key, and remembers where the answer to it will be: equal keys share one.
func (e *eachOf) add(text json.RawMessage) {
	e.order = append(e.order, e.known.Add(text))
	e.values = e.known.Texts()
}

// miss adds a key that no row can have, such as null or one of another kind.
func (e *eachOf) miss() { e.order = append(e.order, -1) }

// listing is the query of list, read.
type listing struct {
	filter   *filter.Filter
	search   *search.Query // nil: none was sent
	order    order
	limit    int
	offset   int
	from     []json.RawMessage // of the row the page is read on from; nil: the edge
	until    []json.RawMessage // of the row it is read on to, without it; nil: the other edge
	backward bool
	count    counting
	fields   []string
	edges    bool // cursors of every row are answered too, and what lies before the page

	behind *Found // whether there are rows on the other side of what was found; nil: none
}

// counting is how a list makes its total.
type counting uint8

const (
	exact     counting = iota // all rows that meet the filter, counted
	estimated                 // as exact where that costs little
	uncounted                 // -1
)

// countings are the words of query.count. true and false mean exact and none, as
// hosts of another make have it.
var countings = map[string]counting{"exact": exact, "estimated": estimated, "none": uncounted}

// refusals are all faults of one call.
type refusals struct {
	details []schema.Detail
	verdict *kiterror.Error // a refusal without details, or a failure while judging

	used    []*schema.FieldAlias // the old names of fields in the query, and in the selected fields
	renamed []*schema.FieldAlias // those in the body
}

// refuse keeps a refusal, up to as many as an answer names: a hostile call is not
// worth more.
func (r *refusals) refuse(d schema.Detail) {
	if !r.full() {
		r.details = append(r.details, d)
	}
}

// gather keeps the details of a refusal. Any other error is returned.
func (r *refusals) gather(err error) error {
	if kiterror.CodeOf(err) != kiterror.ValidationFailed {
		return err
	}
	details, ok := kiterror.AsError(err).Details.([]schema.Detail)
	for _, d := range details {
		r.refuse(d)
	}
	if !ok {
		return err
	}
	return nil
}

// full reports whether enough is refused to stop looking.
func (r *refusals) full() bool { return len(r.details) >= schema.MaxDetails }

// fail keeps a failure of our own that came up while judging.
func (r *refusals) fail(err error) {
	if r.verdict == nil {
		r.verdict = kiterror.Internal(err)
	}
}

// refusal is the error of the call where something was refused, else nil.
func (r *refusals) refusal() error {
	switch n := len(r.details); {
	case r.verdict != nil && (n == 0 || r.verdict.Code == kiterror.InternalError || r.verdict.Code == kiterror.Gone):
		return r.verdict
	case n == 0:
		return nil
	}
	r.bySent()
	return kiterror.Refused(r.details)
}

// refuseQuery refuses a key of the query.
func (r *refusals) refuseQuery(name, code, message string) {
	r.refuse(schema.Detail{Path: name, Pointer: "/query/" + name, Code: code, Message: message})
}

// gone refuses the call for an old name of a field after its last day.
func (r *refusals) gone(a *schema.FieldAlias) {
	if r.verdict == nil || r.verdict.Code != kiterror.InternalError {
		to := a.Field.Name
		r.verdict = kiterror.Errorf(kiterror.Gone, "%s was renamed to %s and was answered until %s; write %s", a.Name, to, a.Day(), to)
	}
}

// bySent gives details of the body the caller's names.
func (r *refusals) bySent() {
	for i := range r.details {
		d := &r.details[i]
		for _, a := range r.renamed {
			was, is := a.Name, a.Field.Name
			at, body := strings.CutPrefix(d.Pointer, "/body/"+jsontext.Token(is))
			if body && (at == "" || at[0] == '/') {
				d.Path, d.Pointer = was+strings.TrimPrefix(d.Path, is), "/body/"+jsontext.Token(was)+at
			}
		}
	}
}

// manyRows is what admit has found out about a write of many rows.
type manyRows struct {
	records []Record // of createMany, complete
	terms   Terms    // of all records
	unmet   error    // the access rules would hide one of them
	max     int      // of updateMany and deleteMany

	imported *importing // of import

	by   []*schema.Property // of upsert and import: the key, and its values
	key  *filter.Filter
	body json.RawMessage // of the row
	// fixed are the members of the row that update does not take, as they are kept.
	fixed schema.Object
}

// Trace is a set of functions that one execution calls on its way along the path, from its own
// goroutine. Any of them may be nil, and so may the Trace.
type Trace struct {
	// Found is called when the operation is looked up; its Operation is nil for an unknown one.
	Found func(x *Traced)
	// Scoped is called with the answer of a door's collector about an operation.
	Scoped func(x *Traced, by *Scoped)
	// Admitted is called when the call is judged, before it runs.
	Admitted func(x *Traced)
	// Answered is called with the result of the runner.
	Answered func(res *Result)
	// Tried is called with the number of tries of a transaction.
	Tried func(tries int)
	// Emitted is called with the events of a dry run.
	Emitted func(events []Event)
	// Store and Remote wrap the ports that the execution reads and writes by.
	Store  func(s Store) Store
	Remote func(c Caller, address string) Caller

	// DryRun leaves out hooks, events and the handlers of commands.
	DryRun bool
	// Handlers runs the handlers of commands in a dry run, in transactions that are rolled back,
	// if the store has dry runs.
	Handlers bool
}

// Traced is an execution as its [Trace] sees it. It is valid during the call of one function.
type Traced struct {
	Call          *Call
	Operation     *catalog.Operation // nil: there is none
	By            string             // store, handler, remote or nobody
	State         access.State
	Inside        bool          // the author's own code calls
	InTransaction bool          // the call is part of a transaction
	DryRuns       bool          // the store undoes the writes of a dry run
	Scope         *access.Scope // of the rows of the door; nil: not known yet
	Filter        *filter.Filter
	// Columns are read of the rows, Fields leave, and Computed are the computed ones among these.
	Columns, Fields, Computed []string
}

// Scoped is the answer of one collector.
type Scoped struct {
	Door      *catalog.Door
	Collector access.Collector // nil: the door is open
	Operation *catalog.Operation
	Scope     *access.Scope
	Err       error
}

type traceKey struct{}

// WithTrace returns a context whose executions are traced, those that handlers and computed fields
// begin among them. Each has the Trace that begin returns for it.
func WithTrace(ctx context.Context, begin func() *Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, begin)
}

// traceOf is the trace of an execution that begins under ctx.
func traceOf(ctx context.Context) *Trace {
	begin, _ := ctx.Value(traceKey{}).(func() *Trace)
	if begin == nil {
		return nil
	}
	return begin()
}

// dry reports whether the call must not change anything.
func (t *Trace) dry() bool { return t != nil && t.DryRun }

// emitted reports the events of a dry run.
func (t *Trace) emitted(events []Event) {
	if t != nil && t.Emitted != nil && len(events) > 0 {
		t.Emitted(events)
	}
}

// traced describes an execution to its trace.
func (x *execution) traced() *Traced {
	out := &Traced{
		Call: x.call, State: x.state, Inside: x.inside, InTransaction: x.transaction != nil, DryRuns: x.host.dryRuns,
		Scope: x.doorScope, Filter: x.list.filter,
	}
	if x.op != nil {
		out.Operation, out.By = x.op.Operation, string(x.runner.by)
	}
	if x.sel != nil {
		out.Columns, out.Fields = x.sel.stored.Fields, x.sel.out.Fields
		for _, c := range x.sel.computed {
			out.Computed = append(out.Computed, c.Name)
		}
	}
	return out
}

// traceScope reports the answer of a door's collector.
func traceScope(x *viewer, door *boundDoor, op *catalog.Operation, scope *access.Scope, err error) {
	if x.trace != nil && x.trace.Scoped != nil {
		x.trace.Scoped(&Traced{Call: x.call, State: x.state, Inside: x.inside}, &Scoped{Door: door.Door, Collector: door.collector, Operation: op, Scope: scope, Err: err})
	}
}

// runsHandler reports whether the handler of a command runs: in a dry run, where its transaction is
// rolled back.
func runsHandler(x *execution) bool { return !x.trace.dry() || x.trace.Handlers && x.host.dryRuns }

// grouping is the query of aggregate, read.
type grouping struct {
	groups *aggregate.Groups
	order  order
	limit  int
	from   []json.RawMessage
}

// importing is a batch under way.
type importing struct {
	rows   []*importRow // that were judged without a fault, each with its own key
	named  map[string]*importRow
	read   int // how many rows were looked at
	most   int // faulty rows end the import
	dry    bool
	faults []byte // of the answer, a list that is open
	faulty int
	late   []*importRow // that want a key of another row
	last   bool         // they are being written once more

	created, updated int
}

// importRow is one row of a batch.
type importRow struct {
	at    int // in the batch
	body  json.RawMessage
	value schema.Object // judged
	key   Record
	name  string // of the key
	fixed schema.Object
	id    json.RawMessage // the primary key of the row where it is stored
	taken error           // the CONFLICT of a late row
}
