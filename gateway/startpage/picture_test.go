package startpage

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// doorsOf returns doors with relations that are written as from>to; a second > is the way back, too.
func doorsOf(relations string) []*door {
	named, of := map[string]*door{}, &frond{name: "app"}
	get := func(name string) *door {
		if named[name] == nil {
			named[name] = &door{name: name, frond: of}
			of.doors = append(of.doors, named[name])
		}
		return named[name]
	}
	for text := range strings.FieldsSeq(relations) {
		ends := strings.Split(text, ">")
		from, to := get(ends[0]), get(ends[len(ends)-1])
		if len(ends) > 1 {
			from.leads = append(from.leads, relation{name: to.name, to: to, by: from})
		}
		if len(ends) > 2 {
			to.leads = append(to.leads, relation{name: from.name, to: from, by: from})
		}
	}
	return of.doors
}

var rects = regexp.MustCompile(`<rect x="(-?\d+)" y="(\d+)" width="(\d+)"`)

// TestPicture: each door has one box, boxes do not overlap, and a relation has one arrow whichever ends declare it.
func TestPicture(t *testing.T) {
	star := ""
	for i := range 20 {
		star += fmt.Sprintf("leaf%d>hub ", i)
	}
	for _, c := range []struct {
		name, relations string
		arrows          int
	}{
		{"two", "post>>author", 1},
		{"a row of its own kind", "post>author category>category", 2},
		{"over a layer", "line>order order>person line>person", 3},
		{"a circle", "a>b b>c c>a", 3},
		{"both ways", "a>b b>a", 2},
		{"doors alone", "a b c", 0},
		{"a star", star, 20},
	} {
		doors := doorsOf(c.relations)
		picture := draw(doors, false)
		if n := strings.Count(picture, `class="line"`); n != c.arrows {
			t.Errorf("%s: %d arrows, want %d", c.name, n, c.arrows)
		}
		boxes := rects.FindAllStringSubmatch(picture, -1)
		if len(boxes) != len(doors) {
			t.Errorf("%s: %d boxes, want %d", c.name, len(boxes), len(doors))
		}
		ends := map[string]int{} // of the last box of a layer
		for _, box := range boxes {
			x, _ := strconv.Atoi(box[1])
			width, _ := strconv.Atoi(box[3])
			if end, some := ends[box[2]]; some && x < end {
				t.Errorf("%s: boxes overlap at %d %s", c.name, x, box[2])
			}
			ends[box[2]] = x + width
		}
	}
	if draw(doorsOf("one"), false) != "" || draw(doorsOf(strings.Repeat(star, 3)), false) == "" {
		t.Error("one door has no picture, and a relation of the same doors is one")
	}
	for i := range 25 {
		star += fmt.Sprintf("more%d>hub ", i)
	}
	if draw(doorsOf(star), false) != "" {
		t.Error("46 doors have no picture that is clear")
	}
}
