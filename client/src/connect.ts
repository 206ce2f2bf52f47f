// A client of a host: a member for each door, a method for each operation, and facts with a
// method for each fact. What differs from Frond to Frond are the tables of doors and of facts;
// the types of a package say what each method takes.

import { changes } from "./changes.js";
import { KitError } from "./errors.js";
import type { Schema } from "./judge.js";
import { details } from "./judge.js";
import { conditions, envelope, failure, rest, type Answer, type Call, type Door, type Fact, type Link, type Op, type Transport, type Writes } from "./transport.js";
import { read, write } from "./json.js";
import { graphql } from "./graphql.js";

export interface ClientOptions<Doors extends string = string> {
  /** The host's address, such as http://127.0.0.1:8080; "" is the page's own. */
  readonly url: string;
  /** How calls are sent; "envelope" (JSON-RPC) where it is left out. Results and failures are the same. */
  readonly transport?: "rest" | "envelope" | "graphql";
  /** Sent with every call, such as Authorization; a function is called for each. */
  readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);
  /** Instead of the global fetch. */
  readonly fetch?: typeof globalThis.fetch;
  /** How often a query that found no host is sent again; 2 where it is left out. Commands never are. */
  readonly retries?: number;
  /** Schemas of rows: an answer that they refuse fails with BAD_GATEWAY (`rows` of the package). */
  readonly strict?: { readonly [door in Doors]?: Schema<never> };
}

/** What a single call may carry. */
export interface Sending {
  readonly signal?: AbortSignal;
}

const versions = new WeakMap<object, string>();

/** The version of a row that a client gave, for ifMatch; undefined where the host told none. */
export const etag = (row: object): string | undefined => (row as { etag?: string }).etag ?? versions.get(row);

/** Gives a copy of a row the version of the row. */
export const sameVersion = (row: object, copy: object): void => {
  const version = versions.get(row);
  if (version) versions.set(copy, version);
};

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((done, fail) => {
    signal?.throwIfAborted();
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", () => (clearTimeout(timer), fail(signal.reason)), { once: true });
  });

/** What the arguments of a method carry, by the operation. */
function invocation(op: Op, args: any[]): { params?: any; query?: any; body?: unknown; signal?: AbortSignal } {
  const last = (options: any, more: object): any => {
    const { signal, ...query } = options ?? {};
    return { ...more, ...(Object.keys(query).length > 0 && { query }), ...(signal && { signal }) };
  };
  const [first, second, third] = args;
  switch (op.builtin) {
    case "list": {
      const { signal, ...query } = first ?? {};
      return last({ ...query, signal: second?.signal ?? signal }, {});
    }
    case "findById":
      return last(second, { params: { id: first } });
    case "delete":
      return last(second, { params: { id: first } });
    case "findByIds":
      return last({ ids: first, ...second }, {});
    case "create":
      return last(second, { body: first });
    case "update":
      return last(third, { params: { id: first }, body: second });
  }
  if (op.open) return { ...first, ...second };
  // The members of one input go where the operation's cards say.
  const out: any = { ...(op.params && { params: {} }), ...(op.parameters && { query: {} }), ...(op.body && { body: {} }), ...second };
  for (const [name, value] of Object.entries(first ?? {})) {
    const part = op.params?.includes(name) ? "params" : op.parameters?.includes(name) ? "query" : "body";
    (out[part] ??= {})[name] = value;
  }
  return out;
}

/** A selection as a list of fields: { id: true, reviews: { limit: 3, rating: true } } is id and reviews(limit:3).rating. */
const fieldsOf = (select: object, before = ""): string[] =>
  Object.entries(select).flatMap(([name, chosen]) => {
    if (chosen === true) return before + name;
    if (!chosen || typeof chosen !== "object") return [];
    const behind = fieldsOf(chosen, before + name + (typeof chosen.limit === "number" ? `(limit:${chosen.limit})` : "") + ".");
    return behind.length > 0 ? behind : before + name; // which the host refuses: a relation has no value of its own
  });

const isObject = (value: unknown): value is { readonly [name: string]: unknown } => typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether two values of JSON are equal, whatever the order of members. */
const equal = (a: unknown, b: unknown): boolean => {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => equal(item, b[i]));
  if (!isObject(a) || !isObject(b)) return a === b;
  return Object.keys({ ...a, ...b }).every((name) => Object.hasOwn(a, name) === Object.hasOwn(b, name) && equal(a[name], b[name]));
};

/** The merge patch that makes after of before, of these names. */
function difference(writes: Writes, before: { readonly [name: string]: unknown }, after: { readonly [name: string]: unknown }, names: readonly string[]): object {
  const patch: [string, unknown][] = [];
  for (const name of names) {
    const [was, is] = [before, after].map((row) => (Object.hasOwn(row, name) ? row[name] : undefined));
    if (equal(was, is)) continue;
    const within = Object.hasOwn(writes, name) ? writes[name] : 1;
    if (isObject(within) && isObject(was) && isObject(is)) patch.push([name, difference(within as Writes, was, is, Object.keys({ ...was, ...is }))]);
    else patch.push([name, is === undefined ? null : is]);
  }
  return Object.fromEntries(patch);
}

export function connect<Client>(doors: { readonly [member: string]: Door }, options: string | ClientOptions, facts: { readonly [name: string]: Fact } = {}): Client {
  const { url, headers, fetch = globalThis.fetch, retries = 2, strict, transport }: ClientOptions = typeof options === "string" ? { url: options } : (options ?? {});
  if (typeof url !== "string") throw new TypeError('there is no address of a host; write connect({ url: "http://127.0.0.1:8080" })');
  const base = url.replace(/\/+$/, "");
  const send: Transport | undefined = { rest, envelope, graphql }[transport ?? "envelope"];
  if (!send) throw new TypeError(`there is no transport ${String(transport)}; write rest, envelope or graphql`);

  // What this client wrote, by store: reads that echo it see it, also where they are answered by
  // a replica. Tokens of a store grow as texts.
  const written = new Map<string, string>();
  const link: Link = {
    url: base,
    door: (name) => Object.values(doors).find(({ door }) => door === name),
    async fetch(call, path, init) {
      const token = [...written.values()].join(", ");
      let response: Response;
      try {
        response = await fetch(base + path, {
          ...(init as RequestInit),
          headers: { ...init.headers, ...(token && { "x-frond-consistency": token }), ...(typeof headers === "function" ? await headers() : headers) },
          ...(call.signal && { signal: call.signal }),
        });
      } catch (err) {
        call.signal?.throwIfAborted();
        throw failure(call, "SERVICE_UNAVAILABLE", "the host cannot be reached", { cause: String(err) });
      }
      for (const one of response.headers?.get("x-frond-consistency")?.split(",") ?? []) {
        const text = one.trim();
        const store = text.split(".")[0]!;
        if (text > (written.get(store) ?? "")) written.set(store, text);
      }
      return response;
    },
  };

  async function answer(call: Call): Promise<Answer> {
    for (let tries = 0; ; tries++) {
      try {
        return await send!(link, call);
      } catch (err) {
        if (!(err instanceof KitError) || err.code !== "SERVICE_UNAVAILABLE" || !call.op.query || tries >= retries) throw err;
        await pause(Math.random() * Math.min(1000, 100 * 2 ** tries) + 50, call.signal);
      }
    }
  }

  async function run(member: string, door: Door, name: string, args: any[]): Promise<any> {
    const op = door.ops[name]!;
    let call: Call = { door, name, op, ...invocation(op, args) };
    if (op.builtin) conditions(call, call.query);
    const { select, ...others } = (op.builtin ? call.query : undefined) ?? ({} as any);
    if (select) call = { ...call, query: { ...others, fields: fieldsOf(select) } };
    const rows = op.builtin && op.builtin !== "delete";
    // Versions are asked for beside whole rows, and kept beside them: etag(row).
    const versioned = rows && door.etag && !call.query?.["fields"];
    if (versioned && !(transport === "rest" && op.builtin !== "list" && op.builtin !== "findByIds")) call = { ...call, query: { ...call.query, fields: ["*", "etag"] } };
    let { result, version } = await answer(call);
    if (op.builtin === "list") result = await paged(call, result);
    for (const row of op.builtin === "list" ? result.items : Array.isArray(result) ? result : [result]) {
      if (!row || typeof row !== "object") continue;
      if (versioned) {
        const of = row.etag ?? version;
        delete row.etag;
        if (of) versions.set(row, of);
      }
      // The card says nothing of relations.
      const own = select ? Object.fromEntries(Object.entries(row).filter(([field]) => select[field] === true)) : row;
      if (rows && strict?.[member]) judge(call, own, strict[member]);
    }
    return result;
  }

  function judge(call: Call, row: object, by: Schema<never>): void {
    // A row has fewer members where some were selected or hidden, and more where some are computed.
    const refused = details(by, row).filter((detail) => detail.code !== "required" && detail.code !== "unknown_key");
    if (refused.length) throw failure(call, "BAD_GATEWAY", "the host answered a row that its card forbids: " + refused[0]!.path + " " + refused[0]!.message, refused);
  }

  // Some hosts answer a list with a bare array, which does not say whether there is more: one that
  // is as long as the limit is asked for again, with a row more.
  async function paged(call: Call, rows: any): Promise<any> {
    if (!Array.isArray(rows)) {
      if (!Array.isArray(rows?.items)) throw failure(call, "BAD_GATEWAY", "the host answered no list");
      return rows;
    }
    const { limit, offset = 0 } = (call.query ?? {}) as { limit?: number; offset?: number };
    let whole = limit === undefined || rows.length !== limit;
    if (!whole) {
      try {
        const more = (await answer({ ...call, query: { ...call.query, limit: limit! + 1 } })).result;
        if (Array.isArray(more)) [rows, whole] = [more, more.length <= limit!];
      } catch (err) {
        if (!(err instanceof KitError) || (err.code !== "VALIDATION_FAILED" && err.code !== "BAD_REQUEST")) throw err;
      }
    }
    const items = limit === undefined ? rows : rows.slice(0, limit);
    return { items, total: whole ? offset + rows.length : -1, hasMore: rows.length > items.length, endCursor: null };
  }

  async function* pages(list: (query: any, sending?: Sending) => Promise<any>, query: any = {}, sending?: Sending): AsyncGenerator<any, void> {
    let { offset = 0 } = query;
    for (let next = query; ; ) {
      const page = await list(next, sending);
      yield page;
      if (!page.hasMore) return;
      offset += page.items.length;
      // A host without cursors goes on by places.
      const { after: _, offset: __, ...rest } = query;
      next = page.endCursor ? { ...rest, after: page.endCursor } : { ...rest, offset };
    }
  }

  /** The events of a door's changes, or of a fact. */
  const events = (door: Door, name: string) => (query?: any): AsyncGenerator<any, void> => changes(link, { door, name, op: { query: 1 }, ...(query?.signal && { signal: query.signal }) }, query);

  const client: any = { facts: {} };
  for (const [name, fact] of Object.entries(facts)) client.facts[name] = events({ frond: "", path: "", ops: {}, ...fact }, name);
  for (const [member, door] of Object.entries(doors)) {
    const methods: any = {};
    for (const [name, op] of Object.entries(door.ops)) {
      methods[name] = (...args: any[]) => run(member, door, name, args);
      if (op.builtin !== "list") continue;
      const list = methods[name];
      methods.pages ??= (query?: any, sending?: Sending) => pages(list, query, sending);
      methods.each ??= async function* (query?: any, sending?: Sending) {
        for await (const page of pages(list, query, sending)) yield* page.items;
      };
      if (door.changes) methods.changes ??= events(door, "changes");
    }
    const { writes } = door;
    // A value is compared, and sent, as JSON has it: a Date is its text.
    const plain = (row: object): any => read(write(row), door.big);
    if (writes) methods.patchOf ??= (before: object, after: object) => difference(writes, plain(before), plain(after), Object.keys(writes));
    client[member] = methods;
  }
  const members = new Map(Object.entries(doors).map(([member, door]) => [door.door, member]));
  client.call ??= (operation: string, ...args: any[]) => {
    const dot = operation.lastIndexOf(".");
    const method = client[members.get(operation.slice(0, dot))!]?.[operation.slice(dot + 1)];
    return method ? method(...args) : Promise.reject(new KitError({ code: "NOT_FOUND", message: `there is no operation ${operation}` }));
  };
  return client;
}
