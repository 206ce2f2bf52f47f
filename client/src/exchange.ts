// Lists as files, and files of rows (docs/exchange.md). They go over REST, whatever transport calls have.

import { KitError } from "./errors.js";
import type { FileBody } from "./files.js";
import { read } from "./json.js";
import { failure, json, noAnswer, parameter, type Call, type Transport } from "./transport.js";

/** The format of a file of rows. */
export type RowFormat = "csv" | "ndjson";

const types: { readonly [format: string]: string } = { csv: "text/csv", ndjson: "application/x-ndjson" };

/** The address of a call with its query, and the media type of the file. */
function at({ door, query = {} }: Call, format: string, below = ""): { path: string; type: string } {
  const type = types[format];
  if (!type) throw new TypeError(`there is no format ${format}; write csv or ndjson`);
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) parameters.set(key, parameter(key, value));
  const text = parameters.toString();
  return { path: door.path + below + (text && "?" + text), type };
}

/** Asks for the file of a list. The result is the response, whose body is still to come. */
export const fileOfRows =
  (format: string): Transport =>
  async (link, call) => {
    const { path, type } = at(call, format);
    const response = await link.fetch(call, path, { method: "GET", headers: { accept: type } });
    if (response.ok && response.body && response.headers.get("content-type")?.startsWith(type)) return { result: response };
    const answered = await json(response, call);
    throw answered?.data?.code ? new KitError(answered.data) : noAnswer(call, response, "file of rows");
  };

/** Sends a file of rows. */
export const rowsOfFile =
  (format: string, body: FileBody): Transport =>
  async (link, call) => {
    const { path, type } = at(call, format, "/import");
    const response = await link.fetch(call, path, { method: "POST", headers: { "content-type": type }, body });
    const answered = await json(response, call);
    if (response.ok && answered) return { result: answered };
    throw answered?.data?.code ? new KitError(answered.data) : noAnswer(call, response, "report");
  };

/** The bytes of a response as they arrive. A connection that breaks off is SERVICE_UNAVAILABLE. */
export async function* bytesOf(call: Call, response: Response): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const { signal } = call;
  const reader = response.body!.getReader();
  const stop = (): void => void reader.cancel().catch(() => {});
  signal?.addEventListener("abort", stop);
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((err) => {
        signal?.throwIfAborted();
        throw failure(call, "SERVICE_UNAVAILABLE", "the connection broke off before the whole file was here; ask for it again", { cause: String(err) });
      });
      signal?.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    stop();
  }
}

/** The rows of a file of NDJSON. */
export async function* rowsOf(call: Call, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<any, void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const part of bytes) {
    const lines = (rest + decoder.decode(part, { stream: true })).split("\n");
    rest = lines.pop()!;
    for (const line of lines) yield read(line, call.door.big);
  }
  if (rest) yield read(rest, call.door.big);
}
