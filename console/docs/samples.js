// One request in several languages. Each sample runs as it is.

const quote = text => "'" + text.replaceAll("'", `'\\''`) + "'";
const streams = headers => headers.accept === "text/event-stream";
const absolute = url => new URL(url, location.href).href;

const fileType = file => file.type || "application/octet-stream";

function curl({ method, url, headers, body, file, files = [] }) {
  const parts = ["curl" + (streams(headers) ? " -N" : "") + (method === "GET" ? "" : " -X " + method) + " " + quote(absolute(url))];
  for (const [name, value] of Object.entries(headers)) parts.push("-H " + quote(name + ": " + value));
  if (file) parts.push("--data-binary " + quote("@" + file.name));
  else if (files.length) parts.push("--form-string " + quote("body=" + body), ...files.map(([name, each]) => "-F " + quote(`${name}=@${each.name};type=${fileType(each)}`)));
  else if (body !== undefined) parts.push("-d " + quote(body));
  return parts.join(" \\\n  ");
}

// text is a string literal of TypeScript: JSON is one.
const text = JSON.stringify;

function typescript({ method, url, headers, body, file, files = [] }) {
  const options = [];
  const before = file ? `import { readFile } from "node:fs/promises";\n\n` : !files.length ? "" : `import { openAsBlob } from "node:fs";

const form = new FormData();
form.set("body", ${text(body)});
${files.map(([name, each]) => `form.set(${text(name)}, await openAsBlob(${text(each.name)}, { type: ${text(fileType(each))} }), ${text(each.name)});\n`).join("")}
`;
  if (method !== "GET") options.push(`  method: ${text(method)},`);
  if (Object.keys(headers).length) options.push(`  headers: ${text(headers, null, 2).replaceAll("\n", "\n  ")},`);
  if (file) options.push(`  body: await readFile(${text(file.name)}),`);
  else if (files.length) options.push("  body: form,");
  else if (body !== undefined) options.push(isJSON(body) ? `  body: JSON.stringify(${text(JSON.parse(body), null, 2).replaceAll("\n", "\n  ")}),` : `  body: ${text(body)},`);
  return `${before}const response = await fetch(${text(absolute(url))}${options.length ? `, {\n${options.join("\n")}\n}` : ""});
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

// goForm writes the body of a form with files.
const goForm = (body, files) => `	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if err := form.WriteField("body", ${raw(body)}); err != nil {
		log.Fatal(err)
	}
${files.map(([name, each]) => `	if err := add(form, ${text(name)}, ${text(each.name)}, ${text(fileType(each))}); err != nil {
		log.Fatal(err)
	}
`).join("")}	if err := form.Close(); err != nil {
		log.Fatal(err)
	}
`;

const goAdd = `
// add adds a file to a form.
func add(form *multipart.Writer, field, name, media string) error {
	bytes, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	part, err := form.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {mime.FormatMediaType("form-data", map[string]string{"name": field, "filename": name})},
		"Content-Type":        {media},
	})
	if err != nil {
		return err
	}
	_, err = part.Write(bytes)
	return err
}
`;

function go({ method, url, headers, body, file, files = [] }) {
  const content = file || files.length ? "body" : body === undefined ? "nil" : `strings.NewReader(${raw(body)})`;
  const packages = ["io", "log", "net/http", "os", ...(files.length ? ["bytes", "mime", "mime/multipart", "net/textproto"] : content === "nil" || file ? [] : ["strings"])].sort();
  const before = file ? `	body, err := os.Open(${text(file.name)})
	if err != nil {
		log.Fatal(err)
	}
` : files.length ? goForm(body, files) : "";
  const lines = (files.length ? "\treq.Header.Set(\"content-type\", form.FormDataContentType())\n" : "") + Object.entries(headers).map(([name, value]) => `\treq.Header.Set(${text(name)}, ${raw(value)})\n`).join("");
  return `package main

import (
${packages.map(name => `\t"${name}"\n`).join("")})

func main() {
${before}	req, err := http.NewRequest(${text(method)}, ${text(absolute(url))}, ${content === "body" && files.length ? "&body" : content})
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
${files.length ? goAdd : ""}`;
}

// samples are the languages of a request: [name, text].
export const samples = request => [["curl", curl(request)], ["TypeScript", typescript(request)], ["Go", go(request)]];
