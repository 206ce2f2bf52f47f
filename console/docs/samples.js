// One request in several languages. Each sample runs as it is.

const quote = text => "'" + text.replaceAll("'", `'\\''`) + "'";
const streams = headers => headers.accept === "text/event-stream";
const absolute = url => new URL(url, location.href).href;

function curl({ method, url, headers, body }) {
  const parts = ["curl" + (streams(headers) ? " -N" : "") + (method === "GET" ? "" : " -X " + method) + " " + quote(absolute(url))];
  for (const [name, value] of Object.entries(headers)) parts.push("-H " + quote(name + ": " + value));
  if (body !== undefined) parts.push("-d " + quote(body));
  return parts.join(" \\\n  ");
}

// text is a string literal of TypeScript: JSON is one.
const text = JSON.stringify;

function typescript({ method, url, headers, body }) {
  const options = [];
  if (method !== "GET") options.push(`  method: ${text(method)},`);
  if (Object.keys(headers).length) options.push(`  headers: ${text(headers, null, 2).replaceAll("\n", "\n  ")},`);
  if (body !== undefined) options.push(isJSON(body) ? `  body: JSON.stringify(${text(JSON.parse(body), null, 2).replaceAll("\n", "\n  ")}),` : `  body: ${text(body)},`);
  return `const response = await fetch(${text(absolute(url))}${options.length ? `, {\n${options.join("\n")}\n}` : ""});
${streams(headers) ? `for await (const text of response.body!.pipeThrough(new TextDecoderStream())) console.log(text);` : `const answer = response.status === 204 ? null : await response.json();
if (!response.ok) throw new Error(JSON.stringify(answer));
console.log(answer);`}
`;
}

// isJSON says whether a body is JSON whose numbers JavaScript holds: others are sent as they are written.
function isJSON(body) {
  try {
    return text(JSON.parse(body)) === body.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");
  } catch {
    return false;
  }
}

// raw is a string literal of Go.
const raw = value => (/[`\r\ufeff\0]/.test(value) ? text(value).replace(/\u2028|\u2029/g, c => "\\u" + c.charCodeAt(0).toString(16)) : "`" + value + "`");

function go({ method, url, headers, body }) {
  const lines = Object.entries(headers).map(([name, value]) => `\treq.Header.Set(${text(name)}, ${raw(value)})\n`).join("");
  return `package main

import (
	"io"
	"log"
	"net/http"
	"os"${body === undefined ? "" : '\n\t"strings"'}
)

func main() {
	req, err := http.NewRequest(${text(method)}, ${text(absolute(url))}, ${body === undefined ? "nil" : `strings.NewReader(${raw(body)})`})
	if err != nil {
		log.Fatal(err)
	}
${lines}	res, err := http.DefaultClient.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode >= 400 {
		log.Print(res.Status)
	}
	if _, err := io.Copy(os.Stdout, res.Body); err != nil {
		log.Fatal(err)
	}
}
`;
}

// samples are the languages of a request: [name, text].
export const samples = request => [["curl", curl(request)], ["TypeScript", typescript(request)], ["Go", go(request)]];
