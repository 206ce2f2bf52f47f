package files

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"image"
	"io"
)

// orientation reads the orientation of a JPEG from its EXIF: 1 to 8, or 1 without one. The camera of a phone
// writes the pixels as its sensor has them, and the side that was up here.
func orientation(r io.Reader) int {
	in := bufio.NewReader(r)
	var head [4]byte
	if _, err := io.ReadFull(in, head[:2]); err != nil || head[0] != 0xff || head[1] != 0xd8 {
		return 1
	}
	for {
		if _, err := io.ReadFull(in, head[:]); err != nil || head[0] != 0xff || head[1] == 0xda { // the pixels begin
			return 1
		}
		size := int(binary.BigEndian.Uint16(head[2:])) - 2
		if size < 0 {
			return 1
		}
		if head[1] != 0xe1 {
			if _, err := in.Discard(size); err != nil {
				return 1
			}
			continue
		}
		segment := make([]byte, size)
		if _, err := io.ReadFull(in, segment); err != nil {
			return 1
		}
		if exif, ok := bytes.CutPrefix(segment, []byte("Exif\x00\x00")); ok {
			return orientationIn(exif)
		}
	}
}

// orientationIn reads the tag 0x0112 of the first directory of a TIFF.
func orientationIn(tiff []byte) int {
	var order binary.ByteOrder = binary.BigEndian
	if len(tiff) < 8 {
		return 1
	}
	if tiff[0] == 'I' {
		order = binary.LittleEndian
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return 1
	}
	entries := tiff[at+2:]
	for range order.Uint16(tiff[at:]) {
		if len(entries) < 12 {
			return 1
		}
		if order.Uint16(entries) == 0x0112 {
			if o := int(order.Uint16(entries[8:])); o >= 1 && o <= 8 {
				return o
			}
			return 1
		}
		entries = entries[12:]
	}
	return 1
}

// lies reports whether an image of an orientation lies on its side.
func lies(orientation int) bool { return orientation >= 5 }

// turned is an image as its orientation says that it is to be seen.
func turned(from *image.RGBA, orientation int) *image.RGBA {
	if orientation == 1 {
		return from
	}
	w, h := from.Rect.Dx(), from.Rect.Dy()
	to := image.NewRGBA(image.Rect(0, 0, w, h))
	if lies(orientation) {
		to = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			at := [...]image.Point{{x, y}, {w - 1 - x, y}, {w - 1 - x, h - 1 - y}, {x, h - 1 - y}, {y, x}, {h - 1 - y, x}, {h - 1 - y, w - 1 - x}, {y, w - 1 - x}}[orientation-1]
			to.SetRGBA(at.X, at.Y, from.RGBAAt(x, y))
		}
	}
	return to
}
