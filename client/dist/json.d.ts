export declare function write(value: unknown): string;
/** Reads a text; fields are the names of the members that are int64. */
export declare function read(text: string, fields?: readonly string[]): any;
export declare const isObject: (value: unknown) => value is {
    readonly [name: string]: unknown;
};
/** Whether two values of JSON are equal, whatever the order of members. */
export declare const equal: (a: unknown, b: unknown) => boolean;
