// Names of hosts beyond ASCII, in the form of the domain name system: xn--bcher-kva. Browsers
// and versions of Node disagree on them, so the tables are our own: those of the host.

import { classes, runs } from "./idnatable.js";

/** The characters of a label behind xn-- (RFC 3492); undefined where it encodes none. */
function decode(text: string): string[] | undefined {
  const cut = text.lastIndexOf("-");
  if (!cut) return;
  const out = [...text.slice(0, Math.max(cut, 0))];
  let code = 128;
  let at = 0;
  let bias = 72;
  for (let i = cut + 1; i < text.length; ) {
    const before = at;
    let weight = 1;
    for (let k = 36; ; k += 36) {
      const c = text.charCodeAt(i++);
      const digit = c > 96 ? c - 97 : c - 22;
      if (!(digit >= 0 && digit < 36)) return;
      at += digit * weight;
      const least = Math.min(Math.max(k - bias, 1), 26);
      if (digit < least) break;
      weight *= 36 - least;
    }
    const n = out.length + 1;
    let delta = Math.floor((at - before) / (before ? 2 : 700));
    delta += Math.floor(delta / n);
    for (bias = 0; delta > 455; bias += 36) delta = Math.floor(delta / 35);
    bias += Math.floor((36 * delta) / (delta + 38));
    code += Math.floor(at / n);
    at %= n;
    if (code > 0x10ffff) return;
    out.splice(at++, 0, String.fromCodePoint(code));
  }
  return out;
}

let starts: number[] | undefined;
let kinds: string[];

/** The class of a character: digits for its direction, joining, mark and script; "" where no name has it. */
function classOf(c: string): string {
  if (c < "\x80") return /\d/.test(c) ? "4000" : /[a-z]/.test(c) ? "1000" : c === "-" ? "6000" : "";
  if (!starts) {
    starts = [];
    kinds = [];
    let at = 128;
    for (const [, name, length] of runs.matchAll(/([A-Zw-z])([\da-v]*)/g)) {
      starts.push(at);
      kinds.push(classes["ABCDEFGHIJKLMNOPQRSTUVWXYZwxyz".indexOf(name!)]!);
      at += parseInt(length || "1", 32);
    }
  }
  const code = c.codePointAt(0)!;
  let low = 0;
  for (let high = starts.length; high - low > 1; ) {
    const middle = (low + high) >> 1;
    if (starts[middle]! > code) high = middle;
    else low = middle;
  }
  return kinds[low]!;
}

/** Whether a label that begins with xn-- is the one spelling of a name that IDNA 2008 allows. */
export function isALabel(label: string): boolean {
  const name = decode(label.toLowerCase().slice(4));
  const text = name?.join("") ?? "";
  if (!name || /^[\0-\x7f]*$|^-|-$|^xn--/.test(text) || text.normalize() !== text) return false;
  // Hyphens in the third and fourth place are for prefixes, counted as characters and as bytes.
  const bytes = new TextEncoder().encode(text);
  if (/^..--/u.test(text) || (bytes[2] === 45 && bytes[3] === 45)) return false;
  const found = name.map(classOf);
  if (found.includes("")) return false;
  const of = (digit: number): string => found.map((kind) => kind[digit]).join("");
  const direction = of(0); // 1 L, 2 R, 3 AN, 4 EN, 5 NSM, 6 others
  const script = of(3); // 1 Greek, 2 Hebrew, 3 Japanese
  if (found[0]![2] === "1") return false;
  // RFC 5893: what has letters or digits that run from right to left begins with such a letter.
  if (/[23]/.test(direction) && !(/^2(?:[2-6]*[2-4])?5*$/.test(direction) && !/3.*4|4.*3/.test(direction))) return false;
  // RFC 5892, appendix A.1 and A.2: joiners follow a virama, or are between letters that join.
  const joining = name.map((c, i) => (c === "\u200c" ? "6" : c === "\u200d" ? "7" : found[i]![1])).join("");
  if (!joins(joining)) return false;
  // RFC 5892, section 2.6 and appendix A: characters that are refused, and those that need a neighbour.
  return (
    !/[\u0640\u07fa\u302e\u302f\u3031-\u3035\u303b]|(?<!l)\u00b7|\u00b7(?!l)/.test(text) &&
    name.every((c, i) => (c !== "\u0375" || script[i + 1] === "1") && (!/[\u05f3\u05f4]/.test(c) || script[i - 1] === "2")) &&
    (!text.includes("\u30fb") || script.includes("3")) &&
    !(/[\u0660-\u0669]/.test(text) && /[\u06f0-\u06f9]/.test(text))
  );
}

// What a row of states leads to: none, L, D, T, a virama, one that is transparent, and the two
// joiners. The rows are the start, behind a virama, behind a letter that joins the next one, the
// same and then a virama, behind a joiner; 9 is a failure.
const states = ["02201199", "02201100", "02221349", "02221300", "09241499"];

/** Whether golang.org/x/net/idna accepts the joiners where they are. */
function joins(kinds: string): boolean {
  let state = 0;
  for (const kind of kinds) {
    state = +states[state]![+kind]!;
    if (state > 4) return false;
  }
  return state < 4;
}
