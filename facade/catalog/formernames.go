package catalog

import (
	"encoding/json"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// FormerNames are the names that fields of rows had before, by the one that each has now.
type FormerNames []formerName

// formerName is a former name of a field, and its name today.
type formerName struct{ was, is string }

// Renew writes a row that was kept under former names under those of now; nil where it has none of
// them.
func (f FormerNames) Renew(row json.RawMessage) json.RawMessage {
	now := map[string]string{}
	for _, name := range f {
		if jsontext.Get(row, name.was) != nil && jsontext.Get(row, name.is) == nil {
			now[name.was] = name.is
		}
	}
	if len(now) == 0 {
		return nil
	}
	var out schema.Object
	for name, value := range jsontext.Members(row) {
		if is, old := now[name]; old {
			name = is
		}
		out = append(out, schema.Member{Name: name, Value: value})
	}
	return out.AppendJSON(nil)
}
