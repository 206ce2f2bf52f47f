package envelope

import (
	"context"
	"net/http"
	"strconv"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema/jsontext"
)

// byBatch makes the single calls as JSON-RPC batches. Done is false where the host
// takes none: until it has answered one as a batch, whatever else it answers is
// taken for a refusal, and single calls will tell.
func (l *ladder) byBatch(ctx context.Context, sure bool) (done bool, err *facade.Error) {
	frames := make([][]byte, len(l.keys))
	ids := make([]int64, len(l.keys))
	all := make([]int, len(l.keys))
	for i, key := range l.keys {
		params, query := l.forKey(key)
		all[i], ids[i] = i, l.remote.lastID.Add(1)
		frames[i] = appendRequest(nil, ids[i], l.method, func(dst []byte) []byte { return l.q.appendInvocation(dst, params, query) })
	}
	b := batch{ladder: l, frames: frames, ids: ids, sure: sure}
	parts := partsOf(all, MaxBatch, func(i int) int { return len(frames[i]) + 1 })
	refused := make([]bool, len(parts))
	err = abreast(ctx, len(parts), abreastPosts, func(ctx context.Context, i int) (err *facade.Error) {
		refused[i], err = b.post(ctx, parts[i])
		return err
	})
	for _, no := range refused {
		if no {
			return false, nil
		}
	}
	return err == nil, err
}

// partsOf cuts a list into parts of at most most items and maxPost bytes.
func partsOf[T any](items []T, most int, size func(T) int) (parts [][]T) {
	from, bytes := 0, 0
	for i, item := range items {
		n := size(item)
		if i > from && (i-from == most || bytes+n > maxPost) {
			parts = append(parts, items[from:i:i])
			from, bytes = i, 0
		}
		bytes += n
	}
	return append(parts, items[from:])
}

// batch is the frames of a ladder, one for each key.
type batch struct {
	*ladder
	frames [][]byte
	ids    []int64
	sure   bool // the host has taken a batch before
}

// post sends the frames of some keys as one batch. An answer that is too large is
// asked for in halves.
func (b *batch) post(ctx context.Context, part []int) (refused bool, err *facade.Error) {
	text, size := []byte{'['}, 2
	for _, i := range part {
		size += len(b.frames[i]) + 1
	}
	text = append(make([]byte, 0, size), text...)
	for n, i := range part {
		if n > 0 {
			text = append(text, ',')
		}
		text = append(text, b.frames[i]...)
	}
	var replies map[string]reply
	p := &post{
		frames: append(text, ']'), most: b.remote.options.MaxAnswer, trace: b.q.call.Invocation.Trace, sent: &b.q.posts,
		read: func(status int, header http.Header, body []byte) (a *accident) {
			replies, refused, err, a = b.read(part, status, header, body)
			return a
		},
	}
	if err := b.remote.sign(p, b.q); err != nil {
		return false, err
	}
	a := b.remote.send(ctx, p)
	switch {
	case a != nil && (a.what == strange || a.what == another || a.what == lost) && !b.sure:
		return true, nil
	case a != nil:
		err = a.err()
	case refused:
		return true, nil
	}
	if err == nil {
		b.remote.peer.batchTaken()
		err = b.take(part, replies)
	}
	if len(part) > 1 && (a != nil && a.what == large || a == nil && err != nil && err.Code == facade.PayloadTooLarge) {
		half := len(part) / 2
		if refused, err = b.post(ctx, part[:half]); err != nil || refused {
			return refused, err
		}
		return b.post(ctx, part[half:])
	}
	return false, err
}

// read reads the answer to a batch: the reply to every frame, in any order.
func (b *batch) read(part []int, status int, header http.Header, body []byte) (replies map[string]reply, refused bool, err *facade.Error, a *accident) {
	if jsontext.KindOf(body) != jsontext.Array || status != http.StatusOK && status != http.StatusUnauthorized {
		one, ok := readReply(body, nil)
		switch {
		case !ok || one.failed == nil:
			return nil, false, nil, frameless(status, header)
		case unsignedBy(header, one.failed) != nil:
			return nil, false, nil, unsignedBy(header, one.failed)
		case one.code == ParseError, one.code == InvalidRequest, one.code == MethodNotFound, one.code == InvalidParams:
			if one.failed.Code != facade.PayloadTooLarge && one.failed.Code != facade.Unauthorized {
				return nil, true, nil, nil // one frame for the whole batch: it was not read as one
			}
		}
		return nil, false, one.failed, nil
	}
	replies = make(map[string]reply, len(part))
	for _, v := range jsontext.Elements(body) {
		one, ok := readReply(v, nil)
		if !ok {
			return nil, false, nil, frameless(status, header)
		}
		if a := unsignedBy(header, one.failed); a != nil {
			return nil, false, nil, a
		}
		if one.id == "null" && one.failed != nil {
			return nil, false, one.failed, nil
		}
		if _, twice := replies[idNumber(one.id)]; twice {
			return nil, false, nil, &accident{what: another} // which of them holds nobody can tell
		}
		replies[idNumber(one.id)] = one
	}
	return replies, false, nil, nil
}

// take takes the replies as what was found. Each is judged for itself; the first
// failure, in the order of the keys, is that of all.
func (b *batch) take(part []int, replies map[string]reply) *facade.Error {
	missing := 0
	for _, i := range part {
		one, answered := replies[formatID(b.ids[i])]
		switch {
		case !answered:
			missing++
			continue
		case one.failed != nil:
			return one.failed
		}
		delete(replies, formatID(b.ids[i]))
		result, err := b.remote.read(b.q, one.result)
		if err != nil {
			return err
		}
		b.found[i] = foundIn(result)
	}
	switch {
	case len(replies) > 0:
		return facade.Errorf(facade.BadGateway, "the host answered another frame than those sent")
	case missing > 0:
		return facade.Errorf(facade.BadGateway, "the host left %d of %d frames unanswered", missing, len(part))
	}
	return nil
}

// tooMuch says whether an answer would have been too large for one.
func tooMuch(failed *facade.Error, a *accident) bool {
	return a != nil && a.what == large || failed != nil && failed.Code == facade.PayloadTooLarge
}

func formatID(id int64) string { return strconv.FormatInt(id, 10) }
