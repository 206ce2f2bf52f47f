// Reads the documents of a folder as the tools of their formats do, and prints a line of JSON
// for each thing that they find: {"file", "level", "message"}; at the end {"read": N}.
//
//	node lint.mjs FOLDER     NAME.openapi.json, NAME.openrpc.json, NAME.asyncapi.json
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { Parser } from "@asyncapi/parser";
import openrpc from "@open-rpc/schema-utils-js";

const folder = process.argv[2];
const files = fs.readdirSync(folder).sort();
let read = 0;
const say = (file, level, message) => console.log(JSON.stringify({ file, level, message }));

const asyncapi = new Parser();
for (const file of files) {
  const text = fs.readFileSync(path.join(folder, file), "utf8");
  if (file.endsWith(".openrpc.json")) {
    const verdict = openrpc.validateOpenRPCDocument(JSON.parse(text));
    if (verdict !== true) say(file, "error", verdict.message);
    try {
      await openrpc.parseOpenRPCDocument(text);
    } catch (error) {
      say(file, "error", error.message);
    }
    read++;
  }
  if (file.endsWith(".asyncapi.json")) {
    const { document, diagnostics } = await asyncapi.parse(text);
    if (!document) say(file, "error", "it cannot be parsed");
    for (const d of diagnostics) {
      // 0 is an error, 1 a warning; 2 says that there is a newer version of the format.
      if (d.severity < 2) say(file, d.severity === 0 ? "error" : "warning", `${d.path.join("/")}: ${d.message}`);
    }
    read++;
  }
}

const documents = files.filter((file) => file.endsWith(".openapi.json"));
let report;
try {
  report = execFileSync("node_modules/.bin/redocly", ["lint", "--format=json", ...documents.map((file) => path.join(folder, file))], {
    env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 64 << 20,
  });
} catch (error) {
  report = error.stdout; // it exits with 1 where it finds an error
}
// It prints an object for each file, one behind the other.
for (const found of JSON.parse("[" + report.toString().replace(/^\}\s*\{$/gm, "},{") + "]")) {
  for (const p of found.problems) {
    say(path.basename(p.location[0].source.ref), p.severity === "error" ? "error" : "warning", `${p.ruleId}: ${p.message}`);
  }
}
read += documents.length;
console.log(JSON.stringify({ read }));
