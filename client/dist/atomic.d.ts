import type { Sending } from "./connect.js";
import { type Call, type Transport } from "./transport.js";
/** Makes calls by their names, and answers the value of the function with the results in place. */
export interface Atomic<Calls extends {
    [Name in keyof Calls]: (...args: any[]) => any;
}> {
    <T>(calls: (call: <Name extends keyof Calls>(name: Name, ...args: Parameters<Calls[Name]>) => Awaited<ReturnType<Calls[Name]>>) => T, sending?: Sending): Promise<Awaited<T>>;
}
/** Makes placeholders of results, and puts the results in their place. */
export declare function placeholders(): {
    of(path: readonly string[]): any;
    settled(x: any, results: readonly unknown[]): any;
};
/** Sends calls as one. */
export declare const together: (calls: readonly Call[], rest: boolean) => Transport;
