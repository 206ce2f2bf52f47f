// Schemas in words: types, rules and tables of fields.

import { h } from "./html.js";

// deref follows a reference of the document that a value stands in. Parts that all hold become one schema.
export function deref(value, root) {
  for (let i = 0; value?.$ref && i < 20; i++) {
    value = value.$ref.slice(2).split("/").reduce((at, token) => at?.[decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~")], root);
  }
  const all = value?.allOf?.map(each => deref(each, root));
  return all ? Object.assign({}, ...all, { required: all.flatMap(each => each.required ?? []) }) : value ?? {};
}

// sample is a value of a schema.
function sample(schema, root) {
  const s = deref(schema, root);
  return s.type === "array" ? [sample(s.items, root)] : { integer: 0, number: 0, boolean: false, object: {} }[s.type] ?? "…";
}

// likeOf is an example of a list as JSON, "" of any other schema.
export const likeOf = (schema, root) => (schema.type === "array" ? ", such as " + JSON.stringify(sample(schema, root)) : "");

// typeOf is a schema in a few words.
export function typeOf(schema, root, depth = 0) {
  const name = (schema?.allOf?.[0] ?? schema)?.$ref?.split("/").pop();
  const s = deref(schema, root);
  if (name && (s.type === "object" || depth > 2)) return name;
  const several = s.anyOf ?? s.oneOf;
  if (several) return several.map(each => typeOf(each, root, depth + 1)).join(" or ");
  if (s.const !== undefined) return JSON.stringify(s.const);
  if (s.enum) return s.enum.map(value => JSON.stringify(value)).join(", ");
  if (s.type === "array") return "list of " + typeOf(s.items ?? {}, root, depth + 1);
  if (s.contentSchema) return "JSON";
  return [].concat(s.type ?? "any").join(" or ") + (s.format ? " (" + s.format + ")" : "");
}

const bounds = {
  minLength: "at least # characters", maxLength: "at most # characters", pattern: "pattern #",
  minimum: "at least #", maximum: "at most #", exclusiveMinimum: "greater than #", exclusiveMaximum: "less than #", multipleOf: "a multiple of #",
  minItems: "at least # items", maxItems: "at most # items", minProperties: "at least # keys", maxProperties: "at most # keys",
};

// rules are what a schema demands beside its type, and what the host writes without a value.
export function rules(schema, root) {
  const s = deref(schema, root);
  const all = Object.entries(bounds).filter(([keyword]) => s[keyword] !== undefined).map(([keyword, words]) => (s[keyword] === 1 ? words.replace(/s$/, "") : words).replace("#", () => s[keyword]));
  if (s.items) all.push(...rules(s.items, root).map(rule => "each " + rule));
  if (s.uniqueItems) all.push("no value twice");
  if (s.readOnly) all.push("read-only");
  if (s.deprecated) all.push("deprecated");
  if (s["x-default"] !== undefined) all.push("default " + JSON.stringify(s["x-default"]));
  if (s["x-generated"] !== undefined) all.push("default: " + (s["x-generated"].includes(" ") ? s["x-generated"] : "a new " + s["x-generated"]));
  return all;
}

// inner is the object whose members a reader wants to see: of a page or a list that of its rows.
export function inner(schema, root) {
  const s = deref(schema, root);
  const list = s.type === "array" ? s.items : s.properties?.items?.items;
  if (list && (s.type === "array" || s.properties.endCursor || s.properties.hasMore)) return inner(list, root);
  const object = (s.anyOf ?? s.oneOf)?.map(each => inner(each, root)).find(each => each.properties);
  return object ?? s;
}

// fields is a table of the members of an object. Members of members are below their field; those
// behind a reference are made when a reader opens them, since rows may lead to one another.
export function fields(schema, root) {
  const s = inner(schema, root);
  const named = Object.entries(s.properties ?? {});
  if (!named.length) return h("p", { class: "faint" }, typeOf(schema, root));
  return h("table", { class: "fields" }, h("thead", null, h("tr", null, h("th", null, "Field"), h("th", null, "Type"), h("th", null, "Description"))),
    h("tbody", null, named.map(([name, of]) => h("tr", null,
      h("td", null, h("code", null, name), s.required?.includes(name) && h("span", { class: "must" }, " required")),
      h("td", null, typeOf(of, root), ruleList(of, root)),
      h("td", null, h("span", { class: "faint" }, deref(of, root).description ?? ""), members(name, of, root))))));
}

export const ruleList = (of, root) => rules(of, root).map(rule => h("span", { class: "rule" }, rule));

function members(name, of, root) {
  const target = deref(of, root);
  const object = inner(target.contentSchema ?? of, root);
  if (!object.properties) return null;
  const own = !JSON.stringify(of).includes('"$ref"');
  const box = h("details", { open: own }, h("summary", null, "Members of ", h("code", null, name)));
  const fill = () => { if (box.open && !box.querySelector("table")) box.append(fields(object, root)); };
  box.addEventListener("toggle", fill);
  if (own) fill();
  return box;
}

// names are the names of the members of a schema, at any depth within its own text.
export function names(schema, root, found = new Set(), depth = 0) {
  const s = inner(schema ?? {}, root);
  if (depth < 4) {
    for (const [name, of] of Object.entries(s.properties ?? {})) {
      found.add(name);
      if (!JSON.stringify(of).includes('"$ref"')) names(of, root, found, depth + 1);
    }
  }
  return found;
}
