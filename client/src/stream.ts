// One connection for everything that a client follows: POST /_kit/stream, whose messages name
// their stream. It is opened again, from the position of each stream, whenever it breaks off, is
// silent, or has another stream to carry.

import { KitError, passes } from "./errors.js";
import { write } from "./json.js";
import { failure, json, type Call, type Link } from "./transport.js";

/** A stream: what it is of, as JSON, and where it is. */
export interface Followed {
  readonly request: string;
  after: string | undefined;
}

/** A text is the JSON of the event, of the position, or of the KitError that ended the stream. */
export type Receive = (kind: "event" | "position" | "error", text: string) => void;

/** What carries streams. */
export interface Streams {
  /** Begins a stream; what it returns ends it. */
  follow(followed: Followed, receive: Receive): () => void;
}

interface Member {
  readonly followed: Followed;
  readonly receive: Receive;
}

/** Streams that one request may have. */
const most = 100;
/** Of signs of life, in ms, until the host says its own. */
const usual = 15_000;

/** The position of an event, in its JSON. */
export const positionOf = (kind: string, text: string): string | undefined => (kind === "position" ? JSON.parse(text) : kind === "event" ? /"position":"([^"]+)"/.exec(text)?.[1] : undefined);

/** Streams over connections of this page. `ready` is asked before each one is opened: false leaves it closed. */
export class Wires implements Streams {
  private readonly all: Wire[] = [];
  constructor(
    private readonly link: Link,
    private readonly ready: () => Promise<boolean> = async () => true,
  ) {}

  /** How long the host may be silent, in ms. */
  get silence(): number {
    return Math.max(...this.all.map((wire) => 3 * wire.heartbeat), 3 * usual);
  }

  follow(followed: Followed, receive: Receive): () => void {
    let wire = this.all.find((wire) => wire.members.size < most);
    if (!wire) this.all.push((wire = new Wire(this.link, this.ready)));
    return wire.follow(followed, receive);
  }
}

let last = 0;

class Wire {
  readonly members = new Map<string, Member>();
  heartbeat = usual;
  private request: AbortController | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private wait = 200;
  private refused = false; // a stream of this connection was, for now
  constructor(
    private readonly link: Link,
    private readonly ready: () => Promise<boolean>,
  ) {}

  follow(followed: Followed, receive: Receive): () => void {
    const id = String(++last);
    this.members.set(id, { followed, receive });
    this.again(0);
    return () => {
      if (this.members.delete(id)) this.again(0);
    };
  }

  /** Opens the connection in a while; streams that begin or end in one tick share one request. */
  private again(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.open(), ms);
  }

  private async open(): Promise<void> {
    this.request?.abort();
    const request = (this.request = new AbortController());
    if (this.members.size === 0 || !(await this.ready()) || this.request !== request) return;
    this.refused = false;
    let silence: ReturnType<typeof setTimeout> | undefined;
    const alive = (): void => {
      clearTimeout(silence);
      silence = setTimeout(() => request.abort(), 3 * this.heartbeat);
    };
    alive();
    try {
      for await (const [name, data] of this.messages(request.signal, alive)) {
        if (this.request !== request) return;
        if (name === "open") this.heartbeat = JSON.parse(data).heartbeat * 1000;
        const [, id, kind, text] = /^\{"stream":"([^"]*)","(event|position|error)":(.*)\}$/s.exec(data) ?? [];
        if (id !== undefined) this.deliver(id, kind as "event", text!);
      }
    } catch (err) {
      if (this.request === request && err instanceof KitError && !passes(err)) for (const id of this.members.keys()) void this.failed(id, err);
    } finally {
      clearTimeout(silence);
      request.abort();
    }
    if (this.request === request) this.later();
  }

  /** Opens the connection again, later each time until something arrives. */
  private later(): void {
    this.again(this.wait * (0.5 + Math.random() / 2));
    this.wait = Math.min(this.wait * 2, 10_000);
  }

  private deliver(id: string, kind: "event" | "position" | "error", text: string): void {
    const member = this.members.get(id);
    if (!member) return;
    if (kind === "error") {
      const err = new KitError(JSON.parse(text));
      // Those that have ended are opened again beside the others.
      if (!passes(err)) return void this.failed(id, err);
      if (!this.refused) this.later();
      this.refused = true;
      return;
    }
    if (!this.refused) this.wait = 200;
    member.followed.after = positionOf(kind, text) ?? member.followed.after;
    member.receive(kind, text);
  }

  private async failed(id: string, err: KitError): Promise<void> {
    if (err.code === "UNAUTHORIZED" && (await this.link.unauthorized(err))) return this.later();
    const member = this.members.get(id);
    if (this.members.delete(id)) member!.receive("error", JSON.stringify({ ...err, message: err.message }));
  }

  /** The name and the data of each message of one request. */
  private async *messages(signal: AbortSignal, alive: () => void): AsyncGenerator<[name: string, data: string], void> {
    const call: Call = { door: { frond: "", door: "", path: "", ops: {} }, name: "stream", op: { query: 1 }, signal };
    const streams = [...this.members].map(([id, { followed }]) => `"${id}":` + (followed.after === undefined ? followed.request : followed.request.replace(/\}$/, `,"after":${write(followed.after)}}`)));
    const response = await this.link.fetch(call, "/_kit/stream", {
      method: "POST",
      headers: { accept: "text/event-stream", "content-type": "application/json" },
      body: `{"streams":{${streams.join()}}}`,
    });
    if (!response.ok || !response.body || !/^text\/event-stream/.test(response.headers.get("content-type") ?? "")) {
      const data = (await json(response, call))?.data;
      throw data?.code ? new KitError(data) : failure(call, "BAD_GATEWAY", `the host answered status ${response.status} and no stream of events`);
    }
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    let [rest, name, data] = ["", "", ""];
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        alive();
        const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r/);
        rest = lines.pop()!;
        for (const line of lines) {
          const [, field, text = ""] = /^([^:]*)(?::(?: )?(.*))?$/s.exec(line)!;
          if (line === "") {
            if (data) yield [name, data];
            [name, data] = ["", ""];
          } else if (field === "event") name = text;
          else if (field === "data") data += (data && "\n") + text;
        }
      }
    } finally {
      void reader.cancel().catch(() => {});
    }
  }
}
