package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/e2e/testprogram"
)

// TestReadmes runs what the READMEs print. A block of commands is run where an
// HTML comment right above it says over which example:
//
//	<!-- run: shop -->
//	```console
//	$ curl -s http://127.0.0.1:8080/api/catalog/products/p-tamper?fields=name
//	{"name":"Walnut tamper, 58 mm"}
//	```
//
// The example is started on a free port, which takes the place of the printed
// address. A command goes on over lines as it does for the shell: behind a
// backslash, within quotes, and up to the END of a here-document. What stands under a command is what it has to print: JSON is compared
// as JSON, and a line of three dots stands for any lines. A command with nothing
// under it only has to succeed.
func TestReadmes(t *testing.T) {
	t.Parallel()
	need(t, "curl", "jq")
	for _, file := range []string{"README.md", "docs/tour.md", "docs/rights.md", "examples/shop/README.md", "examples/blog/README.md", "examples/weather/README.md", "examples/shipping/README.md"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			page, err := os.ReadFile(filepath.Join(root, file))
			if err != nil {
				t.Fatal(err)
			}
			whole := t // an example runs longer than the block that started it
			started := map[string]addresses{}
			shipping := &shippingExample{}
			for i, block := range consoleBlocks(string(page)) {
				t.Run(fmt.Sprint("block ", i+1), func(t *testing.T) {
					if started[block.example] == nil {
						if strings.HasPrefix(block.example, "shipping") {
							started[block.example] = shipping.become(whole, block.example)
						} else {
							started[block.example] = startExample(whole, block.example)
						}
					}
					for _, c := range block.commands {
						c.run(t, started[block.example])
					}
				})
			}
		})
	}
}

// addresses are where a page says that something listens, each with where it does.
type addresses map[string]string

func (a addresses) replacer(back bool) *strings.Replacer {
	var pairs []string
	for printed, actual := range a {
		printed, actual = strings.TrimPrefix(printed, "http://"), strings.TrimPrefix(actual, "http://")
		if back {
			printed, actual = actual, printed
		}
		pairs = append(pairs, printed, actual)
	}
	return strings.NewReplacer(pairs...)
}

// startExample starts an example for the rest of the test.
func startExample(t *testing.T, name string) addresses {
	t.Helper()
	switch name {
	case "shop":
		return addresses{"127.0.0.1:8080": startGateway(t, shopDir).URL}
	case "blog":
		return addresses{"127.0.0.1:8081": startProgram(t, name).URL}
	case "weather":
		return addresses{"127.0.0.1:8082": startProgram(t, name).URL}
	}
	t.Fatalf("there is no example %q to run the commands over", name)
	return nil
}

type consoleBlock struct {
	example  string
	commands []command
}

type command struct {
	line string // behind the prompt, with the lines it goes on over
	want string // what it prints; "" where the page does not say
}

// consoleBlocks are the marked blocks of a page.
func consoleBlocks(page string) []consoleBlock {
	var blocks []consoleBlock
	for {
		_, rest, found := strings.Cut(page, "<!-- run: ")
		if !found {
			return blocks
		}
		example, rest, _ := strings.Cut(rest, " -->\n```console\n")
		text, rest, _ := strings.Cut(rest, "```")
		page = rest
		block := consoleBlock{example: example}
		for _, line := range strings.SplitAfter(text, "\n") {
			last := len(block.commands) - 1
			switch rest, prompt := strings.CutPrefix(line, "$ "); {
			case prompt:
				block.commands = append(block.commands, command{line: rest})
			case last >= 0 && block.commands[last].want == "" && goesOn(block.commands[last].line):
				block.commands[last].line += line
			case last >= 0:
				block.commands[last].want += line
			}
		}
		if len(block.commands) > 0 {
			blocks = append(blocks, block)
		}
	}
}

// goesOn says whether a shell would wait for another line of the command.
func goesOn(line string) bool {
	if _, behind, here := strings.Cut(line, "<<'END'\n"); here {
		return !strings.Contains("\n"+behind, "\nEND\n")
	} else if strings.Contains(line, "<<'END'") {
		return true
	}
	quote := rune(0)
	escaped := false
	for _, r := range strings.TrimSuffix(line, "\n") {
		switch {
		case escaped:
			escaped = false
		case r == '\\' && quote != '\'':
			escaped = true
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case r == quote:
			quote = 0
		}
	}
	return escaped || quote != 0
}

func (c command) run(t *testing.T, where addresses) {
	t.Helper()
	c.runIn(t, root, where, "FROND_STORE=memory")
}

// runIn runs the command in a folder, with more in its environment.
func (c command) runIn(t *testing.T, dir string, where addresses, environ ...string) {
	t.Helper()
	line := where.replacer(false).Replace(c.line)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(line, "bin/frond ", "frond ")) // what `make` puts there
	cmd.Dir = dir
	cmd.Env = environment(append(environ, "PATH="+filepath.Dir(binary(t))+":"+os.Getenv("PATH"))...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := testprogram.Run(cmd)
	got := where.replacer(true).Replace(stdout.String() + stderr.String())
	if c.want == "" && err != nil {
		t.Errorf("$ %s%v\n%s", c.line, err, got)
	}
	if c.want != "" && !printsAs(c.want, got) {
		t.Errorf("$ %s(-want +got):\n%s", c.line, cmp.Diff(c.want, got))
	}
}

// printsAs compares what a page prints with what a command did.
func printsAs(want, got string) bool {
	want, got = strings.TrimSpace(want), strings.TrimSpace(got)
	var w, g any
	if json.Unmarshal([]byte(want), &w) == nil && json.Unmarshal([]byte(got), &g) == nil {
		return cmp.Equal(w, g)
	}
	parts := strings.Split(want, "\n...\n")
	for i, part := range parts {
		at := strings.Index(got, strings.TrimSuffix(strings.TrimPrefix(part, "...\n"), "\n..."))
		if at < 0 || i == 0 && at > 0 && !strings.HasPrefix(part, "...") {
			return false
		}
		got = got[at+len(strings.TrimSuffix(strings.TrimPrefix(part, "...\n"), "\n...")):]
	}
	return strings.TrimSpace(got) == "" || strings.HasSuffix(want, "...")
}

// TestConsoleBlocks: a README whose blocks are not seen would pass any test.
func TestConsoleBlocks(t *testing.T) {
	t.Parallel()
	page := "text\n<!-- run: shop -->\n```console\n$ one \\\n  more\n{\"a\": 1}\n$ two 'and\n  it's\n```\n```console\n$ not this\n```\n"
	want := []consoleBlock{{"shop", []command{{"one \\\n  more\n", "{\"a\": 1}\n"}, {"two 'and\n  it's\n", ""}}}}
	if diff := cmp.Diff(want, consoleBlocks(page), cmp.AllowUnexported(consoleBlock{}, command{})); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct {
		want, got string
		same      bool
	}{
		{`{"a": 1}`, `{"a":1}` + "\n", true},
		{`{"a": 1}`, `{"a":2}`, false},
		{"first\n...\nlast\n", "first\nmiddle\nlast\n", true},
		{"first\n...\nlast\n", "first\nmiddle\n", false},
		{"first\n...", "first\nmiddle\n", true},
		{"first", "first\nmiddle\n", false},
	} {
		if printsAs(c.want, c.got) != c.same {
			t.Errorf("%q prints as %q: want %v", c.want, c.got, c.same)
		}
	}
}
