package e2e_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// card is an entity with an id, a name and more fields, given as lines of YAML.
func card(fields ...string) string {
	text := "type: object\nproperties:\n" +
		"  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}\n" +
		"  name: {type: string}\n"
	required := []string{"name"}
	for _, f := range fields {
		text += "  " + f + "\n"
		name, rest, _ := strings.Cut(f, ":")
		if !strings.Contains(rest, "create:") && !strings.Contains(rest, "kind: many") && !strings.Contains(rest, "closed") {
			required = append(required, name)
		}
	}
	return text + "required: [" + strings.Join(required, ", ") + "]\nx-kit-version: 1\n"
}

// TestBadStarts: what cannot be served stops the start, with one message that
// names the spot and the way out, and never listens.
func TestBadStarts(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	fine := map[string]string{"fronds/a/entities/thing.yaml": card(), "fronds/a/frond.yaml": everybody}

	for _, c := range []struct {
		name  string
		files map[string]string
		args  []string // instead of --listen 127.0.0.1:0 --store memory
		says  []string
		code  int
	}{
		{
			name: "a card that is no YAML", files: map[string]string{"fronds/a/entities/thing.yaml": "type: [object"},
			says: []string{"fronds/a/entities/thing.yaml"}, code: 2,
		},
		{
			name: "a type that is none", files: map[string]string{"fronds/a/entities/thing.yaml": card("size: {type: strng}")},
			says: []string{"fronds/a/entities/thing.yaml", "#/properties/size/type", "string"}, code: 2,
		},
		{
			name: "every fault of every file at once",
			files: map[string]string{
				"fronds/a/entities/thing.yaml": card("size: {type: strng}", "colour: {type: string, x-kit: {boundary: {in: open}}}"),
				"fronds/b/entities/other.yaml": card("thingId: {type: string, x-kit: {role: {relation: {to: thong, kind: one}}}}"),
				"gateway.yaml":                 "limit: {body: 1MiB}\n",
			},
			says: []string{"thing.yaml#/properties/size/type", "thing.yaml#/properties/colour/x-kit/boundary/in", "other.yaml#/properties/thingId/x-kit/role/relation/to"}, code: 2,
		},
		{
			name: "an entity with two owners", files: map[string]string{"fronds/a/entities/thing.yaml": card(), "fronds/b/entities/Thing.yaml": card()},
			says: []string{"fronds/a/entities/thing.yaml", "fronds/b/entities/Thing.yaml"}, code: 2,
		},
		{
			name: "a many that two relations could be the other side of",
			files: map[string]string{
				"fronds/a/entities/author.yaml": card("posts: {type: array, items: {type: string}, x-kit: {role: {relation: {to: post, kind: many}}}}"),
				"fronds/a/entities/post.yaml": card("authorId: {type: string, x-kit: {role: {relation: {to: author, kind: one}}}}",
					"editorId: {type: string, x-kit: {role: {relation: {to: author, kind: one}}}}"),
			},
			says: []string{"author.yaml#/properties/posts", "authorId", "editorId", "by"}, code: 2,
		},
		{
			name: "a generator nobody has", files: map[string]string{"fronds/a/entities/thing.yaml": card("code: {type: string, x-kit: {lifecycle: {create: {generate: barcode}}}}")},
			says: []string{"thing.yaml#/properties/code/x-kit/lifecycle/create", "unknown generator", "barcode"}, code: 2,
		},
		{
			name: "a conversion nobody has", files: map[string]string{"fronds/a/entities/thing.yaml": card("code: {type: string, x-kit: {boundary: {in: {decode: rot13}}}}")},
			says: []string{"thing.yaml#/properties/code/x-kit/boundary/in", "unknown generator", "rot13"}, code: 2,
		},
		{
			name: "a plural that two doors claim",
			files: map[string]string{
				"fronds/a/entities/thing.yaml": card(), "fronds/a/entities/stuff.yaml": card(),
				"fronds/a/frond.yaml": "doors: {stuff: {plural: things}}\n",
			},
			says: []string{"things", "thing", "stuff", "plural"}, code: 2,
		},
		{
			name: "a GraphQL name that two doors claim",
			files: map[string]string{
				"fronds/a/entities/thing.yaml": card(), "fronds/b/entities/stuff.yaml": card(),
				"fronds/a/frond.yaml": everybody, "fronds/b/frond.yaml": "doors: {stuff: {graphql: Thing}}\n" + everybody,
			},
			says: []string{"Thing", "graphql"}, code: 2,
		},
		{
			name: "a door for an entity that is not there", files: map[string]string{"fronds/a/entities/thing.yaml": card(), "fronds/a/frond.yaml": "doors: {thong: {plural: thongs}}\n"},
			says: []string{"frond.yaml#/doors/thong"}, code: 2,
		},
		{
			name: "a key of frond.yaml that is not known, and what is", files: map[string]string{"fronds/a/entities/thing.yaml": card(), "fronds/a/frond.yaml": "dors: {}\n"},
			says: []string{"frond.yaml#/dors", "doors", "facts"}, code: 2,
		},
		{
			name: "a key of gateway.yaml that is not known, and what is", files: with(fine, "gateway.yaml", "listn: 127.0.0.1:1\n"),
			says: []string{"gateway.yaml", "listn", "listen"}, code: 2,
		},
		{
			name: "a limit that is no size", files: with(fine, "gateway.yaml", "limits: {body: plenty}\n"),
			says: []string{"gateway.yaml", "/limits/body", "1MiB"}, code: 2,
		},
		{
			name: "dev identity on every address", files: with(fine, "gateway.yaml", "identity: {dev: true}\n"), args: []string{"--listen", "0.0.0.0:0", "--store", "memory"},
			says: []string{"dev", "0.0.0.0", "127.0.0.1"}, code: 2,
		},
		{
			name: "doors that everybody may use and nobody called open",
			files: map[string]string{
				"fronds/a/entities/thing.yaml": card(), "fronds/a/entities/stuff.yaml": card(), "fronds/a/frond.yaml": "collectors: {stuff: open}\n",
				"fronds/b/entities/other.yaml": card(),
			},
			says: []string{`fronds/a/frond.yaml#/collectors/thing`, `write the line "thing: open"`, `fronds/b/frond.yaml#/collectors/other`, `write the line "other: open"`}, code: 2,
		},
		{name: "a flag that is not known", files: fine, args: []string{"--lisen", "127.0.0.1:0"}, says: []string{"--lisen"}, code: 2},
		{name: "a store of a kind that is not known", files: fine, args: []string{"--store", "mysql:x", "--listen", "127.0.0.1:0"}, says: []string{"sqlite:", "memory"}, code: 2},
		{
			name: "a port in use", files: fine, args: []string{"--listen", taken.Addr().String(), "--store", "memory"},
			says: []string{taken.Addr().String(), "port"}, code: 2,
		},
		{
			name: "a store that cannot be opened", files: fine, args: []string{"--listen", "127.0.0.1:0", "--store", "sqlite:/dev/null/rows.db"},
			says: []string{"/dev/null/rows.db"}, code: 2,
		},
		{
			name: "a seed its card refuses", files: with(fine, "fronds/a/seeds/thing.yaml", "- {id: t-1, name: One}\n- {id: t-2, nom: Two}\n"),
			says: []string{"seeds/thing.yaml", "nom", "name"}, code: 2,
		},
		{
			name: "seeds for an entity that is not there", files: with(fine, "fronds/a/seeds/thong.yaml", "- {id: t-1}\n"),
			says: []string{"seeds/thong.yaml"}, code: 2,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := c.args
			if args == nil {
				args = []string{"--listen", "127.0.0.1:0", "--store", "memory"}
			}
			got := run(t, "", append([]string{"gateway", folder(t, c.files)}, args...)...)
			checkRefusal(t, got, c.code, c.says)
		})
	}
	t.Run("a folder that is not there", func(t *testing.T) {
		checkRefusal(t, run(t, "", "gateway", filepath.Join(t.TempDir(), "nowhere"), "--listen", "127.0.0.1:0"), 2, []string{"nowhere"})
	})
	t.Run("a folder without cards", func(t *testing.T) {
		checkRefusal(t, run(t, "", "gateway", t.TempDir(), "--listen", "127.0.0.1:0", "--store", "memory"), 2, []string{"entities"})
	})
	t.Run("check finds the same without starting", func(t *testing.T) {
		dir := folder(t, map[string]string{"fronds/a/entities/thing.yaml": card("size: {type: strng}")})
		got := run(t, "", "check", dir)
		if got.code != 2 || !strings.Contains(got.stdout, "thing.yaml#/properties/size/type") {
			t.Errorf("exit code %d\n%s%s", got.code, got.stdout, got.stderr)
		}
	})
}

// with is files and one more.
func with(files map[string]string, name, text string) map[string]string {
	all := map[string]string{name: text}
	for n, v := range files {
		all[n] = v
	}
	return all
}

func checkRefusal(t *testing.T, got ran, code int, says []string) {
	t.Helper()
	if got.code != code {
		t.Errorf("exit code %d, want %d\n%s", got.code, code, got.stderr)
	}
	if got.stdout != "" {
		t.Errorf("talk belongs on stderr, stdout has: %s", got.stdout)
	}
	for _, s := range says {
		if !strings.Contains(got.stderr, s) {
			t.Errorf("the message does not say %q:\n%s", s, got.stderr)
		}
	}
	for _, s := range []string{"listening on", "goroutine ", "panic", "not yet", "Usage:"} {
		if strings.Contains(got.stderr, s) {
			t.Errorf("the message says %q:\n%s", s, got.stderr)
		}
	}
}

// TestSchemaChanges: a start may add to what is stored; it never throws away.
func TestSchemaChanges(t *testing.T) {
	t.Parallel()
	store := "sqlite:" + filepath.Join(t.TempDir(), "rows.db")
	dir := folder(t, map[string]string{"fronds/a/entities/thing.yaml": card("size: {type: integer}"), "fronds/a/frond.yaml": everybody})
	start := func() *program { return startGateway(t, dir, "--store", store) }

	p := start()
	if res := send(t, "POST", p.URL+"/api/a/things", `{"id":"t-1","name":"One","size":3}`); res.Status != 201 {
		t.Fatalf("create: %d %s", res.Status, res.Body)
	}
	p.stop(t)

	write(t, dir, map[string]string{"fronds/a/entities/thing.yaml": card("size: {type: integer}", "colour: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}")})
	p = start()
	if res := send(t, "GET", p.URL+"/api/a/things/t-1", ""); string(res.Body) != `{"id":"t-1","name":"One","size":3,"colour":null}` {
		t.Errorf("after a field was added: %d %s", res.Status, res.Body)
	}
	p.stop(t)

	t.Run("a field that is gone keeps its column", func(t *testing.T) {
		write(t, dir, map[string]string{"fronds/a/entities/thing.yaml": card("colour: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}")})
		p := start()
		if res := send(t, "GET", p.URL+"/api/a/things/t-1", ""); string(res.Body) != `{"id":"t-1","name":"One","colour":null}` {
			t.Errorf("the row without the field: %d %s", res.Status, res.Body)
		}
		p.stop(t)
		if log := p.stderr(); !strings.Contains(log, "table thing, column size") {
			t.Errorf("the log does not name the column:\n%s", log)
		}
	})
	for name, change := range map[string]struct {
		card string
		says []string
	}{
		"a field of another type":    {card("size: {type: array, items: {type: string}}", "colour: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}"), []string{"thing", "size"}},
		"a new field without a rule": {card("size: {type: integer}", "colour: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}", "shape: {type: string}"), []string{"thing", "shape"}},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, dir, map[string]string{"fronds/a/entities/thing.yaml": change.card})
			got := run(t, "", "gateway", dir, "--listen", "127.0.0.1:0", "--store", store)
			if got.code != 1 && got.code != 2 {
				t.Errorf("exit code %d, want 1 or 2", got.code)
			}
			checkRefusal(t, got, got.code, change.says)
		})
	}
	t.Run("and the row is still there", func(t *testing.T) {
		write(t, dir, map[string]string{"fronds/a/entities/thing.yaml": card("size: {type: integer}", "colour: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}")})
		if res := send(t, "GET", start().URL+"/api/a/things/t-1", ""); res.Status != 200 || !strings.Contains(string(res.Body), `"size":3`) {
			t.Errorf("%d %s", res.Status, res.Body)
		}
	})
	if _, err := os.Stat(strings.TrimPrefix(store, "sqlite:")); err != nil {
		t.Error(err)
	}
}
