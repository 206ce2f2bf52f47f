package execution

import (
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/plan"
)

// ofEvent reports whether a fetch reads the event that is executed, and makes no call: what is
// selected below the event's row is fetched by calls as below any other row.
func ofEvent(f *plan.Fetch) bool {
	return f.Binding.Kind == binding.Event || f.Binding.Kind == binding.EventRow
}

// rowsOf returns the event, or the row that it is about, as the result of a fetch. There is no
// row where the fact carries none, and where it left the view of the caller.
func rowsOf(e *facade.Revealed, f *plan.Fetch) *facade.Result {
	if f.Binding.Kind == binding.EventRow && e.Row != (facade.Row{}) {
		return &facade.Result{Form: facade.FormRow, Rows: e.Row.Alone(), Failed: e.Failed}
	}
	rows := facade.NewRows(facade.NewLayout(f.Columns), 1)
	if f.Binding.Kind == binding.Event {
		binding.AppendEvent(rows, e)
	}
	return &facade.Result{Form: facade.FormRow, Rows: rows}
}
