// The tabs of an operation: what it is called by, how it is tried, what it takes and answers.

import { $, code, h, tabs } from "./html.js";
import { documents, failures } from "./operations.js";
import { deref, fields, ruleList, typeOf } from "./shapes.js";
import { bodyForm } from "./form.js";
import { read, write } from "./json.js";
import { led } from "./keys.js";
import { samples } from "./samples.js";
import { callerHeaders, send } from "./send.js";

let language; // of the samples, kept from operation to operation

// showSamples is the request in each language; more adds languages. It returns what shows another request.
function showSamples(more = () => []) {
  const box = h("section", { "aria-label": "Samples" });
  return [box, request => {
    const all = [...samples(request), ...more()];
    box.replaceChildren(...tabs("Language", all.map(([name, text]) => [name, () => code(name + " sample", text)]), language, name => { language = name; }));
  }];
}

// judge returns the judge of an operation's body: null where there is none.
async function judge(id) {
  try {
    const { bodies, details } = await import("./cards.js");
    return Object.hasOwn(bodies, id) ? value => details(bodies[id], value) : null;
  } catch {
    return null; // the host judges
  }
}

function errors(one) {
  const all = failures(one);
  return all.length ? [h("h3", null, "Errors"), h("table", { class: "errors" }, h("tbody", null, all.map(([status, name, about]) =>
    h("tr", null, h("td", null, status), h("td", null, name && h("code", null, name)), h("td", { class: "faint" }, about)))))] : [];
}

// exampleOf is the value that a parameter begins with: required ones have one, and the condition of a write of many rows.
function exampleOf(p, one, { own }) {
  const condition = p.name === "filter" && one.rest.verb !== "GET";
  if (!p.required && !condition) return "";
  if (own !== undefined && (p.in === "path" && p.name === "id" || p.name === "ids")) return String(own);
  return p.example === undefined ? "" : String(p.example);
}

export function restPanel(one, keys) {
  const { verb, path, operation } = one.rest, root = documents.openapi;
  const contents = operation.requestBody?.content ?? {}, media = contents["application/json"];
  const types = media ? [] : Object.keys(contents); // of a body that is a file
  const parts = Object.keys(deref(contents["multipart/form-data"]?.schema, root).properties ?? {}).filter(name => name !== "body"); // fields that a form sends as files
  const answer = Object.entries(operation.responses).find(([status]) => status.startsWith("2"))[1], content = answer.content ?? {};
  const streams = !content["application/json"] && content["text/event-stream"];
  // The conditions of single fields are left to filter: a list may have a hundred of them.
  const params = (operation.parameters ?? []).map(p => deref(p, root)).filter(p => p.style !== "deepObject").map(p => {
    const input = h("input", { id: "in-" + p.name, value: exampleOf(p, one, keys), spellcheck: "false", autocomplete: "off", "aria-describedby": "in-" + p.name + "-about in-" + p.name + "-fault" });
    const fault = h("span", { class: "bad fault", id: "in-" + p.name + "-fault" });
    return { p, input, fault, row: h("div", { class: "field" }, h("label", { for: "in-" + p.name }, h("code", null, p.name), p.required && h("span", { class: "must" }, " required")), input,
      h("span", { class: "about", id: "in-" + p.name + "-about" }, h("span", { class: "rule" }, typeOf(p.schema, root)), ruleList(p.schema, root), p.description ?? ""), fault) };
  });
  // A create may take a list of rows too.
  const [row, list] = media?.schema?.oneOf ?? [], several = list?.type === "array" && list;
  const schema = media?.schema && deref(several ? row : media.schema, root);
  let form = null, area = null;
  const bodyBox = h("div"), note = h("div", { role: "alert" }), out = h("section", { "aria-live": "polite" });
  const file = types.length > 0 && h("input", { type: "file", id: "in-file", accept: types.join(","), onchange: () => changed() });
  const body = () => (area ? area.value : form ? write(form.value()) : undefined);
  const build = () => {
    const query = new URLSearchParams(), headers = callerHeaders();
    let to = path;
    for (const { p, input } of params) {
      if (p.in === "path") to = to.replace("{" + p.name + "}", () => encodeURIComponent(input.value));
      else if (input.value === "") continue;
      else if (p.in === "header") headers[p.name.toLowerCase()] = input.value;
      else query.set(p.name, input.value);
    }
    if (streams) headers.accept = "text/event-stream";
    const request = { method: verb, url: to + (query.size ? "?" + query : ""), headers, body: body(), file: file?.files?.[0], files: form?.files() ?? [] };
    if (file) headers["content-type"] = request.file?.type || types[0];
    else if (media && !request.files.length) headers["content-type"] = "application/json";
    return file ? { ...request, file: request.file ?? { name: "FILE" } } : request;
  };
  // variables are those of the GraphQL document, as the form has them.
  const variables = () => {
    const all = {};
    const usual = valuesOf(one, keys);
    for (const [name, many] of variablesOf(one.graphql)) {
      const value = params.find(({ p }) => p.name === name)?.input.value;
      all[name] = name === "input" || name === "set" ? form?.value() ?? usual[name] : name in (one.graphql.values ?? {}) || !value ? usual[name] : many ? value.split(",") : value;
    }
    return Object.keys(all).length ? "\n" + ("variables " + write(all)).replace(/^/gm, "# ") + "\n" : "";
  };
  const [sampleBox, sample] = showSamples(() => (one.graphql && !Array.isArray(form?.value()) ? [["GraphQL", one.graphql.document + variables()]] : []));
  const changed = () => sample(build());
  const many = h("button", { type: "button", onclick: () => {
    const value = form.value();
    asForm(Array.isArray(value) ? value[0] ?? {} : [value]);
    changed();
  } });
  const asForm = value => {
    area = null;
    form = bodyForm(several && Array.isArray(value) ? several : schema, root, value, changed, parts);
    many.textContent = Array.isArray(value) ? "One row" : "Several rows";
    many.hidden = !several;
    bodyBox.replaceChildren(form.box);
  };
  const asText = text => {
    form = null;
    many.hidden = true;
    area = h("textarea", { "aria-label": "Body", spellcheck: "false", rows: "12", oninput: changed });
    area.value = text;
    bodyBox.replaceChildren(area);
  };
  const choice = h("button", { type: "button", onclick: () => {
    note.replaceChildren();
    if (form) asText(write(form.value()));
    else {
      try {
        asForm(read(area.value));
      } catch {
        note.replaceChildren(h("p", { class: "bad" }, "The body is not JSON; mend it, or start again from the example."));
        return;
      }
    }
    choice.textContent = form ? "Edit as JSON" : "Edit as form";
    changed();
  } }, "Edit as JSON");
  if (media) {
    const example = led(media.example ?? {}, keys);
    if (schema?.properties) asForm(example);
    else asText(JSON.stringify(example, null, 2));
  }
  const faults = list => {
    const others = form ? form.faults(list) : list;
    note.replaceChildren(...(others.length ? [h("ul", { class: "bad" }, others.map(each => h("li", null, (each.path === "." ? "The body" : each.path) + " " + each.message)))] : []));
  };
  const go = async () => {
    const problem = await send(build(), out);
    const details = problem?.data?.details;
    if (Array.isArray(details) && details.every(each => each?.pointer?.startsWith("/body"))) faults(details.map(each => ({ ...each, pointer: each.pointer.slice("/body".length) })));
  };
  // submit sends what has no faults: those of parameters first, then those that the card's judge finds.
  const submit = async event => {
    event.preventDefault();
    faults([]);
    out.replaceChildren();
    let wrong = 0;
    for (const { p, input, fault } of params) {
      const missing = p.required === true && input.value === "";
      fault.textContent = missing ? "is required" : "";
      if (missing) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
      if (missing && !wrong++) input.focus();
    }
    if (!wrong && media) {
      let value;
      try {
        value = form ? form.value() : read(area.value);
      } catch {
        value = undefined; // the host says where the text is no JSON
      }
      const judged = await judge(one.id.replace(/\.byId$/, ""));
      const found = value === undefined || !judged ? [] : several && Array.isArray(value)
        ? value.flatMap((row, i) => judged(row).map(each => ({ ...each, path: i + "." + each.path, pointer: each.pointer.replace("/body", "/body/" + i) }))) : judged(value);
      faults(found.map(each => ({ ...each, pointer: each.pointer.replace(/^\/body/, "") })));
      wrong = found.length;
    }
    if (!wrong) return go();
    out.replaceChildren(h("p", { role: "status", class: "bad" }, wrong === 1 ? "Not sent: 1 fault." : `Not sent: ${wrong} faults.`), h("button", { type: "button", onclick: go }, "Send anyway"));
  };
  const element = h("form", { novalidate: true, onsubmit: submit },
    params.length > 0 && h("h3", null, "Parameters"), h("div", { class: "form", oninput: changed }, params.map(({ row }) => row)),
    media && h("h3", null, "Body ", schema?.properties && [choice, many]), bodyBox, note,
    file && [h("h3", null, "Body"), h("div", { class: "field" }, h("label", { for: "in-file" }, "File"), file, h("span", { class: "about" }, types.map(type => h("span", { class: "rule" }, type))))],
    h("p", null, h("button", { type: "submit", class: "go" }, "Send")), out);
  for (const id of ["authorization", "user"]) $(id).oninput = changed;
  changed();
  return [h("p", { class: "path" }, h("b", null, verb), " ", h("code", null, path), verb === "PATCH" && h("span", { class: "faint" }, " · PUT does the same")), element, h("h3", null, "Samples"), sampleBox,
    media?.schema && [h("h3", null, "Body format"), fields(media.schema, root)],
    h("h3", null, streams ? "Event format" : "Response format"), h("p", null, answer.description),
    content["application/json"] ? fields(content["application/json"].schema, root) : streams && fields(streams["x-event"], root),
    errors(one)].flat();
}

// textPanel is a request whose body is a text that the reader edits: build makes it of the texts.
function textPanel(areas, build) {
  const out = h("section", { "aria-live": "polite" });
  const [box, sample] = showSamples();
  const changed = () => sample(build());
  for (const id of ["authorization", "user"]) $(id).oninput = changed;
  changed();
  return [h("form", { oninput: changed, onsubmit: event => { event.preventDefault(); send(build(), out); } },
    areas.map(area => [h("h3", null, area.getAttribute("aria-label")), area]), h("p", null, h("button", { type: "submit", class: "go" }, "Send")), out), h("h3", null, "Samples"), box];
}

const area = (label, text, rows) => {
  const element = h("textarea", { "aria-label": label, spellcheck: "false", rows });
  element.value = text;
  return element;
};

export function rpcPanel({ rpc }, keys) {
  const root = documents.openrpc;
  const params = Object.fromEntries((rpc.examples?.[0]?.params ?? []).map(p => [p.name, p.value]));
  if (params.body) params.body = led(params.body, keys);
  if (keys.own !== undefined && params.params?.id !== undefined) params.params.id = keys.own;
  if (keys.own !== undefined && params.query?.ids) params.query.ids = [keys.own];
  const body = area("Body", JSON.stringify({ jsonrpc: "2.0", id: 1, method: rpc.name, params }, null, 2), 10);
  return [h("p", { class: "path" }, h("b", null, "POST"), " ", h("code", null, documents.host.rpc), " ", h("code", null, rpc.name)),
    ...textPanel([body], () => ({ method: "POST", url: documents.host.rpc, headers: { ...callerHeaders(), "content-type": "application/json" }, body: body.value })),
    ...rpc.params.flatMap(p => [h("h3", null, "Request: ", p.name), fields(p.schema, root)]),
    h("h3", null, "Result"), fields(rpc.result.schema, root)];
}

const variablesOf = graphql => [...graphql.document.matchAll(/\$(\w+): (\S)/g)].map(([, name, type]) => [name, type === "["]);

// valuesOf are values of the variables of a GraphQL document, out of the examples of the same operation on another surface.
function valuesOf({ graphql, rest, rpc }, keys) {
  const called = Object.fromEntries((rpc?.examples?.[0]?.params ?? []).map(p => [p.name, p.value]));
  const body = led(rest?.operation.requestBody?.content["application/json"]?.example ?? called.body ?? {}, keys);
  const examples = { ...called.params, ...called.query, ...graphql.values };
  for (const p of (rest?.operation.parameters ?? []).map(each => deref(each, documents.openapi))) {
    if (p.name === "filter" && p.example !== undefined) examples.where ??= JSON.parse(p.example);
    else if (p.example !== undefined) examples[p.name] ??= p.example;
  }
  if (keys.own !== undefined) [examples.id, examples.ids] = [keys.own, [keys.own]];
  return Object.fromEntries(variablesOf(graphql).map(([name, many]) =>
    [name, name === "input" || name === "set" ? (many && !Array.isArray(body) ? [body] : body) : examples[name] ?? (many ? [] : null)]));
}

export function graphqlPanel(one, keys) {
  const { graphql } = one, { path, console: shown } = documents.host.graphql;
  const values = valuesOf(one, keys), names = Object.keys(values);
  const text = area("Document", graphql.document, 10), variables = area("Variables", JSON.stringify(values, null, 2), 6);
  const build = () => {
    let values = {};
    try {
      values = JSON.parse(variables.value || "{}");
    } catch { /* the reader is typing */ }
    return { method: "POST", url: path, headers: { ...callerHeaders(), "content-type": "application/json", ...(graphql.root === "subscription" && { accept: "text/event-stream" }) }, body: JSON.stringify({ query: text.value, variables: values }, null, 2) };
  };
  return [h("p", { class: "path" }, h("b", null, graphql.root), " ", h("code", null, graphql.field), " at ", h("code", null, path),
    shown && [" · ", h("a", { href: path + "?query=" + encodeURIComponent(graphql.document) }, "open in the console")]), ...textPanel([text, ...(names.length ? [variables] : [])], build)];
}

// surfacesOf are the tabs of an operation.
export const surfacesOf = (one, keys) => [
  one.rest && ["REST", () => restPanel(one, keys)], one.rpc && ["JSON-RPC", () => rpcPanel(one, keys)], one.graphql && ["GraphQL", () => graphqlPanel(one, keys)],
].filter(Boolean);
