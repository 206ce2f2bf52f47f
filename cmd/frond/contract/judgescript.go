package contract

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/script"
)

// exported are the names that the package exports in addition to those of entities and views.
var exported = []string{"details", "fill", "rows", "createClient", "KitError"}

// judgeNames are the names of the judges in index.js, those of the doors first; "" where callers
// send nothing.
func (m *Model) judgeNames() []string {
	taken := newNames(exported...)
	names := make([]string, len(m.Judges))
	for i, j := range m.Judges {
		if len(j.Sends) > 0 {
			names[i] = taken.take(member(j.Name))
		}
	}
	return names
}

// judgeScript is the module that has the cards as data and a constant for each entity and view.
//
//	import { schema } from "./judge.js";
//	import { email } from "./formats.js";
//	const card0 = {fields:[["email",{type:"string",format:"email"},1]],use:{formats:{email}}};
//	const judge0 = { create: /* @__PURE__ */ schema(card0, 0) };
//	export { judge0 as customer };
//
// A page that imports one constant ships its card alone. It also returns the fields that only
// the host judges. The error is schema.Faults: cards for which there is no judge in JavaScript.
func (m *Model) judgeScript() (text string, skipped schema.Faults, err error) {
	text = script.Module(func(b *strings.Builder, expression func(*script.Judge, int, ...*script.Judge) string) {
		w := &judgeWriter{body: b, expression: expression}
		err = m.writeJudges(w)
		skipped = once(w.skipped)
	})
	if err != nil {
		return "", nil, err
	}
	return text, skipped, nil
}

// writeJudges writes the constants of entities, views and rows.
func (m *Model) writeJudges(w *judgeWriter) error {
	names := m.judgeNames()
	var faults schema.Faults
	for i, j := range m.Judges {
		var parts []string
		for _, s := range j.Sends {
			mode := 0
			if s.Mode == schema.Patch {
				mode = 1
			}
			judge, err := w.judge(s, mode)
			if err != nil {
				var found schema.Faults
				if !errors.As(err, &found) {
					return err
				}
				faults = append(faults, found...)
				continue
			}
			parts = append(parts, fmt.Sprintf("%s: /* @__PURE__ */ %s", tsKey(s.Op), judge))
		}
		if len(parts) > 0 {
			fmt.Fprintf(w.body, "const judge%d = { %s };\nexport { judge%[1]d as %[3]s };\n", i, strings.Join(parts, ", "), names[i])
		}
	}
	var rows []string
	for i, member := range m.members() {
		if e := m.Doors[i].Entity; e != nil && len(faults) == 0 {
			judge, err := w.judge(Sent{Card: e}, 2)
			if err != nil {
				return err
			}
			rows = append(rows, fmt.Sprintf("%s: /* @__PURE__ */ %s", tsKey(member), judge))
		}
	}
	fmt.Fprintf(w.body, "export const rows = { %s };\n", strings.Join(rows, ", "))
	if len(faults) > 0 {
		return once(faults)
	}
	return nil
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
// host can. None where [Model.NPM] fails.
func (m *Model) Skipped() schema.Faults {
	_, skipped, _ := m.judgeScript()
	return skipped
}

// judgeWriter writes the constants of a module.
type judgeWriter struct {
	body       *strings.Builder
	expression func(j *script.Judge, mode int, within ...*script.Judge) string
	skipped    schema.Faults
}

// judge is the expression of the judge of s.
func (w *judgeWriter) judge(s Sent, mode int) (string, error) {
	judge, err := script.Of(s.Card, s.Preset...)
	if err != nil {
		return "", err
	}
	w.skipped = append(w.skipped, judge.Skipped...)
	return w.expression(judge, mode, s.Within...), nil
}

// judgeTypes declares the constants.
//
//	declare const judge0: { readonly create: Schema<CustomerInput> };
//	export { judge0 as customer };
func (m *Model) judgeTypes() string {
	w := &tsWriter{}
	for i, name := range m.judgeNames() {
		if name == "" {
			continue
		}
		w.line("\n/** The bodies of requests to %s, as schemas of Standard Schema. */\ndeclare const judge%d: {", m.Judges[i].Name, i)
		for _, s := range m.Judges[i].Sends {
			w.line("  readonly %s: Schema<%s>;", tsKey(s.Op), s.Type.Name)
		}
		w.line("};\nexport { judge%d as %s };", i, name)
	}
	w.line("\n/** Rows as a host answers them, for ClientOptions.strict. */\nexport declare const rows: {")
	for i, member := range m.members() {
		if m.Doors[i].Entity != nil {
			w.line("  readonly %s: Schema<never>;", tsKey(member))
		}
	}
	w.line("};")
	return w.String()
}
