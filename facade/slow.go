package facade

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// SlowLog writes lines about statements that take longer than log.slow. A shape has one line a minute; the
// next one says how many statements of the shape were slow since. It is for stores, and may be used from many
// goroutines.
type SlowLog struct {
	log   *slog.Logger
	mutex sync.Mutex
	lines map[string]*slowLine // by shape
}

// slowLine is the last line about a shape.
type slowLine struct {
	at      time.Time
	more    int // slow statements since
	longest time.Duration
}

// How often a shape has a line, and how many shapes are known at once.
const (
	slowEvery  = time.Minute
	slowShapes = 1000
)

// NewSlowLog returns a log of slow statements.
func NewSlowLog(log *slog.Logger) *SlowLog {
	return &SlowLog{log: log, lines: map[string]*slowLine{}}
}

// Write writes a line about a slow statement, unless its shape has had one in the last minute: for which
// operation and GraphQL field it ran, and its shape, which has no values of the caller.
func (l *SlowLog) Write(ctx context.Context, shape string, took time.Duration) {
	more, longest, due := l.count(shape, took)
	if !due {
		return
	}
	attrs := operationOf(ctx)
	attrs = append(attrs, slog.Duration("took", took))
	if more > 0 {
		attrs = append(attrs, slog.Int("more", more), slog.Duration("longest", longest))
	}
	attrs = append(attrs, slog.String("shape", shape))
	l.log.LogAttrs(ctx, slog.LevelWarn, "slow statement", attrs...)
}

// count counts a statement, and reports whether its line is due, with the statements since the last one.
func (l *SlowLog) count(shape string, took time.Duration) (more int, longest time.Duration, due bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	now, last := time.Now(), l.lines[shape]
	if last != nil && now.Sub(last.at) < slowEvery {
		last.more++
		last.longest = max(last.longest, took)
		return 0, 0, false
	}
	if last != nil {
		more, longest = last.more, last.longest
	} else if len(l.lines) >= slowShapes {
		clear(l.lines)
	}
	l.lines[shape] = &slowLine{at: now}
	return more, longest, true
}
