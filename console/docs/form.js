// A form of the fields of a body. Its value is what the inputs say: an empty input leaves its
// field out, and a checkbox sends null.

import { h } from "./html.js";
import { read, write } from "./json.js";
import { deref, likeOf, ruleList, typeOf } from "./shapes.js";

const accepts = (schema, type) => [].concat(schema.type ?? []).includes(type) || (schema.anyOf ?? schema.oneOf)?.some(each => accepts(each, type));

// bodyForm is a form for a schema of an object or of a list of them, filled with a value. changed is called after each
// input. value() reads it, and faults(list) shows messages at the fields that they are about: each has a pointer and a
// message. It returns those that are about no field.
// parts are fields that are sent as files: files() are those that were chosen, [name, File].
export function bodyForm(schema, root, value, changed, parts = []) {
  const inputs = new Map(); // by pointer
  const box = h("div", { class: "form", oninput: changed }), form = { root, inputs, changed, parts: isRows(schema, root) ? [] : parts.map(name => "/" + name) };
  const reader = (isRows(schema, root) ? rows : group)(box, schema, form, value, "");
  return {
    box,
    files: () => parts.map(name => [name, box.querySelector(`[type=file][id="body/${name}"]:enabled`)?.files[0]]).filter(([, file]) => file),
    value: () => reader() ?? (isRows(schema, root) ? [] : {}),
    faults(list) {
      const others = [];
      for (const { fault, input } of inputs.values()) {
        fault.textContent = "";
        input.removeAttribute("aria-invalid");
      }
      for (const one of list) {
        let pointer = one.pointer;
        while (pointer && !inputs.has(pointer)) pointer = pointer.slice(0, pointer.lastIndexOf("/"));
        const field = inputs.get(pointer);
        if (!field) {
          others.push(one);
          continue;
        }
        field.fault.textContent += (field.fault.textContent && "; ") + (pointer === one.pointer ? "" : one.path + " ") + one.message;
        field.input.setAttribute("aria-invalid", "true");
      }
      box.querySelector("[aria-invalid]")?.focus();
      return others;
    },
  };
}

// isRows reports whether a schema is a list of objects, which has a group of fields for each.
function isRows(schema, root) {
  const s = deref(schema, root), items = s.type === "array" && deref(s.items, root);
  return Boolean(items.properties && !items.anyOf && !items.oneOf);
}

// group adds a row for each member of an object to a box. It returns what reads them: undefined
// where no member has a value.
function group(box, schema, form, value, pointer) {
  const s = deref(schema, form.root);
  const readers = Object.entries(s.properties ?? {}).map(([name, of]) => {
    const at = pointer + "/" + name.replaceAll("~", "~0").replaceAll("/", "~1");
    return [name, field(box, name, of, s.required?.includes(name), form, value?.[name], at)];
  });
  return () => {
    const all = readers.map(([name, reader]) => [name, reader()]).filter(([, each]) => each !== undefined);
    return all.length ? Object.fromEntries(all) : undefined;
  };
}

// rows adds a list of objects to a box, with buttons that add and remove one. It returns what reads them: undefined
// where there are none, unless the list was empty before.
function rows(box, schema, form, value, pointer) {
  const { items } = deref(schema, form.root), list = h("div"), empty = Array.isArray(value) && !value.length;
  let readers = [];
  const values = () => readers.map(reader => reader() ?? {});
  const draw = all => {
    [...form.inputs.keys()].filter(at => at.startsWith(pointer + "/")).forEach(at => form.inputs.delete(at));
    list.replaceChildren();
    readers = all.map((each, i) => {
      const at = pointer + "/" + i, inside = fieldset(form, at, [i + 1 + ". ", h("button", { type: "button", "aria-label": "Remove " + (i + 1), onclick: () => {
        draw(values().toSpliced(i, 1));
        add.focus();
        form.changed();
      } }, "Remove")]);
      list.append(inside);
      return group(inside, items, form, each, at);
    });
  };
  const add = h("button", { type: "button", onclick: () => {
    draw([...values(), {}]);
    list.lastChild.querySelector("input, select, textarea")?.focus();
    form.changed();
  } }, "Add");
  draw(Array.isArray(value) ? value : []);
  box.append(list, add);
  return () => (readers.length || empty ? values() : undefined);
}

// fieldset is a box for the members of a value, with a place for its faults.
function fieldset(form, pointer, title, ...about) {
  const id = "body" + pointer, fault = h("span", { class: "bad fault", id: id + "-fault" });
  const input = h("fieldset", { id, tabindex: "-1" }, h("legend", null, title), about, fault);
  form.inputs.set(pointer, { input, fault });
  return input;
}

function field(box, name, of, required, form, value, pointer) {
  const { root, inputs } = form, s = deref(of, root), id = "body" + pointer;
  const title = [h("code", null, name), required && h("span", { class: "must" }, " required")];
  const many = isRows(s, root);
  if (many || s.properties && !s.anyOf && !s.oneOf && !accepts(s, "null")) {
    const inside = fieldset(form, pointer, title, many && h("span", { class: "about" }, h("span", { class: "rule" }, typeOf(of, root)), ruleList(of, root), s.description ?? ""));
    box.append(inside);
    return (many ? rows : group)(inside, s, form, value, pointer);
  }
  const fault = h("span", { class: "bad fault", id: id + "-fault" });
  const [input, reader] = form.parts.includes(pointer) ? [h("input", { id, type: "file" }), () => undefined] : control(s, id, value, root);
  let none = null;
  if (accepts(s, "null")) {
    none = h("input", { type: "checkbox", checked: value === null, onchange: () => { input.disabled = none.checked; } });
    input.disabled = value === null;
  }
  input.setAttribute("aria-describedby", id + "-about " + id + "-fault");
  box.append(h("div", { class: "field" },
    h("label", { for: id }, title), input, none && h("label", { class: "null" }, none, " null"),
    h("span", { class: "about", id: id + "-about" }, h("span", { class: "rule" }, typeOf(of, root)), ruleList(of, root), s.description ?? ""), fault));
  inputs.set(pointer, { input, fault });
  return () => (none?.checked ? null : reader());
}

// control is the input of a value and what reads it.
function control(s, id, value, root) {
  const choices = s.enum?.filter(each => each !== null) ?? (s.const !== undefined ? [s.const] : s.type === "boolean" || accepts(s, "boolean") && !accepts(s, "string") ? [true, false] : null);
  if (choices) {
    const input = h("select", { id }, h("option", { value: "" }), choices.map(each => h("option", { value: JSON.stringify(each), selected: each === value }, String(each))));
    return [input, () => (input.value === "" ? undefined : JSON.parse(input.value))];
  }
  const text = accepts(s, "string") && !s.anyOf && !s.oneOf, number = accepts(s, "number") || accepts(s, "integer");
  if (text || number) {
    const long = text && s.maxLength > 160;
    const input = h(long ? "textarea" : "input", { id, rows: long && "2", inputmode: number && !text && "decimal", spellcheck: "false", autocomplete: "off", value: !long && value !== null && value !== undefined && String(value) });
    if (long) input.value = value ?? "";
    return [input, () => (input.value === "" ? undefined : number && /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(input.value) ? numeric(input.value) : input.value)];
  }
  const input = h("textarea", { id, rows: "2", spellcheck: "false", placeholder: "JSON" + likeOf(s, root) });
  input.value = value === null || value === undefined ? "" : typeof value === "string" && !accepts(s, "string") ? value : write(value);
  return [input, () => {
    if (input.value.trim() === "") return undefined;
    try {
      return read(input.value);
    } catch {
      return input.value; // the judge says what it has to be
    }
  }];
}

// numeric is a number as it is written: an integer that a double does not hold is a bigint.
const numeric = text => (/^-?\d+$/.test(text) && !Number.isSafeInteger(+text) ? BigInt(text) : +text);

