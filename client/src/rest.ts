// The REST surface. The file of rows and the bytes of files have modules of their own.

import { KitError } from "./errors.js";
import { write } from "./json.js";
import { envelope, json, manyRows, noAnswer, parameter, positioned, rehearsed, type Transport } from "./transport.js";

/** Ids that no path can have: an address without them, or one that a URL takes for another. */
const unaddressed: readonly unknown[] = [undefined, null, "", ".", ".."];

/** The REST surface. What it has no form for goes over the envelope: a query with a body, and an id that no path can have. */
export const rest: Transport = async (link, call) => {
  const { door, name, op, params = {}, query = {}, body } = call;
  if (op.open || manyRows(op) || (op.query && body !== undefined) || ("id" in params && unaddressed.includes(params["id"]))) return envelope(link, call);
  const parameters = new URLSearchParams();
  const headers: Record<string, string> = {};
  let { path } = door;
  const add = (of: object): void => {
    for (const [key, value] of Object.entries(of)) {
      if (value === undefined) continue;
      if (key === "ifMatch") {
        headers["if-match"] = (Array.isArray(value) ? value : [value]).map((tag) => (tag === "*" ? tag : `"${tag}"`)).join(", ");
        continue;
      }
      // A command answers the whole row; what was selected is cut out of it below.
      if (key === "fields" && op.builtin && !op.query) continue;
      parameters.set(key, parameter(key, value));
    }
  };
  const { id, ...others } = params;
  const onItem = id !== undefined;
  if (onItem) path += "/" + encodeURIComponent(String(id));
  add(others);
  add(query);
  if (op.at !== undefined) path += "/" + op.at;
  const method = op.query ? "GET" : op.builtin === "update" ? "PATCH" : op.builtin === "delete" ? "DELETE" : "POST";
  if (method === "POST" || method === "PATCH") headers["content-type"] = "application/json";
  const text = parameters.toString();
  const response = await link.fetch(call, path + (text && "?" + text), { method, headers, body: body === undefined ? undefined : write(body) });
  const answered = await json(response, call);
  if (!response.ok) {
    const data = answered?.data;
    if (data?.code === "NOT_FOUND" && data.entity === door.door && data.operation === name) {
      if (op.builtin === "findById") return { result: null };
      if (op.builtin === "delete") return { result: false };
    }
    throw data?.code ? new KitError(data) : noAnswer(call, response, "problem");
  }
  if (rehearsed(call) && answered) return { result: answered };
  if (op.builtin === "delete") return { result: true };
  if (answered === undefined && response.status !== 204) throw noAnswer(call, response, "JSON");
  const version = /^(?:W\/)?"([^".]+)/.exec(response.headers.get("etag") ?? "")?.[1]; // behind a dot it says more of the answer
  const fields = query.fields as string[] | undefined;
  let result = positioned(response, answered ?? null);
  if (fields && !op.query && result) {
    const chosen = fields.includes("*") ? Object.keys(result) : fields.filter((field) => field in result);
    result = Object.fromEntries(chosen.map((field) => [field, result[field]]));
    if (fields.includes("etag")) result.etag = version;
  }
  return version === undefined ? { result } : { result, version };
};
