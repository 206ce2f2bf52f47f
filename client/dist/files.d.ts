import { type Transport } from "./transport.js";
/** What a file is sent as: that of an input of a page, or bytes. */
export type FileBody = Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer>;
/** What the host says of a file. A row holds the id. */
export interface FileInfo {
    readonly id: string;
    readonly name: string;
    readonly type: string;
    /** In bytes. */
    readonly size: number;
    /** In hexadecimal digits. */
    readonly sha256: string;
}
/** How a file is sent. */
export interface FileSending {
    /** The media type; that of a Blob where it is left out. */
    readonly type?: string;
    /** The name; that of a File where it is left out. */
    readonly name?: string;
    /** Of upload alone: the bytes go to S3 by a pre-signed address of the host. */
    readonly presigned?: boolean;
    /** Called as the bytes leave; where a page has no XMLHttpRequest, or the client a fetch of its own, once at the end. */
    readonly onProgress?: (sent: number, total: number) => void;
    readonly signal?: AbortSignal;
    /** In ms, instead of the client's. */
    readonly timeout?: number;
}
/** Sends a file, or without one what removes it. */
export declare const fileOver: (method: string, path: string, file?: FileBody, sending?: FileSending) => Transport;
/** Sends a file to S3 by a pre-signed address; the host then checks the bytes. */
export declare const fileToS3: (fetch: typeof globalThis.fetch, path: string, file: FileBody, sending: FileSending) => Transport;
