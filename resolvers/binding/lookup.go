package binding

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/graph-gophers/dataloader/v7"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// Lookup finds what hand-written fields show and no entity holds: the weather of a
// city, the price at another service. It asks for all keys of a level at once.
type Lookup[K comparable, V any] struct {
	find func(ctx context.Context, keys []K) (map[K]V, error)
}

// NewLookup returns a lookup by find, which gets each key once and returns the values of the
// keys it knows; the others are null. Its context is the request's: it ends when the caller
// disconnects or the time for the operation is up, and [facade.StateFrom] returns the caller's
// state. An error of find is reported at every field that asked, and keeps its code. A Lookup
// is made once, and may be used from many goroutines.
func NewLookup[K comparable, V any](find func(ctx context.Context, keys []K) (map[K]V, error)) *Lookup[K, V] {
	return &Lookup[K, V]{find: find}
}

// Load asks for the value of a key, for the Resolve of a field to answer with:
//
//	return weather.Load(p.Context, city), nil
//
// Load returns a function that waits until all fields of the level have asked, under any alias
// and at any path: find is called once for them, and once for a key in a request. The function
// returns a V, or nil if find does not know the key.
func (l *Lookup[K, V]) Load(ctx context.Context, key K) func() (any, error) {
	of := LoadersOf(ctx)
	if of == nil {
		err := kiterror.Internal(errNoLoaders)
		return func() (any, error) { return nil, err }
	}
	var kept any
	if facade.InTransaction(ctx) { // the rows may be rolled back
		kept = newBatches(l.batch)
	} else if known, ok := of.lookups.Load(l); ok {
		kept = known
	} else {
		kept, _ = of.lookups.LoadOrStore(l, newBatches(l.batch))
	}
	b := kept.(*batches[K, any])
	b.want(key)
	return func() (any, error) { return b.value(ctx, key) }
}

// batch is find as dataloader calls it. A panic is an error here, for dataloader
// would write it to the standard log and repeat its text.
func (l *Lookup[K, V]) batch(ctx context.Context, keys []K) []*dataloader.Result[any] {
	found, err := func() (found map[K]V, err error) {
		defer recovered(&err)
		return l.find(ctx, keys)
	}()
	results := make([]*dataloader.Result[any], len(keys))
	for i, k := range keys {
		results[i] = &dataloader.Result[any]{Error: err}
		if v, ok := found[k]; ok && err == nil {
			results[i].Data = v
		}
	}
	return results
}

// batches collect keys until the first of them is wanted, and then load all. dataloader keeps
// the results, and each key once. By itself it would wait 16 ms for more keys. Here the end of
// the level ends the batch, so each batch gets its size and leaves when the last of its keys is
// in.
type batches[K comparable, V any] struct {
	fetch  dataloader.BatchFunc[K, V]
	mu     sync.Mutex
	cache  *dataloader.InMemoryCache[K, V]
	wanted []K
	known  map[K]bool
}

func newBatches[K comparable, V any](fetch dataloader.BatchFunc[K, V]) *batches[K, V] {
	return &batches[K, V]{fetch: fetch, cache: dataloader.NewCache[K, V](), known: map[K]bool{}}
}

// want asks for a key to be in the next batch, if no batch had it.
func (b *batches[K, V]) want(key K) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.known[key] {
		b.known[key] = true
		b.wanted = append(b.wanted, key)
	}
}

// errNotWanted is the error of a key that does not equal itself, such as NaN.
var errNotWanted = errors.New("a key of a loader is not equal to itself")

// value returns the result of a key; the first call for a batch sends it.
func (b *batches[K, V]) value(ctx context.Context, key K) (V, error) {
	b.mu.Lock()
	if keys := b.wanted; len(keys) > 0 {
		b.wanted = nil
		batch := dataloader.NewBatchedLoader(b.fetch,
			dataloader.WithCache[K, V](b.cache),
			dataloader.WithBatchCapacity[K, V](len(keys)),
			dataloader.WithInputCapacity[K, V](len(keys)),
			dataloader.WithWait[K, V](time.Hour))
		for _, k := range keys {
			batch.Load(ctx, k)
		}
	}
	b.mu.Unlock()
	later, ok := b.cache.Get(ctx, key)
	if !ok {
		var none V
		return none, kiterror.Internal(errNotWanted)
	}
	return later()
}
