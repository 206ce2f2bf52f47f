// Names of hosts beyond ASCII, as they stand in the domain name system: xn--bcher-kva. The
// browser's URL knows which names UTS #46 allows; what IDNA 2008 says beyond that is added, as
// schema/formats_idna.go has it.

/** The characters of a label behind xn-- (RFC 3492); undefined where it encodes none. */
function decode(text: string): string[] | undefined {
  const cut = text.lastIndexOf("-");
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

/** Whether a label that begins with xn-- is the one spelling of a name that IDNA 2008 allows. */
export function isALabel(label: string): boolean {
  label = label.toLowerCase();
  const name = decode(label.slice(4));
  const text = name?.join("");
  try {
    if (!text || new URL("http://" + label).hostname !== label) return false;
  } catch {
    return false;
  }
  const bytes = new TextEncoder().encode(text);
  // Hyphens in the third and fourth place are for prefixes.
  if (/^(?:-|..--|xn--)|-$/u.test(text) || (bytes[2] === 45 && bytes[3] === 45)) return false;
  // RFC 5893, of which browsers check less: what has letters or digits that run from right to
  // left begins with such a letter.
  const right = "[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufeff\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}]";
  if (new RegExp(`(?=[\\p{L}\\p{N}])${right}`, "u").test(text) && !new RegExp(`^(?![\\u0660-\\u066c\\u{10d30}-\\u{10d39}\\u{10e60}-\\u{10e7e}])(?=[\\p{L}\\p{N}])${right}`, "u").test(text)) return false;
  // RFC 5892, section 2.6 and appendix A: characters that stand nowhere, and beside others alone.
  return (
    !/[\u0640\u07fa\u302e\u302f\u3031-\u3035\u303b]|(?<!l)\u00b7|\u00b7(?!l)|\u0375(?!\p{Script=Greek})|(?<!\p{Script=Hebrew})[\u05f3\u05f4]/u.test(text) &&
    (!text.includes("\u30fb") || /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u.test(text)) &&
    !(/[\u0660-\u0669]/.test(text) && /[\u06f0-\u06f9]/.test(text))
  );
}
