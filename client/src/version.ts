// The versions of rows.

/** The version of a row that a client gave, for ifMatch; undefined where the host told none. */
export const etag = (row: object): string | undefined => (row as { etag?: string }).etag;

/** A row with its version. */
export const withVersion = <T extends object>(row: T, version: string): T => ({ ...row, etag: version });
