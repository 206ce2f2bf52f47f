// Options for TanStack Query: keys by door and operation, what a command makes stale, and a
// patch that is shown before the host has answered, where the judge accepts it.

import { sameVersion } from "./connect.js";
import { KitError } from "./errors.js";
import { details, type Schema } from "./judge.js";
import type { Door } from "./transport.js";

/** What a QueryClient does for these options. */
export interface Cache {
  invalidateQueries(filters: { queryKey: readonly unknown[] }): Promise<unknown>;
  cancelQueries(filters: { queryKey: readonly unknown[] }): Promise<unknown>;
  getQueriesData(filters: { queryKey: readonly unknown[] }): [readonly unknown[], unknown][];
  setQueryData(key: readonly unknown[], data: any): unknown;
}

export interface Query<T> {
  readonly queryKey: readonly unknown[];
  readonly queryFn: (context: { signal: AbortSignal }) => Promise<T>;
  readonly structuralSharing: (old: any, data: any) => any;
}

export interface InfiniteQuery<T> {
  readonly queryKey: readonly unknown[];
  readonly queryFn: (context: { signal: AbortSignal; pageParam: any }) => Promise<T>;
  readonly initialPageParam: string | undefined;
  readonly getNextPageParam: (page: T) => string | undefined;
  readonly structuralSharing: (old: any, data: any) => any;
}

export interface Mutation<T, Variables> {
  readonly mutationKey: readonly unknown[];
  readonly mutationFn: (variables: Variables) => Promise<T>;
  readonly onMutate?: (variables: Variables) => Promise<unknown>;
  readonly onError?: (error: Error, variables: Variables, before: any) => void;
  readonly onSettled: () => Promise<unknown>;
}

type Row = { readonly [name: string]: unknown };

/** An object of JSON: neither a list nor of a class. */
const isObject = (v: unknown): v is Row => typeof v === "object" && v !== null && Object.getPrototypeOf(v) === Object.prototype;

/** Members of nested objects are patched too. */
function laid(row: Row, patch: Row): Row {
  const out = Object.fromEntries([...Object.entries(row), ...Object.entries(patch).filter(([, x]) => x !== undefined).map(([name, x]) => [name, isObject(x) && isObject(row[name]) ? laid(row[name], x) : x])]);
  sameVersion(row, out);
  return out;
}

/** New data, with what is equal in the old: a component that shows it is not drawn again. Rows keep their versions. */
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
  sameVersion(data, kept);
  return kept;
}

/** What keys are hashed by is JSON, which has no bigint. */
function hashed(x: any): any {
  if (typeof x === "bigint") return Number.isSafeInteger(Number(x)) ? Number(x) : x + "n";
  if (Array.isArray(x)) return x.map(hashed);
  return isObject(x) ? Object.fromEntries(Object.entries(x).map(([name, inner]) => [name, hashed(inner)])) : x;
}

/** Kept data with a row patched: a row, a page, rows, or the pages of an infinite query. */
function patched(data: any, key: string, id: unknown, patch: Row): any {
  const each = (x: any): any => patched(x, key, id, patch);
  if (Array.isArray(data)) return data.map(each);
  if (!isObject(data)) return data;
  if (Array.isArray(data["pages"])) return { ...data, pages: data["pages"].map(each) };
  if (Array.isArray(data["items"]) && "hasMore" in data) return { ...data, items: data["items"].map(each) };
  return data[key] === id ? laid(data, patch) : data;
}

export function queries<Options>(member: string, door: Door, methods: any, judges: { readonly [operation: string]: Schema<any> } = {}): Options {
  const root = [door.frond, member];
  const stale = (cache: Cache) => () => Promise.all([member, ...(door.shownBy ?? [])].map((name) => cache.invalidateQueries({ queryKey: [door.frond, name] })));
  const judged = (name: string, body: unknown): void => {
    const refused = judges[name] ? details(judges[name], body) : [];
    if (refused.length) throw new KitError({ code: "VALIDATION_FAILED", message: `${refused[0]!.path} ${refused[0]!.message}`, entity: door.door, operation: name, details: refused });
  };
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
        queryFn: ({ signal }: { signal: AbortSignal }) => method(...(takes ? [args[0]] : [undefined]), { ...args[1], signal }),
      });
      if (op.builtin === "list")
        out.infinite ??= (query: any) => ({
          queryKey: hashed([...root, "infinite", query]),
          structuralSharing: shared,
          queryFn: ({ signal, pageParam }: { signal: AbortSignal; pageParam?: string }) => method({ ...query, ...(pageParam && { after: pageParam }) }, { signal }),
          initialPageParam: query?.after,
          getNextPageParam: (page: any) => (page.hasMore ? (page.endCursor ?? undefined) : undefined),
        });
    } else if (op.builtin === "update") {
      out[name] = (cache: Cache) => ({
        mutationKey,
        mutationFn: async ({ id, patch, ...options }: any) => (judged(name, patch), method(id, patch, options)),
        onMutate: async ({ id, patch }: any) => {
          if (judges[name] && details(judges[name], patch).length) return;
          await cache.cancelQueries({ queryKey: root });
          const before = cache.getQueriesData({ queryKey: root });
          for (const [key, data] of before) cache.setQueryData(key, patched(data, door.key!, id, patch));
          return before;
        },
        onError: (_error: Error, _variables: unknown, before: [readonly unknown[], unknown][] | undefined) => before?.forEach(([key, data]) => cache.setQueryData(key, data)),
        onSettled: stale(cache),
      });
    } else {
      out[name] = (cache: Cache) => ({
        mutationKey,
        mutationFn: async (variables: any) => {
          if (op.builtin === "create") judged(name, variables);
          if (op.builtin !== "delete" || !isObject(variables)) return method(variables);
          const { id, ...options } = variables;
          return method(id, options);
        },
        onSettled: stale(cache),
      });
    }
  }
  return out;
}
