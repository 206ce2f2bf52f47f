package client

import (
	"context"
	"sync"

	"github.com/frondhost/frond/facade/kiterror"
)

// maxPost keeps a post of many frames or ids well under the cap of 1 MiB that a receiver
// has (spec 8).
const maxPost = 900 << 10

// parallel does n things, at most limit at once. The first failure ends the others and is
// returned. Without one it returns the failure of ctx itself.
func parallel(ctx context.Context, n, limit int, do func(ctx context.Context, i int) *kiterror.Error) *kiterror.Error {
	if n == 1 {
		return do(ctx, 0)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var first *kiterror.Error
	var once sync.Once
	var workers sync.WaitGroup
	next := make(chan int, n)
	for i := range n {
		next <- i
	}
	close(next)
	for range min(n, limit) {
		workers.Go(func() {
			for i := range next {
				if ctx.Err() != nil {
					return
				}
				if err := do(ctx, i); err != nil {
					once.Do(func() { first = err; cancel() })
					return
				}
			}
		})
	}
	workers.Wait()
	if first == nil && ctx.Err() != nil {
		return kiterror.AsError(ctx.Err())
	}
	return first
}

// partsOf cuts a list into parts of at most most items and maxPost bytes. An item larger than
// maxPost is a part of its own; the receiver refuses it.
func partsOf[T any](items []T, most int, size func(T) int) (parts [][]T) {
	from, bytes := 0, 0
	for i, item := range items {
		n := size(item)
		if i > from && (i-from == most || bytes+n > maxPost) {
			parts = append(parts, items[from:i:i])
			from, bytes = i, 0
		}
		bytes += n
	}
	return append(parts, items[from:])
}
