type Check = (text: string) => boolean;
type Format = readonly [example: string, check: Check];
/** Loads the table of host names beyond ASCII, which the first label that begins with xn-- loads too. */
export declare const hostNames: () => Promise<void>;
export declare const date: Format;
export declare const time: Format;
export declare const dateTime: Format;
export declare const duration: Format;
export declare const uri: Format;
export declare const uriReference: Format;
export declare const email: Format;
export declare const hostname: Format;
export declare const ipv4: Format;
export declare const ipv6: Format;
export declare const uuid: Format;
export declare const jsonPointer: Format;
export declare const decimal: Format;
export {};
