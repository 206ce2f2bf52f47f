// The start page: what a caller has to know before the first call.

import { $, code, h } from "./html.js";
import { documents, label, operations } from "./operations.js";
import { samples } from "./samples.js";
import { callerHeaders } from "./send.js";

const curl = (method, url, headers, body) => code("curl", samples({ method, url, headers, body })[0][1]);
const first = test => [...operations.values()].find(test);

const signingIn = {
  dev: () => [h("p", null, "This gateway runs in development: the header ", h("code", null, "X-Frond-User"), " says who is calling. Choose a user under Caller, at the top of this page."),
    curl("GET", firstList(), { "x-frond-user": '{"id":"ada"}' })],
  token: () => [h("p", null, "Send the token of the issuer with each request. An invalid token is 401, and no token is an anonymous caller."),
    curl("GET", firstList(), { authorization: "Bearer TOKEN" })],
  session: () => [h("p", null, "The host of this gateway knows its callers by a session of its own, such as a cookie.")],
  none: () => [h("p", null, "This gateway knows no callers: every caller is anonymous, and a token is refused.")],
};

const firstList = () => first(one => one.rest?.verb === "GET" && one.id.endsWith(".list"))?.rest.path ?? first(one => one.rest)?.rest.path ?? "/";

// rights fills a table with what callers may do: nobody in particular, and the caller of the page.
async function rights(box) {
  const ask = async headers => {
    const response = await fetch("docs/rights.json", { headers, credentials: Object.keys(headers).length ? "same-origin" : "omit" });
    return response.ok ? new Map((await response.json()).map(one => [one.operation, one])) : null;
  };
  const mine = callerHeaders();
  let anyone, me;
  try {
    [anyone, me] = await Promise.all([ask({}), ask(mine)]);
  } catch {
    box.replaceChildren(h("p", { class: "bad" }, "The gateway does not answer."));
    return;
  }
  const verdict = one => (!one ? "–" : one.code === "UNAUTHORIZED" ? h("span", { class: "faint" }, "sign in") : one.code ? h("span", { class: "bad" }, "no") : [h("span", { class: "good" }, one.perCall ? "decided for each call" : "yes"), one.rows === "some rows" ? ", for some rows" : one.rows && `, where ${one.rows}`]);
  const named = Object.keys(mine).length > 0;
  const groups = Map.groupBy([...operations.values()].filter(one => anyone?.has(one.id)), one => one.group);
  box.replaceChildren(
    named && !me ? h("p", { class: "bad" }, "The gateway does not accept the caller that is entered at the top of this page.") : "",
    h("table", { class: "rights" }, h("thead", null, h("tr", null, h("th", null, "Operation"), h("th", null, "Anyone"), named && h("th", null, "The caller above"))),
      [...groups].map(([group, all]) => h("tbody", null, h("tr", null, h("th", { colspan: "3" }, group)), all.map(one =>
        h("tr", null, h("td", null, h("a", { href: "#" + encodeURIComponent(one.id) }, one.summary ?? label(one))), h("td", null, verdict(anyone.get(one.id))), named && h("td", null, verdict(me?.get(one.id)))))))));
}

const codes = () => {
  const all = new Map();
  for (const response of Object.values(documents.openapi?.components?.responses ?? {})) if (response["x-code"]) all.set(response["x-code"], response.description);
  return all;
};

// chapters are the sections of the page by their addresses.
export const chapters = [
  ["signing-in", "Signing in", () => signingIn[documents.host.signIn]()],
  ["rights", "Who may do what", () => {
    const box = h("div", { "aria-live": "polite" });
    rights(box);
    for (const id of ["authorization", "user"]) $(id).oninput = () => rights(box);
    return [h("p", null, "The rules may show a caller some of the rows and fields only. A row that a caller does not see does not exist for that caller."), box];
  }],
  ["paging", "Paging, sorting and filters", () => {
    const { default: usual, max } = documents.host.list, path = firstList();
    return [h("p", null, `A list answers ${usual} rows unless limit says otherwise, and at most ${max}; a door may have its own limits. hasMore says whether there are more: send endCursor as after for the next page. total counts all rows of the filter.`),
      curl("GET", path + "?limit=10&sort=-id", {}),
      h("p", null, "A filter is JSON, or one parameter for each condition. The fields parameter selects fields, those of related rows included."),
      h("ul", null, ["filter[price][gte]=10", 'filter={"or":[{"name":{"contains":"tea"}},{"price":{"lt":5}}]}', "sort=-createdAt,name", "fields=id,name"].map(each => h("li", null, h("code", null, each))))];
  }],
  ["errors", "Errors", () => [h("p", null, "A failure over REST is a problem document. Its data has a code that programs branch on, and a message for people. JSON-RPC and GraphQL answer the same code and message."),
    code("Problem", JSON.stringify({ type: "about:blank", title: "Bad Request", status: 400, detail: "…", instance: firstList(), data: { code: "VALIDATION_FAILED", message: "…", details: [{ path: "name", pointer: "/body/name", code: "required", message: "is required" }] } }, null, 2)),
    h("table", { class: "errors" }, h("tbody", null, [...codes()].map(([name, about]) => h("tr", null, h("td", null, h("code", null, name)), h("td", { class: "faint" }, about)))))]],
  ["events", "Events", () => {
    const all = [...operations.values()].filter(one => one.group === "facts");
    if (!all.length) return [h("p", null, "This host announces no events to this audience.")];
    return [h("p", null, "The host announces changes as events. A stream stays open, and sends each event as it happens, as server-sent events. Last-Event-ID continues where a client left off."),
      h("ul", null, all.map(one => h("li", null, h("a", { href: "#" + encodeURIComponent(one.id) }, label(one)), " ", h("span", { class: "faint" }, one.summary)))),
      all[0].rest && curl("GET", all[0].rest.path, { accept: "text/event-stream" })];
  }],
  ["graphql", "GraphQL", () => {
    const graphql = documents.host.graphql;
    if (!graphql) return [h("p", null, "There is no GraphQL for this audience.")];
    const sample = graphql.fields.find(each => each.root === "query" && !each.document.includes("$")) ?? graphql.fields[0];
    return [h("p", null, "One request may read several things, and follow relations. The address is ", h("code", null, graphql.path), graphql.console && [", with ", h("a", { href: graphql.path }, "a console")], "."),
      sample && code("GraphQL", sample.document),
      h("table", null, h("tbody", null, graphql.fields.map(each => h("tr", null, h("td", null, each.root), h("td", null, h("code", null, each.field)), h("td", null, h("a", { href: "#" + encodeURIComponent(each.operation) }, each.operation))))))];
  }],
  ["documents", "Documents", () => [h("p", null, "The same content for programs:"), h("ul", null, [["openapi.json", "REST, OpenAPI 3.1", documents.openapi], ["openrpc.json", "JSON-RPC, OpenRPC 1.3", documents.openrpc], ["asyncapi.json", "events, AsyncAPI 3", documents.openapi], ["schema.graphql", "GraphQL, the schema", documents.host.graphql?.sdl]]
    .filter(([, , there]) => there).map(([name, about]) => h("li", null, h("a", { href: name, download: name.endsWith(".graphql") && name }, name), ": ", about)))]],
];

// startPage is the page in front of the operations.
export const startPage = () => [h("h2", null, documents.host.title), documents.host.description && h("p", { class: "about" }, documents.host.description),
  h("p", { class: "faint" }, `${operations.size} operations.`),
  ...chapters.flatMap(([id, title, make]) => [h("h3", { id, tabindex: "-1" }, title), ...make()])].flat().filter(Boolean);
