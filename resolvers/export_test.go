package resolvers

import "context"

// Shared is the work that equal requests share, for tests to put a wrong one in place.
type Shared interface {
	Do(ctx context.Context, q question, fly func(context.Context) *Response) (*Response, int, error)
}

// SetShared has equal requests share work as s says.
func (e *Engine) SetShared(s Shared) { e.questions = s }

// JoinsRunning is wrong: whoever comes is given the answer of work that is under way.
type JoinsRunning struct {
	lock    chan struct{}
	running map[question]*joined
}

type joined struct {
	done   chan struct{}
	resp   *Response
	aboard int
}

// NewJoinsRunning has nothing under way.
func NewJoinsRunning() *JoinsRunning {
	return &JoinsRunning{lock: make(chan struct{}, 1), running: map[question]*joined{}}
}

// Do joins what runs.
func (j *JoinsRunning) Do(ctx context.Context, q question, fly func(context.Context) *Response) (*Response, int, error) {
	j.lock <- struct{}{}
	at := j.running[q]
	if at != nil {
		at.aboard++
		<-j.lock
		<-at.done
		return at.resp, at.aboard + 1, nil
	}
	at = &joined{done: make(chan struct{})}
	j.running[q] = at
	<-j.lock
	at.resp = fly(ctx)
	j.lock <- struct{}{}
	delete(j.running, q)
	<-j.lock
	close(at.done)
	return at.resp, at.aboard + 1, nil
}

// AppendPlain is how a state is compared.
func AppendPlain(v any) (string, bool) {
	text, ok := appendPlain(nil, v, 0)
	return string(text), ok
}
