package client_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/client"
)

// need returns when the client's packages are installed (`make js`); else the test is
// skipped, and in CI it fails.
func need(t *testing.T) {
	t.Helper()
	_, err := os.Stat(filepath.Join("node_modules", ".package-lock.json"))
	if err == nil {
		_, err = exec.LookPath("node")
	}
	switch {
	case err == nil:
	case os.Getenv("CI") != "":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
}

// TestDist: dist is what the sources become.
func TestDist(t *testing.T) {
	need(t)
	out := t.TempDir()
	if said, err := exec.Command("node", "build.mjs", out).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	built, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range built {
		want, _ := os.ReadFile(filepath.Join(out, f.Name()))
		if got, err := fs.ReadFile(client.Files, "dist/"+f.Name()); err != nil || string(got) != string(want) {
			t.Errorf("dist/%s is not what its source becomes (%v); run npm run build", f.Name(), err)
		}
	}
	if kept, _ := fs.ReadDir(client.Files, "dist"); len(kept) != len(built) {
		t.Errorf("dist has %d files, %d are made", len(kept), len(built))
	}
}

// clientScript runs the client with a door of its own against a host that answers tokens, and
// prints what the client sent.
const clientScript = `
import { connect } from "./dist/connect.js";
const doors = { thing: { frond: "f", door: "thing", path: "/api/f/things", ops: { create: { builtin: "create" }, findById: { builtin: "findById", query: 1 } } } };
const answers = ["a.05.x", "a.03.old, b.01.y", null, null];
const sent = [];
async function fetch(url, { headers, body }) {
  sent.push(headers["x-frond-consistency"] ?? "-");
  const answer = answers.shift();
  return new Response(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(body).id, result: { n: 1 } }), { headers: answer ? { "X-Frond-Consistency": answer } : {} });
}
const client = connect(doors, { url: "http://host", fetch });
await client.thing.create({});
await client.thing.create({});
await client.thing.findById("t");
await connect(doors, { url: "http://host", fetch }).thing.findById("t");
console.log(sent.join("; "));
`

// TestClientEchoesConsistency: a client sends the newest token of each store that it received,
// and another client those of its own alone.
func TestClientEchoesConsistency(t *testing.T) {
	need(t)
	out, err := exec.Command("node", "--input-type=module", "-e", clientScript).CombinedOutput()
	if want := "-; a.05.x; a.05.x, b.01.y; -\n"; err != nil || string(out) != want {
		t.Errorf("sent %q, %v; want %q", out, err, want)
	}
}

// strictScript runs the client against hosts that answer what they should not, and one that is
// newer than it.
const strictScript = `
import { connect } from "./dist/connect.js";
import { schema } from "./dist/judge.js";
const doors = { thing: { frond: "f", door: "thing", path: "/api/f/things", ops: { list: { builtin: "list", query: 1 }, findById: { builtin: "findById", query: 1 } } } };
const strict = { thing: schema({ fields: [["id", { type: "string" }, 1], ["n", { type: "integer" }, 1]] }, 2) };
const answer = (text, status = 200) => async (url, { body }) => new Response(text.replace("ID", body ? JSON.parse(body).id : ""), { status });
const frame = (result) => answer('{"jsonrpc":"2.0","id":ID,"result":' + result + "}");
const say = (promise) => promise.then((x) => console.log(JSON.stringify(x)), (err) => console.log(err.name, err.code, err.message));
const client = (fetch, more) => connect(doors, { url: "http://host", fetch, retries: 0, ...more }).thing;
await say(client(frame('{"id":"a","n":"1"}'), { strict }).findById("a"));
await say(client(frame('{"id":"a","n":"1"}')).findById("a"));
await say(client(frame('{"id":"a","newer":true}'), { strict }).findById("a"));
await say(client(frame('{"items":[{"id":"a","n":1.5}],"total":1,"hasMore":false,"endCursor":null}'), { strict }).list());
await say(client(frame('"no list"')).list());
await say(client(answer("<html>", 502)).findById("a"));
await say(client(answer('{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"data":{"code":"SOMETHING_NEWER","message":"it is","entity":"thing"}}}')).findById("a"));
await say(client(answer("<html>", 404), { transport: "rest" }).findById("a"));
await say(client(async () => { throw new Error("down"); }).findById("a"));
await say(client((url, { signal }) => new Promise((_, fail) => signal.addEventListener("abort", () => fail(signal.reason))), { timeout: 5 }).findById("a"));
let known = false;
const signIn = async (url, sent) => (known ? frame('{"id":"a"}') : answer('{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"data":{"code":"UNAUTHORIZED","message":"who are you"}}}'))(url, sent);
await say(client(signIn, { onUnauthorized: () => {} }).findById("a"));
await say(client(signIn, { onUnauthorized: () => (known = true) }).findById("a"));
const facts = { "thing.made": { door: "thing", changes: "/api/f/facts/thing.made" } };
const first = async (fetch) => { for await (const event of connect(doors, { url: "http://host", fetch }, facts).facts["thing.made"]()) return event; };
await say(first(answer('{"data":{"code":"NOT_IMPLEMENTED","message":"this host streams no facts"}}', 501)));
await say(first(answer('{"data":{"code":"NOT_FOUND","message":"no fact is called that"}}', 404)));
await say(first(answer("<html>", 404)));
try { connect(doors, { url: "", transport: "soap" }); } catch (err) { console.log(err.name, err.message); }
`

// TestClientAgainstOthers: what is unknown passes, what the card forbids is a typed failure in
// strict mode, and an answer that is none names the status.
func TestClientAgainstOthers(t *testing.T) {
	need(t)
	out, err := exec.Command("node", "--input-type=module", "-e", strictScript).CombinedOutput()
	want := `KitError BAD_GATEWAY the host answered a row that its card forbids: n must be an integer
{"id":"a","n":"1"}
{"id":"a","newer":true}
KitError BAD_GATEWAY the host answered a row that its card forbids: n must be an integer
KitError BAD_GATEWAY the host answered no list
KitError BAD_GATEWAY the host answered status 502 and no JSON-RPC 2.0 frame
KitError SOMETHING_NEWER it is
KitError BAD_GATEWAY the host answered status 404 and no problem
KitError SERVICE_UNAVAILABLE the host cannot be reached
KitError GATEWAY_TIMEOUT the host did not answer within 5 ms
KitError UNAUTHORIZED who are you
{"id":"a"}
KitError NOT_IMPLEMENTED this host streams no facts
KitError NOT_FOUND no fact is called that
KitError BAD_GATEWAY the host answered status 404 and no stream of events
TypeError there is no transport soap; write rest, envelope or graphql
`
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, out, want)
	}
}

// TestClientFollows: everything that a client follows shares a connection, which is opened again
// behind the last position of each stream when it breaks off, is silent, or fails for now. What
// the host refuses is reported, and a reader that is slow misses nothing.
func TestClientFollows(t *testing.T) { prints(t, "changes") }

// TestClientWatches: a page changes in place where its order stays, and is read again where it does
// not, or where the host does not keep its position.
func TestClientWatches(t *testing.T) { prints(t, "watch") }

// TestClientBatches: calls of one tick are one request, as far as a host takes batches, and each has
// its own result, failure, position, signal and timeout.
func TestClientBatches(t *testing.T) { prints(t, "batch") }

// TestClientExports: rows come as they arrive, a reader that stops ends the request, and half of a file
// is a failure.
func TestClientExports(t *testing.T) { prints(t, "export") }

// TestClientInOlderBrowsers: the programs print the same where structuredClone and TextDecoderStream
// are missing.
func TestClientInOlderBrowsers(t *testing.T) {
	const without = `--import=data:text/javascript,delete globalThis.structuredClone; delete globalThis.TextDecoderStream;`
	for _, name := range []string{"batch", "changes", "export", "watch", "edits"} {
		prints(t, name, without)
	}
}

// prints compares what a program of testdata prints, run by node with further arguments.
func prints(t *testing.T, name string, args ...string) {
	t.Helper()
	need(t)
	out, err := exec.CommandContext(t.Context(), "node", append(args, "testdata/"+name+".mjs")...).CombinedOutput()
	want, failed := os.ReadFile("testdata/" + name + ".txt")
	if diff := cmp.Diff(string(want), string(out)); err != nil || failed != nil || diff != "" {
		t.Error(err, failed, diff)
	}
}

// TestTransportsAgree: what a path or GraphQL's types have no form for goes over the envelope, and a
// condition that is undefined is refused before anything is sent.
func TestTransportsAgree(t *testing.T) {
	need(t)
	out, err := exec.Command("node", "testdata/transports.mjs").CombinedOutput()
	want := `id undefined: POST /_kit/call => {"id":"a"}
id null: POST /_kit/call => {"id":"a"}
id : POST /_kit/call => {"id":"a"}
id .: POST /_kit/call => {"id":"a"}
id ..: POST /_kit/call => {"id":"a"}
id %2e: GET /api/f/things/%252e => {}
undefined id of a delete: POST /_kit/call => {"id":"a"}
filter: - => KitError VALIDATION_FAILED filter is undefined; give it a value, or leave it out [{"path":"filter","pointer":"/query/filter","code":"type","message":"is undefined; give it a value, or leave it out"}]
filter, deep: - => KitError VALIDATION_FAILED filter.or.0.n.eq is undefined; give it a value, or leave it out [{"path":"filter.or.0.n.eq","pointer":"/query/filter/or/0/n/eq","code":"type","message":"is undefined; give it a value, or leave it out"}]
where: - => KitError VALIDATION_FAILED where.n.eq is undefined; give it a value, or leave it out [{"path":"where.n.eq","pointer":"/query/where/n/eq","code":"type","message":"is undefined; give it a value, or leave it out"}]
ifMatch: - => KitError VALIDATION_FAILED ifMatch is undefined; give it a value, or leave it out [{"path":"ifMatch","pointer":"/query/ifMatch","code":"type","message":"is undefined; give it a value, or leave it out"}]
refused by a type: POST /graphql, POST /_kit/call => KitError VALIDATION_FAILED zz is refused 
accepted by the card: POST /graphql, POST /_kit/call => {"id":"a"}
no envelope there: POST /graphql, POST /_kit/call => KitError BAD_USER_INPUT no such member 
failed where it ran: POST /graphql => KitError CONFLICT taken 
no fields: POST /_kit/call => {"id":"a"}
nothing there: POST /graphql => null
no GraphQL there: POST /graphql => KitError NOT_FOUND nothing is served here 
another program there: POST /graphql => KitError BAD_GATEWAY the host answered status 200 and no GraphQL 
absent: {"id":"a","n":null,"friends":{"items":[{"id":"b","n":null}]}}
patch: {}
patch: {"n":null,"tags":[2],"nick":null}
patch: {"place":{"geo":{"lat":3}}}
position over rest: p7
position over envelope: p7
position over graphql: p7
no operation: - => KitError NOT_FOUND there is no operation thing.made 
TypeError there is no address of a host; write connect({ url: "http://127.0.0.1:8080" })
TypeError there is no address of a host; write connect({ url: "http://127.0.0.1:8080" })
TypeError there is no address of a host; write connect({ url: "http://127.0.0.1:8080" })
`
	if diff := cmp.Diff(want, string(out)); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// TestQueryOptions: keys have no bigint, rows keep their versions when data is shared or patched, and
// a deletion sends its options alone.
func TestQueryOptions(t *testing.T) {
	need(t)
	out, err := exec.Command("node", "testdata/query.mjs").CombinedOutput()
	want := `[["f","thing","list",{"filter":{"id":{"in":[7,"9007199254740993n"]}}}],["f","thing","findById",7],["f","thing","infinite",{"limit":2}]]
[false,"v2"]
[false,true,true,2,"v1","v3"]
[true,true,{}]
[{"id":2,"n":2,"at":{"x":1,"y":2},"etag":"v3"},"v3"]
[["{\"params\":{\"id\":2},\"query\":{\"ifMatch\":\"v3\"}}","{\"params\":{\"id\":2}}"]]
`
	if diff := cmp.Diff(want, string(out)); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// presignedScript uploads a file by a pre-signed address, and prints the requests of the client.
const presignedScript = `
import { connect } from "./dist/connect.js";
const doors = { thing: { frond: "f", door: "thing", path: "/api/f/things", files: { picture: "picture" }, ops: {} } };
let refused = false;
const sent = [];
async function fetch(url, { method, headers, body }) {
  sent.push([method, url, headers, body ? await body.text() : ""]);
  if (method === "PUT") return new Response("", { status: refused ? 403 : 200 });
  return Response.json(url.includes("sent=") ? { id: "i", name: "a.png" } : { id: "i", url: "http://s3/i/sent?signed", headers: { "X-Amz-Checksum-Sha256": "c" } }, { status: 201 });
}
const { upload } = connect(doors, { url: "http://host", fetch, headers: { authorization: "secret" } }).thing;
console.log(JSON.stringify(await upload("picture", new File(["abc"], "a.png", { type: "image/png" }), { presigned: true })));
for (const one of sent.splice(0)) console.log(JSON.stringify(one));
refused = true;
await upload("picture", new Blob(["abc"]), { presigned: true, type: "image/png" }).catch((err) => console.log(err.name, err.code, err.message));
`

// TestPresignedUpload: the bytes go to S3 alone, without the headers of the host.
func TestPresignedUpload(t *testing.T) {
	need(t)
	out, err := exec.Command("node", "--input-type=module", "-e", presignedScript).CombinedOutput()
	const want = `{"id":"i","name":"a.png"}
["POST","http://host/api/files?field=thing.picture&size=3&sha256=ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",{"content-type":"image/png","content-disposition":"attachment; filename*=UTF-8''a.png","authorization":"secret"},""]
["PUT","http://s3/i/sent?signed",{"X-Amz-Checksum-Sha256":"c"},"abc"]
["POST","http://host/api/files?field=thing.picture&sent=i",{"authorization":"secret"},""]
KitError BAD_GATEWAY S3 answered status 403; send the file again
`
	if err != nil || string(out) != want {
		t.Errorf("sent %s, %v; want %s", out, err, want)
	}
}

// fileScript prints the addresses of files and the progress of an upload: without XMLHttpRequest,
// and with one that reports it.
const fileScript = `
import { connect } from "./dist/connect.js";
const doors = { thing: { frond: "f", door: "thing", key: "id", path: "/api/f/things", files: { bigPicture: "big-picture" }, ops: {} } };
const at = (options) => connect(doors, options).thing;
const { fileUrl } = at("http://host/");
console.log(fileUrl("a/b", "bigPicture"), fileUrl({ id: 7, bigPicture: "x" }, "bigPicture", { size: "thumb" }), fileUrl({ id: 7, bigPicture: null }, "bigPicture"));
try { fileUrl({ bigPicture: "x" }, "bigPicture"); } catch (err) { console.log(err.message); }
const signing = at({ url: "http://host", fetch: async (url) => Response.json({ url: url.endsWith("thumb") ? "https://s3/x" : "/api/files/" + new URL(url).search }) });
console.log(await signing.signedFileUrl({ id: 7 }, "bigPicture"), await signing.signedFileUrl(7, "bigPicture", { size: "thumb" }));
const progress = [];
const onProgress = (sent, total) => progress.push(sent + "/" + total);
await at({ url: "http://host", fetch: async () => Response.json({ id: "i" }) }).setFile("a", "bigPicture", new Blob(["abcd"]), { onProgress });
console.log(progress.splice(0).join());
globalThis.XMLHttpRequest = class {
  upload = {};
  headers = [];
  open(...to) { this.to = to; }
  setRequestHeader(...header) { this.headers.push(header.join("=")); }
  getAllResponseHeaders = () => "content-type: application/json\r\nx-one: 1\r\n";
  abort() { this.onabort(); this.onloadend(); }
  send() {
    console.log(this.to.join(" "), this.headers.join());
    this.upload.onprogress({ loaded: 2 });
    if (this.to[1].endsWith("/slow/big-picture")) return;
    this.status = 200;
    this.responseText = '{"id":"i"}';
    this.onload();
    this.onloadend();
  }
};
const page = at({ url: "http://host", headers: { authorization: "secret" } });
console.log(JSON.stringify(await page.setFile("a", "bigPicture", new Blob(["abcd"], { type: "image/png" }), { onProgress })), progress.splice(0).join());
await page.setFile("slow", "bigPicture", new Blob(["abcd"]), { onProgress, timeout: 5 }).catch((err) => console.log(err.code));
`

// TestFilesOfAClient: the address of a file, and the progress of an upload.
func TestFilesOfAClient(t *testing.T) {
	need(t)
	out, err := exec.Command("node", "--input-type=module", "-e", fileScript).CombinedOutput()
	const want = `http://host/api/f/things/a%2Fb/big-picture http://host/api/f/things/7/big-picture?size=thumb undefined
fileUrl needs the id of the row; select it too
http://host/api/files/?address=true https://s3/x
4/4
PUT http://host/api/f/things/a/big-picture content-type=image/png,authorization=secret
{"id":"i"} 2/4,4/4
PUT http://host/api/f/things/slow/big-picture authorization=secret
GATEWAY_TIMEOUT
`
	if err != nil || string(out) != want {
		t.Errorf("printed %s, %v; want %s", out, err, want)
	}
}

// TestSizeOfAPage: a page that reads and writes rows loads at most 6.5 KB at once. Streams,
// files, exports, atomic calls, strict answers, REST and GraphQL follow when a call needs them.
func TestSizeOfAPage(t *testing.T) {
	need(t)
	out, err := exec.Command("node", "testdata/size.mjs").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	size, modules, _ := strings.Cut(string(out), "\n")
	if n, err := strconv.Atoi(size); err != nil || n > 6_500 {
		t.Errorf("the first chunk has %s bytes of brotli, want at most 6,500", size)
	}
	want := `first: batch.js connect.js errors.js json.js transport.js version.js
later: atomic.js changes.js edits.js exchange.js files.js graphql.js judge.js live.js rest.js stream.js tabs.js watch.js
`
	if diff := cmp.Diff(want, modules); diff != "" {
		t.Error(diff)
	}
}
