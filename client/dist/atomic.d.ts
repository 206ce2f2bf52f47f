import type { Sending } from "./connect.js";
import type { Rehearsal, Rehearse } from "./types.js";
import { type Call, type Transport } from "./transport.js";
declare const result: unique symbol;
/** A value of a result that is not known before the calls are sent. Inputs of later calls take it as { $result } and its members too; it cannot be compared or computed with. */
export type Ref<T> = {
    readonly [result]: T;
} & RefMembers<NonNullable<T>>;
type RefMembers<T> = T extends readonly (infer Item)[] ? {
    readonly [index: number]: Ref<Item>;
} : T extends object ? {
    readonly [Name in keyof T]-?: Ref<T[Name]>;
} : unknown;
/** An input of a call, or references in its place or in place of its members. */
export type Refs<T> = RefParts<T> | Ref<T>;
type RefParts<T> = T extends Function | Blob | AbortSignal ? T : T extends object ? {
    [Name in keyof T]: Refs<T[Name]>;
} : T;
/** A value of the function with the results in place of references. */
export type Settled<T> = 0 extends 1 & T ? T : T extends {
    readonly [result]: infer Value;
} ? Value : T extends Function ? T : T extends object ? {
    [Name in keyof T]: Settled<T[Name]>;
} : T;
/** The arguments of an operation by its name. */
export type ArgsOf<Calls, Name extends keyof Calls> = Calls[Name] extends (...args: infer Args) => any ? Args : never;
/** What an operation gives by its name. */
export type GivesOf<Calls, Name extends keyof Calls> = Calls[Name] extends (...args: any) => infer Gives ? Gives : never;
/** Makes calls by their names, and answers the value of the function with the results in place. */
export interface Atomic<Calls> {
    <T>(calls: (call: <Name extends keyof Calls>(name: Name, ...args: RefArgs<ArgsOf<Calls, Name>>) => Ref<Awaited<GivesOf<Calls, Name>>>) => T, sending: Sending & Rehearse): Promise<Rehearsal<Settled<Awaited<T>>>>;
    <T>(calls: (call: <Name extends keyof Calls>(name: Name, ...args: RefArgs<ArgsOf<Calls, Name>>) => Ref<Awaited<GivesOf<Calls, Name>>>) => T, sending?: Sending): Promise<Settled<Awaited<T>>>;
}
type RefArgs<Args extends readonly unknown[]> = {
    [Place in keyof Args]: Refs<Args[Place]>;
};
/** Makes placeholders of results, and puts the results in their place. */
export declare function placeholders(): {
    of(path: readonly string[]): any;
    settled(x: any, results: readonly unknown[]): any;
};
/** Sends calls as one. */
export declare const together: (calls: readonly Call[], rest: boolean) => Transport;
export {};
