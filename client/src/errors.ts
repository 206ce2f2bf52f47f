// What a call fails with.

/** The codes of failures: those of every call, and GraphQL's own of a document. A newer host may answer others. */
export type KitErrorCode =
  | "VALIDATION_FAILED" | "BAD_REQUEST" | "UNAUTHORIZED" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "REQUEST_TIMEOUT" | "CONFLICT" | "GONE" | "PRECONDITION_FAILED"
  | "PAYLOAD_TOO_LARGE" | "UNPROCESSABLE_ENTITY" | "LOCKED" | "TOO_MANY_REQUESTS" | "INTERNAL_ERROR" | "NOT_IMPLEMENTED" | "BAD_GATEWAY" | "SERVICE_UNAVAILABLE" | "GATEWAY_TIMEOUT"
  | "GRAPHQL_PARSE_FAILED" | "GRAPHQL_VALIDATION_FAILED" | "BAD_USER_INPUT" | "EXECUTION_TIMEOUT" | "RESPONSE_TOO_LARGE" | "DOCUMENT_NOT_TRUSTED" | "DOCUMENT_TOO_LARGE" | `${string}_LIMIT_EXCEEDED`;

/** One refusal of a value. */
export interface Refusal {
  /** Dotted: address.street; "." is the whole. */
  readonly path: string;
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
  readonly params?: { readonly [name: string]: unknown };
}

/** A failure of a call: the host's own, or one of the way to it (SERVICE_UNAVAILABLE, BAD_GATEWAY). */
export class KitError extends Error {
  readonly code: KitErrorCode;
  readonly entity: string | undefined;
  readonly operation: string | undefined;
  /** Of VALIDATION_FAILED and CONFLICT the list of refusals, of PRECONDITION_FAILED the row as it is; else what the code brings. */
  readonly details: readonly Refusal[] | { readonly row?: any; readonly [name: string]: unknown } | undefined;
  /** Of an atomic call: the index of the call that failed. */
  readonly call: number | undefined;
  constructor({ code, message, entity, operation, details, call }: { code: string; message: string; entity?: string; operation?: string; details?: unknown; call?: number }) {
    super(message);
    this.name = "KitError";
    this.code = code as KitErrorCode;
    this.entity = entity;
    this.operation = operation;
    this.details = details as KitError["details"];
    this.call = call;
  }
}

/** Whether a failure passes by itself. */
export const passes = (err: unknown): boolean => err instanceof KitError && ["SERVICE_UNAVAILABLE", "TOO_MANY_REQUESTS", "GATEWAY_TIMEOUT"].includes(err.code);

/** The first message of each path that a failure refuses, for the fields of a form; what is about no field has the path ".". */
export function fieldErrors(err: unknown): { readonly [path: string]: string } {
  if (!(err instanceof KitError)) return {};
  const refusals: readonly Refusal[] = Array.isArray(err.details) ? err.details : [{ path: ".", message: err.message } as Refusal];
  return Object.fromEntries(refusals.map(({ path, message }) => [path, message] as const).reverse());
}
