import type { FileBody } from "./files.js";
import { type Call, type Transport } from "./transport.js";
/** The format of a file of rows. */
export type RowFormat = "csv" | "ndjson";
/** Asks for the file of a list. The result is the response, whose body is still to come. */
export declare const fileOfRows: (format: string) => Transport;
/** Sends a file of rows. */
export declare const rowsOfFile: (format: string, body: FileBody) => Transport;
/** The bytes of a response as they arrive. A connection that breaks off is SERVICE_UNAVAILABLE. */
export declare function bytesOf(call: Call, response: Response): AsyncGenerator<Uint8Array<ArrayBuffer>, void>;
/** The rows of a file of NDJSON. */
export declare function rowsOf(call: Call, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<any, void>;
