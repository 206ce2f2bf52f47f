// Edits of a page that is watched, and of rows in a cache, where a browser lacks newer functions.
import { connect } from "../dist/connect.js";

console.log("structuredClone", typeof structuredClone, "TextDecoderStream", typeof TextDecoderStream);
const ops = { list: { builtin: "list", query: 1 }, findById: { builtin: "findById", query: 1 }, update: { builtin: "update" } };
const doors = { thing: { frond: "f", door: "thing", path: "/api/f/things", changes: "/api/f/facts/thingChanged", key: "id", etag: 1, writes: { n: 1 }, ops } };
let row = { id: 1, n: 1, etag: "v1" };
const sent = [];
const fetch = async (url, { body, signal }) => {
  const { id, method, params, streams } = JSON.parse(body);
  if (streams) return new Response(new ReadableStream({ start: (c) => signal.addEventListener("abort", () => c.error(signal.reason)) }), { headers: { "content-type": "text/event-stream" } });
  sent.push(method);
  const answer = (more) => Response.json({ jsonrpc: "2.0", id, ...more }, { headers: { "x-frond-position": "p1" } });
  if (method === "thing.list") return answer({ result: { items: [row], total: 1, hasMore: false, endCursor: null } });
  if (method === "thing.findById") return answer({ result: row });
  if (params.query.ifMatch && params.query.ifMatch !== row.etag) return answer({ error: { data: { code: "PRECONDITION_FAILED", message: "m", details: { row } } } });
  row = { ...row, ...params.body, etag: "v" + params.body.n };
  return answer({ result: row });
};
const { thing } = connect(doors, { url: "http://host", fetch });
const before = await thing.findById(1);
const pages = thing.watch();
const follow = pages[Symbol.asyncIterator]();
console.log("watched", JSON.stringify((await follow.next()).value.items));
const first = pages.update(1, thing.patchOf(before, { ...before, n: 2 }), { ifMatch: before.etag });
console.log("shown", JSON.stringify((await follow.next()).value.items));
await first;
console.log("written", JSON.stringify((await follow.next()).value.items));
row = { id: 1, n: 9, etag: "v9" };
const stale = await pages.update(1, { n: 3 }, { ifMatch: "v2" }).catch((err) => err);
console.log(stale.code, JSON.stringify(stale.details));
await follow.return();
console.log("sent", sent.join(" "));
process.exit(0);
