// The judge of a card in JavaScript. Cards are data (schema/script/judge.go says which form they
// have); this is what reads them, and it gives the verdict that the host gives of the JSON that
// JSON.stringify makes of a value: what is undefined is absent, a Date is its text, NaN is null.

import type { Test, Tree } from "./matcher.js";

export type Key = string | number;
export type Bound = number | [decimal: string, shown: string];

/** A schema in the form that a host writes: see schema/script/judge.go. */
export type Node = boolean | 0 | Shape;

export interface Shape {
  type?: string | string[];
  const?: unknown;
  constText?: string;
  enum?: unknown[];
  enumText?: string;
  format?: string;
  pattern?: string;
  re?: string | Tree;
  minLength?: number;
  maxLength?: number;
  bounds?: [keyword: string, bound: Bound][];
  items?: Node;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: 1;
  fields?: Field[];
  open?: 1;
  known?: string[];
  required?: string[];
  minProperties?: number;
  maxProperties?: number;
  whole?: Node;
  defs?: Node[];
  // The engine's.
  ref?: number[];
  properties?: [name: string, node: Node][];
  patternProperties?: [re: string | Tree, node: Node, test?: Test][];
  additionalProperties?: Node;
  propertyNames?: Node;
  dependentRequired?: [name: string, names: string[]][];
  dependentSchemas?: [name: string, node: Node][];
  unevaluatedProperties?: Node;
  prefixItems?: Node[];
  contains?: Node;
  minContains?: number;
  maxContains?: number;
  unevaluatedItems?: Node;
  not?: Node;
  allOf?: Node[];
  anyOf?: Node[];
  oneOf?: Node[];
  if?: Node;
  then?: Node;
  else?: Node;
  // What is made of it once.
  $re?: Test;
  $at?: Map<string, number>;
}

type Field = [name: string, node: Node, flags?: number, fill?: Fill | 0, message?: string];
type Fill = { value?: unknown; now?: string; many?: 1; update?: string };

/** A card as a host writes it, with what it needs of the other modules. */
export interface Card extends Shape {
  use?: Use;
  /** Judges bodies with rows that belong to their row: see nested.ts. */
  within?: (mode: Mode, sent: unknown) => Refusal[];
}

export interface Use {
  /** The formats by their names: an example and the check. */
  readonly formats?: { readonly [name: string]: readonly [example: string, check: (text: string) => boolean] };
  /** Judges a value by all of JSON Schema. */
  readonly engine?: (n: Node, v: unknown, r: Run) => void;
  /** Tests patterns on which RegExp may never end. */
  readonly matcher?: (tree: Tree) => Test;
}

/** What a value is judged for: a body at creation, a patch, or a row. */
export type Mode = 0 | 1 | 2;

export interface Detail {
  path: string;
  pointer: string;
  code: string;
  message: string;
  params?: { [name: string]: unknown };
}

export interface Refusal extends Omit<Detail, "path" | "pointer"> {
  path: Key[];
}

/** One run: where it stands, and what it has refused. */
export interface Run {
  path: Key[];
  /** How many members the object has that was read last. */
  members?: number;
  refused: Refusal[];
  most: number;
  defs: Node[];
  use: Use;
  strange?: boolean;
  patch?: boolean;
}

export type Members = { readonly [name: string]: unknown };

export const absent = "is required";
export const unknown = "is not part of the card; leave it out";
export const forbidden = "must be left out: no value is allowed here";
export const most = 100;

export function refuse(r: Run, code: string, message: string, params?: Detail["params"], name?: string): void {
  if (r.refused.length < r.most) r.refused.push({ path: name === undefined ? [...r.path] : [...r.path, name], code, message, params: params! });
}

const sentences: { readonly [keyword: string]: string } = {
  minLength: "have at least # character",
  maxLength: "have at most # character",
  minItems: "have at least # item",
  maxItems: "have at most # item",
  minProperties: "have at least # key",
  maxProperties: "have at most # key",
  maxDepth: "have at most # level",
  minimum: "be at least #",
  maximum: "be at most #",
  exclusiveMinimum: "be greater than #",
  exclusiveMaximum: "be less than #",
  multipleOf: "be a multiple of #",
};

export function limit(r: Run, keyword: string, bound: Bound): void {
  const [decimal, shown] = typeof bound === "number" ? [bound, bound] : bound;
  const sentence = sentences[keyword]!;
  refuse(r, keyword, "must " + sentence.replace("#", shown as string) + (+decimal === 1 || sentence.endsWith("#") ? "" : "s"), { limit: +decimal });
}

/** A value as JSON.stringify takes it; undefined: it is left out. */
export function plain(v: any): unknown {
  let type = typeof v;
  if (type === "object" && v !== null && typeof v.toJSON === "function") type = typeof (v = v.toJSON());
  return type === "number" ? (isFinite(v) ? v : null) : type === "function" || type === "symbol" ? undefined : v;
}

export const names = (v: Members): string[] => Object.keys(v).filter((name) => plain(v[name]) !== undefined);
export const element = (v: unknown): unknown => plain(v) ?? null;

export function kindOf(v: unknown): string {
  const type = typeof v;
  return type === "object" ? (v === null ? "null" : Array.isArray(v) ? "array" : type) : type === "bigint" ? "number" : type;
}

/** A number as the decimal that JSON has of it: digits × 10^exponent. */
function decimal(v: unknown): [digits: bigint, exponent: number] {
  const m = /^(-?\d+)\.?(\d*)e?(.*)/.exec(String(v))!;
  return [BigInt(m[1]! + m[2]!), +m[3]! - m[2]!.length];
}

/** The digits of two numbers at one exponent, so that they compare as the numbers do. */
function aligned(a: unknown, b: unknown): [bigint, bigint] {
  const [x, m] = decimal(a);
  const [y, n] = decimal(b);
  return m > n ? [x * 10n ** BigInt(m - n), y] : [x, y * 10n ** BigInt(n - m)];
}

/** A text that two values share exactly when JSON Schema counts them as equal. */
export function canonical(v: unknown): string {
  v = element(v);
  switch (kindOf(v)) {
    case "number": {
      let [digits, exponent] = decimal(v);
      while (digits && digits % 10n === 0n) {
        digits /= 10n;
        exponent++;
      }
      return digits ? digits + "e" + exponent : "0";
    }
    case "array":
      return "[" + (v as unknown[]).map(canonical) + "]";
    case "object":
      return "{" + names(v as Members).sort().map((name) => JSON.stringify(name) + ":" + canonical((v as Members)[name])) + "}";
  }
  return JSON.stringify(v);
}

const shown = (v: unknown): string => (kindOf(v) === "object" || Array.isArray(v) ? JSON.stringify(v) : String(v));

/** The values of a card as a detail names them. */
function params(v: unknown): unknown {
  if (typeof v === "bigint") return Number(v);
  if (Array.isArray(v)) return v.map(params);
  return kindOf(v) === "object" ? Object.fromEntries(Object.entries(v as Members).map(([name, x]) => [name, params(x)])) : v;
}

const article = (word: string): string => (word === "null" ? word : (/^[aeio]/.test(word) ? "an " : "a ") + word);

/** What a value counts as where a shape has another type: "integer" or its kind; "" where it is refused. */
function typed({ type }: Shape, v: unknown, kind: string, r: Run): string {
  const types = typeof type === "string" ? [type] : type!;
  if (types.includes(kind)) return kind;
  // 3.0 is an integer. Of a bigint with more digits nothing is computed.
  if (kind === "number" && types.includes("integer") && (typeof v === "bigint" ? String(v).length < 401 : Number.isInteger(v))) return "integer";
  const list = types.map(article);
  const last = list.pop()!;
  refuse(r, "type", "must be " + (list.length ? list.join(", ") + " or " : "") + last + (v === null ? ", not null" : ""), { type });
  return "";
}

/** Judges what stands in a shape about any value, about text and about numbers; false: the value is of the wrong kind. */
export function scalar(n: Shape, v: unknown, r: Run, engine?: boolean): boolean {
  const kind = kindOf(v);
  let type = kind;
  if (n.type !== undefined && n.type !== kind && !(type = typed(n, v, kind, r))) return false;
  if (kind === "number" && !engine) {
    if (type === "integer") {
      // Integers are kept in 64 bits.
      const edge = 2n ** 63n;
      const low = typeof v === "bigint" ? v < -edge : (v as number) <= -edge;
      if (low || (v as number) >= edge) {
        const last = String(low ? -edge : edge - 1n);
        limit(r, low ? "minimum" : "maximum", [last, last]);
        return false;
      }
    } else if (!isFinite(Number(v))) {
      refuse(r, "type", "must be a number a double can hold");
      return false;
    }
  }
  if (n.const !== undefined && canonical(n.const) !== canonical(v)) {
    refuse(r, "const", n.constText ?? "must be " + n.const, { value: params(n.const) });
    return false;
  }
  if (n.enum && !n.enum.includes(v) && (kind === "string" || !n.enum.map(canonical).includes(canonical(v)))) {
    refuse(r, "enum", n.enumText ?? "must be " + (n.enum[1] === undefined ? "" : "one of ") + n.enum.map(String).join(", "), { values: params(n.enum) });
    return false;
  }
  if (kind === "string") return text(n, v as string, r);
  if (n.bounds && kind === "number") for (const [keyword, bound] of n.bounds) if (!within(keyword, v, bound)) limit(r, keyword, bound);
  return true;
}

/** Judges a text; false: it has another format. */
function text(n: Shape, v: string, r: Run): boolean {
  if (n.format) {
    const [example, check] = r.use.formats![n.format]!;
    if (!check(v)) {
      refuse(r, "format", "must be " + article(n.format) + " such as " + example, { format: n.format });
      return false;
    }
  }
  // Lengths count code points: as many as there are code units, or half of them.
  let length = 0;
  if (v.length < 2 * n.minLength! || v.length > n.maxLength!) {
    length = [...v].length;
    if (length < n.minLength!) limit(r, "minLength", n.minLength!);
    if (length > n.maxLength!) limit(r, "maxLength", n.maxLength!);
  }
  // The pattern of a text that is too long is not asked.
  if (n.pattern !== undefined && !(length > n.maxLength!) && !(n.$re ??= pattern(n.re ?? n.pattern, r)).test(v)) {
    refuse(r, "pattern", "must match the pattern " + n.pattern, { pattern: n.pattern });
  }
  return true;
}

/** A pattern as what tests a text. */
export const pattern = (re: string | Tree, r: Run): Test => (typeof re === "string" ? new RegExp(re, "u") : r.use.matcher!(re));

/** Numbers are compared as the decimals that they are: 0.3 is a multiple of 0.1. */
function within(keyword: string, v: unknown, bound: Bound): boolean {
  let a = v as number | bigint;
  let b: number | bigint = 0;
  if (keyword === "multipleOf") {
    if (Number.isSafeInteger(v) && Number.isSafeInteger(bound)) return (v as number) % (bound as number) === 0;
    [a, b] = aligned(v, typeof bound === "number" ? bound : bound[0]);
    return a % b === 0n;
  }
  // A double orders like its decimal, so only a bound that is no double needs the digits.
  if (typeof bound === "number") b = bound;
  else [a, b] = aligned(v, bound[0]);
  return keyword === "minimum" ? a >= b : keyword === "maximum" ? a <= b : keyword === "exclusiveMinimum" ? a > b : a < b;
}

/** Judges a value against a node of a card. */
function value(n: Node, v: unknown, r: Run): void {
  if (n === true) return;
  if (!n) return refuse(r, "not", forbidden);
  if (r.patch && n.fields && kindOf(v) === "object") return part(n, v as Members, r, n.whole as Shape);
  if (n.whole !== undefined) {
    if (!r.strange && strange(n, v)) r.strange = true;
    return r.use.engine!(n.whole, v, r);
  }
  if (!scalar(n, v, r)) return;
  if (Array.isArray(v)) list(n, v, r);
  else if (v && typeof v === "object") object(n, v as Members, r);
}

function list(n: Shape, v: unknown[], r: Run): void {
  if (n.items !== undefined) {
    const patch = r.patch;
    r.patch = false; // a list in a patch takes the other's place
    for (let i = 0; i < v.length; i++) inside(r, i, n.items, element(v[i]));
    r.patch = patch!;
  }
  size(r, "Items", n.minItems, n.maxItems, v.length);
  twice(n, v, r);
}

export function twice(n: Shape, v: unknown[], r: Run): void {
  if (n.uniqueItems && new Set(v.map(canonical)).size < v.length) refuse(r, "uniqueItems", "must not hold the same value twice");
}

export function size(r: Run, of: string, min: number | undefined, max: number | undefined, n: number): void {
  if (n < min!) limit(r, "min" + of, min!);
  if (n > max!) limit(r, "max" + of, max!);
}

/** The place of a member among those of a shape; -1: it has none of this name. */
export const place = (n: Shape, name: string): number =>
  (n.$at ??= new Map((n.fields ?? n.properties ?? []).map(([of], i) => [of, i]))).get(name) ?? -1;

/** Whether a key that is no member of a shape is refused. */
const refuses = (n: Shape, name: string): boolean => !!n.fields && !n.open && !n.known?.includes(name);

/** The values of an object by the places of a shape's members. */
function read(n: Shape, v: Members, r: Run): unknown[] {
  const values: unknown[] = [];
  let members = 0;
  for (const name of Object.keys(v)) {
    const x = plain(v[name]);
    if (x === undefined) continue;
    members++;
    const i = place(n, name);
    if (i >= 0) values[i] = x;
    else if (refuses(n, name)) r.strange = true;
  }
  r.members = members;
  return values;
}

function object(n: Shape, v: Members, r: Run): void {
  const values = read(n, v, r);
  size(r, "Properties", n.minProperties, n.maxProperties, r.members!);
  n.fields?.forEach(([name, node], i) => {
    if (values[i] !== undefined) inside(r, name, node, values[i]);
    else if (n.required?.includes(name)) refuse(r, "required", absent, undefined, name);
  });
  n.required?.forEach((name) => place(n, name) < 0 && !names(v).includes(name) && refuse(r, "required", absent, undefined, name));
}

/**
 * Judges an object of a patch, which is merged into what stands in a row: the members that it
 * has, each by itself. whole is the engine's node for it, where the engine judges the object.
 */
function part(n: Shape, v: Members, r: Run, whole?: Shape): void {
  const of = whole ?? n;
  if (whole && strange(n, v)) r.strange = true;
  if (of.type !== undefined && !typed(of, v, "object", r)) return;
  const values = read(n, v, r);
  size(r, "Properties", undefined, of.maxProperties, r.members!);
  n.fields!.forEach(([name, node], i) => {
    const x = values[i];
    if (x === undefined) return;
    if (!whole) return inside(r, name, node, x);
    const inner = whole.properties![place(whole, name)]![1];
    r.path.push(name);
    if ((node as Shape).fields && kindOf(x) === "object") part(node as Shape, x as Members, r, inner as Shape);
    else r.use.engine!(inner, x, r);
    r.path.pop();
  });
  for (const name of whole ? names(v) : []) if (place(n, name) < 0) further(whole!, name, plain(v[name]), r);
}

/** Judges a member that properties does not name, by the patterns that fit or by additionalProperties. */
function further(n: Shape, name: string, x: unknown, r: Run): void {
  const fitting = (n.patternProperties ?? []).filter((of) => (of[2] ??= pattern(of[0], r)).test(name)).map(([, node]) => node);
  r.path.push(name);
  for (const node of fitting.length || !n.additionalProperties ? fitting : [n.additionalProperties]) r.use.engine!(node, x, r);
  r.path.pop();
}

function inside(r: Run, name: Key, node: Node, x: unknown): void {
  r.path.push(name);
  value(node, x, r);
  r.path.pop();
}

export const isEmpty = (v: unknown): boolean => Array.isArray(v) && !v.length;

/** Names the unknown keys in a value, at any depth, in the order of the value. */
function keys(n: Node, v: unknown, r: Run, skip?: (field: Field) => unknown): void {
  if (typeof n !== "object" || !v || typeof v !== "object") return;
  const list = Array.isArray(v);
  if (list ? n.items === undefined : !n.fields) return;
  for (const name of names(v as Members)) {
    const field: Field | undefined = list ? [name, n.items!] : n.fields![place(n, name)];
    if (field ? skip?.(field) : !refuses(n, name)) continue;
    if (!field) refuse(r, "unknown_key", unknown, undefined, name);
    else {
      r.path.push(list ? +name : name);
      keys(field[1], plain((v as Members)[name]), r);
      r.path.pop();
    }
  }
}

function strange(n: Node, v: unknown): boolean {
  const r = { path: [], refused: [], most: 1 } as Partial<Run> as Run; // keys needs no more
  keys(n, v, r);
  return !!r.refused[0];
}

const must = 1;
const readOnly = 2;
const immutable = 4;
const replaced = 8;

/** Judges a value by a card: the refusals that a host would answer, none where it accepts. */
export function judge(card: Card, mode: Mode, sent: unknown): Refusal[] {
  if (card.within) return card.within(mode, sent);
  let v = plain(sent) as Members;
  if (v === undefined || (v === null && mode !== 1)) v = {};
  const r: Run = { path: [], refused: [], most, defs: card.defs!, use: card.use! };
  if (kindOf(v) !== "object") refuse(r, "type", "must be an object", { type: "object" });
  else broken(v, r);
  if (r.refused[0]) return r.refused;
  const instead = mode ? "send only what changes" : "leave it out";
  /** Why a field may not be sent: a code and a message. */
  const forbids = ([, , flags, , message]: Field): [string, string] | false =>
    mode < 2 && flags! & readOnly ? ["read_only", message || "is written by the host alone; " + instead] : mode === 1 && flags! & immutable ? ["immutable", "cannot be changed once it is set; " + instead]
  : false;
  const fields = card.fields ?? [];
  const values = read(card, v, r);
  const members = r.members!;
  for (let i = 0; i < fields.length; i++) {
    // No destructuring: this loop is what a judgement costs.
    const field = fields[i]!;
    const flags = field[2]!;
    // The other side of a relation has a message of its own, and may be sent empty at creation.
    const empty = !mode && field[4] && isEmpty(values[i]);
    const no = flags > must && values[i] !== undefined && !empty && forbids(field);
    if (no) refuse(r, no[0], no[1], undefined, field[0]);
    else if (values[i] !== undefined) {
      r.patch = mode === 1 && !(flags & replaced);
      inside(r, field[0], field[1], values[i]);
    } else if (mode !== 1 && flags & must) refuse(r, "required", absent, undefined, field[0]);
  }
  r.patch = false;
  if (mode !== 1) {
    if (card.whole !== undefined) r.use.engine!(card.whole, v, r);
    else size(r, "Properties", card.minProperties, card.maxProperties, members);
  }
  if (!r.strange) return r.refused;
  // Unknown keys come first, in the order of the value.
  const named: Run = { ...r, refused: [] };
  keys(card, v, named, forbids);
  const first = named.refused.map(pointer);
  return [...named.refused, ...r.refused.filter((x) => x.code !== "unknown_key" || !first.includes(pointer(x)))].slice(0, most);
}

const pointer = ({ path }: Refusal): string => path.map((name) => "/" + String(name).replace(/~/g, "~0").replace(/\//g, "~1")).join("");

/** Refuses what no host reads as JSON: half a surrogate pair, and what is nested deeper than 100 levels. */
function broken(v: unknown, r: Run): void {
  if (r.refused[0] || !v) return;
  if (typeof v === "string" && /\p{Cs}/u.test(v)) refuse(r, "unicode", "must be Unicode");
  if (typeof v !== "object") return;
  if (r.path.length >= most) return limit(r, "maxDepth", most);
  for (const name of names(v as Members)) {
    r.path.push(Array.isArray(v) ? +name : name);
    broken(name, r);
    broken(plain((v as Members)[name]), r);
    r.path.pop();
  }
}

/** What a caller sends, as a schema of the Standard Schema specification, version 1. */
export interface Schema<T> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "frond";
    readonly validate: (value: unknown) => { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly Issue[] };
    readonly types?: { readonly input: T; readonly output: T };
  };
}

/** A refusal as Standard Schema has it, with the code and the pointer of the detail. */
export interface Issue {
  readonly message: string;
  readonly path: readonly Key[];
  readonly code: string;
  readonly pointer: string;
}

interface Made<T> extends Schema<T> {
  readonly card: Card;
  readonly mode: Mode;
}

const body = (x: Refusal): string => "/body" + pointer(x);

export function schema<T>(card: Card, mode: Mode): Schema<T> {
  const validate = (v: unknown) => {
    const refused = judge(card, mode, v);
    return refused.length ? { issues: refused.map((x) => ({ path: x.path, pointer: body(x), code: x.code, message: x.message })) } : { value: v as T };
  };
  return { card, mode, "~standard": { version: 1, vendor: "frond", validate } } as Made<T>;
}

/** The details that the host would answer, in its order; none where it would accept the value. */
export function details<T>(of: Schema<T>, v: unknown): Detail[] {
  const { card, mode } = of as Made<T>;
  return judge(card, mode, v).map((x) => ({ path: x.path.length ? x.path.join(".") : ".", pointer: body(x), code: x.code, message: x.message, params: x.params! }));
}

/** The value with what the host would fill in: constants, the time, empty lists; not what it generates. */
export function fill<T>(of: Schema<T>, v: Partial<T>, now: Date = new Date()): T {
  const { card, mode } = of as Made<T>;
  const sent = (v ?? {}) as Members;
  const at = (form: string): unknown => {
    const text = now.toISOString();
    return form === "number" ? +now : form === "date" ? text.slice(0, 10) : form === "time" ? text.slice(11) : text;
  };
  const out: { [name: string]: unknown } = {};
  for (const [name, , , rule] of card.fields ?? []) {
    if (sent[name] !== undefined) out[name] = sent[name];
    else if (!rule) continue;
    else if (mode === 1) {
      if (rule.update && names(sent).length) out[name] = at(rule.update);
    } else if (rule.value !== undefined) out[name] = JSON.parse(JSON.stringify(rule.value));
    else if (rule.now) out[name] = at(rule.now);
    else if (rule.many) out[name] = [];
  }
  return { ...out, ...sent } as T;
}
