// The changes of a door and the events of a fact as they happen: server-sent events, begun
// again behind the last one that arrived.

import { KitError } from "./errors.js";
import { conditions, failure, json, type Call, type Link } from "./transport.js";
import { read, write } from "./json.js";

export interface ChangesQuery {
  readonly after?: string;
  readonly filter?: unknown;
  readonly fields?: readonly string[];
  readonly signal?: AbortSignal;
  readonly [further: string]: unknown;
}

/** Failures after which the stream is not asked for again. */
const final = (err: unknown): boolean => err instanceof KitError && err.code !== "SERVICE_UNAVAILABLE" && err.code !== "TOO_MANY_REQUESTS" && err.code !== "GATEWAY_TIMEOUT";

/** The events, without end: a stream that breaks off is resumed. It ends when the signal is aborted. */
export async function* changes(link: Link, call: Call, query: ChangesQuery = {}): AsyncGenerator<any, void> {
  conditions(call, query);
  const { signal, ...others } = query;
  let { after } = query;
  // The key of a row has digits to lose as its primary field has.
  const big = call.door.big && [...call.door.big, ...(call.door.big.includes(call.door.key!) ? ["key"] : [])];
  for (let wait = 200; ; wait = Math.min(wait * 2, 10_000)) {
    try {
      for await (const event of stream(link, call, { ...others, ...(after !== undefined && { after }) })) {
        if (event.id) after = event.id;
        wait = 200;
        if (event.data) yield read(event.data, big);
      }
    } catch (err) {
      if (signal?.aborted) return;
      if (final(err)) throw err;
    }
    if (signal?.aborted) return;
    await new Promise<void>((done) => {
      const timer = setTimeout(done, wait * (0.5 + Math.random() / 2));
      signal?.addEventListener("abort", () => (clearTimeout(timer), done()), { once: true });
    });
    if (signal?.aborted) return;
  }
}

interface Event {
  id: string;
  data: string;
}

async function* stream(link: Link, call: Call, query: ChangesQuery): AsyncGenerator<Event, void> {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, Array.isArray(value) ? value.join() : typeof value === "string" ? value : write(value));
  }
  const text = parameters.toString();
  const response = await link.fetch(call, call.door.changes + (text && "?" + text), { method: "GET", headers: { accept: "text/event-stream" } });
  if (!response.ok || !response.body || !/^text\/event-stream/.test(response.headers.get("content-type") ?? "")) {
    const data = (await json(response, call))?.data;
    throw data?.code ? new KitError(data) : failure(call, "BAD_GATEWAY", `the host answered status ${response.status} and no stream of events`);
  }
  const reader = response.body.pipeThrough(new TextDecoderStream() as any).getReader() as ReadableStreamDefaultReader<string>;
  let rest = "";
  let event: Event = { id: "", data: "" };
  let failed = "";
  let name = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split(/\r\n|\n|\r/);
      rest = lines.pop()!;
      for (const line of lines) {
        const [, field, text = ""] = /^([^:]*)(?::(?: )?(.*))?$/s.exec(line)!;
        if (line === "") {
          if (name === "end") failed = event.data;
          else if (event.id || event.data) yield event;
          event = { id: "", data: "" };
          name = "";
          if (failed) {
            const data = read(failed);
            throw data?.code ? new KitError(data) : failure(call, "BAD_GATEWAY", "the stream failed");
          }
        } else if (field === "id") event.id = text;
        else if (field === "event") name = text;
        else if (field === "data") event.data += (event.data && "\n") + text;
      }
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}
