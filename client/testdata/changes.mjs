// Follows the changes of a door over connections that break off, and prints what it received
// and what it requested.

import { connect } from "../dist/connect.js";
const doors = { thing: { frond: "f", door: "thing", path: "/api/f/things", changes: "/api/f/facts/thingChanged", key: "id", big: ["n", "id"], ops: { list: { builtin: "list", query: 1 } } } };
const event = (position, data) => "id: " + position + "\nevent: thingChanged\ndata: " + JSON.stringify({ position, data }) + "\n\n";
const streams = [
  ["retry: 100\n\nid: p0\n\n", event("p1", { id: "a" }).slice(0, 20), event("p1", { id: "a" }).slice(20)],
  new Error("down"),
  [event("p2", { id: "b" }).replace("}}", ',\"n\":9223372036854775807},"key":9007199254740993}').replaceAll("\n", "\r\n"), 'event: end\ndata: {"code":"GATEWAY_TIMEOUT","message":"slow"}\n\n'],
  ['event: end\ndata: {"code":"GONE","message":"past retention"}\n\n'],
];
const asked = [];
async function fetch(url, { headers }) {
  asked.push(new URL(url).search + " " + headers.accept);
  const stream = streams.shift();
  if (stream instanceof Error) throw stream;
  const encode = new TextEncoder();
  return new Response(new ReadableStream({ start(c) { stream.forEach((text) => c.enqueue(encode.encode(text))); c.close(); } }), { headers: { "content-type": "text/event-stream" } });
}
const client = connect(doors, { url: "http://host", fetch });
try {
  for await (const { position, data, key } of client.thing.changes({ after: "start", filter: { id: { ne: "c" } }, fields: ["id", "n"], newer: 1 })) console.log(position, data.id, typeof data.n, key);
} catch (err) {
  console.log(err.code);
}
try {
  for await (const _ of client.thing.changes({ filter: { id: { ne: undefined } } }));
} catch (err) {
  console.log(err.code, err.message);
}
asked.forEach((line) => console.log(decodeURIComponent(line)));
