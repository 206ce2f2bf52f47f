package main

import (
	"fmt"
	"strings"
)

// starting describes the project that frond init makes without a database.
type starting struct {
	frond string
	// empty leaves out entities, rules and rows; program adds a Go program.
	empty, program bool
}

// emptyFrond is the frond.yaml of a Frond without entities.
const emptyFrond = `# yaml-language-server: $schema=../../.schema/frond.json
# An entity is a card, such as entities/room.yaml:
#
#   # yaml-language-server: $schema=../../../.schema/card.json
#   type: object
#   properties:
#     id: { type: string, x-kit: { role: { primary: true }, lifecycle: { create: { generate: cuid2 } } } }
#     name: { type: string, maxLength: 80 }
#   required: [name]
#
# The access rules of its rows. The first rule whose when holds counts.
#
#   room:
#     - when: user.id != nil
#     - deny: [create, update, delete]
collectors: {}
`

// mainGo is the program, with the name of the Frond in place of FROND.
const mainGo = `// Command FROND serves the project in this folder, with functions of its own.
package main

import (
	"embed"

	"github.com/frondhost/frond"
)

//go:embed fronds gateway.yaml
var site embed.FS

func main() { frond.Main(newApp()) }

// newApp returns the project with the functions of the program: commands and queries, computed
// fields, hooks, consumers of facts. frond.Door names the entity that a function is for.
func newApp() *frond.App {
	app := frond.New(site)
	return app
}
`

// files returns the files that the project adds to those of the starter, by path.
func (m starting) files() map[string]string {
	files := map[string]string{}
	if m.empty {
		files["fronds/"+m.frond+"/frond.yaml"] = emptyFrond
	}
	if m.program {
		files["main.go"] = strings.ReplaceAll(mainGo, "FROND", m.frond)
		files["go.mod"] = "module " + m.frond + "\n\ngo 1.26.0\n"
		if v := readBuild().Version; strings.HasPrefix(v, "v") && !strings.Contains(v, "+") {
			files["go.mod"] += "\nrequire github.com/frondhost/frond " + v + "\n"
		}
	}
	return files
}

// summary names the parts of the project and the commands that serve it.
func (m starting) summary(dir string) string {
	has, run := "two entities, the rules for them and a few rows", "  frond gateway "+dir
	if m.empty {
		has = "the Frond " + m.frond + " without entities; fronds/" + m.frond + "/frond.yaml says how to write one"
	}
	if m.program {
		run = "  cd " + dir + "\n  go mod tidy\n  go run ."
	}
	return fmt.Sprintf("made %s: %s\n\nserve it:\n\n%s\n\nand open http://127.0.0.1:8080/graphql", dir, has, run)
}
