// GraphQL for the built-in operations of a door. What it has no form for goes over the
// envelope: named operations, doors with names that GraphQL cannot say, and what its types
// refuse before anything runs, of which the envelope says what the other transports do.

import { KitError } from "./errors.js";
import { write } from "./json.js";
import { envelope, failure, json, manyRows, type Call, type Link, type Transport } from "./transport.js";

/** What the client knows of a door's GraphQL, by the name of the door. */
export interface DoorNames {
  readonly [door: string]: GraphQLNames;
}

export interface GraphQLNames {
  readonly type: string;
  /** The fields of a query: product, products, productsByIds. */
  readonly one: string;
  readonly many: string;
  /** The type of an id. */
  readonly id: string;
  /** What selects a field, where it is more than its name: dimensions { width }. */
  readonly fields: { readonly [name: string]: string | 1 };
  /** Fields of which null means that the row lacks them. */
  readonly absent?: readonly string[];
  /** Where its relations lead. */
  readonly relations?: { readonly [name: string]: { readonly door: string; readonly many?: 1 } };
}

type Query = { readonly [name: string]: any };

/** sort as orderBy has it, with a function before its field: [{ price: DESC }, { reviews: { avg: { rating: ASC } } }]. */
const orderBy = (sort: string | readonly string[]): any[] =>
  (typeof sort === "string" ? sort.split(",") : sort).map((key) => {
    const path = key.replace(/^-/, "").split(".");
    if (path.length > 2 && /^(countDistinct|sum|avg|min|max)$/.test(path.at(-1)!)) path.push(...path.splice(-2).reverse());
    return path.reduceRight((at: any, name) => ({ [name]: at }), key[0] === "-" ? "DESC" : "ASC");
  });

/** What selects a row, relations included; undefined where GraphQL has no words for it. */
function rowOf(doors: DoorNames, door: string, fields: readonly string[]): string | undefined {
  const names = doors[door];
  if (!names) return undefined;
  const own = new Set<string>();
  const behind = new Map<string, { limit: string; fields: string[] }>();
  for (const field of fields.flatMap((name) => (name === "*" ? Object.keys(names.fields) : [name]))) {
    const [, name, limit = "50", rest] = /^([^.(]+)(?:\(limit:([^)]*)\))?\.(.+)$/s.exec(field) ?? [];
    if (name === undefined) own.add(typeof names.fields[field] === "string" ? (names.fields[field] as string) : field);
    else if (behind.get(name)?.fields.push(rest!) === undefined) behind.set(name, { limit, fields: [rest!] });
  }
  const texts = [...own];
  for (const [name, { limit, fields }] of behind) {
    const to = names.relations?.[name];
    const row = to && rowOf(doors, to.door, fields);
    if (!row || (to.many && !(+limit > 0 && +limit <= 50))) return undefined;
    texts.push(to.many ? `${name}(first: ${limit}) { items ${row} hasMore }` : `${name} ${row}`);
  }
  return `{ ${texts.join(" ")} }`;
}

export const graphql: Transport = async (link, call) => {
  const { door, op, params = {}, query = {} as Query, body } = call;
  const doors = await link.names();
  const names = doors[door.door];
  if (!names || !op.builtin || manyRows(op) || "rehearse" in query || "approve" in query || (query["fields"] as unknown[] | undefined)?.length === 0) return envelope(link, call);
  const { type, id } = names;
  const related = (query["fields"] as string[] | undefined)?.some((field) => field.includes("."));
  const chosen: string[] | undefined = query["fields"] as string[] | undefined;
  const row = rowOf(doors, door.door, chosen ?? ["*"]);
  if (!row) return envelope(link, call);
  const types: { [name: string]: string } = {};
  const variables: { [name: string]: unknown } = {};
  const add = (name: string, of: string, value: unknown): void => {
    if (value === undefined) return;
    types[name] = of;
    variables[name] = value;
  };
  const holds = (): void => {
    add("ifMatch", "String", query["ifMatch"]);
    add("where", type + "Filter", query["where"]);
  };
  let kind = "mutation";
  let field: string;
  let selection = row;
  switch (op.builtin) {
    case "list": {
      const { filter, sort, limit, after, before, backward = before !== undefined && after === undefined, offset, search, total, count, cursors } = query as Query;
      kind = "query";
      field = names.many;
      add("filter", type + "Filter", filter);
      add("orderBy", `[${type}OrderBy!]`, sort && orderBy(sort));
      add(backward ? "last" : "first", "Int", limit);
      add("after", "String", after);
      add("before", "String", before);
      add("offset", "Int", offset);
      add("search", "String", search);
      const counted = total !== false && count !== "none" && count !== false;
      selection = `{ items ${row} hasMore endCursor${door.changes ? " position" : ""}${counted ? " total" : ""}${cursors ? " edges { cursor } pageInfo { hasPrevious: hasPreviousPage }" : ""} }`;
      break;
    }
    case "findById":
      kind = "query";
      field = names.one;
      add("id", id + "!", params["id"]);
      break;
    case "findByIds":
      kind = "query";
      field = names.many + "ByIds";
      add("ids", `[${id}!]!`, query["ids"]);
      break;
    case "create":
      field = "create" + type;
      add("input", `Create${type}Input!`, body);
      break;
    case "update":
      field = "update" + type;
      add("id", id + "!", params["id"]);
      holds();
      add("input", `Update${type}Input!`, body);
      break;
    default:
      field = "delete" + type;
      add("id", id + "!", params["id"]);
      holds();
      selection = "";
  }
  const declared = Object.entries(types).map(([name, of]) => `$${name}: ${of}`).join(", ");
  const given = Object.keys(types).map((name) => `${name}: $${name}`).join(", ");
  let result: any;
  try {
    result = await send(link, call, `${kind}${declared && `(${declared})`} { result: ${field}${given && `(${given})`} ${selection} }`, variables, related);
  } catch (err) {
    if (!(err instanceof KitError) || (err.code !== "BAD_USER_INPUT" && err.code !== "GRAPHQL_VALIDATION_FAILED" && !related)) throw err;
    // A host may serve no envelope: then its first answer is the one to tell.
    return envelope(link, call).catch((other) => {
      throw other instanceof KitError && (other.code === "NOT_FOUND" || other.code === "BAD_GATEWAY") ? err : other;
    });
  }
  for (const row of op.builtin === "list" ? (result?.items ?? []) : Array.isArray(result) ? result : [result]) removeAbsent(doors, door.door, row);
  if (op.builtin !== "list" || !result) return { result };
  const { edges, pageInfo, total = -1, position, ...page } = result;
  return { result: { ...page, total, ...(position && { position }), ...pageInfo, ...(edges && { cursors: edges.map((edge: { cursor: string }) => edge.cursor) }) } };
};

/** Removes the nulls that other transports answer as absence, from a row and from those of its relations. */
function removeAbsent(doors: DoorNames, door: string, row: any): void {
  const names = doors[door];
  if (!names || !row || typeof row !== "object") return;
  for (const name of names.absent ?? []) if (row[name] === null) delete row[name];
  for (const [name, to] of Object.entries(names.relations ?? {}))
    for (const other of to.many ? (row[name]?.items ?? []) : [row[name]]) removeAbsent(doors, to.door, other);
}

async function send(link: Link, call: Call, query: string, variables: object, related?: boolean): Promise<any> {
  const response = await link.fetch(call, "/graphql", { method: "POST", headers: { "content-type": "application/json", accept: "application/json" }, body: write({ query, variables }) });
  const frame = await json(response, call);
  const error = frame?.errors?.[0];
  // A relation that failed is null beside an error; a call fails whole, as on every transport.
  if (frame?.data?.result != null && !(related && error)) return frame.data.result;
  if (error) {
    const { code = "INTERNAL_ERROR", entity = call.door.door, operation = call.name, details } = error.extensions ?? {};
    throw new KitError({ code, message: error.message, entity, operation, details });
  }
  if (frame?.data?.result === null) return null;
  throw frame?.data?.code ? new KitError(frame.data) : failure(call, "BAD_GATEWAY", `the host answered status ${response.status} and no GraphQL`);
}
