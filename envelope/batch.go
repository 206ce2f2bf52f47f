package envelope

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// batchWorkers is how many frames of a batch run at once.
const batchWorkers = 10

// appendBatch answers a batch (JSON-RPC 2.0 section 6): every frame by itself, ten at once, the
// answers in the order of the frames. A batch of notifications has no answer. Once the answers
// exceed [MaxAnswer], the remaining frames are answered with full set, so that they are refused
// without being run; notifications run, since they cannot be refused visibly. size is the bytes
// of all copied answers.
//
//	[{…"id":1…},{…"id":2…}]    [{…"id":1,"result":…},{…"id":2,"error":…}]
//	[]                         one failure, -32600 with a null id
//	more than MaxBatch    the same, and no frame is run
func appendBatch(dst []byte, body json.RawMessage, answer func(dst []byte, frame json.RawMessage, full bool) []byte) (_ []byte, size int) {
	frames := make([]json.RawMessage, 0, 16)
	for _, v := range jsontext.Elements(body) {
		if len(frames) == MaxBatch {
			return appendFailure(dst, nullID, invalid("a batch has at most %d frames; send the rest in another", MaxBatch)), 0
		}
		frames = append(frames, v)
	}
	if len(frames) == 0 {
		return appendFailure(dst, nullID, invalid("a batch has at least one frame; send one, or a frame that is not in an array")), 0
	}

	var written atomic.Int64
	answers := make([]*jsontext.Buffer, len(frames))
	next := make(chan int, len(frames))
	for i := range frames {
		// The channel holds all indexes and is closed, so that workers need no other signal to
		// end.
		next <- i
	}
	close(next)
	var workers sync.WaitGroup
	for range min(batchWorkers, len(frames)) {
		workers.Go(func() {
			for i := range next {
				answers[i] = jsontext.TakeBuffer()
				answers[i].Text = answer(answers[i].Text, frames[i], written.Load() > MaxAnswer)
				written.Add(int64(len(answers[i].Text)))
			}
		})
	}
	workers.Wait()

	begin := len(dst)
	for _, a := range answers {
		if len(a.Text) > 0 {
			dst = append(append(dst, ','), a.Text...)
		}
		// Every buffer goes back to the pool, even of a notification.
		a.Release()
	}
	if len(dst) > begin {
		dst[begin] = '['
		dst = append(dst, ']')
	}
	return dst, int(written.Load())
}

// atomic answers rpc.atomic: calls of the frame's caller as one transaction (docs/atomic.md). Those of a signed request are
// signed for the Frond of the first call.
func (q *request) atomic(ctx context.Context, f requestFrame) (write func([]byte) []byte, fail *failure) {
	h, trace := q.handler, q.http.Header.Get("Traceparent")
	state, sent := q.state, f.Params
	if jsontext.KindOf(sent) == jsontext.Object {
		if h.options.TrustState {
			if given := jsontext.Get(sent, "state"); jsontext.KindOf(given) == jsontext.Object && json.Unmarshal(given, &state) != nil {
				return nil, notAnInvocation(typeDetail("state", "must hold numbers that a double can hold"))
			}
		}
		var rest schema.Object
		for name, value := range jsontext.Members(sent) {
			if name != "state" && name != "identity" && name != "trace" { // as in an invocation
				rest = append(rest, schema.Member{Name: name, Value: value})
			}
		}
		sent = rest.AppendJSON(nil)
	}
	for _, first := range jsontext.Elements(jsontext.Get(sent, "calls")) {
		entity, operation, _ := strings.Cut(jsontext.Unquote(jsontext.Get(first, "method")), ".")
		if fail := q.signedFor(h.methods[MethodKey(entity, operation)]); fail != nil {
			return nil, fail
		}
		break
	}
	q.called(ctx, f.Method, state)
	var result *facade.Result
	var err error
	func() {
		defer func() {
			if v := recover(); v != nil {
				err = h.panicked(ctx, v, trace)
			}
		}()
		result, err = h.options.Atomic(ctx, state, trace, sent)
	}()
	if err == nil && result == nil {
		err = errors.New("atomic answered neither a result nor an error")
	}
	if err != nil {
		return nil, failed(kiterror.AsError(h.report(ctx, err, trace)))
	}
	q.account.Add(result.Size()) // the calls are committed: their answers are sent even over the budget
	return result.AppendJSON, nil
}
