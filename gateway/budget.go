package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway/setting"
)

const (
	// memoryShare is the part of the memory that requests may hold (in percent) where
	// nothing else is set: as much again is what a collection has not found yet, and
	// the rest is for everything else.
	memoryShare = 25
	// executionsEach is how many requests execute at once for each processor. More of
	// them answer no more of them a second: they only wait longer.
	executionsEach = 256
)

// newBudget is the budget of a service whose requests hold so many bytes and execute
// so many at once, each negative for any number; nil: nothing is bounded.
func newBudget(memory int64, executions int) *facade.Budget {
	if memory < 0 && executions < 0 {
		return nil
	}
	return facade.NewBudget(memory, executions)
}

// defaultMemory is how many bytes requests may hold where nothing is set.
func defaultMemory() int64 { return processMemory() / 100 * memoryShare }

// defaultExecutions is how many requests execute at once where nothing is set.
func defaultExecutions() int { return executionsEach * runtime.GOMAXPROCS(0) }

// readMemory reads how much memory requests may hold; negative is any.
func readMemory(text string) (int64, error) {
	text = strings.TrimSpace(text)
	if text == "off" || text == "0" {
		return -1, nil
	}
	if share, ok := strings.CutSuffix(text, "%"); ok {
		if n, err := strconv.ParseInt(strings.TrimSpace(share), 10, 64); err == nil && n >= 1 && n <= 90 {
			return processMemory() / 100 * n, nil
		}
	} else if n, err := readLargeSize(text); err == nil && n >= leastMemory {
		return n, nil
	}
	return 0, errors.New("write a number of bytes of at least 1MiB, such as 64MiB or 2GiB, a share such as 25% (at most 90%), or off")
}

// leastMemory is the smallest budget: the reserve for small requests is an eighth of it.
const leastMemory = 1 << 20

// readLargeSize is readSize for what may be larger than a request.
func readLargeSize(text string) (int64, error) {
	if gib, ok := strings.CutSuffix(text, "GiB"); ok {
		n, err := strconv.ParseInt(strings.TrimSpace(gib), 10, 32)
		return n << 30, err
	}
	return setting.Size(text)
}

// readExecutions reads how many requests may execute at once; negative is any.
func readExecutions(text string) (int, error) {
	switch text {
	case "auto":
		return defaultExecutions(), nil
	case "off", "0":
		return -1, nil
	}
	n, err := setting.Count(text)
	if err != nil {
		return 0, errors.New("write a whole number of at least 1, auto or off")
	}
	return n, nil
}

// readWrite reads how long a client may take to read a part of an answer; negative is
// as long as it likes.
func readWrite(text string) (time.Duration, error) {
	if text == "off" || text == "0" {
		return -1, nil
	}
	d, err := setting.Duration(text)
	if err != nil || d < 100*time.Millisecond {
		return 0, errors.New("write a duration of at least 100ms, such as 10s, or off")
	}
	return d, nil
}

// tend looks after the budget until ctx is done: what is refused is told in the log,
// once in a while, and memory that a burst has taken goes back to the system.
func tend(ctx context.Context, budget *facade.Budget, log *slog.Logger) {
	if budget == nil {
		return
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	told := budget.State()
	var quiet time.Time // nothing is told before
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			if s := budget.State(); now.After(quiet) && (s.RefusedBytes > told.RefusedBytes || s.RefusedExecutions > told.RefusedExecutions) {
				log.LogAttrs(ctx, slog.LevelWarn, "requests are refused: there is no room for more",
					slog.Int64("forMemory", s.RefusedBytes-told.RefusedBytes), slog.String("memory", fmt.Sprintf("%d of %d bytes", s.Used, s.Bytes)),
					slog.Int64("forExecutions", s.RefusedExecutions-told.RefusedExecutions), slog.String("executions", fmt.Sprintf("%d of %d", s.Running, s.Executions)))
				told, quiet = s, now.Add(10*time.Second)
			}
			if budget.Subsided() {
				debug.FreeOSMemory()
			}
		}
	}
}
