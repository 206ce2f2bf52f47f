package contract

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/script"
)

// judgeScript is the module that has the cards as data and a constant for each entity and view.
//
//	import { schema } from "./judge.js";
//	import { email } from "./formats.js";
//	const card0 = {fields:[["email",{type:"string",format:"email"},1]],use:{formats:{email}}};
//	const judge0 = { create: /* @__PURE__ */ schema(card0, 0) };
//	export { judge0 as customer };
//
// A page that imports one constant ships its card alone. It also returns the fields that only
// the host judges, and the faults of cards for which there is no judge in JavaScript.
func (m *Model) judgeScript() (text string, skipped, faults schema.Faults) {
	text = script.Module(func(b *strings.Builder, expression func(*script.Judge, int, ...*script.Judge) string) {
		judge := func(name string, s Sent, mode int) string {
			judge, err := script.Of(s.Card, s.Preset...)
			if found := (schema.Faults{}); errors.As(err, &found) {
				faults = append(faults, found...)
			}
			skipped = append(skipped, judge.Skipped...)
			return fmt.Sprintf("%s: /* @__PURE__ */ %s", tsKey(name), expression(judge, mode, s.Within...))
		}
		for i, j := range m.Judges {
			var parts []string
			for _, s := range j.Sends {
				mode := 0
				if s.Mode == schema.Patch {
					mode = 1
				}
				parts = append(parts, judge(s.Op, s, mode))
			}
			if parts != nil {
				fmt.Fprintf(b, "const judge%d = { %s };\nexport { judge%[1]d as %[3]s };\n", i, strings.Join(parts, ", "), j.Member)
			}
		}
		var rows []string
		for _, d := range m.Doors {
			if d.Entity != nil {
				rows = append(rows, judge(d.Member, Sent{Card: d.Entity}, 2))
			}
		}
		fmt.Fprintf(b, "export const rows = { %s };\n", strings.Join(rows, ", "))
	})
	if faults != nil {
		return "", nil, once(faults)
	}
	return text, once(skipped), nil
}

// once returns the faults without those that several constants of an entity have.
func once(faults schema.Faults) schema.Faults {
	var list schema.Faults
	for _, f := range faults {
		if !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	return list
}

// Skipped returns the fields that the npm package does not judge, each with the reason: only the
// host can. It is empty if [Model.NPM] fails.
func (m *Model) Skipped() schema.Faults {
	_, skipped, _ := m.judgeScript()
	return skipped
}

// judgeImports are the judges of doors that query.js imports.
func judgeImports(m *Model) (names []string) {
	for i := range m.Doors {
		if name := m.Judges[i].Member; name != "" {
			names = append(names, fmt.Sprintf("%s as judge%d", name, i))
		}
	}
	return names
}
