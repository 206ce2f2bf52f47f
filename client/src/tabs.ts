// The tabs of a browser share one connection: one of them opens it, and gives the others what is
// theirs. It is the tab that holds a lock, so that another one takes its place when it closes.

import { KitError } from "./errors.js";
import { positionOf, Wires, type Followed, type Receive, type Streams } from "./stream.js";
import type { Link } from "./transport.js";

/** What tabs say to each other. run is another one each time a tab sends its streams, so that nothing of before is taken for new. */
type Message =
  | { kind: "lead" }
  | { kind: "apart" }
  | { kind: "follow"; tab: string; id: string; run: number; request: string; after: string | undefined }
  | { kind: "leave"; id: string }
  | { kind: "event" | "position" | "error"; id: string; run: number; text: string; silence: number };

interface Own {
  readonly followed: Followed;
  readonly receive: Receive;
  readonly id: string;
  run: number;
  /** Ends the stream at this tab's own connection. */
  stop?: (() => void) | undefined;
}

/** Whether tabs can share here. */
export const canShare = (): boolean => typeof document === "object" && typeof BroadcastChannel === "function" && !!globalThis.navigator?.locks;

/** A short text that differs where a text differs: two sums of 32 bits. */
function digest(text: string): string {
  let [a, b] = [7, 1_000_003];
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x9e3779b1);
    b = Math.imul(b + text.charCodeAt(i), 0x85ebca6b) ^ (b >>> 15);
  }
  return [a, b].map((n) => (n >>> 0).toString(36)).join("");
}

/** Streams that the tabs with the same host and the same caller share. `who` is the caller: tabs of another one have a connection of their own. */
export class Tabs implements Streams {
  private readonly own = new Map<string, Own>();
  private group: Group | undefined;
  private joining = false;
  /** Where who is another one each time it is asked, no two tabs have the same. */
  private alone: Wires | undefined;
  constructor(
    private readonly link: Link,
    private readonly who: () => Promise<string>,
  ) {}

  follow(followed: Followed, receive: Receive): () => void {
    if (this.alone) return this.alone.follow(followed, receive);
    const one: Own = { followed, receive, id: random(), run: 0 };
    this.own.set(one.id, one);
    if (this.group) this.group.add(one);
    else void this.join();
    return () => {
      if (!this.own.delete(one.id)) return;
      one.stop?.();
      this.group?.removed(one);
    };
  }

  private readonly name = async (): Promise<string> => "frond " + this.link.url + " " + digest(await this.who());

  private async join(): Promise<void> {
    if (this.joining) return;
    this.joining = true;
    const names = [await this.name(), await this.name()];
    this.joining = false;
    if (this.own.size === 0) return;
    if (names[0] === names[1]) {
      this.group = new Group(names[0]!, this.link, this.own, this.name, () => {
        this.group = undefined;
        if (this.own.size > 0) void this.join();
      });
      return;
    }
    this.alone = new Wires(this.link);
    for (const one of this.own.values()) one.stop = this.alone.follow(one.followed, one.receive);
  }
}

const random = (): string => Math.random().toString(36).slice(2);

/** The tabs of one caller, as one of them takes part. */
class Group {
  private readonly tab = random();
  private readonly channel: BroadcastChannel;
  /** Where this tab has a connection: it leads, or has heard nothing of the one that does. */
  private wires: Wires | undefined;
  private leads = false;
  /** The streams of other tabs, of the tab that leads. */
  private readonly others = new Map<string, { tab: string; run: number; stop: () => void }>();
  /** Gives locks back, or stops waiting for them. */
  private readonly locks = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private silence = 45_000;

  constructor(
    private readonly name: string,
    private readonly link: Link,
    private readonly own: Map<string, Own>,
    private readonly nameNow: () => Promise<string>,
    private readonly ended: () => void,
  ) {
    this.channel = new BroadcastChannel(name);
    this.channel.onmessage = ({ data }) => this.hear(data);
    // Others see by it that this tab is there.
    this.lock(name + " " + this.tab, () => {
      this.lock(name, () => this.lead());
      for (const one of own.values()) this.add(one);
    });
  }

  private lock(name: string, held: () => void): void {
    const { signal } = this.locks;
    navigator.locks
      .request(name, { signal }, () => (held(), new Promise<void>((done) => signal.addEventListener("abort", () => done()))))
      .catch(() => {});
  }

  add(one: Own): void {
    if (this.wires) return this.connect(one);
    this.say({ kind: "follow", tab: this.tab, id: one.id, run: ++one.run, request: one.followed.request, after: one.followed.after });
    if (!this.timer) this.heard();
  }

  /** One of this tab's streams has ended. */
  removed(one: Own): void {
    if (!this.wires) this.say({ kind: "leave", id: one.id });
    this.leaveIfDone();
  }

  /** Leaves the group where nobody needs this tab. */
  private leaveIfDone(): void {
    if (this.own.size === 0 && this.others.size === 0) this.leave();
  }

  private leave(): void {
    clearTimeout(this.timer);
    this.locks.abort();
    this.channel.close();
    this.ended();
  }

  private say(message: Message): void {
    this.channel.postMessage(message);
  }

  /** The connection is this tab's from here on. */
  private connect(one: Own): void {
    one.run++;
    one.stop = this.wires!.follow(one.followed, one.receive);
  }

  private lead(): void {
    if (this.wires) return; // it went on alone
    clearTimeout(this.timer);
    this.leads = true;
    // Whoever calls may be another one since: then it is another group.
    this.wires = new Wires(this.link, async () => {
      if ((await this.nameNow()) === this.name) return true;
      this.say({ kind: "apart" });
      this.apart();
      return false;
    });
    for (const one of this.own.values()) this.connect(one);
    this.say({ kind: "lead" });
  }

  /** Ends the group for this tab, which looks for the one it belongs to. */
  private apart(): void {
    for (const one of this.own.values()) one.stop = void one.stop?.();
    for (const other of this.others.values()) other.stop();
    this.others.clear();
    this.leave();
  }

  private heard(silence = this.silence): void {
    this.silence = silence;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      // The tab that leads does not answer.
      for (const one of this.own.values()) this.say({ kind: "leave", id: one.id });
      this.locks.abort();
      this.wires = new Wires(this.link);
      for (const one of this.own.values()) this.connect(one);
    }, this.silence);
  }

  private hear(message: Message): void {
    if (message.kind === "follow") return void (this.leads && this.carry(message));
    if (message.kind === "leave") return this.drop(message.id);
    if (this.wires) return;
    if (message.kind === "lead") for (const one of this.own.values()) this.add(one);
    else if (message.kind === "apart") this.apart();
    else {
      const one = this.own.get(message.id);
      if (one?.run !== message.run) return;
      this.heard(message.silence);
      one.followed.after = positionOf(message.kind, message.text) ?? one.followed.after;
      if (message.kind !== "error") return one.receive(message.kind, message.text);
      const err = new KitError(JSON.parse(message.text));
      const again = err.code === "UNAUTHORIZED" ? this.link.unauthorized(err) : Promise.resolve(false);
      void again.then((again) => (again && this.own.has(one.id) ? this.add(one) : one.receive("error", message.text)));
    }
  }

  /** Carries a stream of another tab, until it leaves or closes. */
  private carry({ tab, id, run, request, after }: Message & { kind: "follow" }): void {
    if (this.others.get(id)?.run === run) return;
    this.drop(id);
    const known = [...this.others.values()].some((other) => other.tab === tab);
    const wires = this.wires!;
    const stop = wires.follow({ request, after }, (kind, text) => this.say({ kind, id, run, text, silence: wires.silence }));
    this.others.set(id, { tab, run, stop });
    if (known) return;
    const gone = (): void => {
      for (const [id, other] of this.others) if (other.tab === tab) this.drop(id);
    };
    navigator.locks.request(this.name + " " + tab, { signal: this.locks.signal }, gone).catch(() => {});
  }

  private drop(id: string): void {
    this.others.get(id)?.stop();
    this.others.delete(id);
    if (this.leads) this.leaveIfDone();
  }
}
