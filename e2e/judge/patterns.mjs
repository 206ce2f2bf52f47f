// Tests patterns as the judge does. stdin is a list of cards as data, the first field of which has
// a pattern, with texts. stdout says for each card which texts match, and what a long text cost.
//
//	node patterns.mjs DIST

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const load = (name) => import(pathToFileURL(resolve(process.argv[2], name)));
const { pattern } = await load("judge.js");
const { matcher } = await load("matcher.js");

const jobs = JSON.parse(readFileSync(0, "utf8"));
const out = jobs.map(({ data, texts, long }) => {
  const shape = new Function(`return ${data}`)().fields[0][1];
  const test = pattern(shape.re ?? shape.pattern, { use: { matcher } });
  const of = { matches: texts.map((text) => test.test(text)), native: test instanceof RegExp, steps: 0, ms: 0 };
  for (const text of long ?? []) {
    const before = test.steps;
    const at = process.cpuUsage();
    test.test(text);
    const { user, system } = process.cpuUsage(at);
    of.ms = Math.max(of.ms, (user + system) / 1000);
    if (!of.native) of.steps = Math.max(of.steps, test.steps - before);
  }
  return of;
});
console.log(JSON.stringify(out));
