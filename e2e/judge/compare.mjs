// Compares judges in JavaScript with the Go judge in WebAssembly. Each line of stdin is a card
// as data with bodies. The lines of stdout are differences of the first judge, at most 20, and
// behind them the counts of all judges.
//
//	node compare.mjs wasm_exec.js oracle.wasm DIST…

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [exec, wasm, ...dists] = process.argv.slice(2);
const judges = [];
for (const dist of dists) {
  const load = (name) => import(pathToFileURL(resolve(dist, name)));
  const [{ schema, details }, { engine }, { matcher }, formats] = [await load("judge.js"), await load("engine.js"), await load("matcher.js"), await load("formats.js")];
  judges.push({ schema, details, use: { engine, matcher }, formats, differences: 0 });
}
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
const codes = {};
for await (const line of createInterface({ input: process.stdin })) {
  const { card, view, data, formats, bodies } = JSON.parse(line);
  const values = bodies.map(([mode, body]) => [mode, JSON.parse(body, revive)]);
  const answer = globalThis.frondJudge(card, view, JSON.stringify(values.map(([mode, v]) => [mode, text(v)])));
  let theirs;
  try {
    theirs = JSON.parse(answer);
  } catch {
    throw new Error(`${card}: ${answer}`);
  }
  for (const list of theirs) {
    pairs++;
    if (list?.length) refused++;
    for (const d of list ?? []) codes[d.code] = (codes[d.code] ?? 0) + 1;
  }
  const wants = theirs.map((list) => JSON.stringify(list ?? []));
  for (const judge of judges) {
    const node = new Function(`return ${data}`)();
    node.use = { ...judge.use, formats: Object.fromEntries((formats ?? []).map((name) => [name, judge.formats[camel(name)]])) };
    const schemas = [0, 1, 2].map((mode) => judge.schema(node, mode));
    values.forEach(([mode, v], i) => {
      let got;
      try {
        got = JSON.stringify(judge.details(schemas[mode], v));
      } catch (err) {
        got = String(err.stack);
      }
      if (got === wants[i]) return;
      judge.differences++;
      if (judge === judges[0] && judge.differences <= 20) console.log(JSON.stringify({ card, mode, body: text(v), go: wants[i], js: got }));
    });
  }
}
console.log(JSON.stringify({ pairs, refused, codes, differences: judges.map((judge) => judge.differences) }));
process.exit(0);
