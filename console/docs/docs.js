// The page of the API documents: it reads openapi.json, openrpc.json and asyncapi.json beside
// it, lists their operations, and sends requests as they describe them. Nothing is kept but the
// address; who is calling is forgotten with the page.

const $ = id => document.getElementById(id);

// h makes an element: h("a", {href}, "text", child). A property that begins with "on" is a
// listener, one that is null or false is left out.
function h(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

const read = async name => {
  const response = await fetch(name, { headers: { accept: "application/json" } });
  return response.ok ? response.json() : null; // a surface that shows nothing has no document
};

let openapi, openrpc;
const operations = new Map(); // by name, such as product.list, in the order of the documents

// deref follows a reference of the document that a value stands in.
function deref(value, root) {
  for (let i = 0; value?.$ref && i < 20; i++) {
    value = value.$ref.slice(2).split("/").reduce((at, token) => at?.[decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~")], root);
  }
  return value ?? {};
}

// collect brings REST and JSON-RPC together by the name of the operation.
function collect() {
  for (const [path, verbs] of Object.entries(openapi?.paths ?? {})) {
    for (const [verb, operation] of Object.entries(verbs)) {
      const id = operation.operationId;
      operations.set(id, { id, group: operation.tags[0], summary: operation.summary, about: operation.description, deprecated: operation.deprecated, because: operation["x-deprecated-because"], rest: { verb: verb.toUpperCase(), path, operation } });
    }
  }
  for (const method of openrpc?.methods ?? []) {
    const one = operations.get(method.name);
    if (one) one.rpc = method;
    else operations.set(method.name, { id: method.name, group: method.tags[0].name, summary: method.summary, about: method.description, deprecated: method.deprecated, rpc: method });
  }
}

function matches(one, words) {
  const text = [one.id, one.summary, one.about, one.rest?.path].join(" ").toLowerCase();
  return words.every(word => text.includes(word));
}

const most = 500; // links in the list: a document may have ten thousand operations

function list() {
  const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map();
  let found = 0;
  for (const one of operations.values()) {
    if (matches(one, words) && found++ < most) groups.set(one.group, [...(groups.get(one.group) ?? []), one]);
  }
  const selected = decodeURIComponent(location.hash.slice(1));
  const parts = [...groups].flatMap(([group, all]) => [
    h("h2", null, group),
    ...all.map(one => h("a", { href: "#" + encodeURIComponent(one.id), "aria-current": one.id === selected && "page" },
      h("span", { class: "verb" }, one.rest?.verb ?? "RPC"), " ", one.id.startsWith(group + ".") ? one.id.slice(group.length + 1) : one.id)),
  ]);
  if (found > most) parts.unshift(h("p", { class: "none" }, `${most} of ${found} operations; search for the others.`));
  $("list").replaceChildren(...(parts.length ? parts : [h("p", { class: "none" }, "Nothing has these words.")]));
}

// typeOf is a schema in a few words.
function typeOf(schema, root, depth = 0) {
  const name = schema?.$ref?.split("/").pop();
  const s = deref(schema, root);
  if (name && (s.type === "object" || depth > 2)) return name;
  const several = s.anyOf ?? s.oneOf;
  if (several) return several.map(each => typeOf(each, root, depth + 1)).join(" or ");
  if (s.const !== undefined) return JSON.stringify(s.const);
  if (s.enum) return s.enum.map(value => JSON.stringify(value)).join(", ");
  if (s.type === "array") return "list of " + typeOf(s.items ?? {}, root, depth + 1);
  return [].concat(s.type ?? "any").join(" or ") + (s.format ? " (" + s.format + ")" : "");
}

// fields is a table of the members of an object; for a list or a page that of its rows.
function fields(schema, root) {
  let s = deref(schema, root);
  if (s.properties?.items && s.properties.endCursor) s = deref(s.properties.items, root);
  if (s.type === "array") s = deref(s.items, root);
  const named = Object.entries(s.properties ?? {});
  if (!named.length) return h("p", { class: "faint" }, typeOf(schema, root));
  return h("table", null, h("tr", null, h("th", null, "field"), h("th", null, "type"), h("th", null, "description")),
    ...named.map(([name, of]) => h("tr", null, h("td", null, h("code", null, name), s.required?.includes(name) && " required"), h("td", null, typeOf(of, root)), h("td", { class: "faint" }, deref(of, root).description ?? ""))));
}

// callerHeaders are who is calling, as the two inputs say.
function callerHeaders() {
  const headers = {};
  if ($("authorization").value) headers.authorization = $("authorization").value;
  if ($("user").value) headers["x-frond-user"] = $("user").value;
  return headers;
}

const quote = text => "'" + text.replaceAll("'", `'\\''`) + "'";

function curl(request) {
  const parts = ["curl", ...(request.method === "GET" ? [] : ["-X", request.method]), quote(new URL(request.url, location.href).href)];
  for (const [name, value] of Object.entries(request.headers)) parts.push("-H", quote(name + ": " + value));
  if (request.body !== undefined) parts.push("-d", quote(request.body));
  return parts.join(" ");
}

const pretty = text => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

let running; // the request under way: a stream ends when another one begins

async function send(request, out) {
  running?.abort();
  running = new AbortController();
  const status = h("p", { role: "status" }, "waiting …"), body = h("pre", { tabindex: "0", "aria-label": "Answer" });
  out.replaceChildren(h("h3", null, "Answer"), status, body);
  try {
    const response = await fetch(request.url, { method: request.method, headers: request.headers, body: request.body, signal: running.signal });
    status.replaceChildren(h("b", { class: response.ok ? "good" : "bad" }, response.status + " " + response.statusText));
    if (response.headers.get("content-type")?.startsWith("text/event-stream")) {
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) body.append(part.value);
      return;
    }
    body.textContent = pretty(await response.text());
  } catch (error) {
    if (error.name !== "AbortError") status.replaceChildren(h("b", { class: "bad" }, "no answer: " + error.message));
  }
}

// trial is a form that sends a request: inputs for what is named, a text for the body.
function trial(inputs, body, build) {
  const values = new Map();
  const form = h("form", { onsubmit: event => { event.preventDefault(); send(build(values, area?.value), out); } });
  const line = h("pre", { tabindex: "0", "aria-label": "curl" }), out = h("section", { "aria-live": "polite" });
  const refresh = () => { line.textContent = curl(build(values, area?.value)); };
  for (const one of inputs) {
    if (one.sample !== undefined) values.set(one, one.sample);
    one.field = h("input", { id: "in-" + one.name, value: one.sample ?? "", required: one.required, spellcheck: "false", oninput: event => { values.set(one, event.target.value); refresh(); } });
  }
  const area = body === undefined ? null : h("textarea", { "aria-label": "Body", spellcheck: "false", oninput: refresh });
  if (area) area.value = body;
  if (inputs.length) {
    form.append(h("table", null, h("tr", null, h("th", null, "parameter"), h("th", null, "value"), h("th", null, "description")),
      ...inputs.map(one => h("tr", null, h("td", null, h("label", { for: "in-" + one.name }, h("code", null, one.name), one.required && " required")), h("td", null, one.field), h("td", { class: "faint" }, one.about ?? "")))));
  }
  if (area) form.append(h("h3", null, "Body"), area);
  form.append(h("p", null, h("button", { type: "submit" }, "Send")), line, out);
  for (const id of ["authorization", "user"]) $(id).oninput = refresh;
  refresh();
  return form;
}

function restTrial({ verb, path, operation }) {
  // The conditions of single fields are left to filter: a list may have a hundred of them.
  const inputs = (operation.parameters ?? []).map(p => deref(p, openapi)).filter(p => p.style !== "deepObject").map(p => ({
    name: p.name, at: p.in, required: p.required, about: p.description,
    sample: p.required && p.example !== undefined ? String(p.example) : undefined,
  }));
  const media = operation.requestBody?.content["application/json"];
  const streams = !operation.responses["200"]?.content?.["application/json"] && operation.responses["200"]?.content?.["text/event-stream"];
  return trial(inputs, media && JSON.stringify(media.example ?? {}, null, 2), (values, body) => {
    const query = new URLSearchParams(), headers = callerHeaders();
    let to = path;
    for (const [one, value] of values) {
      if (one.at === "path") to = to.replace("{" + one.name + "}", encodeURIComponent(value));
      else if (value === "") continue;
      else if (one.at === "header") headers[one.name.toLowerCase()] = value;
      else query.set(one.name, value);
    }
    if (streams) headers.accept = "text/event-stream";
    if (verb !== "GET" && verb !== "DELETE") headers["content-type"] = "application/json";
    return { method: verb, url: to + (query.size ? "?" + query : ""), headers, body };
  });
}

function rpcTrial(method) {
  const params = Object.fromEntries((method.examples?.[0]?.params ?? []).map(p => [p.name, p.value]));
  const path = openrpc.info.description.match(/POST (\S+?):/)[1];
  return trial([], JSON.stringify({ jsonrpc: "2.0", id: 1, method: method.name, params }, null, 2), (_, body) => ({
    method: "POST", url: path, headers: { ...callerHeaders(), "content-type": "application/json" }, body,
  }));
}

// languages are the tabs of an operation: what it is called by, and how it is tried.
function languages(one) {
  const all = [];
  if (one.rest) {
    const { verb, path, operation } = one.rest;
    const answer = Object.entries(operation.responses).find(([status]) => status.startsWith("2"))[1];
    const body = operation.requestBody?.content["application/json"]?.schema, content = answer.content ?? {};
    all.push(["REST", () => [h("p", null, h("code", null, verb + " " + path)), restTrial(one.rest),
      body && h("h3", null, "What is sent"), body && fields(body, openapi),
      h("h3", null, "What is answered"), h("p", null, answer.description),
      content["application/json"] ? fields(content["application/json"].schema, openapi) : content["text/event-stream"] && fields(content["text/event-stream"]["x-event"], openapi)]]);
  }
  if (one.rpc) {
    all.push(["JSON-RPC", () => [h("p", null, h("code", null, one.rpc.name)), rpcTrial(one.rpc),
      ...one.rpc.params.flatMap(p => [h("h3", null, p.name), fields(p.schema, openrpc)]),
      h("h3", null, "result"), fields(one.rpc.result.schema, openrpc)]]);
  }
  return all;
}

function show() {
  list();
  running?.abort();
  const one = operations.get(decodeURIComponent(location.hash.slice(1)));
  if (!one) {
    $("operation").replaceChildren(h("h2", null, document.title), h("p", null, `${operations.size} operations. The documents: `,
      ...[["openapi.json", openapi], ["openrpc.json", openrpc], ["asyncapi.json", openapi]].filter(([, there]) => there).flatMap(([name]) => [h("a", { href: name }, name), " "])));
    return;
  }
  const tabs = languages(one), panel = h("div", { role: "tabpanel" });
  const buttons = tabs.map(([name], i) => h("button", { role: "tab", type: "button", onclick: () => open(i) }, name));
  const open = i => {
    buttons.forEach((button, j) => { // one of them is a stop of Tab, the arrows lead to the others
      button.setAttribute("aria-selected", String(i === j));
      button.tabIndex = i === j ? 0 : -1;
    });
    panel.setAttribute("aria-label", tabs[i][0]);
    panel.replaceChildren(...tabs[i][1]().filter(Boolean));
  };
  const turn = event => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const i = (buttons.indexOf(event.target) + step + buttons.length) % buttons.length;
    open(i);
    buttons[i].focus();
  };
  $("operation").replaceChildren(h("h2", null, one.summary ?? one.id), h("p", { class: "faint" }, one.id, one.deprecated && " · deprecated", one.because && ": " + one.because),
    one.about ? h("p", { class: "about" }, one.about) : "", h("div", { role: "tablist", "aria-label": "Language", onkeydown: turn }, ...buttons), panel);
  open(0);
}

[openapi, openrpc] = await Promise.all([read("openapi.json"), read("openrpc.json")]);
document.title = ((openapi ?? openrpc)?.info.title ?? "API") + " API";
document.querySelector("h1").textContent = document.title;
collect();
$("search").addEventListener("input", list);
addEventListener("hashchange", () => { show(); $("operation").focus(); });
show();
