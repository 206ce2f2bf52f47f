package files

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
)

// Remote are the files of a Frond that runs elsewhere, for a caller. The host of the rows keeps and judges
// them; their bytes pass through this process.
type Remote struct {
	*client.Files
	Memory *budget.Budget // nil: no bound
	Log    *slog.Logger
}

// Open reads the bytes of a file, or of a smaller image.
func (r *Remote) Open(ctx context.Context, file *facade.File, size *catalog.FileSize) (io.ReadSeekCloser, string, error) {
	name := ""
	if size != nil {
		name = size.Name
	}
	return r.Files.Open(ctx, file, name)
}

// Receive passes a file on as it arrives.
func (r *Remote) Receive(ctx context.Context, in *facade.IncomingFile) (_ *facade.File, err error) {
	defer func() { err = atField(err, in.Takes) }()
	_, limit, err := accepted(in)
	if err != nil {
		return nil, err
	}
	if err := r.Memory.Take(Copied); err != nil {
		return nil, err
	}
	defer r.Memory.Give(Copied)
	bytes, sent := &counted{from: in.Body, limit: limit}, *in
	sent.Body = bytes
	var refused error
	if in.Whole != nil {
		sent.Whole = func(sum string) error {
			refused = in.Whole(sum)
			return refused
		}
	}
	file, err := r.Send(ctx, &sent)
	if err != nil && bytes.failed != nil {
		err = arrival(bytes.failed)
	}
	return file, cmp.Or(refused, err)
}

// Presign refuses: the host of the rows has no addresses for others.
func (*Remote) Presign(context.Context, *facade.IncomingFile) (*facade.FileAddress, error) {
	return nil, errNoAddress()
}

// ReceiveSigned implements [rest.FrondFiles].
func (*Remote) ReceiveSigned(context.Context, string, []*catalog.File) (*facade.File, error) {
	return nil, errNoAddress()
}

// Address refuses: the bytes are elsewhere.
func (r *Remote) Address(context.Context, *facade.File, *catalog.FileSize) (string, time.Time, error) {
	return "", time.Time{}, kiterror.Errorf(kiterror.NotImplemented, "these files are kept by a remote host; send GET without ?address, with credentials")
}

// Drop removes a file that no row has taken.
func (r *Remote) Drop(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropping)
	defer cancel()
	if err := r.Files.Drop(ctx, id); err != nil {
		r.Log.Warn("a file that was refused is removed later, where it is kept", "error", kiterror.AsError(err).Message)
	}
}
