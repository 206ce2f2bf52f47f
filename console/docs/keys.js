// Keys of rows that the caller of the page sees, so that samples and forms name rows that are there.

import { documents, operations } from "./operations.js";
import { callerHeaders } from "./send.js";

const known = new Map(); // by caller and door: a promise of the key of the first row, undefined without one

function first(door) {
  const key = documents.host.doors[door]?.key, path = operations.get(door + ".list")?.rest?.path;
  if (!key || !path) return undefined;
  const headers = callerHeaders(), at = JSON.stringify([headers, door]);
  if (!known.has(at)) {
    known.set(at, fetch(path + "?limit=1&fields=" + key, { headers }).then(response => (response.ok ? response.json() : {})).then(page => page.items?.[0]?.[key]).catch(() => undefined));
  }
  return known.get(at);
}

// keysOf returns the keys that an operation may name: own, of a row that it reads, and leads, by the fields of its body.
// A command about a row keeps the key of its example, which no row has: nobody deletes one of theirs by a sample.
export async function keysOf(one) {
  const door = documents.host?.doors[one.group];
  if (!door) return { leads: {} };
  const reads = one.rest ? one.rest.verb === "GET" : one.graphql?.root === "query";
  const leads = await Promise.all(Object.entries(door.leads).map(async ([name, to]) => [name, await first(to)]));
  return { own: reads ? await first(one.group) : undefined, leads: Object.fromEntries(leads.filter(([, key]) => key !== undefined)) };
}

// led is a body, or a list of them, with keys of rows that are there.
export function led(body, { leads }) {
  if (Array.isArray(body)) return body.map(each => led(each, { leads }));
  if (!body || typeof body !== "object") return body;
  return Object.fromEntries(Object.entries(body).map(([name, value]) =>
    [name, !(name in leads) || value === null ? value : Array.isArray(value) ? [leads[name]] : leads[name]]));
}
