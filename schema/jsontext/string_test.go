package jsontext_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/frondhost/frond/schema/jsontext"
)

// FuzzAppendString holds the writer to encoding/json: the text is the same, but for
// U+2028 and U+2029, which a JSON string may hold as they are.
func FuzzAppendString(f *testing.F) {
	for _, s := range []string{
		"", "plain text of some length", "\"\\\n\r\t\x00\x1f\x7f", "é😀\u2028", "\xff\xfe broken", "12345678\"", "1234567é9", "<b>&",
		"\xf0\x9f\x98", "a\xed\xa0\x80b", "\ufffd", "1234567\x1f", "\u20281234567",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(s); err != nil {
			t.Fatal(err)
		}
		plain := strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029", `\ufffd`, "\ufffd", `\b`, `\u0008`, `\f`, `\u000c`, `\\`, `\\`)
		text := "x" + plain.Replace(strings.TrimSuffix(want.String(), "\n"))
		if got := jsontext.AppendString([]byte("x"), s); string(got) != text {
			t.Errorf("%q is %s, want %s", s, got, text)
		}
		if got := jsontext.AppendText([]byte("x"), []byte(s)); string(got) != text {
			t.Errorf("%q in bytes is %s, want %s", s, got, text)
		}
		if back := jsontext.Unquote(jsontext.Quote(s)); back != strings.ToValidUTF8(s, "\ufffd") && back != string([]rune(s)) {
			t.Errorf("%q comes back as %q", s, back)
		}
	})
}

// TestAppendName: a member's name is quoted as a string and ends with a colon.
func TestAppendName(t *testing.T) {
	for name, want := range map[string]string{"": `{"":`, "title": `{"title":`, "a\"b": `{"a\"b":`, "<é>": `{"<é>":`} {
		if got := jsontext.AppendName([]byte("{"), name); string(got) != want {
			t.Errorf("%q is written %s, want %s", name, got, want)
		}
	}
}
