package facade

import (
	"encoding/json"

	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// The names of [kiterror] that users of this package meet.
type (
	Error = kiterror.Error
	Code  = kiterror.Code
)

// The codes; see [kiterror.Code].
const (
	ValidationFailed    = kiterror.ValidationFailed
	BadRequest          = kiterror.BadRequest
	Unauthorized        = kiterror.Unauthorized
	Forbidden           = kiterror.Forbidden
	NotFound            = kiterror.NotFound
	MethodNotAllowed    = kiterror.MethodNotAllowed
	RequestTimeout      = kiterror.RequestTimeout
	Conflict            = kiterror.Conflict
	Gone                = kiterror.Gone
	PreconditionFailed  = kiterror.PreconditionFailed
	PayloadTooLarge     = kiterror.PayloadTooLarge
	UnprocessableEntity = kiterror.UnprocessableEntity
	Locked              = kiterror.Locked
	TooManyRequests     = kiterror.TooManyRequests
	InternalError       = kiterror.InternalError
	NotImplemented      = kiterror.NotImplemented
	BadGateway          = kiterror.BadGateway
	ServiceUnavailable  = kiterror.ServiceUnavailable
	GatewayTimeout      = kiterror.GatewayTimeout
	Unique              = kiterror.Unique
	Reference           = kiterror.Reference
	Restrict            = kiterror.Restrict
)

// The functions of [kiterror].
var (
	Errorf        = kiterror.Errorf
	Invalid       = kiterror.Invalid
	Internal      = kiterror.Internal
	AsError       = kiterror.AsError
	CodeOf        = kiterror.CodeOf
	ReviveDetails = kiterror.ReviveDetails
	Report        = kiterror.Report
	Panicked      = kiterror.Panicked
	TraceID       = kiterror.TraceID
	Taken         = kiterror.Taken
	Dangling      = kiterror.Dangling
	InUse         = kiterror.InUse
	TooCostly     = kiterror.TooCostly
)

// The names of [rows]: rows as JSON text with an index.
type (
	Rows      = rows.Rows
	Row       = rows.Row
	Layout    = rows.Layout
	RowReader = rows.Reader
)

// NewLayout is [rows.NewLayout].
func NewLayout(fields []string) *Layout { return rows.NewLayout(fields) }

// NewRows is [rows.New].
func NewRows(layout *Layout, n int) *Rows { return rows.New(layout, n) }

// ReadRows is [rows.Read].
func ReadRows(layout *Layout, text json.RawMessage) (*Rows, bool) { return rows.Read(layout, text) }

// The names of [filter]: conditions on the rows of one entity.
type (
	Filter = filter.Filter
	Op     = filter.Op
)

// The operators; see [filter.Op].
const (
	And        = filter.And
	Or         = filter.Or
	Not        = filter.Not
	Eq         = filter.Eq
	Ne         = filter.Ne
	In         = filter.In
	NotIn      = filter.NotIn
	Lt         = filter.Lt
	Lte        = filter.Lte
	Gt         = filter.Gt
	Gte        = filter.Gte
	Contains   = filter.Contains
	StartsWith = filter.StartsWith
	EndsWith   = filter.EndsWith
	IContains  = filter.IContains
	IsNull     = filter.IsNull
	Has        = filter.Has
	Some       = filter.Some
	None       = filter.None
	Every      = filter.Every
)

// ParseFilter is [filter.Parse].
func ParseFilter(e *schema.Entity, text json.RawMessage, at string) (*Filter, []schema.Detail) {
	return filter.Parse(e, text, at)
}

// The names of [budget]: bounds on what all requests of a process hold at once.
type (
	Budget      = budget.Budget
	BudgetState = budget.Usage
	Account     = budget.Account
	Meter       = budget.Meter
)

// GroupSize is [budget.GroupSize].
const GroupSize = budget.GroupSize

// The functions of [budget].
var (
	NewBudget   = budget.New
	AccountOf   = budget.AccountOf
	MeterOf     = budget.MeterOf
	ErrOversize = budget.ErrOversize
)

// The names of [project]: the files of a project, as they were read.
type (
	FrondSource = project.Frond
	Text        = project.Text
	Synced      = project.Synced
	ListLimits  = project.ListLimits
)

// SyncedFile is [project.SyncedFile].
const SyncedFile = project.SyncedFile

// The functions of [project].
var (
	ReadSynced  = project.ReadSynced
	Discovered  = project.Discovered
	FrondSchema = project.FrondSchema
	FrondKeys   = project.FrondKeys
)
