package delivery

import (
	"context"
	"time"

	"github.com/frondhost/frond/facade"
)

// replayBatch is how many events one transaction of a replay moves.
const replayBatch = 200

// Again has a consumer try dead letters again, those with ids or all of them, and reports how
// many there were. Each is counted as not tried yet. It is what `frond facts replay` does.
func Again(ctx context.Context, store Store, consumer string, ids []string) (n int, err error) {
	wanted := map[string]bool{}
	for _, id := range ids {
		wanted[id] = true
	}
	limit := replayBatch
	if len(ids) > 0 {
		limit = 1 << 20
	}
	for {
		dead, err := store.Dead(ctx, consumer, limit)
		if err != nil || len(dead) == 0 {
			return n, err
		}
		moved := 0
		for from := 0; from < len(dead); from += replayBatch {
			batch, count := dead[from:min(from+replayBatch, len(dead))], 0
			err := store.Transact(ctx, func(ctx context.Context) error {
				count = 0
				for _, d := range batch {
					if len(ids) > 0 && !wanted[d.Event.ID] {
						continue
					}
					there, err := store.Revive(ctx, consumer, d.Event.ID)
					if err != nil {
						return err
					}
					if !there {
						continue // another replay has it
					}
					if err := store.Bury(ctx, again(consumer, &d.Event)); err != nil {
						return err
					}
					count++
				}
				return nil
			})
			if err != nil {
				return n + moved, err
			}
			moved += count
		}
		if n += moved; len(ids) > 0 || moved == 0 {
			return n, nil
		}
	}
}

// Replay gives a consumer the events of some facts after a position, up to another one, once
// more, and returns their number. The consumer's own position does not change.
func Replay(ctx context.Context, store Store, consumer string, facts []string, after, to facade.Position) (n int, err error) {
	for after < to {
		events, behind, err := store.Log(ctx, after, facts, replayBatch)
		if err != nil {
			return n, err
		}
		count := 0
		err = store.Transact(ctx, func(ctx context.Context) error {
			count = 0
			for _, e := range events {
				if e.Position > to {
					break
				}
				if err := store.Bury(ctx, again(consumer, e)); err != nil {
					return err
				}
				count++
			}
			return nil
		})
		if n += count; err != nil || behind <= after {
			return n, err
		}
		after = behind
	}
	return n, nil
}

// again is an event that a consumer is to try at once.
func again(consumer string, e *facade.Event) *facade.DeadEvent {
	return &facade.DeadEvent{Consumer: Retrying(consumer), Event: *e, Reason: "replayed", At: time.Now().UTC()}
}
