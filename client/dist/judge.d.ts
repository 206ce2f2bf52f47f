import type { Test, Tree } from "./matcher.js";
export type Key = string | number;
export type Bound = number | [decimal: string, shown: string];
/** A schema in the form that a host writes: see schema/script/judge.go. */
export type Node = boolean | 0 | Shape;
export interface Shape {
    type?: string | string[];
    const?: unknown;
    constText?: string;
    enum?: unknown[];
    enumText?: string;
    format?: string;
    pattern?: string;
    re?: string | Tree;
    minLength?: number;
    maxLength?: number;
    bounds?: [keyword: string, bound: Bound][];
    items?: Node;
    minItems?: number;
    maxItems?: number;
    uniqueItems?: 1;
    fields?: Field[];
    open?: 1;
    known?: string[];
    required?: string[];
    minProperties?: number;
    maxProperties?: number;
    whole?: Node;
    defs?: Node[];
    ref?: number[];
    properties?: [name: string, node: Node][];
    patternProperties?: [re: string | Tree, node: Node, test?: Test][];
    additionalProperties?: Node;
    propertyNames?: Node;
    dependentRequired?: [name: string, names: string[]][];
    dependentSchemas?: [name: string, node: Node][];
    unevaluatedProperties?: Node;
    prefixItems?: Node[];
    contains?: Node;
    minContains?: number;
    maxContains?: number;
    unevaluatedItems?: Node;
    not?: Node;
    allOf?: Node[];
    anyOf?: Node[];
    oneOf?: Node[];
    if?: Node;
    then?: Node;
    else?: Node;
    $re?: Test;
    $at?: Map<string, number>;
}
type Field = [name: string, node: Node, flags?: number, fill?: Fill | 0, message?: string];
type Fill = {
    value?: unknown;
    now?: string;
    many?: 1;
    update?: string;
};
/** A card as a host writes it, with what it needs of the other modules. */
export interface Card extends Shape {
    use?: Use;
    /** Judges bodies with rows that belong to their row: see nested.ts. */
    within?: (mode: Mode, sent: unknown) => Refusal[];
}
export interface Use {
    /** The formats by their names: an example and the check. */
    readonly formats?: {
        readonly [name: string]: readonly [example: string, check: (text: string) => boolean];
    };
    /** Judges a value by all of JSON Schema. */
    readonly engine?: (n: Node, v: unknown, r: Run) => void;
    /** Tests patterns on which RegExp may never end. */
    readonly matcher?: (tree: Tree) => Test;
}
/** What a value is judged for: a body at creation, a patch, or a row. */
export type Mode = 0 | 1 | 2;
export interface Detail {
    path: string;
    pointer: string;
    code: string;
    message: string;
    params?: {
        [name: string]: unknown;
    };
}
export interface Refusal extends Omit<Detail, "path" | "pointer"> {
    path: Key[];
}
/** One run: where it stands, and what it has refused. */
export interface Run {
    path: Key[];
    /** How many members the object has that was read last. */
    members?: number;
    refused: Refusal[];
    most: number;
    defs: Node[];
    use: Use;
    strange?: boolean;
    patch?: boolean;
}
export type Members = {
    readonly [name: string]: unknown;
};
export declare const absent = "is required";
export declare const unknown = "is not part of the card; leave it out";
export declare const forbidden = "must be left out: no value is allowed here";
export declare const most = 100;
export declare function refuse(r: Run, code: string, message: string, params?: Detail["params"], name?: string): void;
export declare function limit(r: Run, keyword: string, bound: Bound): void;
/** A value as JSON.stringify takes it; undefined: it is left out. */
export declare function plain(v: any): unknown;
export declare const names: (v: Members) => string[];
export declare const element: (v: unknown) => unknown;
export declare function kindOf(v: unknown): string;
/** A text that two values share exactly when JSON Schema counts them as equal. */
export declare function canonical(v: unknown): string;
/** Judges what stands in a shape about any value, about text and about numbers; false: the value is of the wrong kind. */
export declare function scalar(n: Shape, v: unknown, r: Run, engine?: boolean): boolean;
/** A pattern as what tests a text. */
export declare const pattern: (re: string | Tree, r: Run) => Test;
export declare function twice(n: Shape, v: unknown[], r: Run): void;
export declare function size(r: Run, of: string, min: number | undefined, max: number | undefined, n: number): void;
/** The place of a member among those of a shape; -1: it has none of this name. */
export declare const place: (n: Shape, name: string) => number;
export declare const isEmpty: (v: unknown) => boolean;
/** Judges a value by a card: the refusals that a host would answer, none where it accepts. */
export declare function judge(card: Card, mode: Mode, sent: unknown): Refusal[];
/** What a caller sends, as a schema of the Standard Schema specification, version 1. */
export interface Schema<T> {
    readonly "~standard": {
        readonly version: 1;
        readonly vendor: "frond";
        readonly validate: (value: unknown) => {
            readonly value: T;
            readonly issues?: undefined;
        } | {
            readonly issues: readonly Issue[];
        };
        readonly types?: {
            readonly input: T;
            readonly output: T;
        };
    };
}
/** A refusal as Standard Schema has it, with the code and the pointer of the detail. */
export interface Issue {
    readonly message: string;
    readonly path: readonly Key[];
    readonly code: string;
    readonly pointer: string;
}
export declare function schema<T>(card: Card, mode: Mode): Schema<T>;
/** The details that the host would answer, in its order; none where it would accept the value. */
export declare function details<T>(of: Schema<T>, v: unknown): Detail[];
/** The value with what the host would fill in: constants, the time, empty lists; not what it generates. */
export declare function fill<T>(of: Schema<T>, v: Partial<T>, now?: Date): T;
export {};
