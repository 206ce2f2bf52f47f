package client

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// byBatch makes the single calls as JSON-RPC batches. Done is false if the host does not accept
// batches. Until it has accepted one (sure), any answer other than a batch counts as a refusal,
// and single calls follow.
func (c *eachCall) byBatch(ctx context.Context, sure bool) (done bool, err *kiterror.Error) {
	keys := c.keys.keys
	b := batch{eachCall: c, frames: make([][]byte, len(keys)), ids: make([]int64, len(keys)), sure: sure}
	all := make([]int, len(keys))
	for i, key := range keys {
		params, query := c.forKey(key)
		all[i], b.ids[i] = i, c.host.lastID.Add(1)
		b.frames[i] = envelope.AppendRequest(nil, b.ids[i], c.method, func(dst []byte) []byte { return c.p.appendInvocation(dst, params, query) })
	}
	parts := partsOf(all, envelope.MaxBatch, func(i int) int { return len(b.frames[i]) + 1 })
	refused := make([]bool, len(parts))
	err = parallel(ctx, len(parts), parallelPosts, func(ctx context.Context, i int) (err *kiterror.Error) {
		refused[i], err = b.post(ctx, parts[i])
		return err
	})
	if slices.Contains(refused, true) {
		return false, nil
	}
	return err == nil, err
}

// batch is the frames of a call for many keys, one for each key.
type batch struct {
	*eachCall
	frames [][]byte
	ids    []int64
	sure   bool // the host has taken a batch before
}

// post sends the frames of some keys as one batch. An answer that is too large is requested in
// halves. refused means that the host takes no batches; single calls follow.
func (b *batch) post(ctx context.Context, part []int) (refused bool, err *kiterror.Error) {
	var responses map[string]envelope.Response
	out := &post{
		frames: b.join(part), most: b.host.options.MaxAnswer, trace: b.p.call.Invocation.Trace, sent: &b.p.posts,
		read: func(status int, header http.Header, body []byte) (f *failure) {
			responses, refused, err, f = readBatch(len(part), status, header, body)
			return f
		},
	}
	if err := b.host.sign(out, b.p); err != nil {
		return false, err
	}
	f := b.host.sender.send(ctx, out)
	switch {
	// Without an answer, or with one that is no batch, this host may mean to refuse batches.
	case f != nil && (f.kind == notAFrame || f.kind == wrongFrame || f.kind == connectionLost) && !b.sure:
		return true, nil
	case f != nil:
		err = f.err()
	case refused:
		return true, nil
	}
	if err == nil {
		b.host.known.batchTaken()
		err = b.take(part, responses)
	}
	if len(part) > 1 && tooMuch(err, f) {
		half := len(part) / 2
		if refused, err = b.post(ctx, part[:half]); err != nil || refused {
			return refused, err
		}
		return b.post(ctx, part[half:])
	}
	return false, err
}

// join is the frames of some keys as one array.
func (b *batch) join(part []int) []byte {
	size := 2
	for _, i := range part {
		size += len(b.frames[i]) + 1
	}
	text := append(make([]byte, 0, size), '[')
	for _, i := range part {
		text = append(jsontext.Comma(text), b.frames[i]...)
	}
	return append(text, ']')
}

// readBatch reads the answer to a batch of n frames: a response to every frame by the number
// of its id, in any order.
//
//	an array of responses           responses
//	one failure, of the protocol    refused: the host reads no batches
//	one failure, of the call        err, such as UNAUTHORIZED for the whole post
//	no frame                        f
func readBatch(n, status int, header http.Header, body []byte) (responses map[string]envelope.Response, refused bool, err *kiterror.Error, f *failure) {
	if jsontext.KindOf(body) != jsontext.Array || status != http.StatusOK && status != http.StatusUnauthorized {
		one, ok := envelope.ReadResponse(body, nil)
		switch {
		case !ok || one.Err == nil:
			return nil, false, nil, frameless(status, header)
		case unsigned(header, one.Err) != nil:
			return nil, false, nil, unsigned(header, one.Err)
		case one.Code == envelope.ParseError, one.Code == envelope.InvalidRequest, one.Code == envelope.MethodNotFound, one.Code == envelope.InvalidParams:
			if one.Err.Code != kiterror.PayloadTooLarge && one.Err.Code != kiterror.Unauthorized {
				return nil, true, nil, nil // one frame for the whole batch: it was not read as one
			}
		}
		return nil, false, one.Err, nil
	}
	responses = make(map[string]envelope.Response, n)
	for _, v := range jsontext.Elements(body) {
		one, ok := envelope.ReadResponse(v, nil)
		if !ok {
			return nil, false, nil, frameless(status, header)
		}
		if f := unsigned(header, one.Err); f != nil {
			return nil, false, nil, f
		}
		if one.ID == "null" && one.Err != nil {
			return nil, false, one.Err, nil
		}
		if _, twice := responses[one.Number()]; twice {
			return nil, false, nil, &failure{kind: wrongFrame} // it is not known which of them holds
		}
		responses[one.Number()] = one
	}
	return responses, false, nil, nil
}

// take reads the rows from the responses. Each is checked by itself; the first failure, in the
// order of the keys, fails them all. An unknown id and a frame without an answer are
// BAD_GATEWAY: the rest of the batch cannot be trusted either.
func (b *batch) take(part []int, responses map[string]envelope.Response) *kiterror.Error {
	missing := 0
	for _, i := range part {
		id := strconv.FormatInt(b.ids[i], 10)
		one, answered := responses[id]
		switch {
		case !answered:
			missing++
			continue
		case one.Err != nil:
			return one.Err
		}
		delete(responses, id)
		result, err := b.host.read(b.p, one.Result)
		if err == nil {
			err = b.p.another(b.keys.keys[i], result)
		}
		if err != nil {
			return err
		}
		b.keys.found[i] = foundIn(result)
	}
	switch {
	case len(responses) > 0:
		return kiterror.Errorf(kiterror.BadGateway, "the host answered another frame than those sent")
	case missing > 0:
		return kiterror.Errorf(kiterror.BadGateway, "the host left %d of %d frames unanswered", missing, len(part))
	}
	return nil
}
