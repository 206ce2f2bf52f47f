// The Frond `books`: a host in Node, without a package. It believes no caller without the signature of a gateway
// (docs/signed-calls.md), if it is given the gateway's public key:
//
//   node books.mjs [PUBLIC-KEY.pem]
import { createHash, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const FROND = "books", MAX_BODY = 1 << 20;
const text = { type: "string" };
const card = (title, properties, required = []) => ({ title, type: "object", properties, required, "x-kit-version": 1 });
const BOOK = card("book", {
  id: { ...text, "x-kit": { role: { primary: true } } },
  title: text,
  pages: { type: "integer", minimum: 1 },
  cover: { type: ["string", "null"], "x-kit": { lifecycle: { create: "optional" } } },
}, ["id", "title", "pages"]);
const LIST = card("bookList", {
  filter: { type: "object", properties: { id: {}, title: {}, pages: {}, and: {} } }, sort: text, after: text, limit: { type: "integer" },
});
const DISCOVERY = { "x-kit-version": 1, fronds: [{ name: FROND, facts: [{ name: "bookAdded", schema: BOOK }], doors: [{
  name: "book", schema: BOOK, fileFields: { cover: { types: ["image/png"], max: 65536 } }, ops: [
    { name: "list", kind: "query", input: LIST }, { name: "findById", kind: "query", output: BOOK }, { name: "findByIds", kind: "query" },
    { name: "create", kind: "command", input: BOOK, output: BOOK }, { name: "update", kind: "command", input: BOOK, output: BOOK },
    { name: "delete", kind: "command" }] }] }] };
const books = new Map(["Emma", "Ulysses", "Middlemarch", "Dune"].map((title, n) => [`b${n + 1}`, { id: `b${n + 1}`, title, pages: 300 + n, cover: null }]));
const events = [];

class KitError extends Error {
  constructor(code, message, details) { super(message); this.data = { code, message, ...(details && { details }) }; }
}
const invalid = (pointer, code, message) => new KitError("VALIDATION_FAILED", message, [{ path: pointer.split("/").pop(), pointer, code, message }]);

// judge refuses a body that does not meet the card; a patch may lack fields.
function judge(body, patch) {
  for (const [name, v] of Object.entries(body)) {
    const field = BOOK.properties[name];
    if (!field) throw invalid(`/body/${name}`, "unknown_key", `${name} is no field of book; leave it out`);
    const is = v === null ? "null" : Number.isInteger(v) ? "integer" : typeof v;
    if (![field.type].flat().includes(is)) throw invalid(`/body/${name}`, "type", `${name} is ${is}; write ${[field.type].flat().join(" or ")}`);
    if (v < field.minimum) throw invalid(`/body/${name}`, "minimum", `${name} is below ${field.minimum}`);
  }
  for (const name of patch ? [] : BOOK.required) if (!(name in body)) throw invalid(`/body/${name}`, "required", `${name} is missing`);
}

function meets(book, filter) {
  return Object.entries(filter).every(([name, test]) => name === "and" ? test.every((f) => meets(book, f)) : Object.entries(test).every(([op, v]) => {
    if (!(name in BOOK.properties) || op !== "eq" && op !== "in") throw invalid(`/query/filter/${name}`, "operator", "a filter here has eq and in");
    return op === "eq" ? book[name] === v : v.includes(book[name]);
  }));
}

const found = (call) => books.get(call.params.id) ?? (() => { throw new KitError("NOT_FOUND", "there is no book with this id"); })();
const METHODS = {
  "rpc.discover": () => DISCOVERY,
  "book.list": ({ query }) => {
    for (const name of Object.keys(query)) if (!(name in LIST.properties)) throw invalid(`/query/${name}`, "unknown_key", `list takes no ${name}; leave it out`);
    const key = (query.sort ?? "id").replace(/^-/, ""), way = query.sort?.startsWith("-") ? -1 : 1;
    if (!(key in BOOK.properties)) throw invalid("/query/sort", "unknown_key", `there is no ${key} to sort by`);
    const all = [...books.values()].filter((b) => meets(b, query.filter ?? {}))
      .sort((a, b) => way * (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : a.id < b.id ? -1 : 1));
    const start = query.after === undefined ? 0 : all.findIndex((b) => b.id === query.after) + 1;
    const items = all.slice(start, start + (query.limit ?? 50));
    return { items, total: all.length, hasMore: start + items.length < all.length, endCursor: items.at(-1)?.id ?? null };
  },
  "book.findById": ({ params }) => books.get(params.id) ?? null,
  "book.findByIds": ({ query }) => query.ids.filter((id) => books.has(id)).map((id) => books.get(id)),
  "book.create": ({ body }) => {
    judge(body);
    if (books.has(body.id)) throw new KitError("CONFLICT", "there is a book with this id");
    const made = { cover: null, ...body };
    books.set(made.id, made);
    events.push({ id: `e${events.length}`, position: String(events.length + 1), name: "bookAdded", entity: "book", key: made.id, at: new Date().toISOString(), data: made });
    return made;
  },
  "book.update": (call) => {
    judge(call.body, true);
    return Object.assign(found(call), call.body);
  },
  "book.delete": (call) => books.delete(found(call).id),
};

function failure(id, code, data) { return { jsonrpc: "2.0", id, error: { code, message: data.message, data } }; }

function answer(frame, state) {
  if (frame?.jsonrpc !== "2.0" || typeof frame.method !== "string") return failure(null, -32600, { code: "BAD_REQUEST", message: "this is not a JSON-RPC 2.0 request" });
  const [entity, operation] = frame.method.split("."), sent = frame.params ?? {};
  if (!(frame.method in METHODS)) return failure(frame.id, -32601, { code: "NOT_FOUND", message: `there is no ${frame.method}` });
  try {
    const call = { params: sent.params ?? {}, query: sent.query ?? {}, body: sent.body ?? {}, state: state ?? sent.state ?? {} };
    return { jsonrpc: "2.0", id: frame.id, result: METHODS[frame.method](call) };
  } catch (e) {
    if (!(e instanceof KitError)) { console.error(e); return failure(frame.id, -32000, { code: "INTERNAL_ERROR", message: "something went wrong here" }); }
    return failure(frame.id, -32000, { ...e.data, entity, operation });
  }
}

// The gateway's key, and the tokens that it used. A token is remembered for as long as it would be valid.
const key = process.argv[2] && createPublicKey(readFileSync(process.argv[2]));
const kid = key && createHash("sha256").update(JSON.stringify((({ crv, kty, x }) => ({ crv, kty, x }))(key.export({ format: "jwk" })))).digest("base64url");
const began = Math.floor(Date.now() / 1000), SKEW = 30, used = new Map();
class Unsigned extends Error {}
const must = (ok, why) => { if (!ok) throw new Unsigned(why); };

// canonical is JSON with sorted names, as JavaScript sorts them.
function canonical(v) {
  if (Array.isArray(v)) return `[${v.map(canonical).join(",")}]`;
  if (v === null || typeof v !== "object") return Number.isInteger(v) ? BigInt(v).toString() : JSON.stringify(v);
  return `{${Object.keys(v).sort().map((name) => `${JSON.stringify(name)}:${canonical(v[name])}`).join(",")}}`;
}
const digest = (v) => createHash("sha256").update(canonical(v)).digest("base64url");

// state returns the caller that a token names. what is that which it is for: a post without its token and states, or the line of a request.
function stateOf(token, what) {
  const parts = String(token ?? "").split(".");
  must(parts.length === 3 && parts.every((p) => /^[\w-]+$/.test(p)), "this host answers signed calls alone");
  const [head, claims] = parts.slice(0, 2).map((p) => { try { return JSON.parse(Buffer.from(p, "base64url")); } catch { return null; } });
  must(head?.alg === "EdDSA" && head.typ === "kit-call+jwt" && Object.keys(head).length === 3 && head.kid === kid, "the key is unknown");
  must(verify(null, Buffer.from(`${parts[0]}.${parts[1]}`), key, Buffer.from(parts[2], "base64url")), "the signature does not hold");
  const now = Math.floor(Date.now() / 1000), { aud, iat, exp, jti, call, state } = claims ?? {};
  must(aud === FROND, `the token is for ${aud}, and this is ${FROND}`);
  must(Number.isInteger(iat) && Number.isInteger(exp) && iat < exp && exp <= iat + 60 && iat <= now + SKEW && now < exp + SKEW && iat >= began, "the token is of another time");
  must(call === digest(what), "the token is for another call");
  for (const [id, until] of used) if (until < now) used.delete(id);
  must(typeof jti === "string" && !used.has(jti), "the token was used before");
  used.set(jti, exp + SKEW);
  return state;
}

// stateOfPost takes the token from a post. A number that a double does not hold is refused: its digest would be another one.
function stateOfPost(post, body) {
  if (!key) return null;
  must(!/\d{16}/.test(body.replace(/"(?:[^"\\]|\\.)*"/g, '""')), "a number has more digits than this host takes");
  const token = [post].flat()[0]?.params?.identity;
  for (const frame of [post].flat()) { delete frame?.params?.identity; delete frame?.params?.state; }
  return stateOf(token, post);
}

function facts(query) {
  const after = Number(query.get("after") ?? 0), limit = Number(query.get("limit") ?? 100), last = events.length;
  if (!Number.isInteger(after) || after < 0 || after > last) throw new KitError("BAD_REQUEST", "after is a position of an event, or 0");
  const given = events.slice(after, after + limit);
  return { events: given, position: given.at(-1)?.position ?? String(limit ? last : after), oldest: "0", last: String(last) };
}

function get(request) {
  const [path, query = ""] = request.url.split("?");
  if (path !== "/_kit/facts" && path !== "/_kit/files") return [404, failure(null, -32600, { code: "NOT_FOUND", message: "there is no such path" })];
  if (key) stateOf(request.headers.authorization?.replace(/^Kit-Call /i, ""), { method: "GET", path, query });
  try {
    return [200, path === "/_kit/facts" ? facts(new URLSearchParams(query)) : { files: [] }];
  } catch (e) {
    return [400, failure(null, -32600, e.data)];
  }
}

const server = createServer((request, response) => {
  const chunks = [];
  let size = 0;
  const reply = (status, value, more = {}) => {
    const out = JSON.stringify(value);
    response.writeHead(status, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(out), ...more }).end(out);
  };
  request.on("data", (chunk) => { if ((size += chunk.length) <= MAX_BODY) chunks.push(chunk); });
  request.on("end", () => {
    let post = null;
    try {
      if (request.method === "GET") return reply(...get(request));
      if (size > MAX_BODY) return reply(413, failure(null, -32600, { code: "PAYLOAD_TOO_LARGE", message: "a body has at most 1 MiB" }));
      const body = Buffer.concat(chunks).toString();
      try { post = JSON.parse(body); } catch { return reply(200, failure(null, -32700, { code: "BAD_REQUEST", message: "this is not JSON" })); }
      const state = stateOfPost(post, body);
      reply(200, Array.isArray(post) ? post.map((frame) => answer(frame, state)) : answer(post, state));
    } catch (e) {
      if (!(e instanceof Unsigned)) throw e;
      reply(401, failure(post?.id ?? null, -32000, { code: "UNAUTHORIZED", message: e.message }), { "WWW-Authenticate": "Kit-Call" });
    }
  });
});
process.on("SIGTERM", () => process.exit(0));
server.listen(0, "127.0.0.1", () => console.error(`listening on http://127.0.0.1:${server.address().port}`));
