package files

import (
	"context"
	"image"
	_ "image/gif" // a decoder
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // a decoder

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
)

// shrink writes the image of a file that fits into a size, under a key. JPEG stays JPEG, other images
// become PNG. It is upright, and has no metadata. One image is made at a time, since each holds all its pixels.
func (s *Files) shrink(ctx context.Context, file *facade.File, size catalog.FileSize, key string) error {
	select {
	case s.shrinking <- struct{}{}:
		defer func() { <-s.shrinking }()
	case <-ctx.Done():
		return ctx.Err()
	}
	r, err := s.storage.open(ctx, file.ID+"/"+original)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	config, _, err := image.DecodeConfig(r)
	if err == nil {
		_, err = r.Seek(0, io.SeekStart)
	}
	side := 1
	if err == nil && file.Type == "image/jpeg" {
		side = orientation(r)
		_, err = r.Seek(0, io.SeekStart)
	}
	held := 8*config.Width*config.Height + 8*size.Width*size.Height
	if err == nil {
		err = s.memory.Take(held)
	}
	if err != nil {
		return err
	}
	defer s.memory.Give(held)
	from, _, err := image.Decode(r)
	if err != nil {
		return err
	}
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
	err = s.storage.write(ctx, key, shrunkType(file.Type), out)
	_ = out.Close() // ends the encoder
	return err
}

// shrunkType is the media type of images that are made of those of a type.
func shrunkType(of string) string {
	if of == "image/jpeg" {
		return of
	}
	return "image/png"
}

// fit is the width and height of an image in a size, with its own proportions. None becomes larger.
func fit(w, h int, size catalog.FileSize) (int, int) {
	if w <= size.Width && h <= size.Height {
		return w, h
	}
	if int64(w)*int64(size.Height) > int64(h)*int64(size.Width) {
		return size.Width, max(1, h*size.Width/w)
	}
	return max(1, w*size.Height/h), size.Height
}
