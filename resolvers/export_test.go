package resolvers

import (
	"context"

	"github.com/frondhost/frond/facade/access"
)

// Shared is how equal requests share an execution, for tests to put a wrong one in place.
type Shared interface {
	Do(ctx context.Context, q requestKey, run func(context.Context) *Response) (*Response, int, error)
}

// SetShared makes equal requests share executions by s.
func (e *Engine) SetShared(s Shared) { e.group = s }

// JoinsRunning is wrong: it lets a request join an execution that is under way.
type JoinsRunning struct {
	lock    chan struct{}
	running map[requestKey]*joined
}

type joined struct {
	done    chan struct{}
	resp    *Response
	waiters int
}

// NewJoinsRunning returns one with nothing under way.
func NewJoinsRunning() *JoinsRunning {
	return &JoinsRunning{lock: make(chan struct{}, 1), running: map[requestKey]*joined{}}
}

// Do joins an execution that is under way.
func (j *JoinsRunning) Do(ctx context.Context, q requestKey, run func(context.Context) *Response) (*Response, int, error) {
	j.lock <- struct{}{}
	at := j.running[q]
	if at != nil {
		at.waiters++
		<-j.lock
		<-at.done
		return at.resp, at.waiters + 1, nil
	}
	at = &joined{done: make(chan struct{})}
	j.running[q] = at
	<-j.lock
	at.resp = run(ctx)
	j.lock <- struct{}{}
	delete(j.running, q)
	<-j.lock
	close(at.done)
	return at.resp, at.waiters + 1, nil
}

// AppendPlain is how a state is compared.
func AppendPlain(v any) (string, bool) {
	text, ok := access.State{"value": v}.AppendKey(nil)
	return string(text), ok
}

// Unfinished returns how many operations still run after their response was sent, because
// something that they run ignores its context.
func (e *Engine) Unfinished() int { return int(e.running.Load()) }
