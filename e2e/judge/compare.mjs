// Compares the judge in JavaScript with the Go judge in WebAssembly. Each line of stdin is a
// card as data with bodies; each difference is a line of stdout, and the last line the count.
//
//	node compare.mjs wasm_exec.js oracle.wasm DIST

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

const [exec, wasm, dist] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(resolve(dist, name)));
const { schema, details } = await load("judge.js");
const { engine } = await load("engine.js");
const checks = await load("formats.js");
await import(pathToFileURL(resolve(exec)));

const go = new globalThis.Go();
const { instance } = await WebAssembly.instantiate(readFileSync(wasm), go.importObject);
void go.run(instance);

const camel = (name) => name.replace(/-(.)/g, (_, c) => c.toUpperCase());

// {"$bigint": "…"} stands for an integer beyond 2^53, which is sent with all its digits.
const revive = (_, v) => (v && typeof v === "object" && typeof v.$bigint === "string" ? BigInt(v.$bigint) : v);
const text = (v) => JSON.stringify(v, (_, x) => (typeof x === "bigint" ? `\u0001${x}\u0001` : x)).replace(/"\\u0001(-?\d+)\\u0001"/g, "$1");

let pairs = 0;
let refused = 0;
let differences = 0;
const codes = {};
for await (const line of createInterface({ input: process.stdin })) {
  const { card, view, data, formats, engine: whole, bodies } = JSON.parse(line);
  const node = new Function(`return ${data}`)();
  node.use = { formats: Object.fromEntries((formats ?? []).map((name) => [name, checks[camel(name)]])), ...(whole && { engine }) };
  const values = bodies.map(([mode, body]) => [mode, JSON.parse(body, revive)]);
  const answer = globalThis.frondJudge(card, view, JSON.stringify(values.map(([mode, v]) => [mode, text(v)])));
  let theirs;
  try {
    theirs = JSON.parse(answer);
  } catch {
    console.log(JSON.stringify({ card, error: answer }));
    process.exit(1);
  }
  values.forEach(([mode, v], i) => {
    pairs++;
    const want = JSON.stringify(theirs[i] ?? []);
    let got;
    try {
      got = JSON.stringify(details(schema(node, mode), v));
    } catch (err) {
      got = String(err.stack);
    }
    if (theirs[i]?.length) refused++;
    for (const d of theirs[i] ?? []) codes[d.code] = (codes[d.code] ?? 0) + 1;
    if (got !== want) {
      differences++;
      if (differences <= 20) console.log(JSON.stringify({ card, mode, body: text(v), go: want, js: got }));
    }
  });
}
console.log(JSON.stringify({ pairs, refused, differences, codes }));
process.exit(0);
