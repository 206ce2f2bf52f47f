// The operations of all documents, by name, and the search over them.

import { deref, names } from "./shapes.js";

export const documents = {}; // openapi, openrpc, host; null where there is none
export const operations = new Map(); // by name, such as product.list, in the order of the documents

const read = async name => {
  const response = await fetch(name, { headers: { accept: "application/json" } });
  return response.ok ? response.json() : null; // a surface that shows nothing has no document
};

// load reads the documents and brings the surfaces together by the name of the operation.
export async function load() {
  [documents.openapi, documents.openrpc, documents.host] = await Promise.all([read("openapi.json"), read("openrpc.json"), read("docs/host.json")]);
  const { openapi, openrpc, host } = documents;
  const at = (id, group) => {
    if (!operations.has(id)) operations.set(id, { id, group });
    return operations.get(id);
  };
  for (const [path, verbs] of Object.entries(openapi?.paths ?? {})) {
    for (const [verb, operation] of Object.entries(verbs)) {
      if (operation.operationId.endsWith(".update.put")) continue; // the same as PATCH
      Object.assign(at(operation.operationId, operation.tags[0]), { summary: operation.summary, about: operation.description, deprecated: operation.deprecated, because: operation["x-deprecated-because"], rest: { verb: verb.toUpperCase(), path, operation } });
    }
  }
  for (const method of openrpc?.methods ?? []) {
    const one = at(method.name, method.tags[0].name);
    Object.assign(one, { summary: one.summary ?? method.summary, about: one.about ?? method.description, deprecated: method.deprecated, rpc: method });
  }
  for (const sample of host?.graphql?.fields ?? []) {
    const one = at(sample.operation, sample.operation.includes(".facts.") ? "facts" : sample.operation.split(".")[0]);
    one.summary ??= sample.field;
    one.graphql = sample;
  }
}

// label is what the list calls an operation.
export const label = one => one.id.startsWith(one.group + ".") ? one.id.slice(one.group.length + 1) : one.id.includes(".facts.") ? one.id.split(".facts.")[1] : one.id;

// failures are the errors of an operation over REST: [status, code, description].
export const failures = one => Object.entries(one.rest?.operation.responses ?? {}).filter(([status]) => !/^[23]/.test(status))
  .map(([status, response]) => [status, deref(response, documents.openapi)["x-code"], deref(response, documents.openapi).description]);

// fieldsOf are the names of what an operation takes and answers.
function fieldsOf(one) {
  const found = new Set();
  const { openapi, openrpc } = documents;
  const operation = one.rest?.operation;
  for (const p of operation?.parameters ?? []) found.add(deref(p, openapi).name);
  if (operation?.requestBody) names(operation.requestBody.content["application/json"]?.schema, openapi, found);
  for (const response of Object.values(operation?.responses ?? {})) {
    const content = response.content ?? {};
    names(content["application/json"]?.schema ?? content["text/event-stream"]?.["x-event"], openapi, found);
  }
  if (!operation) {
    for (const p of one.rpc?.params ?? []) names(p.schema, openrpc, found);
    names(one.rpc?.result.schema, openrpc, found);
  }
  return [...found];
}

// index is what the search looks through: the words about an operation, its fields and its codes.
function index(one) {
  return one.index ??= {
    text: [one.id, one.summary, one.about, one.rest?.path, one.graphql?.field].join(" ").toLowerCase(),
    names: [...fieldsOf(one), ...failures(one).flatMap(([status, code]) => [code, status])].filter(Boolean),
  };
}

// search returns whether an operation has all of the words, and the fields and codes that it has
// them in: true where its own words are enough.
export function search(one, words) {
  const { text, names } = index(one);
  const inside = [];
  for (const word of words) {
    if (text.includes(word)) continue;
    const found = names.find(name => name.toLowerCase() === word) ?? names.find(name => name.toLowerCase().includes(word));
    if (!found) return false;
    inside.push(found);
  }
  return inside.length ? inside : true;
}
