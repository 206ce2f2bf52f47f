package support

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// clientScript runs the generated clients' code with doors of its own against a host that
// answers tokens, and prints what the client sent.
const clientScript = `
const doors = { thing: { door: "thing", ops: { create: { builtin: "create" }, findById: { builtin: "findById" } } } };
const answers = ["a.05.x", "a.03.old, b.01.y", null, null];
const sent = [];
async function fetch(url, { headers, body }) {
  sent.push(headers["x-frond-consistency"] ?? "-");
  const answer = answers.shift();
  return { status: 200, headers: new Headers(answer ? { "X-Frond-Consistency": answer } : {}), json: async () => ({ jsonrpc: "2.0", id: JSON.parse(body).id, result: {} }) };
}
const client = createClient({ url: "http://host", fetch });
await client.thing.create({});
await client.thing.create({});
await client.thing.findById("t");
await createClient({ url: "http://host", fetch }).thing.findById("t");
console.log(sent.join("; "));
`

// TestClientEchoesConsistency: an npm client sends the newest token of each store that it
// received, and another client those of its own alone.
func TestClientEchoesConsistency(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	code, err := os.ReadFile("client.js")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "run.mjs")
	if err := os.WriteFile(file, append(code, clientScript...), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(node, file).CombinedOutput()
	if want := "-; a.05.x; a.05.x, b.01.y; -\n"; err != nil || string(out) != want {
		t.Errorf("sent %q, %v; want %q", out, err, want)
	}
}
