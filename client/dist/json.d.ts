export declare function write(value: unknown): string;
/** Reads a text; fields are the names of the members that are int64. */
export declare function read(text: string, fields?: readonly string[]): any;
