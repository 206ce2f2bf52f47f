/** What a call failed with: the KitError that the host answered, or one for a failed request. */
export class KitError extends Error {
  constructor({ code, message, entity, operation, details }) {
    super(message);
    this.name = "KitError";
    this.code = code;
    this.entity = entity;
    this.operation = operation;
    this.details = details;
  }
}

export function createClient(options) {
  const { url, headers, fetch = globalThis.fetch } = typeof options === "string" ? { url: options } : options;
  const address = url.replace(/\/+$/, "") + "/_kit/call";
  let last = 0;

  // What this client wrote, by store: reads that echo it see it, also where they are answered by
  // a replica. Tokens of a store grow as texts.
  const seen = new Map();
  const note = (header) => {
    for (const token of header?.split(",").map((text) => text.trim()) ?? []) {
      const store = token.split(".")[0];
      if (token > (seen.get(store) ?? "")) seen.set(store, token);
    }
  };
  const consistency = () => (seen.size ? { "x-frond-consistency": [...seen.values()].join(", ") } : {});

  async function call(entity, operation, invocation) {
    const id = ++last;
    const fail = (code, message) => new KitError({ code, message, entity, operation });
    let response, frame;
    try {
      response = await fetch(address, {
        method: "POST",
        headers: { "content-type": "application/json", ...consistency(), ...(typeof headers === "function" ? await headers() : headers) },
        body: JSON.stringify({ jsonrpc: "2.0", id, method: entity + "." + operation, params: invocation }),
      });
    } catch {
      throw fail("SERVICE_UNAVAILABLE", "the host cannot be reached");
    }
    note(response.headers?.get("x-frond-consistency"));
    try {
      frame = await response.json();
    } catch {
      throw fail("BAD_GATEWAY", "the host answered status " + response.status + " and no JSON-RPC 2.0 frame");
    }
    if (frame?.error) {
      const data = frame.error.data;
      throw data?.code ? new KitError(data) : fail("INTERNAL_ERROR", frame.error.message ?? "the call failed");
    }
    if (frame?.jsonrpc !== "2.0" || frame.id !== id || !("result" in frame)) {
      throw fail("BAD_GATEWAY", "the host answered status " + response.status + " and no JSON-RPC 2.0 frame");
    }
    return frame.result;
  }

  // JSON leaves out what is undefined. A version or a filter that was never filled in would
  // drop the condition, so it is sent as null, which the host refuses.
  const condition = (query) => query && Object.fromEntries(Object.entries(query).map(([name, value]) => [name, name === "fields" ? value : (value ?? null)]));

  const builtin = {
    findById: (id, query) => ({ params: { id }, query }),
    findByIds: (ids, query) => ({ query: { ids, ...query } }),
    create: (body, query) => ({ query, body }),
    update: (id, body, query) => ({ params: { id }, query: condition(query), body }),
    delete: (id, query) => ({ params: { id }, query: condition(query) }),
  };

  // Some hosts answer a list with a bare array, which does not say whether there is more:
  // one that is as long as the limit is asked for again, with a row more.
  async function page(door, name, query = {}) {
    const { limit, offset = 0 } = query;
    let rows = await call(door, name, { query });
    if (!Array.isArray(rows)) return rows;
    let whole = limit === undefined || rows.length !== limit;
    if (!whole) {
      try {
        const more = await call(door, name, { query: { ...query, limit: limit + 1 } });
        if (Array.isArray(more)) [rows, whole] = [more, more.length <= limit];
      } catch (err) {
        if (err.code !== "VALIDATION_FAILED" && err.code !== "BAD_REQUEST") throw err;
      }
    }
    const items = limit === undefined ? rows : rows.slice(0, limit);
    return { items, total: whole ? offset + rows.length : -1, hasMore: rows.length > items.length, endCursor: null };
  }

  // The members of one input go where the operation's cards say.
  function parts(op, input = {}) {
    const invocation = {};
    if (op.params) invocation.params = {};
    if (op.query) invocation.query = {};
    if (op.body) invocation.body = {};
    for (const [name, value] of Object.entries(input)) {
      const part = op.params?.includes(name) ? "params" : op.query?.includes(name) ? "query" : "body";
      (invocation[part] ??= {})[name] = value;
    }
    return invocation;
  }

  const client = {};
  for (const [member, { door, ops }] of Object.entries(doors)) {
    client[member] = {};
    for (const [name, op] of Object.entries(ops)) {
      const prepare = op.builtin ? builtin[op.builtin] : op.open ? (invocation = {}) => invocation : (input) => parts(op, input);
      client[member][name] = op.builtin === "list" ? (query) => page(door, name, query) : (...args) => call(door, name, prepare(...args));
    }
  }
  return client;
}
