// Calls that are one transaction (rpc.atomic). They are noted before any is sent. Each returns a
// placeholder of its result, whose members are references in later calls.

import type { Sending } from "./connect.js";
import type { Rehearsal, Rehearse } from "./types.js";
import { KitError } from "./errors.js";
import { read, write } from "./json.js";
import { answered, noAnswer, rehearsed, type Call, type Transport } from "./transport.js";

declare const result: unique symbol;

/** A value of a result that is not known before the calls are sent. Inputs of later calls take it as { $result } and its members too; it cannot be compared or computed with. */
export type Ref<T> = { readonly [result]: T } & RefMembers<NonNullable<T>>;

type RefMembers<T> =
  T extends readonly (infer Item)[] ? { readonly [index: number]: Ref<Item> }
  : T extends object ? { readonly [Name in keyof T]-?: Ref<T[Name]> }
  : unknown;

/** An input of a call, or references in its place or in place of its members. */
export type Refs<T> = RefParts<T> | Ref<T>;

type RefParts<T> =
  T extends Function | Blob | AbortSignal ? T
  : T extends object ? { [Name in keyof T]: Refs<T[Name]> }
  : T;

/** A value of the function with the results in place of references. */
export type Settled<T> =
  0 extends 1 & T ? T
  : T extends { readonly [result]: infer Value } ? Value
  : T extends Function ? T
  : T extends object ? { [Name in keyof T]: Settled<T[Name]> }
  : T;

// A constraint on these, as Parameters has one, makes the compiler look at every operation of a package.
/** The arguments of an operation by its name. */
export type ArgsOf<Calls, Name extends keyof Calls> = Calls[Name] extends (...args: infer Args) => any ? Args : never;
/** What an operation gives by its name. */
export type GivesOf<Calls, Name extends keyof Calls> = Calls[Name] extends (...args: any) => infer Gives ? Gives : never;

/** Makes calls by their names, and answers the value of the function with the results in place. */
export interface Atomic<Calls> {
  <T>(calls: (call: <Name extends keyof Calls>(name: Name, ...args: RefArgs<ArgsOf<Calls, Name>>) => Ref<Awaited<GivesOf<Calls, Name>>>) => T, sending: Sending & Rehearse): Promise<Rehearsal<Settled<Awaited<T>>>>;
  <T>(calls: (call: <Name extends keyof Calls>(name: Name, ...args: RefArgs<ArgsOf<Calls, Name>>) => Ref<Awaited<GivesOf<Calls, Name>>>) => T, sending?: Sending): Promise<Settled<Awaited<T>>>;
}

type RefArgs<Args extends readonly unknown[]> = { [Place in keyof Args]: Refs<Args[Place]> };

/** Makes placeholders of results, and puts the results in their place. */
export function placeholders(): { of(path: readonly string[]): any; settled(x: any, results: readonly unknown[]): any } {
  const paths = new WeakMap<object, readonly string[]>();
  const of = (path: readonly string[]): any => {
    const unknown = (): never => {
      throw new TypeError(`the result of a call in atomic has no value yet: pass it or a member of it to a later call, which sends {"$result": "${path.join(".")}"}, or compute with the results that atomic answers`);
    };
    const get = (_: object, name: string | symbol): unknown => {
      if (name === "toJSON") return () => ({ $result: path.join(".") });
      if (name === Symbol.toPrimitive || name === Symbol.iterator) return unknown;
      return name === "then" || typeof name === "symbol" ? undefined : of([...path, name]);
    };
    const placeholder = new Proxy(() => {}, { get, apply: unknown, ownKeys: unknown, has: unknown });
    paths.set(placeholder, path);
    return placeholder;
  };
  const settled = (x: any, results: readonly unknown[]): any => {
    const path = paths.get(x);
    if (path) return path.reduce((at: any, name) => at?.[name], results);
    if (!x || typeof x !== "object") return x;
    if (Array.isArray(x)) return x.map((item) => settled(item, results));
    return Object.getPrototypeOf(x) === Object.prototype ? Object.fromEntries(Object.entries(x).map(([name, inner]) => [name, settled(inner, results)])) : x;
  };
  return { of, settled };
}

/** Sends calls as one. */
export const together =
  (calls: readonly Call[], rest: boolean): Transport =>
  async (link, call) => {
    const { rehearse, approve } = call.query ?? {};
    const text = write({ ...(rehearse !== undefined && { rehearse }), ...(approve !== undefined && { approve }), calls: calls.map(({ door, name, params, query, body }) => ({ method: door.door + "." + name, params: { params, query, body } })) });
    const body = rest ? text : `{"jsonrpc":"2.0","id":1,"method":"rpc.atomic","params":${text}}`;
    const response = await link.fetch(call, rest ? "/api/atomic" : "/_kit/call", { method: "POST", headers: { "content-type": "application/json" }, body });
    const said = await response.text();
    const parsed = (big?: readonly string[]): any => {
      try {
        return read(said, big);
      } catch {
        return undefined;
      }
    };
    const first = parsed();
    if (rest && !response.ok) throw first?.data?.code ? new KitError(first.data) : noAnswer(call, response, "problem");
    if (!rest) answered(call, 1, response, first);
    // Doors differ in their 64-bit fields.
    const whole = (all: any): any => (rest ? all : all?.result);
    const results = (all: any): any => (rehearsed(call) ? whole(all)?.result : whole(all))?.results;
    if (results(first)?.length !== calls.length) throw noAnswer(call, response, "results");
    const result = calls.map(({ door }, i) => results(door.big ? parsed(door.big) : first)[i]);
    return { result: rehearsed(call) ? { ...whole(first), result } : result };
  };
