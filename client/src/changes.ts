// The changes of a door and the events of a fact as they happen.

import { KitError } from "./errors.js";
import { read, write } from "./json.js";
import { positionOf, type Streams } from "./stream.js";
import { conditions, type Call } from "./transport.js";

export interface ChangesQuery {
  readonly after?: string;
  readonly filter?: unknown;
  readonly fields?: readonly string[];
  readonly signal?: AbortSignal;
  readonly [further: string]: unknown;
}

/** Events that wait for a reader; the stream of one that is slower ends, and goes on when it has read them. */
const most = 1000;

/** The events, without end: a stream that breaks off is resumed. It ends when the signal is aborted. */
export async function* changes(streams: Streams, call: Call, query: ChangesQuery = {}): AsyncGenerator<any, void> {
  conditions(call, query);
  const { signal, after, ...others } = query;
  const [, frond, name] = /([^/]+)\/facts\/([^/]+)$/.exec(call.door.changes!)!;
  // The key of a row has digits to lose as its primary field has.
  const big = call.door.big && [...call.door.big, ...(call.door.big.includes(call.door.key!) ? ["key"] : [])];
  const request = write({ fact: frond + "." + name, ...others });
  let position = after;
  let waiting: string[] = [];
  let failed: KitError | undefined;
  let wake = (): void => {};
  let stop: (() => void) | undefined;
  const aborted = (): void => {
    stop = void stop?.();
    wake();
  };
  const follow = (): (() => void) =>
    streams.follow({ request, after: position }, (kind, text) => {
      position = positionOf(kind, text) ?? position;
      if (kind === "event") waiting.push(text);
      else if (kind === "error") failed = new KitError(JSON.parse(text));
      if (waiting.length >= most) stop = void stop?.();
      wake();
    });
  signal?.addEventListener("abort", aborted);
  try {
    while (!signal?.aborted) {
      const events = waiting;
      waiting = [];
      for (const text of events) {
        yield read(text, big);
        if (signal?.aborted) return;
      }
      if (waiting.length > 0) continue;
      if (failed) throw failed;
      stop ??= follow();
      await new Promise<void>((done) => (wake = done));
    }
  } finally {
    signal?.removeEventListener("abort", aborted);
    stop?.();
  }
}
