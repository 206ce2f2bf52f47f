package script

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
)

// Module returns a JavaScript module with the judges of cards: imports of the runtime beside
// it (client/src), and what write writes. card writes the constant of a card, once, and returns its
// name:
//
//	import { schema } from "./judge.js";
//	import { email } from "./formats.js";
//
//	const card0 = {fields:[["email",{type:"string",format:"email"},1]],use:{formats:{email}}};
func Module(write func(b *strings.Builder, card func(*Judge) string)) string {
	m := &module{constants: map[string]string{}, formats: map[string]bool{}}
	write(&m.body, m.card)
	head := "import { schema } from \"./judge.js\";\nexport { details, fill } from \"./judge.js\";\n"
	if m.engine {
		head += "import { engine } from \"./engine.js\";\n"
	}
	if m.matcher {
		head += "import { matcher } from \"./matcher.js\";\n"
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
