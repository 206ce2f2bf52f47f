// The part of the judge that knows all of JSON Schema: schemas inside schemas, references,
// conditions. Cards that have none of them do without it.

import { absent, element, forbidden, names, pattern, place, refuse, scalar, size, twice, unknown } from "./judge.js";
import type { Detail, Key, Members, Node, Run } from "./judge.js";

/** Whether all numbers in a value are those that a host computes with. */
const workable = (v: unknown): boolean =>
  typeof v === "bigint" ? String(v).length < 401 : !v || typeof v !== "object" || Object.values(v).every(workable);

/** Judges a value by all of JSON Schema. The refusals come in the order of the value. */
export function engine(n: Node, v: unknown, r: Run): void {
  if (!workable(v)) return refuse(r, "type", "holds a number no double can");
  const run: Run = { ...r, path: [], refused: [], most: Infinity };
  deep(n, v, run, new Set());
  const placed = run.refused.map((refusal) => {
    let x: any = v;
    const at = refusal.path.map((name) => {
      // Only the last name may be missing.
      const i = Array.isArray(x) ? +name : names(x).indexOf(name as string);
      x = x[name];
      return i < 0 ? Infinity : i;
    });
    return { refusal, at };
  });
  placed.sort((a, b) => order(a.at, b.at) || order(a.refusal.path.map(String), b.refusal.path.map(String)) || order([a.refusal.code, a.refusal.message], [b.refusal.code, b.refusal.message]));
  let last = "";
  for (const { refusal } of placed) {
    const id = refusal.code + JSON.stringify(refusal.path);
    if (id !== last && r.refused.length < r.most) r.refused.push({ ...refusal, path: [...r.path, ...refusal.path] });
    last = id;
  }
}

function order(a: Key[], b: Key[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return a[i]! < b[i]! ? -1 : 1;
  return a.length - b.length;
}

/** Judges a value by all of JSON Schema; seen collects the keys and places that were judged. */
function deep(n: Node, v: unknown, r: Run, seen: Set<Key>): void {
  if (n === true) return;
  if (!n) return n === 0 ? refuse(r, "unknown_key", unknown) : refuse(r, "not", forbidden);
  if (!scalar(n, v, r, true)) return;
  /** Judges the same value by a further schema. Quietly: only whether it fits. */
  const fits = (node: Node, quiet?: boolean, x = v): boolean => {
    const before = r.refused.length;
    const mine = new Set<Key>();
    deep(node, x, r, mine);
    const fit = r.refused.length === before;
    if (fit && x === v) mine.forEach((key) => seen.add(key));
    if (quiet) r.refused.length = before;
    return fit;
  };
  const inside = (node: Node, name: Key, x: unknown): void => {
    r.path.push(name);
    seen.add(name);
    fits(node, false, x);
    r.path.pop();
  };
  n.ref?.forEach((i) => fits(r.defs[i]!));
  if (Array.isArray(v)) {
    const items = v.map(element);
    size(r, "Items", n.minItems, n.maxItems, items.length);
    twice(n, items, r);
    items.forEach((x, i) => {
      const node = n.prefixItems && i < n.prefixItems.length ? n.prefixItems[i] : n.items;
      if (node !== undefined) inside(node, i, x);
    });
    if (n.contains !== undefined) {
      const matched = items.filter((x, i) => fits(n.contains!, true, x) && seen.add(i)).length;
      const hold = (code: string, at: string, count: number): void => refuse(r, code, `must hold at ${at} ${count} items of the kind the card asks for`, { limit: count });
      if (n.minContains === undefined) {
        if (!matched) refuse(r, "contains", "must hold at least one item of the kind the card asks for");
      } else if (matched < n.minContains) hold("minContains", "least", n.minContains);
      if (matched > n.maxContains!) hold("maxContains", "most", n.maxContains!);
    }
  } else if (v && typeof v === "object") {
    const present = names(v as Members);
    const missing = (list: string[], code: string, message: string, of?: Detail["params"]): void => {
      for (const name of list) if (!present.includes(name)) refuse(r, code, message, of, name);
    };
    size(r, "Properties", n.minProperties, n.maxProperties, present.length);
    if (n.required) missing(n.required, "required", absent);
    n.dependentRequired?.forEach(([name, list]) => present.includes(name) && missing(list, "dependentRequired", `is required where ${name} is given`, { property: name }));
    for (const name of present) {
      const judges = (n.patternProperties ?? []).filter((of) => (of[2] ??= pattern(of[0], r)).test(name)).map(([, node]) => node);
      const i = place(n, name);
      if (i >= 0) judges.push(n.properties![i]![1]);
      if (!judges.length && n.additionalProperties !== undefined) judges.push(n.additionalProperties);
      for (const node of judges) inside(node, name, element((v as Members)[name]));
    }
    if (n.propertyNames !== undefined && present.some((name) => !fits(n.propertyNames!, true, name))) refuse(r, "propertyNames", "has a key the card does not allow");
    n.dependentSchemas?.forEach(([name, node]) => present.includes(name) && fits(node));
  }
  if (n.not !== undefined && fits(n.not, true)) refuse(r, "not", "must not be of the shape the card forbids");
  n.allOf?.forEach((node) => fits(node));
  // Every alternative is tried: each that fits has judged keys.
  const matching = (of: Node[]): number => of.filter((node) => fits(node, true)).length;
  if (n.anyOf && !matching(n.anyOf)) refuse(r, "anyOf", "must fit at least one of the shapes the card allows");
  if (n.oneOf) {
    const matched = matching(n.oneOf);
    if (matched !== 1) refuse(r, "oneOf", "must fit exactly one of the shapes the card allows" + (matched ? "; it fits several" : ""));
  }
  if (n.if !== undefined) fits((fits(n.if, true) ? n.then : n.else) ?? true);
  const rest = Array.isArray(v) ? n.unevaluatedItems : n.unevaluatedProperties;
  if (rest !== undefined && v && typeof v === "object")
    for (const name of Array.isArray(v) ? v.keys() : names(v as Members)) if (!seen.has(name)) inside(rest, name, element((v as Members)[name]));
}
