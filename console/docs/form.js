// A form of the fields of a body. Its value is what the inputs say: an empty input leaves its
// field out, and a checkbox sends null.

import { h } from "./html.js";
import { read, write } from "./json.js";
import { deref, likeOf, ruleList, typeOf } from "./shapes.js";

const accepts = (schema, type) => [].concat(schema.type ?? []).includes(type) || (schema.anyOf ?? schema.oneOf)?.some(each => accepts(each, type));

// bodyForm is a form for a schema, filled with a value. changed is called after each input.
// value() reads it, and faults(list) shows messages at the fields that they are about: each has a
// pointer and a message. It returns those that are about no field.
export function bodyForm(schema, root, value, changed) {
  const inputs = new Map(); // by pointer
  const box = h("div", { class: "form", oninput: changed });
  const reader = group(box, schema, root, value, "", inputs);
  return {
    box,
    value: () => reader() ?? {},
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

// group adds a row for each member of an object to a box. It returns what reads them: undefined
// where no member has a value.
function group(box, schema, root, value, pointer, inputs) {
  const s = deref(schema, root);
  const readers = Object.entries(s.properties ?? {}).map(([name, of]) => {
    const at = pointer + "/" + name.replaceAll("~", "~0").replaceAll("/", "~1");
    return [name, field(box, name, of, s.required?.includes(name), root, value?.[name], at, inputs)];
  });
  return () => {
    const all = readers.map(([name, reader]) => [name, reader()]).filter(([, each]) => each !== undefined);
    return all.length ? Object.fromEntries(all) : undefined;
  };
}

function field(box, name, of, required, root, value, pointer, inputs) {
  const s = deref(of, root), id = "body" + pointer;
  const title = [h("code", null, name), required && h("span", { class: "must" }, " required")];
  const fault = h("span", { class: "bad fault", id: id + "-fault" });
  if (s.properties && !s.anyOf && !s.oneOf && !accepts(s, "null")) {
    const inside = h("fieldset", { id, tabindex: "-1" }, h("legend", null, title), fault);
    box.append(inside);
    inputs.set(pointer, { input: inside, fault });
    return group(inside, s, root, value, pointer, inputs);
  }
  const [input, reader] = control(s, id, value, root);
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
  input.value = value === null || value === undefined ? "" : write(value);
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

