package engine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/turns"
)

// The SQLSTATEs that mean something here; others are of a class (the first two signs) or an
// INTERNAL_ERROR.
const (
	NotNull    = "23502"
	ForeignKey = "23503"
	Unique     = "23505"
	Check      = "23514"
	Restrict   = "23001"

	serializationFailure = "40001"
	deadlock             = "40P01"
	queryCanceled        = "57014"
	cannotConnectNow     = "57P03"
	tooManyConnections   = "53300"
	insufficientRights   = "42501"
	readOnly             = "25006"
	lockNotAvailable     = "55P03"
	unsupported          = "0A000"
	unknownStatement     = "26000"
	duplicateStatement   = "42P05"
	unknownTable         = "42P01"
	unknownObject        = "42704"
	syntaxError          = "42601"
	statementTooComplex  = "54001"
	tooManyColumns       = "54011"
	tooManyArguments     = "54023"
)

// The failures that PostgreSQL has no code for. Callers never see their texts: [DB.Public] gives
// each a code.
var (
	errClosed    = errors.New("the store is closed")
	errOtherType = errors.New("the type is not the one that the table had")
)

// lost is a connection that broke. sent says that the server may have received the statements, so
// that their outcome is unknown.
type lost struct {
	error

	sent bool
}

func (l *lost) Unwrap() error { return l.error }

// uncertain is a commit whose outcome is unknown.
type uncertain struct{ error }

func (u uncertain) Unwrap() error { return u.error }

// codeOf is the SQLSTATE of an error of the server, "" for any other.
func codeOf(err error) string {
	if err == nil { // as nearly always: As allocates
		return ""
	}
	var said *pgconn.PgError
	if errors.As(err, &said) {
		return said.Code
	}
	return ""
}

// classOf is the class of the SQLSTATE: 22 of 22P02.
func classOf(err error) string {
	if code := codeOf(err); len(code) == 5 {
		return code[:2]
	}
	return ""
}

// Busy says whether a lock could not be had within lock_timeout.
func Busy(err error) bool { return codeOf(err) == lockNotAvailable }

// Missing says whether err is about a missing schema or table.
func Missing(err error) bool {
	code := codeOf(err)
	return code == unknownTable || code == "3F000"
}

// Exists reports whether err is about an object that another process has made in between: a schema,
// a table, an index, or a row of the catalogue.
func Exists(err error) bool {
	switch codeOf(err) {
	case "42P06", "42P07", "42710", Unique:
		return true
	}
	return false
}

// Violated returns the SQLSTATE of a broken constraint (class 23), and the names of the
// constraint, of its table and of the column as far as the server says; "" for any other error.
func Violated(err error) (code, constraint, table, column string) {
	var said *pgconn.PgError
	if !errors.As(err, &said) || len(said.Code) != 5 || said.Code[:2] != "23" {
		return "", "", "", ""
	}
	return said.Code, said.ConstraintName, said.TableName, said.ColumnName
}

// Raised returns the text of an error that a function of the database has raised, or the check of a view; ""
// for any other error. A function may raise the code of a constraint, of a bad value or of a conflict,
// which means the same.
func Raised(err error) string {
	var said *pgconn.PgError
	if !errors.As(err, &said) {
		return ""
	}
	switch classOf(err) {
	case "22", "23", "40":
		return ""
	case "44", "P0":
		return said.Message
	}
	if said.Routine == "exec_stmt_raise" {
		return said.Message
	}
	return ""
}

// Text returns the server's own text of an error, "" for any other error.
func Text(err error) string {
	var said *pgconn.PgError
	if !errors.As(err, &said) {
		return ""
	}
	return said.Message
}

// Policy reports whether the row-level security of a table refused a row that was to be written.
func Policy(err error) bool {
	var said *pgconn.PgError
	return errors.As(err, &said) && said.Code == insufficientRights && said.Routine == "ExecWithCheckOptions"
}

// Lacks returns the missing right of a role, in the server's words, where err is about one; "" for
// any other error.
func Lacks(err error) string {
	var said *pgconn.PgError
	if errors.As(err, &said) && said.Code == insufficientRights {
		return said.Message
	}
	return ""
}

// Withheld says whether the role lacks a right over a table, this program's own tables included.
func Withheld(err error) bool {
	var own rightMissing
	return errors.As(err, &own) || Lacks(err) != ""
}

// Unknown says whether the server lacks a feature that a statement uses: a word, an option, a
// setting. A table or a column that is missing, or not permitted, is another matter.
func Unknown(err error) bool {
	switch codeOf(err) {
	case syntaxError, unknownObject, unsupported:
		return true
	}
	return false
}

// OutOfRange says whether a number that a statement made is beyond its type.
func OutOfRange(err error) bool { return codeOf(err) == "22003" }

// BadValue says whether the server could not read a value or work with it (class 22). A type of an extension
// may call that a syntax error, which has no place in the statement then.
func BadValue(err error) bool {
	var said *pgconn.PgError
	return classOf(err) == "22" || errors.As(err, &said) && said.Code == syntaxError && said.Position == 0
}

// conflict says whether err passes when the whole transaction is run again: another one came
// between.
func conflict(err error) bool {
	code := codeOf(err)
	return code == serializationFailure || code == deadlock || code == lockNotAvailable
}

// Passes says whether err passes by itself when the whole transaction is run again, which
// [DB.Write] does.
func Passes(err error) bool { return conflict(err) || again(err) }

// stale says whether the connection's prepared statements are not the server's any more: a table
// has changed, or a pooler has given this connection another server connection.
func stale(err error) bool {
	var said *pgconn.PgError
	if !errors.As(err, &said) {
		return false
	}
	switch said.Code {
	case unknownStatement, duplicateStatement:
		return true
	}
	return said.Code == unsupported && said.Routine == "RevalidateCachedQuery"
}

// again says whether to run the same once more at once: before any commit the connection broke,
// the server closed it or cancelled the statement, its statements have become stale, or the
// server became a replica.
func again(err error) bool {
	var unknown uncertain
	if errors.As(err, &unknown) {
		return false
	}
	var l *lost
	if errors.As(err, &l) || stale(err) || codeOf(err) == readOnly {
		return !errors.Is(err, os.ErrDeadlineExceeded) // a server that does not answer will not do so now
	}
	// 57014 without a cause of ours: somebody else has cancelled it, or a pooler has given our
	// cancellation to another statement.
	return classOf(err) == "57" || classOf(err) == "08"
}

// Unavailable says whether err passes by itself: the server cannot be reached, is starting,
// stopping or being replaced, or has no connection to spare. Clients may repeat such a call.
func Unavailable(err error) bool {
	var l *lost
	var dial *pgconn.ConnectError
	var network net.Error
	switch {
	case err == nil:
		return false
	case errors.Is(err, errClosed), errors.Is(err, turns.ErrLate), errors.As(err, &l):
		return true
	}
	switch classOf(err) {
	case "08", "53", "57", "58":
		return true
	case "25":
		return codeOf(err) == readOnly
	case "":
		return errors.As(err, &dial) || errors.As(err, &network)
	}
	return false
}

// failureOf returns the kind of a statement's failure; "" for nil.
func failureOf(err error) facade.Failure {
	if err == nil {
		return ""
	}
	switch codeOf(err) {
	case lockNotAvailable:
		return facade.FailedLock
	case queryCanceled:
		return facade.FailedTime
	}
	switch classOf(err) {
	case "23":
		return facade.FailedConstraint
	case "40":
		return facade.FailedConflict
	case "53", "58":
		return facade.FailedResources
	case "08", "57":
		return facade.FailedConnection
	}
	switch {
	case errors.Is(err, turns.ErrLate):
		return facade.FailedWait
	case errors.Is(err, errSpent), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return facade.FailedTime
	case Unavailable(err):
		return facade.FailedConnection
	}
	return facade.FailedOther
}

// counting is the error of a statement that has counted rows.
type counting struct{ error }

func (c counting) Unwrap() error { return c.error }

// Counted marks the error of a statement that has counted rows, so that its caller learns that
// it may be the total that takes long. It is nil for nil.
func Counted(err error) error {
	if err == nil {
		return nil
	}
	return counting{err}
}

// Public returns err as it leaves the store:
//
//	an error with a code of its own    itself
//	the caller has gone                ctx's error
//	a commit with an unknown outcome   SERVICE_UNAVAILABLE, details {outcome: unknown}
//	no connection came free            SERVICE_UNAVAILABLE that says so, with Retry-After
//	Unavailable(err)                   SERVICE_UNAVAILABLE
//	a statement that is too complex    BAD_REQUEST
//	a table of another form            SERVICE_UNAVAILABLE, if [DB.Verify] confirms it
//	anything else                      INTERNAL_ERROR around err, which stays in the process
//
// It is nil for nil. A statement that has used up its time is [kiterror.TooCostly], or [kiterror.Blocked] if it
// waited for a lock.
func (d *DB) Public(ctx context.Context, err error) error { return d.public(ctx, err, false) }

// public is Public. keyed says that the work is about rows of given keys: such a statement that has used up its time
// is [kiterror.OutOfTime].
func (d *DB) public(ctx context.Context, err error, keyed bool) error {
	if err == nil {
		return nil
	}
	var known *kiterror.Error
	var unknown uncertain
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(err, &unknown):
		d.logSilence(ctx, err)
		return outcomeUnknown(err)
	case errors.Is(err, errSpent):
		return d.outOfTime(ctx, err, keyed)
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return ctx.Err()
	case overdue(ctx, err):
		return context.DeadlineExceeded
	case errors.Is(err, turns.ErrLate):
		return kiterror.Errorf(kiterror.ServiceUnavailable, "every connection to the store is in use after a wait of %s; try again", d.opts.Wait).WithCause(err).After(time.Second)
	case Unavailable(err):
		d.logSilence(ctx, err)
		return unavailable(err)
	case stale(err):
		return kiterror.Internal(fmt.Errorf("postgres: prepared statements get lost: a pooler gives each transaction another connection; write ?pool=transaction in the store's URL: %w", err))
	case Policy(err):
		return Forbidden(err)
	case Raised(err) != "", classOf(err) == "23": // when the transaction ended
		return kiterror.Errorf(kiterror.Conflict, "the database refused this by a rule that no card describes; change the values").WithCause(err)
	case Lacks(err) != "":
		return kiterror.Internal(fmt.Errorf("postgres: the role %s lacks a right (see GRANT): %w", d.address.Config.User, err))
	case codeOf(err) == statementTooComplex, codeOf(err) == tooManyColumns, codeOf(err) == tooManyArguments:
		return kiterror.Errorf(kiterror.BadRequest, "the filter is nested too deep or too long; leave some of it out").WithCause(err)
	}
	if d.Verify != nil && (classOf(err) == "42" || errors.Is(err, errOtherType)) {
		if why := d.Verify(ctx); why != nil {
			return Newer(errors.Join(why, err))
		}
	}
	return kiterror.Internal(fmt.Errorf("postgres: %w", err))
}

// Forbidden returns the FORBIDDEN of a row that the row-level security of its table refuses.
func Forbidden(err error) error {
	return kiterror.Errorf(kiterror.Forbidden, "the database's own policies do not let this row be written; change its values").WithCause(err)
}

// overdue reports whether err comes from the deadline of ctx. A dial may end at the deadline before
// ctx does.
func overdue(ctx context.Context, err error) bool {
	end, ok := ctx.Deadline()
	return ok && !time.Now().Before(end) && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded))
}

// unavailable returns SERVICE_UNAVAILABLE around err, whose text stays in the process: it may
// name a server and a role.
func unavailable(err error) error {
	return kiterror.Errorf(kiterror.ServiceUnavailable, "the store cannot be reached just now; try again").WithCause(err).After(time.Second)
}

// Newer returns the SERVICE_UNAVAILABLE of a call that needs tables as they no longer are.
func Newer(why error) error {
	return kiterror.Errorf(kiterror.ServiceUnavailable, "the tables follow newer cards than those of this gateway; wait for its replacement").WithCause(why)
}

// outcomeUnknown is the SERVICE_UNAVAILABLE of a write whose connection broke while it was being
// committed. The store does not send it again on the caller's behalf.
func outcomeUnknown(err error) error {
	e := kiterror.Errorf(kiterror.ServiceUnavailable,
		"the connection broke during the write; its outcome is unknown, read before writing again").WithCause(err)
	e.Details = map[string]any{"outcome": "unknown"}
	return e
}
