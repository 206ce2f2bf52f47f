// Calls of one tick leave as one batch of JSON-RPC. Each keeps its own result, failure, signal and
// timeout; a call that is alone leaves alone.

import { KitError } from "./errors.js";
import { read } from "./json.js";
import { alone, answered, failure, frameOf, type Answer, type Call, type Link } from "./transport.js";

/** The frames that a host takes, and the letters that fit its body whatever they are. */
const [most, letters] = [100, 300_000];

interface Batch {
  readonly calls: Map<number, { readonly call: Call; readonly text: string }>;
  size: number;
  /** Ends the request when no call waits for it. */
  readonly control: AbortController;
  readonly answers: Promise<Answers>;
}
/** Returns the answer of a call, or throws its failure. */
type Answers = (call: Call, id: number) => Answer | Promise<Answer>;

/** Sends the calls of a link. */
export function batches(link: Link): (call: Call, id: number) => Promise<Answer> {
  let open: Batch | undefined;
  let refused = false; // the host takes no batch
  const begin = (): Batch => {
    const batch: Batch = {
      calls: new Map(),
      size: 0,
      control: new AbortController(),
      answers: Promise.resolve().then(() => {
        if (open === batch) open = undefined;
        return refused || batch.calls.size < 2 ? (call, id) => alone(link, call, id) : send(batch);
      }),
    };
    return batch;
  };

  async function send({ calls, control }: Batch): Promise<Answers> {
    // The host fills its answer from the front. Commands are not sent again.
    const frames = [...calls.values()].sort((a, b) => (a.call.op.query ?? 0) - (b.call.op.query ?? 0));
    const position = frames.some(({ call }) => call.position);
    const prefer = frames.some(({ call }) => call.op.builtin === "list" && call.door.changes) ? "position=any" : undefined;
    let response: Response;
    let text: string;
    try {
      const headers = { "content-type": "application/json", ...(prefer && { prefer }) };
      response = await link.fetch({ ...frames[0]!.call, position, signal: control.signal }, "/_kit/call", { method: "POST", headers, body: `[${frames.map(({ text }) => text).join()}]` });
      text = await response.text();
    } catch (err) {
      return (call) => {
        throw err instanceof KitError ? failure(call, err.code, err.message, err.details) : failure(call, "SERVICE_UNAVAILABLE", "the answer of the host broke off", { cause: String(err) });
      };
    }
    // Doors differ in their 64-bit fields, so the text is read once for each list of them.
    const parsed = new Map<readonly string[] | undefined, any>();
    const answer = ({ op, door }: Call): any => {
      const big = op.big ?? door.big;
      if (!parsed.has(big)) {
        try {
          parsed.set(big, read(text, big));
        } catch {
          parsed.set(big, undefined);
        }
      }
      return parsed.get(big);
    };
    const whole = answer(frames[0]!.call);
    const code = Array.isArray(whole) ? undefined : (whole?.error?.data?.code ?? whole?.data?.code);
    // No frame was run.
    if (!Array.isArray(whole) && (response.status === 400 || response.status === 413 || code === "BAD_REQUEST" || code === "PAYLOAD_TOO_LARGE")) {
      refused = code !== "PAYLOAD_TOO_LARGE" && response.status !== 413;
      return (call, id) => alone(link, call, id);
    }
    return (call, id) => {
      const all = answer(call);
      const frame = Array.isArray(all) ? all.find((frame) => frame?.id === id) : all;
      // The calls are together too large, or too much work.
      if (call.op.query && Array.isArray(all) && (frame?.error?.data?.code === "PAYLOAD_TOO_LARGE" || frame?.error?.data?.details?.limit === "limits.work")) return alone(link, call, id);
      const result = answered(call, id, response, frame, frame?.position);
      return call.position && result.result?.items && result.result.position === undefined ? alone(link, call, id) : result;
    };
  }

  return (call, id) => {
    const text = frameOf(call, id);
    if (!open || open.calls.size >= most || open.size + text.length > letters) open = begin();
    const batch = open;
    batch.calls.set(id, { call, text });
    batch.size += text.length;
    const { signal } = call;
    return new Promise<Answer>((done, fail) => {
      const stop = (): void => {
        batch.calls.delete(id);
        if (batch.calls.size === 0) batch.control.abort();
        fail(signal!.reason);
      };
      const end = (): void => signal?.removeEventListener("abort", stop);
      if (signal?.aborted) return stop();
      signal?.addEventListener("abort", stop);
      batch.answers
        .then((answers) => (signal?.throwIfAborted(), answers(call, id)))
        .finally(end)
        .then(done, fail);
    });
  };
}
