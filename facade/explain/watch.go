package explain

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

const (
	// maxShapes is how many shapes are counted, and how many the store has. Later ones are not.
	maxShapes = 1000
	// planEvery is how long the plan of a shape is not asked for again.
	planEvery = 10 * time.Minute
	// kept is how long a shape is kept after its last read.
	kept = 30 * 24 * time.Hour
	// leastRows is how many rows a read goes through at least, so that an index is worth a word.
	leastRows = 500
)

// Watch counts the reads of a host. It may be used from many goroutines. A nil Watch does not count.
type Watch struct {
	values facade.KeyValues
	log    *slog.Logger

	shapes atomic.Pointer[map[uint64]*shape] // copied for a new shape
	adding sync.Mutex

	stop context.CancelFunc // nil: it does not write by itself
	done sync.WaitGroup

	writing sync.Mutex
	known   map[string]bool // the keys in the store; nil: not read yet
	listed  time.Time       // when they were read
}

// shape is the reads of one shape.
type shape struct {
	text    string
	missing *schema.Property // without an index; nil: no index helps, and nothing below is used

	reads, took atomic.Int64 // since the last flush
	planned     atomic.Int64 // when the plan was asked for, in nanoseconds since 1970
	rows        atomic.Int64 // of a read, as the last plan had it
	whole       atomic.Bool  // the last plan reads a whole table, or a read has reached its limit
}

// NewWatch returns a watch that writes its advice to values.
func NewWatch(values facade.KeyValues, log *slog.Logger) *Watch {
	w := &Watch{values: values, log: log}
	w.shapes.Store(&map[uint64]*shape{})
	return w
}

// Store returns s with its reads watched; s itself for a nil Watch.
func (w *Watch) Store(s facade.Store) facade.Store {
	if w == nil || s == nil {
		return s
	}
	return &watched{s, w}
}

// watched is a store whose reads are counted.
type watched struct {
	facade.Store
	watch *Watch
}

// Find implements [facade.Store]. It does not count a read of a row by its key, or a read whose
// fields have indexes.
func (s *watched) Find(ctx context.Context, q *facade.Find) (*facade.Found, error) {
	if q.Key != nil {
		return s.Store.Find(ctx, q)
	}
	sh := s.watch.shape(q)
	if sh == nil || sh.missing == nil {
		return s.Store.Find(ctx, q)
	}
	began := time.Now()
	var found *facade.Found
	var err error
	if sh.isDue(began) {
		found, err = s.planned(ctx, q, sh)
	} else {
		found, err = s.Store.Find(ctx, q)
	}
	sh.reads.Add(1)
	sh.took.Add(int64(time.Since(began)))
	if err != nil && kiterror.IsTooCostly(err) {
		sh.whole.Store(true)
		s.watch.log.WarnContext(ctx, "a read reached limits.statement, and an index would help", "shape", sh.text, "index", line(sh.missing))
	}
	return found, err
}

// isDue reports whether the plan of a read is to be asked for, to one caller each time.
func (sh *shape) isDue(now time.Time) bool {
	last := sh.planned.Load()
	return now.UnixNano()-last >= int64(planEvery) && sh.planned.CompareAndSwap(last, now.UnixNano())
}

// planned is Find with the plans of its statements. An explained call has an observer of its own.
func (s *watched) planned(ctx context.Context, q *facade.Find, sh *shape) (*facade.Found, error) {
	if facade.ObserverOf(ctx) != nil {
		return s.Store.Find(ctx, q)
	}
	var plans []*facade.Plan
	found, err := s.Store.Find(facade.EstimatePlans(ctx, func(st facade.Statement) {
		if st.Plan != nil {
			plans = append(plans, st.Plan)
		}
	}), q)
	if len(plans) > 0 { // none of a read in a transaction
		sh.judge(plans)
	}
	return found, err
}

// shape returns the shape of a read; nil if there are too many.
func (w *Watch) shape(q *facade.Find) *shape {
	hash := hashOf(q)
	if sh := (*w.shapes.Load())[hash]; sh != nil {
		return sh
	}
	w.adding.Lock()
	defer w.adding.Unlock()
	all := *w.shapes.Load()
	if sh := all[hash]; sh != nil || len(all) >= maxShapes {
		return sh
	}
	sh := &shape{text: textOf(q), missing: missing(q)}
	all = maps.Clone(all)
	all[hash] = sh
	w.shapes.Store(&all)
	return sh
}

// judge takes over the plans of one read.
func (sh *shape) judge(plans []*facade.Plan) {
	rows := int64(0)
	for _, p := range plans {
		rows += p.Read // of tables and indexes that are read from their beginning
	}
	sh.rows.Store(rows)
	sh.whole.Store(rows >= leastRows)
}

// Advice is a shape of reads that an index would help.
type Advice struct {
	Shape string `json:"shape"`
	// Reads is how many there were, and Took their time together.
	Reads int64         `json:"reads"`
	Took  time.Duration `json:"took"`
	// Rows is how many rows one of them reads, as the store counts or estimates them.
	Rows int64 `json:"rows"`
	// Entity and Field name the field without an index, and Index is what to write for one.
	Entity string `json:"entity"`
	Field  string `json:"field"`
	Index  string `json:"index"`
	// Last is when the shape was last read.
	Last time.Time `json:"last"`
}

// prefix begins the keys of advice in the store.
const prefix = "advice "

// Start writes the advice once a minute until [Watch.Close].
func (w *Watch) Start() {
	if w == nil {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	w.done.Go(func() {
		tick := time.NewTicker(time.Minute)
		defer tick.Stop()
		for ctx.Err() == nil {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if err := w.Flush(ctx); err != nil && ctx.Err() == nil {
				w.log.Debug("the advice could not be written, and is kept for a minute", "error", err)
			}
		}
	})
}

// Close ends what Start began, and writes the advice once more, within a second.
func (w *Watch) Close() {
	if w == nil || w.stop == nil {
		return
	}
	w.stop()
	w.done.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := w.Flush(ctx); err != nil {
		w.log.Debug("the last advice was not written", "error", err)
	}
}

// Flush writes the reads since the last call that an index would help.
func (w *Watch) Flush(ctx context.Context) error {
	w.writing.Lock()
	defer w.writing.Unlock()
	for _, sh := range *w.shapes.Load() {
		if !sh.whole.Load() || sh.reads.Load() == 0 {
			continue
		}
		if w.known == nil || time.Since(w.listed) > 24*time.Hour {
			if err := w.list(ctx); err != nil {
				return err
			}
		}
		key := prefix + strconv.FormatUint(uint64(fnv(14695981039346656037).text(sh.text)), 36)
		if !w.known[key] && len(w.known) >= maxShapes {
			continue
		}
		reads, took := sh.reads.Swap(0), sh.took.Swap(0)
		if err := w.add(ctx, key, sh, reads, took); err != nil {
			sh.reads.Add(reads)
			sh.took.Add(took)
			return err
		}
		w.known[key] = true
	}
	return nil
}

// list reads the keys in the store, and removes the keys of shapes without a recent read.
func (w *Watch) list(ctx context.Context) error {
	all, err := w.values.Values(ctx, prefix)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for key, text := range all {
		if known[key] = !old(text); known[key] {
			continue
		}
		delete(known, key)
		is, version, err := w.values.Value(ctx, key)
		if err == nil && old(is) {
			_, err = w.values.SetValue(ctx, key, version, nil)
		}
		if err != nil {
			return err
		}
	}
	w.known, w.listed = known, time.Now()
	return nil
}

// old reports whether an advice is of a shape that has not been read for long.
func old(text json.RawMessage) bool {
	var a Advice
	return text != nil && json.Unmarshal(text, &a) == nil && time.Since(a.Last) > kept
}

// add adds the reads of a shape to those that the store has, which other processes add to as well.
func (w *Watch) add(ctx context.Context, key string, sh *shape, reads, took int64) error {
	for {
		text, version, err := w.values.Value(ctx, key)
		if err != nil {
			return err
		}
		a := Advice{}
		if text != nil && json.Unmarshal(text, &a) != nil {
			a = Advice{}
		}
		a.Shape, a.Rows, a.Entity, a.Field, a.Index = sh.text, sh.rows.Load(), sh.missing.Owner.Name, sh.missing.Name, line(sh.missing)
		a.Reads, a.Took, a.Last = a.Reads+reads, a.Took+time.Duration(took), time.Now().UTC()
		if text, err = json.Marshal(&a); err != nil {
			return err
		}
		if set, err := w.values.SetValue(ctx, key, version, text); err != nil || set {
			return err
		}
	}
}

// Current is [ListAdvice] with the reads of this moment. A nil Watch gives no advice.
func (w *Watch) Current(ctx context.Context, c *catalog.Catalog) ([]Advice, error) {
	if w == nil {
		return []Advice{}, nil
	}
	if err := w.Flush(ctx); err != nil {
		return nil, err
	}
	return ListAdvice(ctx, w.values, c)
}

// ListAdvice returns the advice in a store that is of use to a catalog, whose cards may have got an index since,
// the greatest time first.
func ListAdvice(ctx context.Context, values facade.KeyValues, c *catalog.Catalog) ([]Advice, error) {
	texts, err := values.Values(ctx, prefix)
	if err != nil {
		return nil, err
	}
	all := []Advice{}
	for key, text := range texts {
		var a Advice
		if err := json.Unmarshal(text, &a); err != nil {
			return nil, fmt.Errorf("the advice %s cannot be read: %w", strings.TrimPrefix(key, prefix), err)
		}
		if e := c.Set.Entity(a.Entity); e != nil && !old(text) {
			if p := e.Property(a.Field); p != nil && unindexed(p) {
				all = append(all, a)
			}
		}
	}
	slices.SortFunc(all, func(x, y Advice) int {
		if x.Took != y.Took {
			return int(min(max(y.Took-x.Took, -1), 1))
		}
		return strings.Compare(x.Shape, y.Shape)
	})
	return all, nil
}
