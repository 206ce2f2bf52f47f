/** The version of a row that a client gave, for ifMatch; undefined where the host told none. */
export declare const etag: (row: object) => string | undefined;
/** A row with its version. */
export declare const withVersion: <T extends object>(row: T, version: string) => T;
