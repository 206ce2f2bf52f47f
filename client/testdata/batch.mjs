// Calls of one tick, against hosts that take batches, refuse them, or fail; prints the requests and
// what became of each call.
import { connect } from "../dist/connect.js";

Math.random = () => 0; // of the pause before a retry
const ops = { list: { builtin: "list", query: 1 }, findById: { builtin: "findById", query: 1 }, create: { builtin: "create" }, report: { query: 1, body: 1 } };
const doors = {
  thing: { frond: "f", door: "thing", path: "/api/f/things", key: "id", changes: "/api/f/facts/thingChanged", ops },
  other: { frond: "f", door: "other", path: "/api/f/others", key: "id", big: ["n"], ops },
};
const page = { items: [], total: 0, hasMore: false, endCursor: null };
const ok = ({ id, method, params }) => ({ jsonrpc: "2.0", id, result: method.endsWith("list") ? page : { id: params.params?.id ?? params.body?.id } });
const fails = (code, details) => ({ id }) => ({ jsonrpc: "2.0", id, error: { code: -32000, message: "m", data: { code, message: "m", details } } });

/** A host that answers a frame by the function of its method, and a batch by the function batch. */
async function run(title, answers, calls, options) {
  console.log("# " + title);
  const fetch = async (url, { method, headers, body, signal }) => {
    const sent = body && JSON.parse(body);
    const names = [sent].flat().map((frame) => frame?.method ?? method + " " + url);
    console.log(" ", Array.isArray(sent) ? `batch of ${sent.length}:` : "alone:", names.length > 9 ? "…" : names.join(", "), headers.prefer ?? "");
    const frame = (one) => (answers[one.method] ?? ok)(one);
    if (answers.fetch) return answers.fetch(sent, signal);
    if (!sent) return Response.json({ id: "r" });
    return Response.json(Array.isArray(sent) ? (answers.batch ?? ((all) => all.map(frame)))(sent) : frame(sent), { headers: Array.isArray(sent) || !sent.method.endsWith("list") ? {} : { "x-frond-position": "alone" } });
  };
  const client = connect(doors, { url: "http://host", fetch, retries: 0, ...options });
  const all = calls(client).map((call) => call.then(
    (x) => (x === null || x.items === undefined ? JSON.stringify(x, (_, v) => (typeof v === "bigint" ? v + "n" : v)) : `page at ${x.position}`),
    (err) => [err.code ?? err, err.entity, err.operation].filter(Boolean).join(" "),
  ));
  const said = await Promise.all(all);
  console.log(" =>", said.length > 9 ? new Set(said).size + " answers" : said.join("; "));
  return client;
}

await run("one call", {}, ({ thing }) => [thing.findById("a")]);
await run("three, of which one fails; commands are first", { "other.findById": fails("FORBIDDEN") }, ({ thing, other }) => [thing.findById("a"), other.findById("b"), thing.create({ id: "c" })]);
await run("in two ticks", {}, ({ thing }) => [thing.findById("a"), new Promise((done) => setTimeout(done)).then(() => thing.findById("b"))]);
await run("turned off", {}, ({ thing }) => [thing.findById("a"), thing.findById("b")], { batch: false });
await run("a hundred and one", {}, ({ thing }) => Array.from({ length: 101 }, (_, i) => thing.findById(i)));
await run("more than a body holds", {}, ({ thing }) => ["a", "b", "c"].map((id) => thing.create({ id, text: "x".repeat(140_000) })));
await run("answers in another order, and one missing", { batch: (all) => all.slice(1).reverse().map(ok) }, ({ thing }) => [thing.findById("a"), thing.findById("b"), thing.findById("c")]);
await run("64 bits in one door", { batch: "text", fetch: (sent) => new Response(`[${sent.map(({ id }) => `{"jsonrpc":"2.0","id":${id},"result":{"n":9007199254740993}}`)}]`) }, ({ thing, other }) => [thing.findById("a"), other.findById("b")]);

const late = new AbortController();
const gone = AbortSignal.abort("gone");
let ended = "goes on";
await run("a call that is aborted, one that was, one with a timeout", {
  fetch: async (sent, signal) => {
    signal.addEventListener("abort", () => (ended = "ends"));
    late.abort("stop");
    await new Promise((done) => setTimeout(done, 30));
    return Response.json(sent.map(ok));
  },
}, ({ thing }) => [thing.findById("a", { signal: late.signal }), thing.findById("b", { signal: gone }), thing.findById("c", { timeout: 5 }), thing.findById("d")]);
console.log("  the request", ended);
const [one, two] = [new AbortController(), new AbortController()];
await run("all are aborted", {
  fetch: (_, signal) => new Promise((__, fail) => {
    signal.addEventListener("abort", () => ((ended = "ends"), fail(signal.reason)));
    one.abort("1");
    two.abort("2");
  }),
}, ({ thing }) => [thing.findById("a", { signal: one.signal }), thing.findById("b", { signal: two.signal })]);
console.log("  the request", ended);

let down = 1;
await run("a network that fails once", { fetch: (sent) => (down-- > 0 ? Promise.reject(new Error("down")) : Response.json([sent].flat().length > 1 ? sent.map(ok) : ok(sent))) }, ({ thing, other }) => [thing.findById("a"), other.findById("b"), thing.create({ id: "c" })], { retries: 1 });
await run("an answer that breaks off", { fetch: () => new Response(new ReadableStream({ start: (c) => c.error(new Error("reset")) })) }, ({ thing, other }) => [thing.findById("a"), other.create({})]);
await run("no JSON", { fetch: () => new Response("<html>", { status: 502 }) }, ({ thing, other }) => [thing.findById("a"), other.findById("b")]);
await run("a failure of the whole", { batch: () => fails("TOO_MANY_REQUESTS")({ id: null }) }, ({ thing, other }) => [thing.findById("a"), other.create({})]);

for (const [title, answers] of [
  ["a host that takes no batch", { batch: () => fails("BAD_REQUEST")({ id: null }) }],
  ["a host that answers 400", { fetch: (sent) => (Array.isArray(sent) ? new Response("no", { status: 400 }) : Response.json(ok(sent))) }],
  ["a body that is too large there", { batch: () => fails("PAYLOAD_TOO_LARGE")({ id: null }) }],
]) {
  const { thing } = await run(title, answers, ({ thing }) => [thing.findById("a"), thing.create({ id: "b" })]);
  console.log(" =>", JSON.stringify(await Promise.all([thing.findById("c"), thing.findById("d")])));
}
await run("too much together", { batch: (all) => all.map((frame, i) => (i < 2 ? fails("PAYLOAD_TOO_LARGE")(frame) : fails("UNPROCESSABLE_ENTITY", { limit: "limits.work" })(frame))) }, ({ thing }) => [thing.findById("a"), thing.create({}), thing.findById("b"), thing.findById("c")]);

const placed = (all) => all.map((frame) => ({ ...ok(frame), position: "p" + frame.method[0] }));
await run("pages with their positions", { batch: placed }, ({ thing, other }) => [thing.list(), other.list(), thing.findById("a")]);
await run("over REST", {}, ({ thing }) => [thing.findById("a"), thing.findById("b"), thing.report({ id: "c" }), thing.report({ id: "d" })], { transport: "rest" });
const watched = ({ thing }) => [thing, thing].map(async (door) => {
  for await (const page of door.watch()) return page;
});
await run("pages that are watched", { batch: placed }, watched);
await run("pages that are watched, of an older host", {}, watched);
process.exit(0);
