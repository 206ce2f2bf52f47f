package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// The failures that SQLite has no code for. Callers never see their texts: [Public] gives each
// a code.
var (
	errClosed     = errors.New("the store is closed")
	errLost       = errors.New("the store's file is not the one that was opened")
	errForeignKey = errors.New("a foreign key is left broken")
	errTooDeep    = errors.New("the statement's expression is too deep")
)

// Public returns err as it leaves the store:
//
//	an error with a code of its own    itself
//	the caller has gone                ctx's error
//	Unavailable(err)                   SERVICE_UNAVAILABLE
//	an expression that is too deep     BAD_REQUEST
//	anything else                      INTERNAL_ERROR around err, which stays in the process
//
// It is nil for nil.
func Public(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	var known *kiterror.Error
	switch {
	case errors.As(err, &known):
		return err
	// An interrupt is the end of ctx where ctx has ended. Otherwise it is no caller's doing
	// and an internal error.
	case ctx.Err() != nil && (errors.Is(err, sqlite3.INTERRUPT) || errors.Is(err, ctx.Err())):
		return ctx.Err()
	case errors.Is(err, errTooDeep):
		return kiterror.Errorf(kiterror.BadRequest, "the filter is nested too deep; leave some of its levels out").WithCause(err)
	case Unavailable(err):
		return unavailable(err)
	}
	return kiterror.Internal(fmt.Errorf("sqlite: %w", err))
}

// Unavailable says whether err passes by itself: another process holds the database, it is
// closed, or the disk refuses. Clients may repeat such a call.
func Unavailable(err error) bool {
	return errors.Is(err, sqlite3.BUSY) || errors.Is(err, errClosed) || errors.Is(err, errLost) || diskFailure(err)
}

// unavailable returns SERVICE_UNAVAILABLE around err, whose text stays in the process: it may
// name a path.
func unavailable(err error) error {
	return kiterror.Errorf(kiterror.ServiceUnavailable, "the store cannot be reached just now; try again").WithCause(err).After(time.Second)
}

// diskFailures are the failures of the disk and of the file, which every other request would meet
// too, with where an operator looks first.
var diskFailures = []struct {
	code  sqlite3.ErrorCode
	check string
}{
	{sqlite3.FULL, "the free space and the health of the disk that holds the store"},
	{sqlite3.IOERR, "the free space and the health of the disk that holds the store"},
	{sqlite3.CORRUPT, "the file: something else wrote to it; restore a backup (frond restore)"},
	{sqlite3.NOTADB, "the file: something else wrote to it; restore a backup (frond restore)"},
	{sqlite3.READONLY, "the permissions of the file and its folder"},
	{sqlite3.CANTOPEN, "the permissions of the file and its folder"},
}

// whatToCheck says where an operator looks first, as the value of a log attribute; "": the error is
// no failure of the disk.
func whatToCheck(err error) string {
	for _, f := range diskFailures {
		if errors.Is(err, f.code) {
			return f.check
		}
	}
	return ""
}

// diskFailure says whether the disk or the file is at fault.
func diskFailure(err error) bool { return whatToCheck(err) != "" }

// failureOf returns the kind of a statement's failure; "" for nil.
func failureOf(err error) facade.Failure {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, sqlite3.CONSTRAINT):
		return facade.FailedConstraint
	case errors.Is(err, sqlite3.INTERRUPT):
		return facade.FailedTime
	case errors.Is(err, sqlite3.BUSY):
		return facade.FailedLock
	case diskFailure(err):
		return facade.FailedResources
	}
	return facade.FailedOther
}

// IsForeignKey says whether err is about a foreign key: one that a write left broken, or an
// onDelete that restricts at once. SQLite's own message names neither table nor column.
func IsForeignKey(err error) bool {
	return errors.Is(err, errForeignKey) ||
		errors.Is(err, sqlite3.CONSTRAINT) && strings.HasSuffix(err.Error(), "FOREIGN KEY constraint failed")
}

// hidden keeps a cause for errors.Is and errors.As without repeating its text:
// fmt.Errorf("…%w", hidden{err}).
type hidden struct{ error }

func (h hidden) Error() string { return "" }
func (h hidden) Unwrap() error { return h.error }
