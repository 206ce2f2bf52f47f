package facade

import (
	"context"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// visibleRemote is the answer of a remote without the rows that a collector here hides.
func (x remoteCall) visibleRemote(ctx context.Context, res *Result) (*Result, error) {
	e := x.op.outDoor.Entity
	ids := make([]string, res.Rows.Len()) // by row
	var distinct eachOf
	for i := range ids {
		id, why := rows.Key(e.Primary, res.Rows.Row(i).Get(e.Primary.Name))
		if why != "" {
			return nil, kiterror.Errorf(kiterror.NotImplemented, "%s answers rows without %s, and what you may see of them cannot be distinguished without it", x.where(), e.Primary.Name)
		}
		ids[i] = string(id)
		distinct.add(id)
	}
	missing, err := x.unseen(ctx, e, x.resultScope, distinct.values)
	if err != nil {
		return nil, err
	}
	hidden := make(map[string]bool, len(missing))
	for _, id := range missing {
		hidden[string(id)] = true
	}
	out := *res
	out.Page = Page{Total: -1, HasMore: res.HasMore} // what is said of the others is not theirs to know
	out.Rows = NewRows(res.Rows.Layout(), res.Rows.Len())
	for i, id := range ids {
		if !hidden[id] {
			out.Rows.CopyRow(res.Rows.Row(i))
		}
	}
	if !res.HasMore {
		out.Total = int64(out.Rows.Len())
	}
	if out.Rows.Len() == 0 && x.op.Cardinality == One {
		return nil, kiterror.Errorf(kiterror.NotFound, "there is no %s like this", x.op.outDoor.Name)
	}
	return &out, nil
}

// received takes over the answer of a remote. Its rows have crossed the boundary there;
// what may leave here is chosen among their columns, whatever else came along.
func (x remoteCall) received(res *Result, err error) (*Result, error) {
	if err != nil {
		return nil, x.concealedRemote(err)
	}
	if x.op.Name == "list" && x.op.builtin != nil {
		res.Edges = x.list.edges
	}
	if x.each != nil && x.op.Name == "list" {
		out := *res
		out.Groups = make([]Group, len(x.each.order))
		x.spread(out.Groups, res.Groups)
		res = &out
	}
	if x.sel != nil && res.Form != FormValue && res.Rows != nil {
		sel := x.pickOn(already, x.op.reader, x.resultScope, x.fields[0], x.fields[1])
		if rows := sel.narrowed(res.Rows); rows != res.Rows {
			out := *res
			out.Rows = rows
			res = &out
		}
		x.sel = sel.over(res.Rows.Layout())
	}
	return res, nil
}

// narrowed is rows of a remote with the columns that the presenters here may read, where
// there are such presenters: a remote may answer more than was asked for.
func (s *selection) narrowed(rows *Rows) *Rows {
	here := false
	for _, c := range s.computed {
		here = here || !c.elsewhere
	}
	if !here {
		return rows
	}
	var names []string
	for _, name := range rows.Layout().Fields {
		if name == ETag && s.stored.Index(name) < 0 || s.stored.Index(name) >= 0 || slices.ContainsFunc(s.computed, func(c *presenter) bool { return c.elsewhere && c.Name == name }) {
			names = append(names, name)
		}
	}
	if len(names) == len(rows.Layout().Fields) {
		return rows
	}
	out := NewRows(NewLayout(names), rows.Len())
	for i := range rows.Len() {
		out.CopyRow(rows.Row(i))
	}
	return out
}

// concealedRemote is a failure of a remote without the details of fields that a collector
// here hides.
func (x remoteCall) concealedRemote(err error) error {
	e := kiterror.AsError(err)
	if len(x.used)+len(x.renamed) > 0 {
		e = x.inSentNames(e)
		err = e
	}
	details, ok := e.Details.([]schema.Detail)
	if !ok || len(x.doorScope.Hide) == 0 {
		return err
	}
	seen := slices.DeleteFunc(slices.Clone(details), func(d schema.Detail) bool {
		top, _, _ := strings.Cut(d.Path, ".")
		return x.doorScope.hides(top)
	})
	if len(seen) == len(details) {
		return err
	}
	veiled := &kiterror.Error{Code: e.Code, Message: "a value that is not yours to send stands in the way", Entity: e.Entity, Operation: e.Operation}
	if len(seen) > 0 {
		veiled.Message, veiled.Details = kiterror.Sentence(seen[0]), seen
	}
	return veiled.WithCause(err)
}

// over is the selection for rows with another layout than it asked for, by the names of
// their columns. Rows that hold nothing but what leaves are not rewritten.
func (s *selection) over(layout *Layout) *selection {
	if last := s.last.Load(); last != nil && slices.Equal(last.stored.Fields, layout.Fields) {
		return last
	}
	own := &selection{stored: layout}
	var names []string
	same := true
	for i, c := range s.columns {
		name := s.out.Fields[i]
		at := layout.Index(name)
		if c.renamed != "" {
			at = layout.Index(c.renamed)
		}
		switch {
		case c.from < 0 && c.computed < 0:
			own.columns = append(own.columns, c)
			own.etag, same = true, false
		case c.from < 0 && (at < 0 || !s.computed[c.computed].elsewhere):
			own.computed = append(own.computed, s.computed[c.computed])
			own.columns = append(own.columns, column{from: -1, computed: len(own.computed) - 1})
			same = false
		case at < 0:
			continue // the remote left it out
		default:
			own.columns = append(own.columns, column{from: at, absent: c.absent})
			if c.absent {
				own.absent = append(own.absent, at)
			}
			same = same && c.renamed == ""
		}
		names = append(names, name)
	}
	own.out = layout
	if !same || len(names) != len(layout.Fields) {
		own.out = NewLayout(names)
	}
	s.last.Store(own)
	return own
}
