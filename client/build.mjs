// Writes dist, which the program embeds: each module of src as JavaScript without comments and
// spaces, and its types. A module stays a module, so that a page ships what it uses.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const out = process.argv[2] ?? here("dist");
const types = mkdtempSync(join(tmpdir(), "frond-client-"));
try {
  execFileSync(process.execPath, [here("node_modules/typescript/bin/tsc"), "-p", here("."), "--emitDeclarationOnly", "--outDir", types], { stdio: "inherit" });
  const sources = readdirSync(here("src")).filter((name) => name.endsWith(".ts"));
  buildSync({ entryPoints: sources.map((name) => here("src/" + name)), outdir: out, minify: true, format: "esm", target: "es2022" });
  for (const name of sources) writeFileSync(join(out, name.replace(/\.ts$/, ".d.ts")), readFileSync(join(types, name.replace(/\.ts$/, ".d.ts"))));
} finally {
  rmSync(types, { recursive: true });
}
