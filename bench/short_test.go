package main

import (
	"math"
	"strings"
	"testing"
	"time"
)

// TestComparedFault: one more allocation is a fault of a small request and not of a large one; a
// fifth more processor time is one everywhere.
func TestComparedFault(t *testing.T) {
	for _, c := range []struct {
		name    string
		objects [2]float64
		ratio   float64
		want    string
	}{
		{"equal", [2]float64{80, 80}, 1, ""},
		{"fewer allocations", [2]float64{80, 40}, 1, ""},
		{"a part of an object", [2]float64{80, 80.5}, 1, ""},
		{"one more object", [2]float64{80, 81}, 1, "allocations grew from 80 to 81"},
		{"one more of many", [2]float64{1000, 1001}, 1, ""},
		{"one hundredth more of many", [2]float64{1000, 1011}, 1, "allocations grew"},
		{"a little slower", [2]float64{80, 80}, 0.85, ""},
		{"a fifth slower", [2]float64{80, 80}, 0.79, "the ratio of processor time is 0.79"},
	} {
		got := ""
		if err := (&compared{"page", [2]float64{}, c.objects, c.ratio}).fault(); err != nil {
			got = err.Error()
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestSubjects: two programs answer in turns, and equal programs have equal allocations.
func TestSubjects(t *testing.T) {
	path := t.TempDir() + "/subject"
	if err := command("", "go", "build", "-buildvcs=false", "-o", path, "./subject"); err != nil {
		t.Fatal(err)
	}
	var pair subjects
	for i := range pair {
		var err error
		if pair[i], err = startSubject(path); err != nil {
			t.Fatal(err)
		}
		defer pair[i].stop()
	}
	results, err := pair.compare([]string{"findById"}, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	// Other goroutines of a process allocate too, a little.
	if r := results[0]; math.Round(r.objects[0]) != math.Round(r.objects[1]) || r.cpu[0] <= 0 || r.cpu[1] <= 0 {
		t.Errorf("%+v", r)
	}
	if _, err := pair.compare([]string{"none"}, time.Millisecond); err == nil || !strings.Contains(err.Error(), "unknown") {
		t.Errorf("an unknown request: %v", err)
	}
}
