// The formats that are asserted, each with the example that a refusal gives. They accept what
// the host accepts: schema/formats*.go.

type Check = (text: string) => boolean;
type Format = readonly [example: string, check: Check];

const matches = (pattern: RegExp): Check => (text) => pattern.test(text);

const clock = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i;

/** The day and the time of day in seconds, in UTC: NaN where the text is none. */
function seconds(text: string): number {
  const m = clock.exec(text);
  if (!m) return NaN;
  const [, hour, minute, second, sign, offHour = 0, offMinute = 0] = m as unknown as number[];
  if (hour! > 23 || minute! > 59 || second! > 60 || offHour > 23 || offMinute > 59) return NaN;
  const minutes = hour! * 60 + +minute! - (((sign as unknown) === "-" ? -1 : 1) * (offHour * 60 + +offMinute));
  // A leap second is one where UTC has it.
  return +second! === 60 && (minutes + 2880) % 1440 !== 1439 ? NaN : minutes * 60 + +second!;
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const [year, month, day] = text.split("-").map(Number) as [number, number, number];
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month > 0 && month < 13 && day > 0 && day <= (month === 2 ? (leap ? 29 : 28) : 30 + ((month + (month >> 3)) & 1));
}

function isDateTime(text: string): boolean {
  const date = text.slice(0, 10);
  const at = /^t/i.test(text.slice(10)) && isDate(date) ? seconds(text.slice(11)) : NaN;
  // In UTC the year has four digits too.
  return at < 0 ? date !== "0000-01-01" : at < 86400 || (at >= 86400 && date !== "9999-12-31");
}

const isIPv4 = /* @__PURE__ */ matches(/^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/);

/** How many groups a part of an IPv6 address has; 9 where it is none. */
function groups(text: string, v4: boolean): number {
  if (!text) return 0;
  const parts = text.split(":");
  const last = parts.at(-1)!;
  let n = parts.length;
  if (v4 && last.includes(".")) {
    if (!isIPv4(last)) return 9;
    parts.pop();
    n++;
  }
  return parts.every(matches(/^[\da-f]{1,4}$/i)) ? n : 9;
}

function isIPv6(text: string): boolean {
  const [head, tail, more] = text.split("::");
  if (tail === undefined) return groups(head!, true) === 8;
  return more === undefined && groups(head!, false) + groups(tail, true) < 8;
}

/** Accepts each label until the table of host names is loaded; the gateway judges it in any case. */
let isALabel: Check = () => {
  hostNames().catch(() => {});
  return true;
};

/** Loads the table of host names beyond ASCII, which the first label that begins with xn-- loads too. */
export const hostNames = async (): Promise<void> => {
  ({ isALabel } = await import("./idna.js"));
};

const isHostname = (text: string): boolean =>
  /^(?=.{1,253}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.(?!$)|$))+$/i.test(text) && (!/xn--/i.test(text) || text.split(".").every((label) => !/^xn--/i.test(label) || isALabel(label)));

function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const host = text.slice(at + 1);
  if (at < 1 || at > 64 || !/^(?:"(?:[ !#-[\]-~]|\\[ -~])*"|[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*)$/.test(text.slice(0, at))) return false;
  if (host[0] !== "[") return isHostname(host);
  if (!host.endsWith("]")) return false;
  return /^.ipv6:/i.test(host) ? isIPv6(host.slice(6, -1)) : isIPv4(host.slice(1, -1));
}

const spelled = "[\\w.~!$&'()*+,;=-]|%[\\da-f]{2}";
const path = `(?:${spelled}|[:@/])*`;
const more = `(?:${spelled}|[:@/?])*`;
const relative = /* @__PURE__ */ new RegExp(
  `^(?://(?:(?:${spelled}|:)*@)?(?:\\[(?:v[\\da-f]+\\.[\\w.~!$&'()*+,;=:-]+|([\\da-f:.]*))\\]|(?:${spelled})*)(?::\\d*)?(?:/${path})?|(?!//)${path})(?:\\?${more})?(?:#${more})?$`,
  "i",
);

function isRelative(text: string): boolean {
  const m = relative.exec(text);
  return !!m && (m[1] === undefined || isIPv6(m[1]));
}

function isURI(text: string): boolean {
  const scheme = /^[a-z][a-z\d+.-]*:/i.exec(text);
  return !!scheme && isRelative(text.slice(scheme[0].length));
}

export const date: Format = ["2026-05-01", isDate];
export const time: Format = ["10:30:00Z", (text) => seconds(text) === seconds(text)];
export const dateTime: Format = ["2026-05-01T10:30:00Z", isDateTime];
export const duration: Format = ["P3DT12H", /* @__PURE__ */ matches(/^P(?:\d+W|(?=.)(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/)];
export const uri: Format = ["https://example.org/a", isURI];
export const uriReference: Format = ["/a/b", (text) => (/^[^:/?#]*:/.test(text) ? isURI(text) : isRelative(text))];
export const email: Format = ["ada@example.org", isEmail];
export const hostname: Format = ["example.org", isHostname];
export const ipv4: Format = ["192.0.2.1", isIPv4];
export const ipv6: Format = ["2001:db8::1", isIPv6];
export const uuid: Format = ["0190b5c2-7d3e-7a51-8c2f-3f0e6a1b9d42", /* @__PURE__ */ matches(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i)];
export const jsonPointer: Format = ["/a/0", /* @__PURE__ */ matches(/^(?:\/(?:[^~/]|~[01])*)*$/)];
export const decimal: Format = ["12.50", (text) => text.length < 101 && /^-?\d+(?:\.\d+)?$/.test(text)];
