// Exports, against hosts whose file breaks off, is none, or is read by a slow reader; prints what was
// read and how it ended.
import { connect } from "../dist/connect.js";

const ops = { list: { builtin: "list", query: 1 }, import: { builtin: "import" } };
const doors = { thing: { frond: "f", door: "thing", path: "/api/f/things", key: "id", big: ["n"], ops } };
const text = new TextEncoder();
let pulled = 0;
let cancelled;

/** A file that comes in these parts, and then ends or fails. */
const file = (parts, end = (control) => control.close(), type = "application/x-ndjson") => {
  [pulled, cancelled] = [0, "not cancelled"];
  const body = new ReadableStream({
    pull: (control) => (pulled < parts.length ? control.enqueue(typeof parts[pulled] === "string" ? text.encode(parts[pulled++]) : parts[pulled++]) : end(control)),
    cancel: () => void (cancelled = "cancelled"),
  }, { highWaterMark: 0 });
  return new Response(body, { headers: { "content-type": type } });
};

async function run(title, answer, query, sending, each = () => {}) {
  const fetch = async (url, { method, headers, signal }) => (console.log(`# ${title}: ${method} ${url} as ${headers.accept}`), answer(signal));
  const read = [];
  try {
    for await (const row of connect(doors, { url: "http://host", fetch, retries: 0 }).thing.export(query, sending)) {
      read.push(row);
      if (each(read) === "break") break;
    }
    console.log("  whole");
  } catch (err) {
    console.log(" ", [err.code ?? err.name ?? err, err.entity, err.message].filter(Boolean).join(" "));
  }
  console.log(" ", JSON.stringify(read, (_, x) => (typeof x === "bigint" ? x + "n" : x instanceof Uint8Array ? new TextDecoder().decode(x) : x)));
}

const [half, other] = [text.encode("\u{1F343}").slice(0, 2), text.encode("\u{1F343}").slice(2)];
await run("rows cut anywhere", () => file(['{"id":"a","n":9007199254740993}\n{"id', '":"', half, other, '"}\n']), { sort: ["-n", "id"], filter: { n: { gt: 9007199254740993n } }, limit: undefined });
await run("without a last line break", () => file(['{"id":"a"}\n{"id":"b"}']));
await run("no rows", () => file([]));
await run("bytes", () => file(["id\r\n", "a\r\n"], undefined, "text/csv; charset=utf-8"), { format: "csv", escape: "formulas", fields: ["id"] });
await run("broken off", () => file(['{"id":"a"}\n{"id'], (control) => control.error(new Error("reset"))));
await run("left early", () => file(['{"id":"a"}\n{"id":"b"}\n', '{"id":"c"}\n', '{"id":"d"}\n']), {}, {}, () => "break");
console.log(" ", pulled, cancelled);
const stop = new AbortController();
await run("aborted", () => file(['{"id":"a"}\n', '{"id":"b"}\n', '{"id":"c"}\n']), {}, { signal: stop.signal, timeout: 60_000 }, () => stop.abort("enough"));
console.log(" ", pulled, cancelled);
await run("refused", () => Response.json({ data: { code: "FORBIDDEN", entity: "thing", message: "not for you" } }, { status: 403 }));
await run("an older host", () => Response.json({ items: [] }));
await run("another format", () => file([]), { format: "xml" });
