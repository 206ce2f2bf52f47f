// The page of the API documents: it reads openapi.json, openrpc.json and host.json, lists their
// operations, and sends requests as they describe them. Nothing is kept but the address; who is
// calling is forgotten with the page.

import { $, h, tabs } from "./html.js";
import { keysOf } from "./keys.js";
import { documents, label, load, operations, search } from "./operations.js";
import { stop } from "./send.js";
import { chapters, startPage } from "./start.js";
import { surfacesOf } from "./surfaces.js";

const most = 500; // links in the list: a document may have ten thousand operations
const chapter = () => chapters.find(([id]) => "#/" + id === location.hash);
const selected = () => decodeURIComponent(location.hash.slice(1));

function list() {
  const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map();
  let found = 0;
  for (const one of operations.values()) {
    const inside = search(one, words);
    if (inside && found++ < most) groups.set(one.group, [...(groups.get(one.group) ?? []), [one, inside]]);
  }
  const current = selected();
  const parts = [...groups].flatMap(([group, all]) => [
    h("h2", null, group === "facts" ? "events" : group),
    ...all.map(([one, inside]) => h("a", { href: "#" + encodeURIComponent(one.id), "aria-current": one.id === current && "page" },
      h("span", { class: "verb" }, one.rest?.verb ?? (one.rpc ? "RPC" : "GraphQL")), " ", one.summary ?? label(one), inside !== true && h("span", { class: "inside" }, inside.join(", ")))),
  ]);
  if (found > most) parts.unshift(h("p", { class: "none" }, `${most} of ${found} operations; search for the others.`));
  if (!words.length) {
    parts.unshift(h("h2", null, "Start"), ...chapters.map(([id, title]) => h("a", { href: "#/" + id, "aria-current": "#/" + id === location.hash && "page" }, title)));
  }
  $("list").replaceChildren(...(parts.length ? parts : [h("p", { class: "none" }, "Nothing has these words.")]));
}

let surface; // the tab that stays open from operation to operation

const patience = 500; // ms that an operation waits for keys of rows

async function show() {
  list();
  stop();
  const one = operations.get(selected());
  const none = { leads: {} };
  const keys = one ? await Promise.race([keysOf(one), new Promise(done => { setTimeout(done, patience, none); })]) : none;
  if (one !== operations.get(selected())) return; // another address by now
  if (!one) {
    $("operation").replaceChildren(...startPage());
    return;
  }
  $("operation").replaceChildren(h("h2", null, one.summary ?? one.id), h("p", { class: "faint" }, one.id, one.deprecated && " · deprecated", one.because && ": " + one.because),
    one.about ? h("p", { class: "about" }, one.about) : "", ...tabs("Surface", surfacesOf(one, keys), surface, name => { surface = name; }));
}

// callers offers the users of dev identity.
function callers() {
  const all = documents.host?.callers;
  $("user").parentElement.hidden = documents.host?.signIn !== "dev";
  $("authorization").parentElement.hidden = documents.host?.signIn === "dev";
  if (!all) return;
  $("pick").hidden = false;
  $("picked").append(h("option", { value: "" }, "nobody"), ...all.map(({ name, user }) => h("option", { value: JSON.stringify(user) }, name)));
  $("picked").addEventListener("change", () => {
    $("user").value = $("picked").value;
    $("user").dispatchEvent(new Event("input"));
  });
}

await load();
document.title = documents.host?.title ?? "API";
document.querySelector("h1 a").textContent = document.title;
callers();
$("search").addEventListener("input", list);

// visit shows what the address names, and brings it into view.
async function visit() {
  await show();
  const section = document.getElementById(chapter()?.[0] ?? "");
  (section ?? $("operation")).focus();
  if (!section) scrollTo(0, 0);
}

addEventListener("hashchange", visit);
if (location.hash) visit();
else show();
