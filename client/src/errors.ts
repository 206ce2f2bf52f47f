// What a call fails with.

/** The codes of failures: those of every call, and GraphQL's own of a document. A newer host may answer others. */
export type KitErrorCode =
  | "VALIDATION_FAILED" | "BAD_REQUEST" | "UNAUTHORIZED" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "REQUEST_TIMEOUT" | "CONFLICT" | "GONE" | "PRECONDITION_FAILED"
  | "PAYLOAD_TOO_LARGE" | "UNPROCESSABLE_ENTITY" | "LOCKED" | "TOO_MANY_REQUESTS" | "INTERNAL_ERROR" | "NOT_IMPLEMENTED" | "BAD_GATEWAY" | "SERVICE_UNAVAILABLE" | "GATEWAY_TIMEOUT"
  | "GRAPHQL_PARSE_FAILED" | "GRAPHQL_VALIDATION_FAILED" | "BAD_USER_INPUT" | "EXECUTION_TIMEOUT" | "RESPONSE_TOO_LARGE" | "DOCUMENT_NOT_TRUSTED" | "DOCUMENT_TOO_LARGE" | `${string}_LIMIT_EXCEEDED`;

/** A failure of a call: the host's own, or one of the way to it (SERVICE_UNAVAILABLE, BAD_GATEWAY). */
export class KitError extends Error {
  readonly code: KitErrorCode;
  readonly entity: string | undefined;
  readonly operation: string | undefined;
  /** Of VALIDATION_FAILED the list of refusals; else what the code brings. */
  readonly details: unknown;
  constructor({ code, message, entity, operation, details }: { code: string; message: string; entity?: string; operation?: string; details?: unknown }) {
    super(message);
    this.name = "KitError";
    this.code = code as KitErrorCode;
    this.entity = entity;
    this.operation = operation;
    this.details = details;
  }
}
