// Follows changes over connections that break off, fall silent and are refused, and prints what
// it received and what it requested. Time passes a hundred times faster than the client believes.

const { setTimeout: later } = globalThis;
globalThis.setTimeout = (run, ms) => later(run, ms / 100);
const { connect } = await import("../dist/connect.js");
const doors = { thing: { frond: "f", door: "thing", path: "/api/f/things", changes: "/api/f/facts/thingChanged", key: "id", big: ["n", "id"], ops: { list: { builtin: "list", query: 1 } } } };
const facts = { made: { door: "thing", changes: "/api/f/facts/made" } };
const said = (name, data) => "event: " + name + "\ndata: " + data + "\n\n";
const opened = said("open", '{"heartbeat":15}');
const at = (id, position) => said("position", `{"stream":"${id}","position":"${position}"}`);
const event = (id, position, data) => said("event", `{"stream":"${id}","event":{"id":"e","position":"${position}","key":9007199254740993,"data":${data}}}`);
const end = (id, code) => said("end", `{"stream":"${id}","error":{"code":"${code}","message":"m"}}`);
const silent = {};

/** A client of a host that answers so, one answer a request; each is the id of a stream to texts. */
function host(answers, more) {
  const sent = [];
  const fetch = async (url, { method, headers, body, signal }) => {
    const { streams } = JSON.parse(body);
    sent.push([new URL(url).pathname, method, headers.accept, headers.authorization ?? "-", ...Object.values(streams).map((s) => JSON.stringify(s))].join(" "));
    const answer = (answers.shift() ?? (() => [silent]))(...Object.keys(streams), streams);
    if (!Array.isArray(answer)) throw answer;
    if (typeof answer[0] === "number") return new Response(answer[1], { status: answer[0] });
    const encode = new TextEncoder();
    return new Response(
      new ReadableStream({
        start(c) {
          signal.addEventListener("abort", () => c.error(signal.reason));
          for (const text of answer) if (text !== silent) c.enqueue(encode.encode(text));
          if (!answer.includes(silent)) c.close();
        },
      }),
      { headers: { "content-type": "text/event-stream" } },
    );
  };
  return [connect(doors, { url: "http://host", fetch, ...more }, facts), sent];
}
async function run(title, answers, follow, more, shown = (line) => line) {
  const [client, sent] = host(answers, more);
  console.log("# " + title);
  await follow(client).catch((err) => console.log(err.code, err.message));
  sent.forEach((line) => console.log("  " + shown(line)));
}
const print = async (events, most = Infinity) => {
  let n = 0;
  for await (const { position, data, key } of events) {
    console.log(position, data.id, typeof data.n, key);
    if (++n === most) return;
  }
};

await run(
  "breaks off, is down, fails for now, ends",
  [
    (id) => [opened, at(id, "p0"), event(id, "p1", '{"id":"a"}').slice(0, 20), event(id, "p1", '{"id":"a"}').slice(20)],
    () => new Error("down"),
    (id) => [opened + event(id, "p2", '{"id":"b","n":9223372036854775807}').replaceAll("\n", "\r\n"), end(id, "GATEWAY_TIMEOUT")],
    () => [503, '{"data":{"code":"SERVICE_UNAVAILABLE","message":"full"}}'],
    (id) => [end(id, "GONE")],
  ],
  (client) => print(client.thing.changes({ after: "start", filter: { id: { ne: "c" } }, fields: ["id", "n"] })),
);
await run(
  "a silent connection is left behind the last position",
  [(id) => [opened, event(id, "p1", '{"id":"a"}'), at(id, "p5"), silent], (id) => [opened, event(id, "p6", '{"id":"b"}'), silent]],
  (client) => print(client.thing.changes(), 2),
);
await run(
  "two streams, one connection; one that is refused leaves the other open",
  [(a, b) => [opened, end(a, "FORBIDDEN"), event(b, "p1", '{"id":"b"}'), silent]],
  (client) => Promise.all([print(client.thing.changes()).catch((err) => console.log(err.code)), print(client.facts.made(), 1)]),
);
await run("what the host refuses is reported", [() => [403, '{"data":{"code":"FORBIDDEN","message":"not you"}}']], (client) => print(client.thing.changes()));
await run("no stream", [() => [404, "<html>"]], (client) => print(client.thing.changes()));
let token = "old";
await run(
  "a caller who is not known any more signs in again",
  [(id) => [opened, at(id, "p3"), end(id, "UNAUTHORIZED")], (id) => [opened, event(id, "p4", '{"id":"d"}'), silent]],
  (client) => print(client.thing.changes(), 1),
  { headers: () => ({ authorization: token }), onUnauthorized: async (err) => (console.log("onUnauthorized", err.code), (token = "new"), true) },
);
await run("an undefined condition", [], (client) => print(client.thing.changes({ filter: { id: { ne: undefined } } })));
await run(
  "a reader that is slow holds some thousand events, and misses none",
  Array.from({ length: 9 }, () => (id, { [id]: { after = "q0" } }) => {
    const from = +after.slice(1);
    return [opened, ...Array.from({ length: 5000 - from }, (_, i) => event(id, "q" + (from + i + 1), '{"id":"x"}')), silent];
  }),
  async (client) => {
    const events = client.thing.changes();
    await events.next();
    await new Promise((done) => later(done, 100)); // everything has arrived that does
    let n = 1;
    for await (const { position } of events) {
      if (position !== "q" + ++n) console.log("lost before", position);
      if (n === 5000) break;
    }
    console.log(n);
  },
  undefined,
  (line) => line.replace(/"q\d+"/, "a position"),
);
const stopped = new AbortController();
await run("an end that is asked for", [(id) => (queueMicrotask(() => stopped.abort()), [opened, at(id, "p0"), silent])], (client) => print(client.thing.changes({ signal: stopped.signal })));
