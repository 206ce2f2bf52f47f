package resolvers

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/resolvers/language"
)

// buffers is the memory of one response: its execution and its text. A pool keeps it for the
// next response.
type buffers struct {
	exec   execution
	writer writer

	released atomic.Int32 // of the responses that share the text; see Response.Release
}

// maxPooled is the largest size, in bytes, of buffers that go back to the pool.
const maxPooled = 1 << 20

var pool = sync.Pool{New: func() any { return new(buffers) }}

func takeBuffers() *buffers { return pool.Get().(*buffers) }

// forget drops the rows and keeps the text of the response.
func (b *buffers) forget() {
	b.exec.Forget()
	b.writer.Forget()
}

// free keeps the buffers for another response. Their text must not be read any more.
func (b *buffers) free() {
	if b.exec.Size()+b.writer.Size() <= maxPooled {
		b.released.Store(0)
		pool.Put(b)
	}
}

// respond executes a plan, one unit after the other, and writes its response. execution
// never writes, and writing never calls. A mutation's field is written before the next one is
// executed: if its null removes all of data, the rest is not executed.
func (b *buffers) respond(p *plan, together *catalog.Words, by Transactor) (resp *Response) {
	defer func() {
		if v := recover(); v != nil {
			resp = b.executed(b.writer.NoData(b.exec.Panicked(v)))
		}
	}()
	if together != nil {
		text, err := runAtomic(&b.exec, &b.writer, p, *together, by)
		if err != nil {
			return b.abandoned(err)
		}
		return b.executed(text)
	}
	ok := true
	for _, u := range p.Units {
		r := b.exec.Run(u)
		if err := b.exec.Refused(); err != nil {
			return b.abandoned(err)
		}
		var err error
		if ok, err = b.writer.Root(r); err != nil {
			return b.abandoned(err)
		}
		if !ok {
			break
		}
	}
	text, err := b.writer.End(ok)
	if err != nil {
		return b.abandoned(err)
	}
	return b.executed(text)
}

// executed is the response of an execution that began.
func (b *buffers) executed(text []byte) *Response {
	return &Response{Body: text, Status: 200, Executed: true, Failed: b.writer.Failed(), buffers: b}
}

// abandoned is the response in place of one beyond the budget, or beyond the limit of its size.
// Only the first may be tried again later.
func (b *buffers) abandoned(err error) *Response {
	resp := b.executed(b.writer.Abandon(err))
	var refused *kiterror.Error
	if errors.As(err, &refused) && !errors.Is(refused, budget.ErrOversize) {
		resp.Status, resp.RetryAfter = refused.Code.Status(), refused.RetryAfter()
	}
	return resp
}

// refuse is the response of a request without an execution.
func refuse(status int, why []*language.Error) *Response {
	b := takeBuffers()
	return &Response{Body: b.writer.Refusal(why), Status: status, buffers: b}
}
