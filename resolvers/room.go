package resolvers

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers/execution"
	"github.com/frondhost/frond/resolvers/graphqlerror"
	"github.com/frondhost/frond/resolvers/plan"
	"github.com/frondhost/frond/resolvers/response"
)

// room is the memory of one response: that of its execution and its text. It is kept for
// the next one.
type room struct {
	exec   execution.Execution
	writer response.Writer

	released atomic.Int32 // of the responses that share the text; see Response.Release
}

// maxKeptRoom is how many bytes a room may have grown to be kept.
const maxKeptRoom = 1 << 20

var rooms = sync.Pool{New: func() any { return new(room) }}

func newRoom() *room { return rooms.Get().(*room) }

// forget lets go of everything but the text of the response.
func (b *room) forget() {
	b.exec.Forget()
	b.writer.Forget()
}

// free keeps the room for another response. Nobody reads the text any more.
func (b *room) free() {
	if b.exec.Size()+b.writer.Size() <= maxKeptRoom {
		b.released.Store(0)
		rooms.Put(b)
	}
}

// respond executes a plan, one unit after the other, and writes its response. Execution
// never writes, and writing never calls: of a mutation, a field is written before the next
// one is executed, for where it takes all of data along the rest is not executed.
func (b *room) respond(p *plan.Plan) (resp *Response) {
	defer func() {
		if v := recover(); v != nil {
			resp = b.executed(b.writer.NoData(b.exec.Panicked(v)))
		}
	}()
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
func (b *room) executed(text []byte) *Response {
	return &Response{Body: text, Status: 200, Executed: true, Failed: b.writer.Failed(), room: b}
}

// abandoned is the response in place of one that there is no room for, or that is larger
// than it may be. Only the first may be tried again later.
func (b *room) abandoned(err error) *Response {
	resp := b.executed(b.writer.Abandon(err))
	var refused *facade.Error
	if errors.As(err, &refused) && !errors.Is(refused, facade.ErrOversize) {
		resp.Status, resp.RetryAfter = refused.Code.Status(), refused.RetryAfter()
	}
	return resp
}

// refuse is the response of a request that is not executed.
func refuse(status int, why []*graphqlerror.Error) *Response {
	b := newRoom()
	return &Response{Body: b.writer.Refusal(why), Status: status, room: b}
}
