// Files of rows (docs/files.md). They go over REST, whatever transport calls have.

import { KitError } from "./errors.js";
import { failure, json, noAnswer, type Transport } from "./transport.js";

/** What a file is sent as: that of an input of a page, or bytes. */
export type FileBody = Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer>;

/** What the host says of a file. A row holds the id. */
export interface FileInfo {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  /** In bytes. */
  readonly size: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

/** How a file is sent. */
export interface FileSending {
  /** The media type; that of a Blob where it is left out. */
  readonly type?: string;
  /** The name; that of a File where it is left out. */
  readonly name?: string;
  /** Of upload alone: the bytes go to S3 by a pre-signed address of the host. */
  readonly presigned?: boolean;
  /** Called as the bytes leave; where a page has no XMLHttpRequest, or the client a fetch of its own, once at the end. */
  readonly onProgress?: (sent: number, total: number) => void;
  readonly signal?: AbortSignal;
  /** In ms, instead of the client's. */
  readonly timeout?: number;
}

const sizeOf = (file: FileBody): number => (file instanceof Blob ? file.size : file.byteLength);

/** A fetch that reports the progress of its body, which fetch itself cannot. */
const reporting = ({ onProgress }: FileSending, file: FileBody | undefined): typeof fetch | undefined => {
  if (!onProgress || !file || typeof XMLHttpRequest === "undefined") return undefined;
  return (url, { method, headers, body, signal } = {}) =>
    new Promise<Response>((done, fail) => {
      const request = new XMLHttpRequest();
      const stop = (): void => request.abort();
      request.open(method!, String(url));
      for (const [name, value] of Object.entries(headers as object)) request.setRequestHeader(name, value);
      request.responseType = "text";
      request.upload.onprogress = ({ loaded }) => onProgress(loaded, sizeOf(file));
      request.onload = () => {
        const lines = request.getAllResponseHeaders().trim().split(/[\r\n]+/).filter(Boolean);
        const received = lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()] as [string, string]);
        done(new Response(request.responseText || null, { status: request.status, headers: received }));
      };
      request.onerror = () => fail(new TypeError("the connection failed"));
      request.onabort = () => fail(signal?.reason);
      request.onloadend = () => signal?.removeEventListener("abort", stop);
      signal?.addEventListener("abort", stop);
      request.send(body as XMLHttpRequestBodyInit);
      if (signal?.aborted) stop();
    });
};

/** Sends a file, or without one what removes it. */
export const fileOver =
  (method: string, path: string, file?: FileBody, sending: FileSending = {}): Transport =>
  async (link, call) => {
    const { type = (file as Blob)?.type, name = (file as File)?.name } = sending;
    const headers = { ...(type && { "content-type": type }), ...(name && { "content-disposition": "attachment; filename*=UTF-8''" + encodeURIComponent(name).replace(/['()*]/g, (sign) => "%" + sign.charCodeAt(0).toString(16)) }) };
    const response = await link.fetch(call, path, { method, headers, body: file }, reporting(sending, file));
    const answered = await json(response, call);
    if (response.ok && file) sending.onProgress?.(sizeOf(file), sizeOf(file));
    if (response.ok && (answered || response.status === 204)) return { result: answered };
    throw answered?.data?.code ? new KitError(answered.data) : noAnswer(call, response, "problem");
  };

/** Sends a file to S3 by a pre-signed address; the host then checks the bytes. */
export const fileToS3 =
  (fetch: typeof globalThis.fetch, path: string, file: FileBody, sending: FileSending): Transport =>
  async (link, call) => {
    const { type = (file as Blob).type, name = (file as File).name } = sending;
    const body = new Blob([file]);
    const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", await body.arrayBuffer()));
    const hex = Array.from(sum, (byte) => byte.toString(16).padStart(2, "0")).join("");
    const { result } = await fileOver("POST", `${path}&size=${body.size}&sha256=${hex}`, undefined, { type, name })(link, call);
    const { id, url, headers } = result as any;
    const send = (fetch === globalThis.fetch && reporting(sending, file)) || fetch;
    const response = await send(url, { method: "PUT", headers, body, ...(call.signal && { signal: call.signal }) }).catch((err) => {
      call.signal?.throwIfAborted();
      throw failure(call, "SERVICE_UNAVAILABLE", "S3 cannot be reached", { cause: String(err) });
    });
    if (response.ok) sending.onProgress?.(body.size, body.size);
    else throw failure(call, "BAD_GATEWAY", `S3 answered status ${response.status}; send the file again`);
    return fileOver("POST", path + "&sent=" + id)(link, call);
  };
