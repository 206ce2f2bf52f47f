package budget

import (
	"bytes"
	"fmt"
	"io"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// bytesPerValue is how many bytes of the largest body there are for each of its values. A body
// of the first chunk cannot have more values than a body of 1 MiB may have.
const bytesPerValue = 32

// Reader returns r, which gives a body of JSON of so many bytes or, if unknown, a negative number; most is the
// largest body, 0 for an answer, whose values are not counted. A body is refused while it comes in, by the error of
// Read: the error of [Account.Reserve] if the budget has no room for it, PAYLOAD_TOO_LARGE for more than one value
// for each 32 bytes of most, BAD_REQUEST for a body nested deeper than JSON is read. A nil Account has room for
// all.
func (a *Account) Reader(r io.Reader, size, most int64) io.Reader {
	if a == nil && most <= 0 || size >= 0 && size <= chunk && a.Reserve(int(size)) == nil {
		return r
	}
	return &bodyReader{account: a, from: r, most: values(most)}
}

// announced bounds the memory for a body that has not come yet: the announcement of a large body
// holds no memory.
const announced = 64 << 10

// ReadAll reads a whole body through [Account.Reader] into a buffer that belongs to the caller. most is
// above 0. Errors: PAYLOAD_TOO_LARGE for more than most bytes, before a byte is read where size says so;
// the errors of the Reader, after which the rest of the body is unread; and the errors of r.
func (a *Account) ReadAll(r io.Reader, size, most int64) ([]byte, error) {
	var body bytes.Buffer
	if size <= most {
		body.Grow(int(min(max(size, 0), announced)) + bytes.MinRead)
		r = a.Reader(r, size, most)
		if size < 0 { // else the server reads no more than was announced
			r = io.LimitReader(r, most+1)
		}
		if _, err := body.ReadFrom(r); err != nil {
			return nil, err
		}
	}
	if max(size, int64(body.Len())) > most {
		return nil, kiterror.Errorf(kiterror.PayloadTooLarge, "the body is over the cap of %d bytes; send less", most)
	}
	return body.Bytes(), nil
}

// values returns how many values a body of at most so many bytes may have; 0: they are not counted.
func values(most int64) int {
	if most <= 0 {
		return 0
	}
	return int(max(most, chunk) / bytesPerValue)
}

// bodyReader reads one body.
type bodyReader struct {
	account *Account
	from    io.Reader
	most    int // values
	tally   jsontext.Tally
}

// Read implements io.Reader.
func (r *bodyReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if r.most > 0 {
		r.tally.Add(p[:n])
	}
	if r.tally.Deepest > jsontext.MaxDepth {
		return n, kiterror.Errorf(kiterror.BadRequest, "the body is nested deeper than %d levels; send a flatter one", jsontext.MaxDepth)
	}
	if r.tally.Values > r.most {
		return n, &kiterror.Error{
			Code:    kiterror.PayloadTooLarge,
			Message: fmt.Sprintf("the body has more than %d values; send less, or raise limits.body, which allows one value for each %d bytes", r.most, bytesPerValue),
			Details: map[string]any{"limit": "limits.body", "values": r.most},
		}
	}
	if refused := r.account.Reserve(n); refused != nil {
		err = refused
	}
	return n, err
}
