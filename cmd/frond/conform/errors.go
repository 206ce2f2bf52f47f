package conform

import (
	"strings"

	"github.com/frondhost/frond/schema/jsontext"
)

// errorsOf are the clauses of section 7.
var errorsOf = []clause{
	{ID: "unknown", Number: "7.1", Text: "an unknown operation is a failure frame: -32601, or -32000 with a KitError", Without: "answers INTERNAL_ERROR or BAD_GATEWAY", try: func(t *trial) {
		a := t.method("conform.noSuchOperation", "")
		switch {
		case t.verdict != passed:
		case a.Error == nil:
			t.fail("there is no error")
		case string(a.Error.Code) == "-32601":
		case string(a.Error.Code) != "-32000":
			t.fail("error.code is %s", orAbsent(a.Error.Code))
		default:
			t.kitError(a)
		}
	}},
	{ID: "keys", Number: "7.7", Text: "an unknown key of a body or a query is refused by VALIDATION_FAILED, with entity and operation", Without: "refuses the key itself, by the input card", try: perDoor(func(t *trial) {
		if op := t.door.op("list"); op == nil || op.Input == nil {
			t.skip("")
			return
		}
		a := t.call("list", `{"query":{"conformUnknown":1}}`)
		switch {
		case t.verdict != passed:
		case a.Error == nil:
			t.absent("the key is ignored")
		default:
			if t.kitError(a); t.verdict == passed && jsontext.Unquote(jsontext.Get(a.Error.Data, "code")) != "VALIDATION_FAILED" {
				t.fail("the code is %s", jsontext.Get(a.Error.Data, "code"))
			}
		}
	})},
}

// kitError fails a clause whose answer is no failure frame with a whole KitError.
func (t *trial) kitError(a *answer) {
	if string(a.Error.Code) != "-32000" && !strings.HasPrefix(string(a.Error.Code), "-326") {
		t.fail("error.code is %s, and domain failures have -32000", orAbsent(a.Error.Code))
	}
	for _, name := range []string{"code", "message"} {
		if !isText(jsontext.Get(a.Error.Data, name)) {
			t.fail("error.data has no %s: %s", name, orAbsent(a.Error.Data))
		}
	}
}
