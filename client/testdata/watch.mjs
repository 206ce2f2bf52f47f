// Watches a page of a host whose log of events is cut off, and prints the pages and what was
// requested.

const { setTimeout: later } = globalThis;
globalThis.setTimeout = (run, ms) => later(run, ms / 100);
const { connect } = await import("../dist/connect.js");
const ops = { list: { builtin: "list", query: 1 }, update: { builtin: "update" } };
const doors = { thing: { frond: "f", door: "thing", path: "/api/f/things", changes: "/api/f/facts/thingChanged", key: "id", etag: 1, ops } };
const silent = {};
const event = (id, position, change, data) => `event: event\ndata: {"stream":"${id}","event":{"id":"e","position":"${position}","change":"${change}","key":${data.id},"version":"v${position}","data":${JSON.stringify(data)}}}\n\n`;
const end = (id, code) => `event: end\ndata: {"stream":"${id}","error":{"code":"${code}","message":"m"}}\n\n`;

/** Pages are lists of rows and a position, or codes of failures; streams are functions of the stream's id. */
async function run(title, pages, streams, most, query) {
  console.log("# " + title);
  const fetch = async (url, { headers, body, signal }) => {
    const sent = JSON.parse(body);
    if (sent.streams) {
      const [[id, { after }]] = Object.entries(sent.streams);
      console.log("  follow behind " + after);
      const answer = (streams.shift() ?? (() => [silent]))(id);
      return new Response(
        new ReadableStream({
          start(c) {
            signal.addEventListener("abort", () => c.error(signal.reason));
            for (const text of answer) if (text !== silent) c.enqueue(new TextEncoder().encode(text));
            if (!answer.includes(silent)) c.close();
          },
        }),
        { headers: { "content-type": "text/event-stream" } },
      );
    }
    console.log("  read " + JSON.stringify(sent.params.query) + " " + headers.prefer);
    const page = pages.shift();
    if (typeof page === "string") return new Response(JSON.stringify({ jsonrpc: "2.0", id: sent.id, error: { data: { code: page, message: "m" } } }));
    const [items, position] = page;
    return new Response(JSON.stringify({ jsonrpc: "2.0", id: sent.id, result: { items, total: items.length, hasMore: false, endCursor: null } }), { headers: position ? { "x-frond-position": position } : {} });
  };
  const client = connect(doors, { url: "http://host", fetch, retries: 0 });
  try {
    for await (const page of client.thing.watch({ sort: "n", ...query })) {
      console.log(JSON.stringify(page.items), page.position);
      if (--most === 0) return;
    }
  } catch (err) {
    console.log(err.code, err.message);
  }
}

const a = { id: 1, n: 1, t: "a" };
const b = { id: 2, n: 2, t: "b" };
await run("a change in place, one that the page has, and one of the order", [[[a, b], "p1"], [[b, { ...a, n: 3 }], "p4"]], [(id) => [event(id, "p1", "updated", { ...b, t: "old" }), event(id, "p2", "updated", { ...b, t: "c" }), silent].concat()], 2);
await run("an order that changes", [[[a, b], "p1"], [[b, { ...a, n: 3 }], "p4"]], [(id) => [event(id, "p3", "updated", { ...a, n: 3 }), event(id, "p4", "created", { id: 3, n: 9 }), silent]], 2);
await run("fields: the page is read again", [[[{ id: 1 }], "p1"], [[{ id: 1 }, { id: 2 }], "p2"]], [(id) => [event(id, "p2", "updated", { id: 1 }), silent]], 2, { fields: ["id"] });
await run("a position that is no longer kept", [[[a], "p1"], [[a, b], "p9"]], [(id) => [end(id, "GONE")]], 2);
await run("a log that was replaced, twice", [[[a], "p1"], [[b], "q1"]], [(id) => [end(id, "VALIDATION_FAILED")], (id) => [end(id, "VALIDATION_FAILED")]], 9);
await run("rights that end", [[[a], "p1"]], [(id) => [end(id, "FORBIDDEN")]], 9);
await run("a host that is away for a moment", [[[a], "p1"], "SERVICE_UNAVAILABLE", [[b], "p3"]], [(id) => [event(id, "p2", "deleted", a), silent]], 2);
await run("no position", [[[a]]], [], 9);
