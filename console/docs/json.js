// JSON with integers of any size, which JSON.parse would round.

// write is JSON text of a value that may have integers of any size.
export function write(value, indent = "") {
  const next = indent + "  ";
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return value.length ? "[\n" + value.map(each => next + write(each, next)).join(",\n") + "\n" + indent + "]" : "[]";
  if (value && typeof value === "object") {
    const all = Object.entries(value).map(([name, each]) => next + JSON.stringify(name) + ": " + write(each, next));
    return all.length ? "{\n" + all.join(",\n") + "\n" + indent + "}" : "{}";
  }
  return JSON.stringify(value);
}

// read is a JSON text as a value; integers that a double does not hold are bigints, where the
// browser says how they are written.
export const read = text => JSON.parse(text, (_, value, context) =>
  typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "") ? BigInt(context.source) : value);
