package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
)

// files compares the fields that hold files. Of hosts they are not compared: not every host describes them.
func (c *comparison) files() {
	for _, p := range c.doors() {
		if p.was == nil || p.is == nil || p.was.Entity == nil || p.is.Entity == nil {
			continue
		}
		pairs := pairUp(p.was.Files, p.is.Files, func(f *catalog.File) *catalog.File {
			return p.is.File(c.pair.newField(p.was.Entity, f.Field.Name))
		})
		for _, f := range pairs {
			try(&c.out, fileRules, f, place{surface: restSurface, at: p.either().Name + "." + f.either().Field.Name})
		}
	}
}

// fileRules are tried on every field that holds files.
var fileRules = []rule[pair[catalog.File]]{
	{changeKind{"files-removed", Breaking, onREST, "a field no longer holds files", "keep it under files: until no client reads or sends its files", ""}, gone(fileTypes)},
	{changeKind{"file-types-narrowed", Breaking, onREST, "a field takes files of fewer types", "keep the types until no client sends them", ""}, turned(func(was, is *catalog.File) bool { return len(without(was.Types, is.Types)) > 0 }, fileTypes)},
	{changeKind{"file-max-lowered", Breaking, onREST, "a field takes smaller files alone", "keep max, and check the size where the files are chosen", ""}, turned(func(was, is *catalog.File) bool { return was.Max > is.Max }, fileMax)},
	{changeKind{"file-size-removed", Breaking, onREST, "a smaller image is gone", "keep it under sizes: until no client requests it", ""}, turned(func(was, is *catalog.File) bool { return lacksSize(is, was) }, sizeNames)},
	{changeKind{"file-size-changed", Dangerous, onREST, "a smaller image has other dimensions", "add a size of another name", ""}, turned(func(was, is *catalog.File) bool {
		return slices.ContainsFunc(was.Sizes, func(s catalog.FileSize) bool {
			now, ok := is.Size(s.Name)
			return ok && (now.Width != s.Width || now.Height != s.Height)
		})
	}, sizeTexts)},
	{changeKind{"files-added", safe, onREST, "a field holds files", noAction, ""}, added(fileTypes)},
	{changeKind{"file-types-widened", safe, onREST, "a field takes files of more types", noAction, ""}, turned(func(was, is *catalog.File) bool { return len(without(is.Types, was.Types)) > 0 }, fileTypes)},
	{changeKind{"file-max-raised", safe, onREST, "a field takes larger files", noAction, ""}, turned(func(was, is *catalog.File) bool { return was.Max < is.Max }, fileMax)},
	{changeKind{"file-size-added", safe, onREST, "there is another smaller image", noAction, ""}, turned(func(was, is *catalog.File) bool { return lacksSize(was, is) }, sizeNames)},
}

func fileTypes(f *catalog.File) string { return strings.Join(f.Types, ", ") }

func fileMax(f *catalog.File) string { return fmt.Sprintf("%d bytes", f.Max) }

// lacksSize reports whether b has a size that a does not have.
func lacksSize(a, b *catalog.File) bool {
	return slices.ContainsFunc(b.Sizes, func(s catalog.FileSize) bool {
		_, ok := a.Size(s.Name)
		return !ok
	})
}

func sizeNames(f *catalog.File) string {
	names := make([]string, len(f.Sizes))
	for i, s := range f.Sizes {
		names[i] = s.Name
	}
	return strings.Join(names, ", ")
}

func sizeTexts(f *catalog.File) string {
	texts := make([]string, len(f.Sizes))
	for i, s := range f.Sizes {
		texts[i] = fmt.Sprintf("%s %dx%d", s.Name, s.Width, s.Height)
	}
	return strings.Join(texts, ", ")
}
