package guard

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

	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/gateway/setting"
)

const (
	// memoryShare is the default part of the process's memory that requests may hold, in
	// percent. As much again may be uncollected garbage; the rest is for everything else.
	memoryShare = 25
	// executionsEach is how many requests execute at once for each processor, by default.
	// With more of them throughput stays the same and each takes longer (docs/decisions/budgets.md).
	executionsEach = 256
)

// NewBudget is the budget of a service whose requests hold so many bytes and execute so many at
// once, each negative for any number; nil if both are.
func NewBudget(memory int64, executions int) *budget.Budget {
	if memory < 0 && executions < 0 {
		return nil
	}
	return budget.New(memory, executions)
}

// DefaultMemory is the default for the bytes that requests may hold: a quarter of the memory of
// the process.
func DefaultMemory() int64 { return processMemory() / 100 * memoryShare }

// DefaultExecutions is the default for how many requests execute at once.
func DefaultExecutions() int { return executionsEach * runtime.GOMAXPROCS(0) }

// ReadMemory reads how many bytes requests may hold: a size, a share of the memory that the process
// may use, or off, which is -1.
func ReadMemory(text string) (int64, error) {
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

// readLargeSize is [setting.Size] with GiB.
func readLargeSize(text string) (int64, error) {
	if gib, ok := strings.CutSuffix(text, "GiB"); ok {
		n, err := strconv.ParseInt(strings.TrimSpace(gib), 10, 32)
		return n << 30, err
	}
	return setting.Size(text)
}

// ReadExecutions reads how many requests may execute at once; off is -1.
func ReadExecutions(text string) (int, error) {
	switch text {
	case "auto":
		return DefaultExecutions(), nil
	case "off", "0":
		return -1, nil
	}
	n, err := setting.Count(text)
	if err != nil {
		return 0, errors.New("write a whole number of at least 1, auto or off")
	}
	return n, nil
}

// ReadWrite reads the limit of [Pace]; off is -1.
func ReadWrite(text string) (time.Duration, error) {
	if text == "off" || text == "0" {
		return -1, nil
	}
	d, err := setting.Duration(text)
	if err != nil || d < 100*time.Millisecond {
		return 0, errors.New("write a duration of at least 100ms, such as 10s, or off")
	}
	return d, nil
}

// Tend looks after a budget until ctx is done: it logs refusals, every ten seconds at most, and
// returns the memory of a burst to the system. A nil budget returns at once.
func Tend(ctx context.Context, bound *budget.Budget, log *slog.Logger) {
	if bound == nil {
		return
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	last := bound.State()
	var quiet time.Time // until when nothing is logged
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			if s := bound.State(); now.After(quiet) && (s.RefusedBytes > last.RefusedBytes || s.RefusedExecutions > last.RefusedExecutions) {
				log.LogAttrs(ctx, slog.LevelWarn, "requests are refused: there is no room for more",
					slog.Int64("forMemory", s.RefusedBytes-last.RefusedBytes), slog.String("memory", fmt.Sprintf("%d of %d bytes", s.Used, s.Bytes)),
					slog.Int64("forExecutions", s.RefusedExecutions-last.RefusedExecutions), slog.String("executions", fmt.Sprintf("%d of %d", s.Running, s.Executions)))
				last, quiet = s, now.Add(10*time.Second)
			}
			if bound.Subsided() {
				debug.FreeOSMemory()
			}
		}
	}
}
