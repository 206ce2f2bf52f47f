// Compares judges in JavaScript with the Go judge in WebAssembly. Each line of stdin is a card
// as data with bodies. The lines of stdout are differences of the first judge, at most 20, and
// behind them the counts of all judges. With CHROMIUM in the environment the judges run in a page
// of that browser, otherwise in node.
//
//	node compare.mjs wasm_exec.js oracle.wasm DIST…

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

/** The details of a judge for the bodies of a card, as text. It runs in node and in a page. */
async function judged([base, { data, formats, bodies }]) {
  const load = (name) => import(base + name);
  const [{ schema, details }, { engine }, { matcher }, checks] = await Promise.all(["judge.js", "engine.js", "matcher.js", "formats.js"].map(load));
  await checks.hostNames?.();
  const camel = (name) => name.replace(/-(.)/g, (_, c) => c.toUpperCase());
  // {"$bigint": "…"} stands for an integer beyond 2^53, which is sent with all its digits.
  const revive = (_, v) => (v && typeof v === "object" && typeof v.$bigint === "string" ? BigInt(v.$bigint) : v);
  const card = new Function(`return ${data}`)();
  card.use = { engine, matcher, formats: Object.fromEntries((formats ?? []).map((name) => [name, checks[camel(name)]])) };
  const schemas = [0, 1, 2].map((mode) => schema(card, mode));
  return bodies.map(([mode, body]) => {
    try {
      return JSON.stringify(details(schemas[mode], JSON.parse(body, revive)));
    } catch (err) {
      return String(err.stack);
    }
  });
}

const [exec, wasm, ...dists] = process.argv.slice(2);
const differences = dists.map(() => 0);
let page;
if (process.env.CHROMIUM) {
  const { chromium } = await import("../js/node_modules/playwright-core/index.mjs");
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"], timeout: 120_000 });
  page = await browser.newPage();
  await page.route("**/*", (route) => {
    const [, dist, name] = new URL(route.request().url()).pathname.split("/");
    if (!name) return route.fulfill({ contentType: "text/html", body: "<!doctype html><title>judges</title>" });
    return route.fulfill({ contentType: "text/javascript", body: readFileSync(resolve(dists[dist], name), "utf8") });
  });
  await page.goto("http://judges.test/");
}
/** What a judge says of a card, wherever it runs. */
const ask = (i, line) => (page ? page.evaluate(judged, [`http://judges.test/${i}/`, line]) : judged([pathToFileURL(resolve(dists[i])) + "/", line]));

await import(pathToFileURL(resolve(exec)));
const go = new globalThis.Go();
const { instance } = await WebAssembly.instantiate(readFileSync(wasm), go.importObject);
void go.run(instance);

const sent = (body) => body.replace(/\{"\$bigint":"(-?\d+)"\}/g, "$1");

let pairs = 0;
let refused = 0;
const codes = {};
for await (const text of createInterface({ input: process.stdin })) {
  const line = JSON.parse(text);
  const { card, view, bodies } = line;
  // Go reads what JSON.stringify makes of the values.
  const answer = globalThis.frondJudge(card, view, JSON.stringify(bodies.map(([mode, body]) => [mode, sent(JSON.stringify(JSON.parse(body)))])));
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
  for (const i of dists.keys()) {
    (await ask(i, line)).forEach((got, k) => {
      if (got === wants[k]) return;
      differences[i]++;
      if (i === 0 && differences[0] <= 20) console.log(JSON.stringify({ card, mode: bodies[k][0], body: bodies[k][1], go: wants[k], js: got }));
    });
  }
}
console.log(JSON.stringify({ pairs, refused, codes, differences }));
process.exit(0);
