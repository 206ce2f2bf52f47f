/** Conditions that all hold: { price: { gte: 10 } }. */
export type Filter = { readonly [name: string]: unknown };

/** Which rows, in which order, how many of them. */
export interface ListQuery {
  filter?: Filter;
  /** Names of fields; - is descending. */
  sort?: string | readonly string[];
  /** Rows of a page; 0 is none, for the total alone. */
  limit?: number;
  /** A cursor: the rows behind it. */
  after?: string;
  /** A cursor: the rows that stand last before it. */
  before?: string;
  /** Whether limit takes the rows that stand last; left out: where before is sent without after. */
  backward?: boolean;
  /** Rows to leave out at the beginning. */
  offset?: number;
  /** The fields to answer; the others are undefined. */
  fields?: readonly string[];
  /** false: do not count, total is -1. */
  total?: boolean;
  /** How total is made; not beside total. An estimate is exact where that costs little. */
  count?: "exact" | "estimated" | "none" | boolean;
  /** Answer a cursor for every row. */
  cursors?: boolean;
}

/** What a call of a built-in operation may carry beside its input. */
export interface CallOptions {
  /** The version the row must have, as its etag gives it, or several of which it must have one. A row with another version is PRECONDITION_FAILED and stays as it is. */
  ifMatch?: string | readonly string[];
  /** What the row must meet when it is written. A row that does not is PRECONDITION_FAILED and stays as it is. */
  where?: Filter;
  /** The fields to answer; ["*", "etag"] is a whole row with its version. */
  fields?: readonly string[];
}

/** What a call carries, for operations that do not say what they take. */
export interface Invocation {
  params?: { readonly [name: string]: unknown };
  query?: { readonly [name: string]: unknown };
  body?: unknown;
}

/** A list result. */
export interface Page<T> {
  items: T[];
  /** -1: not counted. */
  total: number;
  hasMore: boolean;
  endCursor: string | null;
  cursors?: string[];
  hasPrevious?: boolean;
}

/** What a call failed with. */
export class KitError extends Error {
  /** A word such as NOT_FOUND or VALIDATION_FAILED. */
  readonly code: string;
  readonly entity?: string;
  readonly operation?: string;
  readonly details?: unknown;
}

export interface ClientOptions {
  /** The host's address, such as http://127.0.0.1:8080. */
  url: string;
  /** Sent with every call, such as Authorization; a function is asked for each. */
  headers?: Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>);
  /** Instead of the global fetch. */
  fetch?: typeof globalThis.fetch;
}

/** A client for the host at an address. */
export function createClient(options: string | ClientOptions): Client;
