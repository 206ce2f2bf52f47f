package leak

import "testing"

func TestLeak(t *testing.T) {
	n := 0
	for seed := uint64(1); seed <= 60; seed++ {
		cases, err := prove(seed, int(seed)/20, false, hole{})
		n += cases
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Log(n)
}
