package envelope

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"

	"github.com/frondhost/frond/schema/jsontext"
)

// MaxBatch is how many frames one batch may have.
const MaxBatch = 100

// MaxBatchAnswer is how many bytes the answers to one batch may have together: what
// a [Remote] takes. A hundred small frames could ask for the same large answer each.
const MaxBatchAnswer = MaxAnswer

// sideBySide is how many frames of a batch run at once.
const sideBySide = 10

// appendBatch answers a batch (JSON-RPC 2.0 section 6): every frame for itself,
// ten at once, the answers in the order of the frames. All notifications append
// nothing. Once the answers have grown over [MaxBatchAnswer], what is left is refused
// without being run, but for notifications, which nobody could tell.
func (q *request) appendBatch(ctx context.Context, dst []byte, body json.RawMessage) []byte {
	frames := make([]json.RawMessage, 0, 16)
	for _, v := range jsontext.Elements(body) {
		if len(frames) == MaxBatch {
			return appendFailure(dst, nullID, invalidRequest("a batch has at most %d frames; send the rest in another", MaxBatch))
		}
		frames = append(frames, v)
	}
	if len(frames) == 0 {
		return appendFailure(dst, nullID, invalidRequest("a batch has at least one frame; send one, or a frame that is not in an array"))
	}

	var written atomic.Int64
	answers := make([]*jsontext.Buffer, len(frames))
	next := make(chan int, len(frames))
	for i := range frames {
		next <- i
	}
	close(next)
	var workers sync.WaitGroup
	for range min(sideBySide, len(frames)) {
		workers.Go(func() {
			for i := range next {
				answers[i] = jsontext.TakeBuffer()
				answers[i].Text = q.appendAnswer(ctx, answers[i].Text, frames[i], written.Load() > MaxBatchAnswer)
				written.Add(int64(len(answers[i].Text)))
			}
		})
	}
	workers.Wait()
	q.account.Add(int(written.Load())) // they are copied

	answered := false
	for _, a := range answers {
		if len(a.Text) > 0 {
			if answered {
				dst = append(dst, ',')
			} else {
				dst = append(dst, '[')
				answered = true
			}
			dst = append(dst, a.Text...)
		}
		a.Release()
	}
	if answered {
		dst = append(dst, ']')
	}
	return dst
}
