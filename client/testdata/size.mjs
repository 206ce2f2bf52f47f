// Bundles a page that lists, finds, creates, updates and deletes, and prints the brotli size of
// what it loads at once, with the modules in it, and the modules of the parts that it loads later.

import { brotliCompressSync } from "node:zlib";
import { build } from "esbuild";

const page = `
import { connect } from "./dist/connect.js";
const { thing } = connect({ thing: { frond: "f", door: "thing", path: "/api/f/things", ops: { list: { builtin: "list", query: 1 } } } }, "");
const { id } = await thing.create({});
console.log(await thing.list(), await thing.findById(id), await thing.update(id, {}), await thing.delete(id));
`;
const name = (path) => path.split("/").at(-1);
const { outputFiles, metafile } = await build({ stdin: { contents: page, resolveDir: "." }, bundle: true, splitting: true, minify: true, format: "esm", target: "es2022", outdir: "out", metafile: true, write: false });
const chunks = Object.entries(metafile.outputs).map(([path, chunk], i) => ({ ...chunk, path, bytes: brotliCompressSync(outputFiles[i].contents).length }));
const first = new Set();
const load = (chunk) => {
  first.add(chunk);
  for (const { path, kind } of chunk.imports) if (kind === "import-statement") load(chunks.find((other) => other.path === path));
};
load(chunks.find(({ entryPoint }) => entryPoint === "<stdin>"));
const modules = (of) => of.flatMap(({ inputs }) => Object.keys(inputs)).filter((path) => path !== "<stdin>").map(name).sort().join(" ");
console.log([...first].reduce((sum, { bytes }) => sum + bytes, 0));
console.log("first:", modules([...first]));
console.log("later:", modules(chunks.filter((chunk) => !first.has(chunk))));
