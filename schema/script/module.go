package script

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
)

// Module returns a JavaScript module with the judges of cards: imports of the runtime beside
// it (client/src), and what write writes. schema writes the constant of each card, once, and returns the
// expression of a judge: schema(card0, 0). mode is 0 for a new row or an input, 1 for a patch, 2 for a row.
//
//	import { schema } from "./judge.js";
//	import { email } from "./formats.js";
//
//	const card0 = {fields:[["email",{type:"string",format:"email"},1]],use:{formats:{email}}};
func Module(write func(b *strings.Builder, schema func(j *Judge, mode int, within ...*Judge) string)) string {
	m := &module{constants: map[string]string{}, formats: map[string]bool{}}
	write(&m.body, m.schema)
	head := "import { schema } from \"./judge.js\";\nexport { details, fill } from \"./judge.js\";\n"
	if m.engine {
		head += "import { engine } from \"./engine.js\";\n"
	}
	if m.matcher {
		head += "import { matcher } from \"./matcher.js\";\n"
	}
	if m.nested {
		head += "import { nested } from \"./nested.js\";\n"
	}
	if len(m.formats) > 0 {
		head += "import { " + strings.Join(slices.Sorted(maps.Keys(m.formats)), ", ") + " } from \"./formats.js\";\n"
	}
	return head + "\n" + m.body.String()
}

// module is a module being written.
type module struct {
	body      strings.Builder
	constants map[string]string // names by values
	formats   map[string]bool
	engine    bool
	matcher   bool
	nested    bool
}

// schema returns the expression of a judge.
func (m *module) schema(j *Judge, mode int, within ...*Judge) string {
	card := m.card(j)
	if len(within) == 0 {
		return fmt.Sprintf("schema(%s, %d)", card, mode)
	}
	m.nested = true
	relations, owner := make([]string, len(within)), ""
	for i, n := range within {
		id := map[schema.Kind]string{schema.KindString: "a string", schema.KindInteger: "a whole number"}[n.Key.Kind]
		relations[i] = "[" + quote(n.Relation) + "," + quote(n.Key.Name) + "," + quote(id)
		if n.By != nil {
			relations[i] += "," + m.card(n) + "," + quote(n.By.Name)
			owner = n.By.Link.Target.Primary.Name
		}
		relations[i] += "]"
	}
	return fmt.Sprintf("schema(/* @__PURE__ */ nested(%s, %s, [%s]), %d)", card, quote(owner), strings.Join(relations, ","), mode)
}

// card returns the name of the constant with a card.
func (m *module) card(s *Judge) string {
	var use []string
	if s.Engine {
		m.engine = true
		use = append(use, "engine")
	}
	if s.Matcher {
		m.matcher = true
		use = append(use, "matcher")
	}
	if len(s.Formats) > 0 {
		list := make([]string, len(s.Formats))
		for i, name := range s.Formats {
			local := schema.Camel(name)
			m.formats[local] = true
			if list[i] = local; local != name {
				list[i] = memberName(name) + ": " + local
			}
		}
		use = append(use, "formats: { "+strings.Join(list, ", ")+" }")
	}
	data := s.Data
	// A card has members: at least its fields, unless it takes any object.
	if use != nil {
		data = strings.TrimSuffix(data, "}") + "," + "use: { " + strings.Join(use, ", ") + " }}"
	}
	name, ok := m.constants[data]
	if !ok {
		name = fmt.Sprint("card", len(m.constants))
		m.constants[data] = name
		fmt.Fprintf(&m.body, "const %s = %s;\n", name, data)
	}
	return name
}
