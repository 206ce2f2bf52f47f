package publish

import "testing"

// TestNamesOfStreams: the names of a stream and of its subjects are judged where they are set.
func TestNamesOfStreams(t *testing.T) {
	for text, ok := range map[string]bool{"frond": true, "a.b": false, "a b": false, "": false, "a*": false} {
		if (checkNatsStream(text) == nil) != ok {
			t.Errorf("stream %q: %v", text, checkNatsStream(text))
		}
	}
	for text, ok := range map[string]bool{"frond": true, "acme.frond": true, "a..b": false, "": false, "a.*": false, "$JS": false, ">": false} {
		if (checkNatsPrefix(text) == nil) != ok {
			t.Errorf("prefix %q: %v", text, checkNatsPrefix(text))
		}
	}
}
