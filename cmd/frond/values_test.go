package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseValues(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f.json")
	if err := os.WriteFile(file, []byte("[1, 2]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		want string // the object, or with ! in front words of the error
	}{
		{"nothing", nil, `{}`},
		{"a string stays a string", []string{"count=3"}, `{"count":"3"}`},
		{"an empty string", []string{"name="}, `{"name":""}`},
		{"JSON", []string{"count:=3", "tags:=[\"a\"]", "off:=null"}, `{"count":3,"tags":["a"],"off":null}`},
		{"an equals sign in the value", []string{"q=a=b", "u=http://x:=y"}, `{"q":"a=b","u":"http://x:=y"}`},
		{"a colon in the name stays", []string{"a:b=1"}, `{"a:b":"1"}`},
		{"dots go down, in the order written", []string{"filter.price.gte:=10", "sort=-price", "filter.price.lt:=20", "filter.name.eq=x"}, `{"filter":{"price":{"gte":10,"lt":20},"name":{"eq":"x"}},"sort":"-price"}`},
		{"a file's text", []string{"body=@" + file}, `{"body":"[1, 2]\n"}`},
		{"a file's JSON", []string{"body:=@" + file}, `{"body":[1, 2]}`},
		{"quotes and control letters are escaped", []string{"a=\"\n"}, `{"a":"\"\n"}`},
		{"no value", []string{"name"}, `!"name" gives no value; write name=text`},
		{"no name", []string{"=x"}, `!gives no value`},
		{"no name but a colon", []string{":=x"}, `!gives no value`},
		{"an empty word", []string{"a..b=x"}, `!empty name between its dots`},
		{"not JSON", []string{"a:=x"}, `!a is not JSON: line 1`},
		{"half a surrogate pair", []string{`a:="\ud800"`}, `!half a surrogate pair is not a character`},
		{"bytes that are no UTF-8", []string{"a=\xed\xa0\x80"}, `!"a" is not UTF-8`},
		{"a name that is no UTF-8", []string{"\xff=1"}, `!is not UTF-8`},
		{"a key twice in the JSON", []string{`a:={"b":1,"b":2}`}, `!occurs twice`},
		{"a file that is not there", []string{"a=@nowhere"}, `!cannot be read`},
		{"a name twice", []string{"a=1", "a=2"}, `!a is given twice`},
		{"a value and something below it", []string{"a=1", "a.b=2"}, `!a is given twice`},
		{"something below a value", []string{"a.b=2", "a=1"}, `!a is given twice`},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := parseValues(c.args)
			words, fails := strings.CutPrefix(c.want, "!")
			switch {
			case fails && (err == nil || !strings.Contains(err.Error(), words)):
				t.Errorf("got %v, want %s", err, words)
			case !fails && err != nil:
				t.Error(err)
			case !fails:
				if got := string(v.appendJSON(nil, nil)); got != c.want {
					t.Errorf("got  %s\nwant %s", got, c.want)
				}
			}
		})
	}
}

func TestReadBody(t *testing.T) {
	for _, c := range []struct{ arg, stdin, want, fails string }{
		{arg: "-", stdin: `{"a":1}`, want: `{"a":1}`},
		{arg: `{"a":null}`, want: `{"a":null}`},
		{arg: "@nowhere", fails: "--body: the file cannot be read"},
		{arg: "-", stdin: "", fails: "--body is not JSON"},
		{arg: "{", fails: "--body is not JSON"},
	} {
		got, err := readBody(c.arg, strings.NewReader(c.stdin))
		if string(got) != c.want || (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("readBody(%q) = %s, %v", c.arg, got, err)
		}
	}
}
