// Options for TanStack Query: keys by door and operation, what a command makes stale, and a
// patch that is shown before the host has answered, where the judge accepts it.

import { Edits, type Edit, type Row } from "./edits.js";
import { KitError } from "./errors.js";
import { details, type Schema } from "./judge.js";
import type { Door } from "./transport.js";

/** What a QueryClient does for these options. */
export interface Cache {
  invalidateQueries(filters: { queryKey: readonly unknown[]; exact?: boolean; refetchType?: "active" | "none" }): Promise<unknown>;
  cancelQueries(filters: { queryKey: readonly unknown[] }): Promise<unknown>;
  getQueriesData(filters: { queryKey: readonly unknown[] }): [readonly unknown[], unknown][];
  setQueryData(key: readonly unknown[], data: any): unknown;
  getQueryCache(): {
    find(filters: { queryKey: readonly unknown[]; exact?: boolean }): { getObserversCount(): number } | undefined;
    subscribe(listener: (event: { type: string; query?: unknown }) => void): () => void;
  };
}

interface Context {
  readonly signal: AbortSignal;
  /** The QueryClient; TanStack Query gives it from 5.69 on. */
  readonly client?: any;
}

export interface Query<T> {
  readonly queryKey: readonly unknown[];
  readonly queryFn: (context: Context) => Promise<T>;
  readonly structuralSharing: (old: any, data: any) => any;
}

/** A query whose data follows the host for as long as something observes it. */
export interface LiveQuery<T> extends Query<T> {
  readonly staleTime: number;
}

export interface InfiniteQuery<T> {
  readonly queryKey: readonly unknown[];
  readonly queryFn: (context: Context & { readonly pageParam: any }) => Promise<T>;
  readonly initialPageParam: string | undefined;
  readonly getNextPageParam: (page: T) => string | undefined;
  readonly structuralSharing: (old: any, data: any) => any;
}

export interface Mutation<T, Variables> {
  readonly mutationKey: readonly unknown[];
  readonly mutationFn: (variables: Variables) => Promise<T>;
  readonly onMutate?: (variables: Variables) => Promise<unknown>;
  readonly onError?: (error: Error, variables: Variables, edit: any) => void;
  readonly onSettled: () => Promise<unknown>;
}

/** An object of JSON: neither a list nor of a class. */
const isObject = (v: unknown): v is Row => typeof v === "object" && v !== null && Object.getPrototypeOf(v) === Object.prototype;

/** Rows as the host has them, of those that are shown with patches. */
const bases = new WeakMap<object, Row>();

/** New data, with what is equal in the old: a component that shows it is not drawn again. */
function shared(old: any, data: any): any {
  if (!(Array.isArray(old) && Array.isArray(data)) && !(isObject(old) && isObject(data))) return old === data ? old : data;
  const names = Object.keys(data);
  const of = data as Row;
  const out: any = Array.isArray(data) ? [] : {};
  let equal = names.length === Object.keys(old).length;
  for (const name of names) {
    out[name] = shared((old as Row)[name], of[name]);
    if (out[name] !== (old as Row)[name] || !Object.hasOwn(old, name)) equal = false;
  }
  const kept = equal ? old : out;
  const base = bases.get(data);
  if (base) bases.set(kept, base);
  else bases.delete(kept);
  return kept;
}

/** What keys are hashed by is JSON, which has no bigint. */
function hashed(x: any): any {
  if (typeof x === "bigint") return Number.isSafeInteger(Number(x)) ? Number(x) : x + "n";
  if (Array.isArray(x)) return x.map(hashed);
  return isObject(x) ? Object.fromEntries(Object.entries(x).map(([name, inner]) => [name, hashed(inner)])) : x;
}

/** Data with each row of it replaced: a row, a page, rows, or the pages of an infinite query. */
function replaced(data: any, key: string, by: (row: Row) => Row): any {
  const each = (x: any): any => replaced(x, key, by);
  if (Array.isArray(data)) return data.map(each);
  if (!isObject(data)) return data;
  if (Array.isArray(data["pages"])) return { ...data, pages: data["pages"].map(each) };
  if (Array.isArray(data["items"]) && "hasMore" in data) return { ...data, items: data["items"].map(each) };
  return Object.hasOwn(data, key) ? by(data) : data;
}

/** The arguments of built-in commands that take more than one value. */
const argumentsOf: { readonly [builtin: string]: readonly string[] } = { delete: ["id"], updateMany: ["where", "patch"], deleteMany: ["where"], upsert: ["by", "input"], import: ["by", "rows"] };

/** Whoever is in a cache for a door: patches on their way, and what ends live queries. */
interface Kept {
  readonly edits: Edits;
  readonly live: Map<string, AbortController>;
}
const kept = new WeakMap<object, Map<string, Kept>>();

export function queries<Options>(member: string, door: Door, methods: any, judges: { readonly [operation: string]: Schema<any> } = {}): Options {
  const root = [door.frond, member];
  const stale = (cache: Cache) => () => Promise.all([member, ...(door.shownBy ?? [])].map((name) => cache.invalidateQueries({ queryKey: [door.frond, name] })));
  const judged = (name: string, body: unknown): void => {
    const refused = judges[name] ? details(judges[name], body) : [];
    if (refused.length) throw new KitError({ code: "VALIDATION_FAILED", message: `${refused[0]!.path} ${refused[0]!.message}`, entity: door.door, operation: name, details: refused });
  };
  const at = door.key!;
  /** Data of the host, with the patches on their way. */
  const over = (edits: Edits, data: any): any =>
    replaced(data, at, (row) => {
      const shown = edits.shown(row[at], row);
      if (shown !== row) bases.set(shown, row);
      return shown;
    });
  const of = (cache: Cache): Kept => {
    let doors = kept.get(cache);
    if (!doors) kept.set(cache, (doors = new Map()));
    const name = JSON.stringify(root);
    let one = doors.get(name);
    if (!one) {
      const redraw = (id: unknown, answer?: Row): void => {
        for (const [key, data] of cache.getQueriesData({ queryKey: root })) {
          const based = replaced(data, at, (row) => {
            const base = bases.get(row) ?? row;
            return answer && row[at] === id ? { ...base, ...Object.fromEntries(Object.entries(answer).filter(([name]) => name in base)) } : base;
          });
          cache.setQueryData(key, over(edits, based));
        }
      };
      const edits = new Edits(methods["update"], redraw);
      doors.set(name, (one = { edits, live: new Map() }));
    }
    return one;
  };
  const shown = (client: Cache | undefined, data: any): any => (client ? over(of(client).edits, data) : data);
  /** Shows further pages of a live query until nothing observes it, or the host ends it. */
  const follow = async (cache: Cache, key: readonly unknown[], pages: AsyncIterator<any>, control: AbortController): Promise<void> => {
    const queries = cache.getQueryCache();
    const kept = () => queries.find({ queryKey: key, exact: true });
    // Without an observer, as on a server, the first page ends the stream; the first observer reads the page again and follows.
    const stop = queries.subscribe(({ type, query }) => {
      const read = type === "updated" && query === kept();
      if ((!read && type !== "observerRemoved" && type !== "removed") || kept()?.getObserversCount()) return;
      control.abort();
      if (read) void cache.invalidateQueries({ queryKey: key, exact: true, refetchType: "none" });
    });
    let failed = false;
    try {
      for (let next; !(next = await pages.next()).done; ) if (!control.signal.aborted) cache.setQueryData(key, shown(cache, next.value));
    } catch {
      failed = true; // which reading it again will tell
    }
    stop();
    const { live } = of(cache);
    if (live.get(JSON.stringify(key)) !== control) return; // another one follows
    live.delete(JSON.stringify(key));
    if (failed || control.signal.aborted) void cache.invalidateQueries({ queryKey: key, exact: true, refetchType: failed ? "active" : "none" });
  };
  const begun = new WeakMap<object, Edit>(); // by the variables of a mutation
  const out: any = { key: root };
  for (const [name, op] of Object.entries(door.ops)) {
    const method = methods[name];
    const mutationKey = [...root, name];
    if (op.query) {
      // The signal stands among the options behind what an operation takes.
      const takes = op.builtin === "findById" || op.builtin === "findByIds" || op.builtin === "list" || op.params || op.parameters || op.body || op.open ? 1 : 0;
      out[name] = (...args: any[]) => ({
        queryKey: hashed([...root, name, ...args]),
        structuralSharing: shared,
        queryFn: async ({ signal, client }: Context) => shown(client, await method(...(takes ? [args[0]] : [undefined]), { ...args[1], signal })),
      });
      if (op.builtin === "list" && methods.watch)
        out.live ??= (query: any) => {
          const queryKey = hashed([...root, "live", query]);
          return {
            queryKey,
            structuralSharing: shared,
            staleTime: Infinity,
            queryFn: async ({ signal, client }: Context) => {
              const { live } = of(client);
              const control = new AbortController();
              live.get(JSON.stringify(queryKey))?.abort();
              live.set(JSON.stringify(queryKey), control);
              const stop = (): void => control.abort();
              signal.addEventListener("abort", stop);
              const pages = methods.watch(query, { signal: control.signal })[Symbol.asyncIterator]();
              const { value, done } = await pages.next();
              signal.throwIfAborted();
              signal.removeEventListener("abort", stop);
              if (!done) void follow(client, queryKey, pages, control);
              return shown(client, value);
            },
          };
        };
      if (op.builtin === "list")
        out.infinite ??= (query: any) => ({
          queryKey: hashed([...root, "infinite", query]),
          structuralSharing: shared,
          queryFn: async ({ signal, client, pageParam }: Context & { pageParam?: string }) => shown(client, await method({ ...query, ...(pageParam && { after: pageParam }) }, { signal })),
          initialPageParam: query?.after,
          getNextPageParam: (page: any) => (page.hasMore ? (page.endCursor ?? undefined) : undefined),
        });
    } else if (op.builtin === "update") {
      out[name] = (cache: Cache) => ({
        mutationKey,
        mutationFn: async (variables: any) => {
          const { id, patch, ...options } = variables;
          judged(name, patch);
          const edit = begun.get(variables);
          return edit ? of(cache).edits.send(edit, options) : method(id, patch, options);
        },
        onMutate: async (variables: any) => {
          const { id, patch } = variables;
          if (judges[name] && details(judges[name], patch).length) return;
          const edit = of(cache).edits.add(id, patch);
          begun.set(variables, edit);
          await cache.cancelQueries({ queryKey: root });
          return edit;
        },
        onError: (_error: Error, _variables: unknown, edit: Edit | undefined) => edit && of(cache).edits.drop(edit),
        onSettled: stale(cache),
      });
    } else {
      out[name] = (cache: Cache) => ({
        mutationKey,
        mutationFn: async (variables: any) => {
          if (op.builtin === "create") judged(name, variables);
          const parts = isObject(variables) && argumentsOf[op.builtin!];
          if (!parts) return method(variables);
          return method(...parts.map((part) => variables[part]), Object.fromEntries(Object.entries(variables).filter(([part]) => !parts.includes(part))));
        },
        onSettled: stale(cache),
      });
    }
  }
  return out;
}
