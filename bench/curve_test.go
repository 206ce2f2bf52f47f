package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// TestCurves: every curve has a cost at each of its sizes, and the picture is XML that has them.
func TestCurves(t *testing.T) {
	curves, err := measureCurves(1000, 10, 100, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{3, 1, 3, 1} {
		if got := len(curves[i].points); got != want {
			t.Errorf("%s: %d points, want %d", curves[i].name, got, want)
		}
		for _, p := range curves[i].points {
			if p.micros <= 0 {
				t.Errorf("%s: %+v", curves[i].name, p)
			}
		}
	}
	picture := drawCurves(curves)
	if n := strings.Count(picture, "<circle"); n != 8 {
		t.Errorf("%d points are drawn, want 8", n)
	}
	d := xml.NewDecoder(strings.NewReader(picture))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v: %s", err, picture)
		}
	}
}

// TestCurveSpread: the spread is the greatest cost by the least.
func TestCurveSpread(t *testing.T) {
	c := curve{points: []curvePoint{{10, 2}, {100, 1}, {1000, 3}}}
	if got := c.spread(); got != 3 {
		t.Errorf("%v, want 3", got)
	}
}
