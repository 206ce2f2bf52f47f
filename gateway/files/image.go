package files

import (
	"context"
	"image"
	_ "image/gif" // a decoder
	"image/jpeg"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // a decoder

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// shrink writes the image of a file that fits into a size, under a key. JPEG stays JPEG, other images
// become PNG. It is upright, and has no metadata.
func (s *Files) shrink(ctx context.Context, file *facade.File, size catalog.FileSize, key string) error {
	from, side, done, err := s.decode(ctx, file, 8*size.Width*size.Height)
	if err != nil {
		return err
	}
	defer done()
	bounds := from.Bounds()
	if lies(side) {
		size.Width, size.Height = size.Height, size.Width
	}
	w, h := fit(bounds.Dx(), bounds.Dy(), size)
	small := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.ApproxBiLinear.Scale(small, small.Bounds(), from, bounds, draw.Src, nil)
	to := turned(small, side)
	out, in := io.Pipe()
	go func() {
		if file.Type == "image/jpeg" {
			_ = in.CloseWithError(jpeg.Encode(in, to, &jpeg.Options{Quality: 85}))
		} else {
			_ = in.CloseWithError(png.Encode(in, to))
		}
	}()
	err = s.storage.Write(ctx, key, shrunkType(file.Type), out)
	_ = out.Close() // ends the encoder
	return err
}

// decode returns the pixels of the image of a file and how it is turned; done ends their use. One image
// is decoded at a time, since each holds all its pixels; more bytes are held beside them. An image
// that cannot be decoded is UNPROCESSABLE_ENTITY, one with more pixels than memory can ever hold
// PAYLOAD_TOO_LARGE.
func (s *Files) decode(ctx context.Context, file *facade.File, more int) (from image.Image, side int, done func(), err error) {
	select {
	case s.shrinking <- struct{}{}:
	case <-ctx.Done():
		return nil, 0, nil, ctx.Err()
	}
	held := 0
	end := func() { s.memory.Give(held); <-s.shrinking }
	defer func() {
		if err != nil {
			end()
		}
	}()
	r, err := s.storage.Open(ctx, file.ID+"/"+original)
	if err != nil {
		return nil, 0, nil, err
	}
	defer func() { _ = r.Close() }()
	bytes := &counted{from: r, limit: math.MaxInt64}
	failed := func(err error) error {
		if bytes.failed != nil {
			return bytes.failed // the storage, not the image
		}
		return kiterror.Errorf(kiterror.UnprocessableEntity, "the image %s cannot be decoded; send a whole one in its place", schema.Quoted(file.Name)).WithCause(err)
	}
	config, _, err := image.DecodeConfig(bytes)
	if err != nil {
		return nil, 0, nil, failed(err)
	}
	if side = 1; file.Type == "image/jpeg" {
		if _, err = r.Seek(0, io.SeekStart); err != nil {
			return nil, 0, nil, err
		}
		side = orientation(r)
	}
	if _, err = r.Seek(0, io.SeekStart); err != nil {
		return nil, 0, nil, err
	}
	needed := 8*config.Width*config.Height + more
	if most := s.memory.Most(); most > 0 && int64(needed) > most {
		return nil, 0, nil, kiterror.Errorf(kiterror.PayloadTooLarge, "the image has %d by %d pixels, over %d (limits.memory); send a smaller one",
			config.Width, config.Height, max(0, (most-int64(more))/8))
	}
	if err = s.memory.Take(needed); err != nil {
		return nil, 0, nil, err
	}
	held = needed
	if from, _, err = image.Decode(bytes); err != nil {
		return nil, 0, nil, failed(err)
	}
	return from, side, end, nil
}

// shrunkType is the media type of the smaller images of an image of a type.
func shrunkType(of string) string {
	if of == "image/jpeg" {
		return of
	}
	return "image/png"
}

// fit is the width and height of an image in a size, with its own proportions. It never enlarges an
// image.
func fit(w, h int, size catalog.FileSize) (int, int) {
	if w <= size.Width && h <= size.Height {
		return w, h
	}
	if int64(w)*int64(size.Height) > int64(h)*int64(size.Width) {
		return size.Width, max(1, h*size.Width/w)
	}
	return max(1, w*size.Height/h), size.Height
}
