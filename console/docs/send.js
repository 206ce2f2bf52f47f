// Sends requests as the caller of the page, and shows what comes back.

import { $, code, h } from "./html.js";
import { read, write } from "./json.js";

// callerHeaders are who is calling, as the inputs of the page say.
export function callerHeaders() {
  const headers = {};
  if ($("authorization").value) headers.authorization = $("authorization").value;
  if ($("user").value) headers["x-frond-user"] = ascii($("user").value);
  return headers;
}

// ascii is JSON text without characters that a header cannot have.
const ascii = json => json.replace(/[^\0-~]/g, c => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));

const indented = text => {
  try {
    return write(read(text));
  } catch {
    return text;
  }
};

let running; // the request under way: a stream ends when another one begins

export const stop = () => running?.abort();

// content is the body of a request: a file, a form with files, or text.
function content({ body, file, files }) {
  if (file) return file instanceof File ? file : undefined;
  if (!files?.length) return body;
  const form = new FormData();
  form.set("body", body);
  for (const [name, each] of files) form.set(name, each);
  return form;
}

const shownHeaders = ["etag", "location", "link", "retry-after", "allow", "deprecation", "www-authenticate"];

// send sends a request and fills out with the response. It returns the problem of a refusal, and
// nothing else.
export async function send(request, out) {
  stop();
  running = new AbortController();
  const status = h("p", { role: "status" }, "Waiting …"), body = code("Response");
  out.replaceChildren(h("h3", null, "Response"), status, body);
  try {
    const response = await fetch(request.url, { method: request.method, headers: request.headers, body: content(request), signal: running.signal });
    status.replaceChildren(h("b", { class: response.ok ? "good" : "bad" }, response.status + " " + response.statusText),
      ...shownHeaders.filter(name => response.headers.get(name)).map(name => h("span", { class: "rule" }, name + ": " + response.headers.get(name))));
    if (response.headers.get("content-type")?.startsWith("text/event-stream")) {
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) body.add(part.value);
      return null;
    }
    const text = await response.text();
    body.set(text ? indented(text) : "(no content)");
    return response.ok ? null : JSON.parse(text);
  } catch (error) {
    if (error.name !== "AbortError" && !(error instanceof SyntaxError)) status.replaceChildren(h("b", { class: "bad" }, "No response: " + error.message));
    return null;
  }
}
