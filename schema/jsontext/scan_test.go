package jsontext_test

import (
	"testing"

	"github.com/frondhost/frond/schema/jsontext"
)

func TestGet(t *testing.T) {
	text := []byte(`{"a":1,"\u0062":2,"a\\n":3,"a\n":4,"":5,"aa":6,"c\"":7}`)
	for name, want := range map[string]string{
		"a": "1", "b": "2", `a\n`: "3", "a\n": "4", "": "5", "aa": "6", `c"`: "7",
		`\u0062`: "", `a\\n`: "", `c\"`: "", "ab": "",
	} {
		if got := jsontext.Get(text, name); string(got) != want {
			t.Errorf("%q is %s, want %s", name, got, want)
		}
	}
	plain := []byte(`{"a":1,"long enough":2}`)
	if n := testing.AllocsPerRun(10, func() { jsontext.Get(plain, "b") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestText(t *testing.T) {
	for value, want := range map[string]string{`"a"`: "a", " \"\\u00e9\"\n": "é", `""`: ""} {
		if got, ok := jsontext.Text([]byte(value)); got != want || !ok {
			t.Errorf("%q is %q, %t; want %q", value, got, ok, want)
		}
	}
	for _, value := range []string{"", "null", "1", "true", `["a"]`, `{"a":"b"}`} {
		if got, ok := jsontext.Text([]byte(value)); got != "" || ok {
			t.Errorf("%q is %q, %t; want no text", value, got, ok)
		}
	}
}
