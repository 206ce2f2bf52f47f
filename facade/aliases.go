// The names in this file are those of the packages under facade that the signatures of
// facade itself use, so that a program needs one import (docs/decisions/packages.md). The types are the
// same types; everything else of those packages is used from where it is defined.

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

type (
	// Error is the failure of a call; see [kiterror.Error].
	Error = kiterror.Error
	// Code is the code of an Error; see [kiterror.Code].
	Code = kiterror.Code
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

type (
	// Rows is a run of rows as JSON text; see [rows.Rows].
	Rows = rows.Rows
	// Row is one row of a Rows; see [rows.Row].
	Row = rows.Row
	// Layout names the columns of rows; see [rows.Layout].
	Layout = rows.Layout
	// RowReader lays out rows that somebody else wrote; see [rows.Reader].
	RowReader = rows.Reader
)

// NewLayout is [rows.NewLayout].
func NewLayout(fields []string) *Layout { return rows.NewLayout(fields) }

// NewRows is [rows.New].
func NewRows(layout *Layout, n int) *Rows { return rows.New(layout, n) }

// ReadRows is [rows.Read].
func ReadRows(layout *Layout, text json.RawMessage) (*Rows, bool) { return rows.Read(layout, text) }

type (
	// Filter is a condition on the rows of one entity; see [filter.Filter].
	Filter = filter.Filter
	// Op is what a Filter does; see [filter.Op].
	Op = filter.Op
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

type (
	// Budget bounds what all requests hold at once; see [budget.Budget].
	Budget = budget.Budget
	// BudgetState is how much of a Budget is in use; see [budget.Usage].
	BudgetState = budget.Usage
	// Account is what one piece of work holds of a Budget; see [budget.Account].
	Account = budget.Account
	// Meter charges an Account for rows; see [budget.Meter].
	Meter = budget.Meter
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

type (
	// FrondSource is one Frond as it was read; see [project.Frond].
	FrondSource = project.Frond
	// Text is a file as it was read; see [project.Text].
	Text = project.Text
	// Synced is the content of a synced.json; see [project.Synced].
	Synced = project.Synced
	// ListLimits are how many rows a page holds; see [project.ListLimits].
	ListLimits = project.ListLimits
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
