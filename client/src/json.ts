// JSON with integers beyond 2^53: they are read as bigint where a field is format: int64, and
// written with all their digits.

/** Marks a number in a text; no text of a user has it, since it is drawn anew for each page. */
const mark = "\u0001" + Math.random();

export function write(value: unknown): string {
  let big = false;
  const text = JSON.stringify(value, (_, x) => {
    if (typeof x !== "bigint") return x;
    big = true;
    return mark + x;
  });
  return big ? text.replaceAll(new RegExp(`"${mark.replace("\u0001", "\\\\u0001")}(-?\\d+)"`, "g"), "$1") : text;
}

/** Strings, which are left alone, and integers of sixteen digits and more. */
const tokens = /"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g;

/** Reads a text; fields are the names of the members that are int64. */
export function read(text: string, fields: readonly string[] = []): any {
  if (!fields.length || !/\d{16}/.test(text)) return JSON.parse(text);
  const marked = text.replace(tokens, (token) => (token[0] === '"' ? token : JSON.stringify(mark + token)));
  return JSON.parse(marked, (name, x) => {
    if (typeof x !== "string" || !x.startsWith(mark)) return x;
    const digits = x.slice(mark.length);
    const n = Number(digits);
    return Number.isSafeInteger(n) || !fields.includes(name) ? n : BigInt(digits);
  });
}

export const isObject = (value: unknown): value is { readonly [name: string]: unknown } => typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether two values of JSON are equal, whatever the order of members. */
export const equal = (a: unknown, b: unknown): boolean => {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => equal(item, b[i]));
  if (!isObject(a) || !isObject(b)) return a === b;
  return Object.keys({ ...a, ...b }).every((name) => Object.hasOwn(a, name) === Object.hasOwn(b, name) && equal(a[name], b[name]));
};
