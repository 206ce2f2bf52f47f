package facade

import (
	"context"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// visibleRemote is the answer of a remote without the rows that a collector here hides.
func (x remoteCall) visibleRemote(ctx context.Context, res *Result) (*Result, error) {
	e := x.op.OutDoor.Entity
	ids := make([]string, res.Rows.Len()) // by row
	var distinct eachOf
	for i := range ids {
		id, why := rows.Key(e.Primary, res.Rows.Row(i).Get(e.Primary.Name))
		if why != "" {
			return nil, kiterror.Errorf(kiterror.NotImplemented, "remote %s answers rows without %s, which your access rules require", x.where(), e.Primary.Name)
		}
		ids[i] = string(id)
		distinct.add(id)
	}
	missing, err := x.invisible(ctx, e, x.resultScope, distinct.values)
	if err != nil {
		return nil, err
	}
	hidden := make(map[string]bool, len(missing))
	for _, id := range missing {
		hidden[string(id)] = true
	}
	out := *res
	out.Page = Page{Total: -1, HasMore: res.HasMore} // what is said of the others is not theirs to know
	out.Rows = rows.New(res.Rows.Layout(), res.Rows.Len())
	for i, id := range ids {
		if !hidden[id] {
			out.Rows.CopyRow(res.Rows.Row(i))
		}
	}
	if !res.HasMore {
		out.Total = int64(out.Rows.Len())
	}
	if out.Rows.Len() == 0 && x.op.Cardinality == catalog.One {
		return nil, kiterror.Errorf(kiterror.NotFound, "there is no %s like this", x.op.OutDoor.Name)
	}
	return &out, nil
}

// received takes over the answer of a remote. Its rows have crossed the boundary there;
// what may leave here is chosen among their columns, whatever else came along.
func (x remoteCall) received(res *Result, err error) (*Result, error) {
	if err != nil {
		return nil, x.maskedRemote(err)
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
func (s *selection) narrowed(found *rows.Rows) *rows.Rows {
	here := false
	for _, c := range s.computed {
		here = here || !c.Elsewhere
	}
	if !here {
		return found
	}
	var names []string
	for _, name := range found.Layout().Fields {
		if name == catalog.ETag && s.stored.Index(name) < 0 || s.stored.Index(name) >= 0 || slices.ContainsFunc(s.computed, func(c *access.Presenter) bool { return c.Elsewhere && c.Name == name }) {
			names = append(names, name)
		}
	}
	if len(names) == len(found.Layout().Fields) {
		return found
	}
	out := rows.New(rows.NewLayout(names), found.Len())
	for i := range found.Len() {
		out.CopyRow(found.Row(i))
	}
	return out
}

// maskedRemote is a failure of a remote without the details of fields that a collector
// here hides.
func (x remoteCall) maskedRemote(err error) error {
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
		return x.doorScope.Hides(top)
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
func (s *selection) over(layout *rows.Layout) *selection {
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
		case c.from < 0 && (at < 0 || !s.computed[c.computed].Elsewhere):
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
		own.out = rows.NewLayout(names)
	}
	s.last.Store(own)
	return own
}
