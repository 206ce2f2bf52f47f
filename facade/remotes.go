package facade

import (
	"context"
	"encoding/json"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// Remotes sends calls to the hosts of the Fronds that run elsewhere (spec 1.6). Package
// facade/remote implements it over a [Caller] for each Frond. It may be used from many goroutines.
//
// Each method is given calls with the door's own name, the state of the caller and the fields that
// are wanted. Create and List complete the call, which is theirs. The error is
// SERVICE_UNAVAILABLE where nothing carries calls to the Frond.
type Remotes interface {
	// Call sends a call as it is.
	Call(ctx context.Context, r RemoteRequest, c *Call) (*Result, error)
	// Create sends a new row with the values that access rules set.
	Create(ctx context.Context, r RemoteRequest, c *Call, set schema.Object) (*Result, error)
	// List reads a page, or a page for each key of a batch.
	List(ctx context.Context, r RemoteRequest, c *Call, l RemoteList) (*Result, error)
	// Find reads the rows with these ids that meet where, a group for each id.
	Find(ctx context.Context, r RemoteRequest, fields []string, where *filter.Filter, ids []json.RawMessage) (*Result, error)
}

// RemoteRequest says which rows elsewhere a call is about, and for whom.
type RemoteRequest struct {
	Door    *catalog.Door                         // of the rows
	Catalog *catalog.Catalog                      // has the doors behind relations
	State   access.State                          // of the caller
	Trace   string                                // of the call
	wrap    func(c Caller, address string) Caller // see [Trace]; nil: c as it is
}

// Through is a caller of a Frond for this request: c, or one that a [Trace] wraps around it. The error
// is SERVICE_UNAVAILABLE where c is nil.
func (r *RemoteRequest) Through(c Caller, f *catalog.Frond) (Caller, error) {
	if c == nil {
		return nil, kiterror.Errorf(kiterror.ServiceUnavailable, "%s runs elsewhere, and nothing carries calls there", f.Name)
	}
	if r.wrap != nil {
		c = r.wrap(c, f.Remote)
	}
	return c, nil
}

// RemoteList is a list of the rows of a remote door.
type RemoteList struct {
	Op       *catalog.Operation
	Query    json.RawMessage  // of the caller
	Sent     json.RawMessage  // Call.SentQuery
	Rules    *filter.Filter   // that access rules add; nil: none
	Filter   *filter.Filter   // of the query; nil: none
	Limit    int              // of rows
	Count    bool             // a total is wanted
	Estimate bool             // it may be an estimate
	Cursors  bool             // wanted for every row, beside those that Query asks for
	Each     *schema.Property // of a batch; nil: one page
	Keys     []json.RawMessage
	Layout   *rows.Layout // of an answer without rows
}
