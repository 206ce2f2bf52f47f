// A page, and then the page again whenever it has changed. The position of the log is read ahead
// of the rows, and its changes are followed from there, so that none is missing in between.

import { Edits, type Row } from "./edits.js";
import { KitError, passes } from "./errors.js";
import { equal } from "./json.js";
import type { Door } from "./transport.js";
import { withVersion } from "./version.js";

/** How long a page waits to be read again, in ms: for further changes, and behind the last time. */
const [soon, pauseBetween] = [30, 500];
/** Changes that wait for a page to be read; behind them it is read whole. */
const most = 1000;

const codeOf = (err: unknown): string | undefined => (err instanceof KitError ? err.code : undefined);

export interface Source {
  readonly door: Door;
  /** Reads the page with its position. */
  list(query: any, sending: object): Promise<any>;
  changes(query: any): AsyncGenerator<any, void>;
  update?(id: unknown, patch: object, options?: object): Promise<any>;
}

/** Pages, the latest first for a reader that is slow. */
export function watch(source: Source, query: any = {}, sending: { signal?: AbortSignal } = {}): AsyncIterable<any> & { update: unknown } {
  const { signal: ofQuery, ...what } = query;
  const signal = sending.signal ?? ofQuery;
  const { door } = source;
  const key = door.key!;
  const whole = !what.fields && !what.select;
  const sorted: string[] = (typeof what.sort === "string" ? what.sort.split(",") : (what.sort ?? [])).map((name: string) => name.replace(/^-/, ""));
  const wakes = new Set<() => void>();
  const wake = (): void => wakes.forEach((run) => run());
  const answered = new Map<string, Row>();
  const edits = source.update && new Edits(source.update, (id, row) => (row && answered.set(String(id), row), wake()));

  async function* pages(): AsyncGenerator<any, void> {
    let news: any[] = [];
    let [page, failed, lost, dirty, lately]: [any, unknown, boolean, boolean, number] = [undefined, undefined, false, false, 0];
    let woken = (): void => {};
    const mine = (): void => ((dirty = true), page && shown(), woken());
    const waits = (ms?: number): Promise<void> =>
      new Promise((done) => {
        const timer = ms === undefined ? undefined : setTimeout(done, ms);
        woken = () => (ms === undefined || signal?.aborted) && (clearTimeout(timer), done());
      });
    const aborted = (): void => woken();
    let following = new AbortController();
    /** Reads the page and follows what is behind it. */
    const begin = async (): Promise<void> => {
      following.abort();
      page = await source.list(what, { ...sending, signal });
      if (page.position === undefined) throw new KitError({ code: "NOT_IMPLEMENTED", message: "the host tells no position beside the page; read it again from time to time", entity: door.door, operation: "list" });
      const control = (following = new AbortController());
      const { position: after } = page;
      [news, failed] = [[], undefined];
      void (async () => {
        try {
          for await (const event of source.changes({ after, ...(what.filter && { filter: what.filter }), ...(!whole && { fields: [key] }), signal: control.signal })) {
            if (following !== control) return;
            if (news.push(event) > most) [news, lost] = [[], true];
            woken();
          }
        } catch (err) {
          if (following === control) ((failed = err), woken());
        }
      })();
    };
    const shown = (): any => ({ ...page, items: edits ? page.items.map((row: Row) => edits.shown(row[key], row)) : page.items });
    signal?.addEventListener("abort", aborted);
    wakes.add(mine);
    try {
      await begin();
      yield shown();
      for (let again = 0; !signal?.aborted; ) {
        let read = lost;
        lost = false;
        const since = page.position;
        for (const event of news.splice(0)) {
          again = 0;
          if (event.position <= since) continue;
          const at = page.items.findIndex((row: Row) => row[key] === event.key);
          const was = page.items[at];
          if (whole && was && event.change === "updated" && sorted.every((name) => !name.includes(".") && equal(was[name], event.data[name]))) {
            const items = [...page.items];
            items[at] = door.etag && event.version ? withVersion(event.data, event.version) : event.data;
            [page, dirty] = [{ ...page, items }, true];
          } else read = true;
        }
        for (const [id, row] of answered) {
          const at = page.items.findIndex((was: Row) => String(was[key]) === id);
          if (at >= 0) page.items[at] = { ...page.items[at], ...Object.fromEntries(Object.entries(row).filter(([name]) => name in page.items[at])) };
          answered.delete(id);
        }
        if (failed && !read) {
          // The position is no longer kept, or is one of a log that was replaced.
          if (again++ > 0 || (codeOf(failed) !== "GONE" && codeOf(failed) !== "VALIDATION_FAILED")) throw failed;
          await begin();
          dirty = true;
        } else if (read) {
          await waits(Math.max(soon, lately + pauseBetween - Date.now()));
          if (signal?.aborted) return;
          try {
            page = await source.list(what, { ...sending, signal });
            dirty = true;
          } catch (err) {
            if (!passes(err)) throw err;
            lost = true;
          }
          lately = Date.now();
        }
        if (dirty) {
          dirty = false;
          yield shown();
        } else if (!lost && news.length === 0 && !failed && !signal?.aborted) await waits();
      }
    } catch (err) {
      if (!signal?.aborted) throw err;
    } finally {
      following.abort();
      wakes.delete(mine);
      signal?.removeEventListener("abort", aborted);
    }
  }
  return {
    [Symbol.asyncIterator]: pages,
    update: edits && ((id: unknown, patch: object, options?: any) => edits.send(edits.add(id, patch as Row), options)),
  };
}
