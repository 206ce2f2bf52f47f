package facade

import (
	"context"
	"sync"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// The rows of a relation through rows in between may be kept elsewhere than those in between. The rows in between are read
// first then, and the rows of each key by themselves:
//
//	product p1, p2                        label (p1, t1) (p1, t2) (p2, t2)
//	tags of p1: tag in (t1, t2)           tags of p2: tag in (t2)

// maxPairKeys is how many values an In has that names the rows of one key.
const maxPairKeys = 500

// inPairs reports whether the rows of a batch are found by the rows in between.
func inPairs(c *catalog.Catalog, door *catalog.Door, l *schema.Link, via *filter.Filter) bool {
	return catalog.Apart(c.Fronds, l) || door.Frond.Remote != "" && (via != nil || l.Opposite() == nil)
}

// pairs returns the keys of the rows that each key of a batch leads to.
func pairs(ctx context.Context, x *execution) ([][]any, error) {
	near, far := x.each.link.Inverse, x.each.link.Through
	var keys []any
	places := map[any]int{}
	for i, text := range x.each.values {
		key, _ := near.Kind.Value(text)
		keys = append(keys, key)
		places[key] = i
	}
	found := make([][]any, len(keys))
	n := 0
	where := filter.Both(x.each.via, filter.OneOf(near, keys, maxPairKeys))
	err := x.host.rows(ctx, &x.viewer, near.Owner, []string{near.Name, far.Name}, where, maxKeys+1, func(row rows.Row) bool {
		from, why := near.Kind.Value(row.Get(near.Name))
		to, none := far.Kind.Value(row.Get(far.Name))
		if at, is := places[from]; is && why == "" && none == "" {
			found[at] = append(found[at], to)
		}
		n++
		return n <= maxKeys
	})
	if err == nil && n > maxKeys {
		err = kiterror.Errorf(kiterror.NotImplemented, "over %d rows of %s would be read for %s; ask for fewer", maxKeys, near.Owner.Name, x.each.link.Name)
	}
	return found, err
}

// runPairs answers a batch by run, once for each distinct key, or for each list of keys.
func runPairs(ctx context.Context, x *execution, run func(context.Context, *execution) (*Result, error)) ([]*Result, error) {
	found, err := pairs(ctx, x)
	if err != nil {
		return nil, err
	}
	lists := x.each.lists
	for i := 0; x.each.lists == nil && i < len(found); i++ {
		lists = append(lists, []int{i})
	}
	turns := 1 // a transaction makes one statement after the other
	if x.door.Frond.Remote != "" {
		turns = maxTurns
	}
	return inTurns(turns, lists, func(list []int) (*Result, error) {
		var keys []any
		for _, at := range list {
			keys = append(keys, found[at]...)
		}
		own := *x
		own.each = nil
		own.list.filter = filter.Both(x.list.filter, filter.OneOf(x.door.Entity.Primary, keys, maxPairKeys))
		return run(ctx, &own)
	})
}

// pagesOfPairs are the pages of a batch, by distinct key.
func pagesOfPairs(ctx context.Context, x *execution, run func(context.Context, *execution) (*Result, error)) (*Result, error) {
	answers, err := runPairs(ctx, x, run)
	if err != nil {
		return nil, err
	}
	out := &Result{Form: FormPage, Page: Page{Total: -1}, Rows: rows.New(x.sel.stored, 0)}
	for i, a := range answers {
		if i == 0 {
			out.Rows = rows.New(a.Rows.Layout(), a.Rows.Len())
		}
		from := out.Rows.Len()
		for j := range a.Rows.Len() {
			out.Rows.CopyRow(a.Rows.Row(j))
		}
		out.Groups = append(out.Groups, Group{From: from, To: out.Rows.Len(), Page: a.Page})
	}
	return out, nil
}

// maxTurns is how many of the answers to a batch a host is asked for at once.
const maxTurns = 8

// inTurns makes an answer for each list, with a bound on how many run at once. It returns the first error in the order of the lists.
func inTurns(most int, lists [][]int, answer func(list []int) (*Result, error)) ([]*Result, error) {
	answers, errs := make([]*Result, len(lists)), make([]error, len(lists))
	turns := make(chan struct{}, most)
	var wait sync.WaitGroup
	for i, list := range lists {
		turns <- struct{}{}
		wait.Go(func() {
			defer func() { <-turns }()
			answers[i], errs[i] = answer(list)
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return answers, nil
}
