// What goes over the envelope whatever the transport, and what is refused before it is sent.
import { connect } from "../dist/connect.js";

const graphql = { type: "Thing", one: "thing", many: "things", id: "ID", fields: { id: 1, n: 1 } };
const ops = { list: { builtin: "list", query: 1 }, findById: { builtin: "findById", query: 1 }, update: { builtin: "update" }, delete: { builtin: "delete" } };
const doors = { thing: { frond: "f", door: "thing", path: "/api/f/things", ops } };
const names = (more) => async () => ({ names: { thing: { ...graphql, ...more } } });

/** A host: what it says to GraphQL, and to everything else. */
const host = (sent, said, envelope = '"result":{"id":"a"}') => async (url, { method, body }) => {
  sent.push(method + " " + new URL(url).pathname);
  if (said && url.endsWith("/graphql")) return new Response(said[1], { status: said[0] });
  return url.endsWith("/_kit/call") ? new Response(`{"jsonrpc":"2.0","id":${JSON.parse(body).id},${envelope}}`) : new Response("{}", { status: 200 });
};
async function say(name, transport, run, said, envelope) {
  const sent = [];
  const { thing, call } = connect(doors, { url: "http://host", fetch: host(sent, said, envelope), retries: 0, transport }, {}, names());
  const answer = await run(thing, call).then(JSON.stringify, (err) => [err.name, err.code, err.message, JSON.stringify(err.details)].join(" "));
  console.log(name + ":", sent.join(", ") || "-", "=>", answer);
}

for (const id of [undefined, null, "", ".", ".."]) await say("id " + id, "rest", (thing) => thing.findById(id));
await say("id %2e", "rest", (thing) => thing.findById("%2e"));
await say("undefined id of a delete", "rest", (thing) => thing.delete(undefined));

await say("filter", "envelope", (thing) => thing.list({ filter: undefined }));
await say("filter, deep", "rest", (thing) => thing.list({ filter: { or: [{ n: { eq: undefined } }] } }));
await say("where", "graphql", (thing) => thing.update("a", {}, { where: { n: { eq: undefined } } }));
await say("ifMatch", "rest", (thing) => thing.delete("a", { ifMatch: undefined }));

const refused = [400, '{"errors":[{"message":"no such member","extensions":{"code":"BAD_USER_INPUT"}}]}'];
await say("refused by a type", "graphql", (thing) => thing.update("a", { zz: 1 }), refused, '"error":{"code":-32000,"message":"x","data":{"code":"VALIDATION_FAILED","message":"zz is refused"}}');
await say("accepted by the card", "graphql", (thing) => thing.update("a", { zz: 1 }), refused);
await say("no envelope there", "graphql", (thing) => thing.update("a", { zz: 1 }), refused, '"nothing":1');
await say("failed where it ran", "graphql", (thing) => thing.update("a", {}), [200, '{"data":{"result":null},"errors":[{"message":"taken","extensions":{"code":"CONFLICT"}}]}']);
await say("no fields", "graphql", (thing) => thing.findById("a", { fields: [] }));
await say("nothing there", "graphql", (thing) => thing.findById("a"), [200, '{"data":{"result":null}}']);
await say("no GraphQL there", "graphql", (thing) => thing.findById("a"), [404, '{"status":404,"data":{"code":"NOT_FOUND","message":"nothing is served here"}}']);
await say("another program there", "graphql", (thing) => thing.findById("a"), [200, '{"data":{}}']);

const friends = names({ fields: { id: 1, n: 1, nick: 1 }, absent: ["nick"], relations: { friends: { door: "thing", many: 1 } } });
const answered = { id: "a", n: null, nick: null, friends: { items: [{ id: "b", n: null, nick: null }] } };
const fetch = async () => Response.json({ data: { result: answered } });
console.log("absent:", JSON.stringify(await connect(doors, { url: "http://host", fetch, transport: "graphql" }, {}, friends).thing.findById("a")));

const written = connect({ thing: { ...doors.thing, writes: { n: 1, at: 1, tags: 1, nick: 1, place: { city: 1, geo: { lat: 1 } } } } }, { url: "http://host" }).thing;
const before = { id: "a", n: 1, at: new Date(0), tags: [1], nick: "x", made: 1, place: { city: "X", geo: { lat: 1, lon: 2 } } };
for (const after of [{ ...before, tags: [1], at: "1970-01-01T00:00:00.000Z", made: 2, id: "b" }, { ...before, n: null, tags: [2], nick: undefined }, { ...before, place: { geo: { lon: 2, lat: 3 }, city: "X" } }])
  console.log("patch:", JSON.stringify(written.patchOf(before, after)));

const log = { ...doors.thing, changes: "/api/f/facts/thingChanged" };
for (const transport of ["rest", "envelope", "graphql"]) {
  const fetch = async (url, { body }) => {
    const page = { items: [], total: 0, hasMore: false, endCursor: null };
    if (url.endsWith("/graphql")) return Response.json({ data: { result: { ...page, position: body.includes(" position") ? "p7" : "-" } } });
    const headers = { "x-frond-position": "p7" };
    return url.endsWith("/_kit/call") ? Response.json({ jsonrpc: "2.0", id: JSON.parse(body).id, result: page }, { headers }) : Response.json(page, { headers });
  };
  console.log("position over", transport + ":", (await connect({ thing: log }, { url: "http://host", fetch, transport }, {}, names()).thing.list()).position);
}

await say("no operation", "rest", (_, call) => call("thing.made"));
for (const options of [undefined, {}, { transport: "rest" }]) {
  try {
    connect(doors, options);
  } catch (err) {
    console.log(err.name, err.message);
  }
}
