// Signed calls (docs/signed-calls.md) with nothing but node:
//
//   node signing.mjs vectors DIR                            verifies the vectors, and signs them anew
//   node signing.mjs call URL KEY SENDER FROND STATE POST   signs a post and sends it; POST - reads stdin
//   node signing.mjs sign KEY SENDER FROND STATE POST       prints the signed post
import { createHash, createPrivateKey, createPublicKey, randomUUID, sign, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

// JSON.parse rounds long numbers, so texts are read by hand: numbers stay text.
class Digits {
  constructor(text) { this.text = text; }
}

function read(text) {
  let at = 0;
  const fail = () => { throw new Error(`no JSON at ${at}`); };
  const take = (re) => { re.lastIndex = at; const m = re.exec(text); if (!m) fail(); at = re.lastIndex; return m[0]; };
  const space = () => take(/[ \t\r\n]*/y);
  const string = () => JSON.parse(take(/"(?:[^"\\\u0000-\u001f]|\\.)*"/y));
  const list = (end, item) => {
    at++; space();
    if (text[at] === end) return void at++;
    for (;;) {
      item(); space();
      if (text[at] === end) return void at++;
      if (text[at++] !== ",") fail();
      space();
    }
  };
  const value = () => {
    space();
    const c = text[at];
    if (c === "{") {
      const members = new Map();
      list("}", () => {
        const name = string(); space();
        if (text[at++] !== ":" || members.has(name)) fail();
        members.set(name, value());
      });
      return members;
    }
    if (c === "[") { const items = []; list("]", () => items.push(value())); return items; }
    if (c === '"') return string();
    if (/[-0-9]/.test(c)) return new Digits(take(/-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y));
    return { null: null, true: true, false: false }[take(/null|true|false/y)];
  };
  const v = value(); space();
  if (at !== text.length) fail();
  return v;
}

function number(text) {
  const [, minus, whole, fraction = "", power = "0"] = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([-+]?[0-9]+))?$/.exec(text);
  const digits = (whole + fraction).replace(/^0+/, "");
  const short = digits.replace(/0+$/, "");
  const zeros = Number(power) - fraction.length + digits.length - short.length;
  if (short === "") return "0";
  if (zeros >= 0 && short.length + zeros <= 21) return minus + short + "0".repeat(zeros);
  if (!Number.isFinite(Number(text))) throw new Error("larger than a double holds");
  return JSON.stringify(Number(text) + 0);
}

function string(s) {
  if (!s.isWellFormed()) throw new Error("half a character");
  return JSON.stringify(s); // RFC 8785 has JavaScript's escapes
}

function canonical(v) {
  if (v instanceof Digits) return number(v.text);
  if (v instanceof Map) return `{${[...v.keys()].sort().map((name) => `${string(name)}:${canonical(v.get(name))}`).join(",")}}`;
  if (Array.isArray(v)) return `[${v.map(canonical).join(",")}]`;
  return typeof v === "string" ? string(v) : String(v);
}

const frames = (post) => (Array.isArray(post) ? post : [post]);
const params = (frame) => { const p = frame instanceof Map && frame.get("params"); return p instanceof Map ? p : new Map(); };
const b64 = (bytes) => Buffer.from(bytes).toString("base64url");

function bare(post) {
  for (const frame of frames(post)) { params(frame).delete("identity"); params(frame).delete("state"); }
  return canonical(post);
}

const digest = (post) => createHash("sha256").update(bare(post)).digest("base64url");

function signed(text, key, kid, sender, frond, state, now = Math.floor(Date.now() / 1000), jti = randomUUID()) {
  const post = read(text);
  const first = frames(post)[0];
  if (!first.has("params")) first.set("params", new Map());
  const call = digest(post);
  const claims = `{"iss":${JSON.stringify(sender)},"aud":${JSON.stringify(frond)},"iat":${now},"exp":${now + 60},"jti":${JSON.stringify(jti)},"call":"${call}","state":${state}}`;
  const input = `${b64(JSON.stringify({ alg: "EdDSA", kid, typ: "kit-call+jwt" }))}.${b64(claims)}`;
  params(first).set("identity", `${input}.${b64(sign(null, Buffer.from(input), key))}`);
  return write(post);
}

// write is JSON again, in another form than it came, which is nobody's business.
function write(v) {
  if (v instanceof Digits) return v.text;
  if (v instanceof Map) return `{ ${[...v].reverse().map(([name, m]) => `${JSON.stringify(name)} : ${write(m)}`).join(" ,\n")} }`;
  if (Array.isArray(v)) return `[ ${v.map(write).join(" , ")} ]`;
  return JSON.stringify(v).replace(/[\u0080-\uffff]/g, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

function thumbprint(key) {
  const { crv, kty, x } = key.export({ format: "jwk" });
  return createHash("sha256").update(JSON.stringify({ crv, kty, x })).digest("base64url");
}

function vectors(dir) {
  const load = (name) => JSON.parse(readFileSync(join(dir, name), "utf8"));
  const keys = load("key.json");
  const key = createPublicKey({ key: keys.public, format: "jwk" });
  const privateKey = createPrivateKey({ key: keys.private, format: "jwk" });
  const wrong = [];
  const check = (v, what, got, want) => { if (got !== want) wrong.push(`${v.about}: ${what} is ${got}`); };
  check(keys, "the thumbprint", thumbprint(key), keys.public.kid);
  const all = load("accepted.json");
  for (const v of all) {
    const post = read(v.signed);
    const [header, claims, signature] = params(frames(post)[0]).get("identity").split(".");
    check(v, "the canonical text", bare(post), v.canonical);
    check(v, "the digest", digest(post), v.digest);
    check(v, "the digest of what is to be signed", JSON.parse(v.claims).call, v.digest);
    check(v, "the header", Buffer.from(header, "base64url").toString(), v.header);
    check(v, "the claims", Buffer.from(claims, "base64url").toString(), v.claims);
    check(v, "verifying", verify(null, Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, "base64url")), true);
    const mine = params(frames(read(signed(v.post, privateKey, keys.public.kid, v.sender, v.frond, v.state, v.now, v.jti)))[0]).get("identity");
    check(v, "what node signs", mine, `${v.signingInput}.${v.signature}`);
  }
  console.log(wrong.join("\n") || `${all.length} verified and signed`);
  process.exitCode = wrong.length ? 1 : 0;
}

const [what, ...args] = process.argv.slice(2);
if (what === "vectors") {
  vectors(args[0]);
} else {
  const url = what === "call" ? args.shift() : "";
  const [file, sender, frond, state, text] = args;
  const key = createPrivateKey(readFileSync(file));
  const body = signed(text === "-" ? readFileSync(0, "utf8") : text, key, thumbprint(key), sender, frond, state);
  if (what === "sign") {
    process.stdout.write(body);
  } else {
    const answer = await fetch(`${url}/_kit/call`, { method: "POST", headers: { "content-type": "application/json" }, body });
    process.stdout.write(await answer.text());
  }
}
