package kiterror

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"list", "findById", "findByIds", "create", "update", "delete", "publish"}
	for in, want := range map[string]string{
		"lst": "list", "findByID": "findById", "udpate": "update", "remove": "", "x": "", "": "", "publsh": "publish",
	} {
		if got := nearest(in, names); got != want {
			t.Errorf("%s: got %q want %q", in, got, want)
		}
	}
}
