// A client of a host: a member for each door, a method for each operation, and facts with a
// method for each fact. What differs from Frond to Frond are the tables of doors and of facts;
// the types of a package say what each method takes.
//
// A page loads the parts that it uses: streams, files, exports, atomic calls, strict answers, REST
// and GraphQL are modules that import() loads with the first call that needs them.

import { batches } from "./batch.js";
import type { ChangesQuery } from "./changes.js";
import { KitError } from "./errors.js";
import type { Schema } from "./judge.js";
import { conditions, envelope, failure, manyRows, rehearsed, type Answer, type Call, type Door, type Fact, type Link, type Op, type Transport, type Writes } from "./transport.js";
import { etag } from "./version.js";
import type { FileBody, FileSending } from "./files.js";
import { equal, isObject, read, write } from "./json.js";
import type { DoorNames } from "./graphql.js";
import type { Atomic, Ref } from "./atomic.js";
import type { Streams } from "./stream.js";

export { etag };
export type { Atomic, Ref };

export interface ClientOptions<Doors extends string = string> {
  /** The host's address, such as http://127.0.0.1:8080; "" is the page's own. */
  readonly url: string;
  /** How calls are sent; "envelope" (JSON-RPC) where it is left out. Results and failures are the same. */
  readonly transport?: "rest" | "envelope" | "graphql";
  /** Sent with every call, such as Authorization; a function is called for each. */
  readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);
  /** Instead of the global fetch. */
  readonly fetch?: typeof globalThis.fetch;
  /** Whether calls of one tick leave as one request, in JSON-RPC; true where it is left out. */
  readonly batch?: boolean;
  /** How often a query that found no host is sent again; 2 where it is left out. Commands never are. */
  readonly retries?: number;
  /** Ends a call that takes longer, in ms, with GATEWAY_TIMEOUT. Streams go on. */
  readonly timeout?: number;
  /** Called when the host does not know the caller. true: what was sent is sent once more, with the headers of then. */
  readonly onUnauthorized?: (err: KitError) => boolean | void | Promise<boolean | void>;
  /** Whether the tabs of a browser have one connection for all that they follow. Where it is left out, those with equal headers do, if fetch is the global one; a text is the caller's name, which takes the place of the headers. */
  readonly share?: boolean | string;
  /** Schemas of rows: an answer that they refuse fails with BAD_GATEWAY (`rows` of the package). */
  readonly strict?: { readonly [door in Doors]?: Schema<never> };
}

/** What a single call may carry. */
export interface Sending {
  readonly signal?: AbortSignal;
  /** In ms, instead of the client's. */
  readonly timeout?: number;
  /** The token of a rehearsal, beside a command: it is written if it changes what it changed in the rehearsal. */
  readonly approve?: string;
}

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((done, fail) => {
    signal?.throwIfAborted();
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", () => (clearTimeout(timer), fail(signal.reason)), { once: true });
  });

/** A part of the client that a page loads when it needs it. */
const part = async <Part>(loading: Promise<Part>): Promise<Part> => {
  try {
    return await loading;
  } catch (err) {
    throw new KitError({ code: "SERVICE_UNAVAILABLE", message: "a part of the client cannot be loaded", details: { cause: String(err) } });
  }
};

const transports: { readonly [name: string]: Transport } = {
  envelope,
  rest: async (link, call) => (await part(import("./rest.js"))).rest(link, call),
  graphql: async (link, call) => (await part(import("./graphql.js"))).graphql(link, call),
};

/** What the arguments of a method carry, by the operation. */
function invocation(op: Op, args: any[]): { params?: any; query?: any; body?: unknown; signal?: AbortSignal; timeout?: number } {
  const last = (options: any, more: object): any => {
    const { signal, timeout, ...query } = options ?? {};
    return { ...more, ...(Object.keys(query).length > 0 && { query }), ...(signal && { signal }), ...(timeout !== undefined && { timeout }) };
  };
  const [first, second, third] = args;
  switch (op.builtin) {
    case "list": {
      const { signal, ...query } = first ?? {};
      return last({ ...query, signal: second?.signal ?? signal, timeout: second?.timeout }, {});
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
    case "createMany":
      return last(second, { body: first });
    case "updateMany":
      return last({ ...third, where: first }, { body: second });
    case "deleteMany":
      return last({ ...second, where: first }, {});
    case "upsert":
    case "import":
      return last({ ...third, by: first }, { body: second });
  }
  const { rehearse, approve, ...sending } = second ?? {};
  const words = { ...(rehearse !== undefined && { rehearse }), ...(approve !== undefined && { approve }) };
  const worded = Object.keys(words).length > 0;
  if (op.open) return { ...first, ...(worded && { query: { ...first?.query, ...words } }), ...sending };
  // The members of one input go where the operation's cards say.
  const out: any = { ...(op.params && { params: {} }), ...((op.parameters || worded) && { query: words }), ...(op.body && { body: {} }), ...sending };
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

export function connect<Client>(doors: { readonly [member: string]: Door }, options: string | ClientOptions, facts: { readonly [name: string]: Fact } = {}, graphqlNames = async (): Promise<{ readonly names: DoorNames }> => ({ names: {} })): Client {
  const { url, headers, fetch = globalThis.fetch, batch = true, retries = 2, strict, transport, timeout, onUnauthorized, share }: ClientOptions = typeof options === "string" ? { url: options } : (options ?? {});
  if (typeof url !== "string") throw new TypeError('there is no address of a host; write connect({ url: "http://127.0.0.1:8080" })');
  const base = url.replace(/\/+$/, "");
  const send = transports[transport ?? "envelope"];
  if (!send) throw new TypeError(`there is no transport ${String(transport)}; write rest, envelope or graphql`);

  // What this client wrote, by store: reads that echo it see it, also where they are answered by
  // a replica. Tokens of a store grow as texts.
  const written = new Map<string, string>();
  const headersNow = async (): Promise<Readonly<Record<string, string>> | undefined> => (typeof headers === "function" ? headers() : headers);
  let reported: Promise<boolean> | undefined;
  const link: Link & { batch?: Link["batch"] } = {
    url: base,
    unauthorized: (err) =>
      (reported ??= (async () => {
        try {
          return (await onUnauthorized?.(err)) === true;
        } finally {
          reported = undefined;
        }
      })()),
    names: async () => (await part(graphqlNames())).names,
    async fetch(call, path, init, over) {
      const token = [...written.values()].join(", ");
      let response: Response;
      try {
        response = await ((fetch === globalThis.fetch && over) || fetch)(base + path, {
          ...(init as RequestInit),
          headers: { ...init.headers, ...(token && { "x-frond-consistency": token }), ...(call.position && { prefer: "position" }), ...(await headersNow()) },
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

  if (batch) link.batch = batches(link);

  async function answer(call: Call, through = send!): Promise<Answer> {
    let asked = false;
    for (let tries = 0; ; ) {
      try {
        return await through(link, call);
      } catch (err) {
        call.signal?.throwIfAborted();
        if (!(err instanceof KitError)) throw err;
        if (err.code === "UNAUTHORIZED" && !asked && (await link.unauthorized(err))) {
          asked = true;
          continue;
        }
        if (err.code !== "SERVICE_UNAVAILABLE" || !call.op.query || tries >= retries) throw err;
        await pause(Math.random() * Math.min(1000, 100 * 2 ** tries++) + 50, call.signal);
      }
    }
  }

  /** Runs a call, for as long as it may take. */
  async function within(door: Door, name: string, args: any[], run: (call: Call) => Promise<any>): Promise<any> {
    const op = door.ops[name]!;
    const { timeout: limit = timeout, ...more } = invocation(op, args);
    const call: Call = { door, name, op, ...more };
    if (limit === undefined) return run(call);
    const late = new AbortController();
    const stop = (): void => late.abort(call.signal!.reason);
    const timer = setTimeout(() => late.abort(failure(call, "GATEWAY_TIMEOUT", `the host did not answer within ${limit} ms`)), limit);
    if (call.signal?.aborted) stop();
    call.signal?.addEventListener("abort", stop);
    try {
      return await run({ ...call, signal: late.signal });
    } finally {
      clearTimeout(timer);
      call.signal?.removeEventListener("abort", stop);
    }
  }

  async function run(member: string, made: Call): Promise<any> {
    const { call, finish } = prepared(member, made);
    const result = await answer(call).catch(async (err) => {
      throw await refused(member, call, err);
    });
    return finish(result);
  }

  /** A call as it is sent, and what makes the result of the answer. beside: versions of single rows are told in headers. */
  function prepared(member: string, call: Call, beside = transport === "rest"): { call: Call; finish(answer: Answer): Promise<any> } {
    const { door, op } = call;
    if (op.builtin) conditions(call, call.query);
    const { select, ...others } = (op.builtin ? call.query : undefined) ?? ({} as any);
    // A copy of a row has its version, which no row takes.
    if (op.builtin && door.etag && !door.writes?.["etag"] && isObject(call.body) && etag(call.body) !== undefined) {
      const { etag: _, ...body } = call.body as any;
      call = { ...call, body };
    }
    if (select) call = { ...call, query: { ...others, fields: fieldsOf(select) } };
    const rows = op.builtin && op.builtin !== "delete" && op.builtin !== "import";
    // Whole rows have their versions: etag(row). A write by a condition answers rows only where fields are selected.
    const versioned = rows && door.etag && !call.query?.["fields"] && op.builtin !== "updateMany" && op.builtin !== "deleteMany";
    if (versioned && !(beside && op.builtin !== "list" && op.builtin !== "findByIds" && !manyRows(op))) call = { ...call, query: { ...call.query, fields: ["*", "etag"] } };
    const finish = async ({ result, version }: Answer): Promise<any> => {
      if (rehearsed(call)) return result;
      if (op.builtin === "list") result = await paged(call, result);
      const items = op.builtin === "list" || manyRows(op) ? (result?.items ?? [result?.item]) : Array.isArray(result) ? result : [result];
      for (const row of items) {
        if (!row || typeof row !== "object") continue;
        if (versioned && version !== undefined) row.etag ??= version;
        if (rows) await judge(member, call, row, select);
      }
      return result;
    };
    return { call, finish };
  }

  /** Makes the calls that a function notes as one transaction. */
  async function atomic(make: (call: (operation: string, ...args: any[]) => any) => any, sending?: Sending): Promise<any> {
    const { placeholders, together } = await part(import("./atomic.js"));
    const calls: ReturnType<typeof prepared>[] = [];
    const { of, settled } = placeholders();
    const made = await make((operation, ...args) => {
      const found = named(operation);
      if (!found) throw unknown(operation);
      calls.push(prepared(found.member, { ...found, ...invocation(found.op, args) }, false));
      return of([String(calls.length - 1)]);
    });
    const rpc: Door = { frond: "", door: "rpc", path: "", ops: { atomic: { open: 1 } } };
    return within(rpc, "atomic", [{}, sending], async (call) => {
      const { result } = await answer(call, together(calls.map(({ call }) => call), transport === "rest"));
      const done = async (all: any[]): Promise<any> => settled(made, await Promise.all(calls.map(({ finish }, i) => finish({ result: all[i] }))));
      return rehearsed(call) ? { ...result, result: await done(result.result) } : done(result);
    });
  }

  /** Reads the row of a condition that failed, where an older host did not send it. */
  async function refused(member: string, call: Call, err: unknown): Promise<unknown> {
    const { door, signal } = call;
    const op = door.ops["findById"];
    if (!(err instanceof KitError) || err.code !== "PRECONDITION_FAILED" || err.details !== undefined || !call.op.builtin || !op?.builtin) return err;
    const { code, message, entity = door.door, operation = call.name } = err;
    try {
      const row = await run(member, { door, name: "findById", op, params: { id: call.params!["id"] }, ...(signal && { signal }) });
      return row ? new KitError({ code, message, entity, operation, details: { row } }) : err;
    } catch {
      return err; // the row is not to be seen
    }
  }

  async function judge(member: string, call: Call, row: object, select?: any): Promise<void> {
    const by = strict?.[member];
    if (!by) return;
    const { details } = await part(import("./judge.js"));
    // The card says nothing of relations.
    if (select) row = Object.fromEntries(Object.entries(row).filter(([field]) => select[field] === true));
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

  /** The rows of a list as they arrive; with a format the bytes of their file. */
  async function* exported(member: string, { format, select, ...query }: any = {}, sending?: Sending): AsyncGenerator<any, void> {
    const { bytesOf, fileOfRows, rowsOf } = await part(import("./exchange.js"));
    const door = doors[member]!;
    const op = door.ops["list"]!;
    const args = [select ? { ...query, fields: fieldsOf(select) } : query, sending];
    const call: Call = { door, name: "list", op, ...invocation(op, args) };
    conditions(call, call.query);
    const response = await within(door, "list", args, async (sent) => (await answer(sent, fileOfRows(format ?? "ndjson"))).result);
    const bytes = bytesOf(call, response);
    if (format) return yield* bytes;
    for await (const row of rowsOf(call, bytes)) {
      await judge(member, call, row, select);
      yield row;
    }
  }

  const shared = share ?? fetch === globalThis.fetch;
  let streams: Streams | undefined;
  /** The events of a door's changes, or of a fact. */
  const events = (door: Door, name: string) =>
    async function* (query?: ChangesQuery): AsyncGenerator<any, void> {
      const { canShare, changes, Tabs, Wires } = await part(import("./live.js"));
      streams ??= shared && canShare() ? new Tabs(link, async () => (typeof share === "string" ? share : JSON.stringify(await headersNow()))) : new Wires(link);
      yield* changes(streams, { door, name, op: { query: 1 } }, query);
    };

  const client: any = { facts: {} };
  for (const [name, fact] of Object.entries(facts)) client.facts[name] = events({ frond: "", path: "", ops: {}, ...fact }, name);
  for (const [member, door] of Object.entries(doors)) {
    const methods: any = {};
    for (const [name, op] of Object.entries(door.ops)) {
      methods[name] = (...args: any[]) => within(door, name, args, (call) => run(member, call));
      if (op.builtin === "import") {
        const rows = methods[name];
        methods[name] = (by: string, body: any, { format, ...options }: any = {}) =>
          format === undefined ? rows(by, body, options) : within(door, name, [by, undefined, options], async (call) => (await answer(call, (await part(import("./exchange.js"))).rowsOfFile(format, body))).result);
      }
      if (op.builtin !== "list") continue;
      const list = methods[name];
      methods.pages ??= (query?: any, sending?: Sending) => pages(list, query, sending);
      methods.each ??= async function* (query?: any, sending?: Sending) {
        for await (const page of pages(list, query, sending)) yield* page.items;
      };
      methods.export ??= (query?: any, sending?: Sending) => exported(member, query, sending);
      if (!door.changes) continue;
      methods.changes ??= events(door, "changes");
      const positioned = (query: any, sending: any): Promise<any> => within(door, name, [query, sending], (call) => run(member, { ...call, position: true }));
      const source = { door, list: positioned, changes: events(door, "changes"), ...(door.ops["update"]?.builtin && { update: (...args: any[]) => methods.update(...args) }) };
      methods.watch ??= (query?: any, sending?: Sending) => {
        let watched: Promise<AsyncIterable<any> & { update: any }> | undefined;
        const pages = () => (watched ??= part(import("./live.js")).then(({ watch }) => watch(source, query, sending)));
        return {
          async *[Symbol.asyncIterator]() {
            yield* await pages();
          },
          update: source.update && (async (...args: any[]) => (await pages()).update(...args)),
        };
      };
    }
    if (door.files) {
      const send = (name: string, method: string, options: FileSending | undefined, path: string, file?: FileBody): Promise<any> =>
        within({ ...door, ops: { [name]: { open: 1 } } }, name, [{}, { signal: options?.signal, timeout: options?.timeout }], async (call) => {
          const { fileOver, fileToS3 } = await part(import("./files.js"));
          return (await answer(call, options?.presigned && file ? fileToS3(fetch, path, file, options) : fileOver(method, path, file, options))).result;
        });
      const at = (id: unknown, field: string): string => door.path + "/" + encodeURIComponent(String(id)) + "/" + door.files![field];
      methods.fileUrl ??= (row: any, field: string, { size }: { readonly size?: string } = {}) => {
        if (isObject(row) && row[field] === null) return undefined;
        const id = isObject(row) ? row[door.key!] : row;
        if (id === undefined) throw new TypeError(`fileUrl needs the ${door.key} of the row; select it too`);
        return base + at(id, field) + (size === undefined ? "" : "?size=" + encodeURIComponent(size));
      };
      methods.signedFileUrl ??= async (row: any, field: string, { size, ...sending }: Sending & { readonly size?: string } = {}) => {
        const id = isObject(row) ? row[door.key!] : row;
        const { url } = await send("signedFileUrl", "GET", sending, at(id, field) + "?address=true" + (size === undefined ? "" : "&size=" + encodeURIComponent(size)));
        return url.startsWith("/") ? base + url : url;
      };
      methods.upload ??= (field: string, file: FileBody, options?: FileSending) => send("upload", "POST", options, door.path.split("/").slice(0, -2).join("/") + "/files?field=" + door.door + "." + field, file);
      methods.setFile ??= (id: unknown, field: string, file: FileBody, options?: FileSending) => send("setFile", "PUT", options && { ...options, presigned: false }, at(id, field), file);
      methods.deleteFile ??= (id: unknown, field: string, options?: Sending) => send("deleteFile", "DELETE", options, at(id, field));
    }
    const { writes } = door;
    // A value is compared, and sent, as JSON has it: a Date is its text.
    const plain = (row: object): any => read(write(row), door.big);
    if (writes) methods.patchOf ??= (before: object, after: object) => difference(writes, plain(before), plain(after), Object.keys(writes));
    client[member] = methods;
  }
  const members = new Map(Object.entries(doors).map(([member, door]) => [door.door, member]));
  const named = (operation: string): { member: string; door: Door; name: string; op: Op } | undefined => {
    const dot = operation.lastIndexOf(".");
    const [member, name] = [members.get(operation.slice(0, dot))!, operation.slice(dot + 1)];
    const door = doors[member];
    return door && Object.hasOwn(door.ops, name) ? { member, door, name, op: door.ops[name]! } : undefined;
  };
  const unknown = (operation: string): KitError => new KitError({ code: "NOT_FOUND", message: `there is no operation ${operation}` });
  client.call ??= (operation: string, ...args: any[]) => {
    const found = named(operation);
    return found ? client[found.member][found.name](...args) : Promise.reject(unknown(operation));
  };
  client.atomic ??= atomic;
  return client;
}
