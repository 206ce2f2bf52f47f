import type { RowFormat } from "./exchange.js";
/** Conditions on a value that equals others or not. */
export interface Equal<T> {
    readonly eq?: T;
    readonly ne?: T;
    readonly in?: readonly T[];
    readonly notIn?: readonly T[];
    readonly isNull?: boolean;
}
/** Conditions on a value that has an order. */
export interface Ordered<T> extends Equal<T> {
    readonly lt?: T;
    readonly lte?: T;
    readonly gt?: T;
    readonly gte?: T;
}
/** Conditions on a text. */
export interface Text extends Ordered<string> {
    readonly contains?: string;
    readonly startsWith?: string;
    readonly endsWith?: string;
    readonly icontains?: string;
}
/** Conditions on a list of values. */
export interface Has<T> {
    readonly has?: T;
    readonly isNull?: boolean;
}
/** Whether there is a value. */
export interface Present {
    readonly isNull?: boolean;
}
/** Conditions on the rows of a relation to many. Numbers are the names of their fields that can be summed. */
export interface Some<Filter, Numbers extends string = never> {
    readonly some?: Filter;
    readonly none?: Filter;
    readonly every?: Filter;
    /** The number of these rows. */
    readonly count?: Ordered<number>;
    /** Functions of their fields: avg: { rating: { gte: 4 } }. */
    readonly countDistinct?: {
        readonly [F in Values<Filter>]?: Ordered<number>;
    };
    readonly sum?: {
        readonly [F in Numbers]?: Ordered<number> | Ordered<string>;
    };
    readonly avg?: {
        readonly [F in Numbers]?: Ordered<number> | Ordered<string>;
    };
    readonly min?: {
        readonly [F in Comparable<Filter> & keyof Filter]?: Filter[F];
    };
    readonly max?: {
        readonly [F in Comparable<Filter> & keyof Filter]?: Filter[F];
    };
}
/** The fields of a filter that hold one value. */
type Values<Filter> = {
    [F in keyof Filter & string]-?: "eq" extends keyof NonNullable<Filter[F]> ? F : never;
}[keyof Filter & string];
/** Those that have a least and a greatest one. */
type Comparable<Filter> = {
    [F in keyof Filter & string]-?: "eq" extends keyof NonNullable<Filter[F]> ? (NonNullable<Filter[F]> extends Equal<boolean> ? never : F) : never;
}[keyof Filter & string];
/** The relations of a filter. */
type Ways<Filter> = {
    [K in keyof Filter & string]-?: K extends "and" | "or" | "not" ? never : NonNullable<Filter[K]> extends infer To ? ("and" extends keyof To ? K : "some" extends keyof To ? K : never) : never;
}[keyof Filter & string];
/** The names behind relations that rows are sorted by: category.name, reviews.count, reviews.rating.avg. The third step and those behind it are any. */
export type SortBehind<Filter> = {
    [K in Ways<Filter> & keyof Filter]: NonNullable<Filter[K]> extends infer To ? `${K}.${"and" extends keyof To ? Values<To> | SortSecond<To> : SortOf<To>}` : never;
}[Ways<Filter> & keyof Filter];
type SortSecond<Filter> = {
    [K in Ways<Filter> & keyof Filter]: NonNullable<Filter[K]> extends infer To ? `${K}.${"and" extends keyof To ? Values<To> | `${Ways<To>}.${string}` : "count" | `${string}.${Functions}`}` : never;
}[Ways<Filter> & keyof Filter];
type SortOf<To> = To extends Some<infer Filter, infer Numbers> ? "count" | `${Values<Filter>}.countDistinct` | `${Comparable<Filter>}.${"min" | "max"}` | `${Numbers}.${"sum" | "avg"}` : never;
type Functions = "countDistinct" | "sum" | "avg" | "min" | "max";
/** Which rows, in which order, how many of them. */
export type ListQuery<Filter, Sort extends string> = Listed<Filter, Sort> & Paged & Totalled;
interface Listed<Filter, Sort extends string> {
    readonly filter?: Filter;
    /** Names of fields; - is descending. category.name, reviews.count and reviews.rating.avg are behind relations. */
    readonly sort?: Sort | readonly Sort[];
    /** Rows of a page; 0 is none, for the total alone. */
    readonly limit?: number;
    /** Whether limit takes the rows that stand last; left out: where before is sent without after. */
    readonly backward?: boolean;
    /** Answer a cursor for every row. */
    readonly cursors?: boolean;
}
/** Where a page begins: by cursors, or by a number of rows. */
type Paged = {
    /** A cursor: the rows behind it. */
    readonly after?: string;
    /** A cursor: the rows that stand last before it. */
    readonly before?: string;
    readonly offset?: undefined;
} | {
    /** Rows to leave out at the beginning; not beside a cursor. */
    readonly offset?: number;
    readonly after?: undefined;
    readonly before?: undefined;
};
/** How many rows there are: whether to count them, or how. */
type Totalled = {
    /** false: do not count, total is -1. */
    readonly total?: boolean;
    readonly count?: undefined;
} | {
    /** How total is made; not beside total. An estimate is exact where that costs little. */
    readonly count?: "exact" | "estimated" | "none" | boolean;
    readonly total?: undefined;
};
/** Of a list that is searched. */
export interface SearchQuery {
    /** Words that the rows have: all of them, "a phrase", a beginning*, -without, or. Sort by -rank for the best first. */
    readonly search?: string;
}
/** The names of the fields of a row that a call selects. */
export type FieldOf<Row> = (keyof Row & string) | "*";
/** The fields to answer; ["*", "etag"] is a whole row with its version. Without it the row is whole. */
export interface Fields<F extends string> {
    readonly fields?: readonly F[];
}
/** The fields to answer, or with those of relations: { id: true, category: { name: true }, reviews: { limit: 3, rating: true } }. */
export interface Selects<Row, Relations, F extends string, S> extends Fields<F> {
    readonly select?: [F] extends [never] ? S & Select<Row, Relations> & Only<Select<Row, Relations>, S> : never;
}
/** The row that a call answers: whole, of the fields F, or of a selection S. */
export type RowAs<Row, F extends string, Relations = unknown, S = never> = [S] extends [never] ? ([F] extends [never] ? Row : Selected<Row, F>) : Shown<Row, Relations, S>;
/** A relation to one row, or none. */
export interface One<Row, Relations> {
    readonly one: [Row, Relations];
}
/** A relation to many rows. */
export interface Many<Row, Relations> {
    readonly many: [Row, Relations];
}
/** What a select may name: fields, and behind relations the fields of their rows. */
export type Select<Row, Relations> = {
    readonly [K in keyof Row | keyof Relations]?: (K extends keyof Row ? true : never) | (K extends keyof Relations ? Behind<Relations[K]> : never);
};
type Behind<To> = To extends Many<infer Row, infer Relations> ? Limited<Select<Row, Relations>> : To extends One<infer Row, infer Relations> ? Select<Row, Relations> : never;
/** limit: rows of the relation, 50 at most. */
type Limited<S> = Omit<S, "limit"> & {
    readonly limit?: number | ("limit" extends keyof S ? true : never);
};
/** S, where a name that T does not have, and an object without names, is never. */
type Only<T, S> = {
    readonly [K in keyof S]: K extends keyof T ? (S[K] extends object ? (keyof S[K] extends never ? never : Only<Extract<T[K], object>, S[K]>) : Extract<S[K], Exclude<T[K], object>>) : never;
};
/** A page of the rows of a relation. */
export interface Related<T> {
    items: T[];
    hasMore: boolean;
}
/** A row as a select shows it. */
export type Shown<Row, Relations, S> = {
    -readonly [K in keyof S as S[K] extends true | object ? K : never]: S[K] extends true ? (K extends "etag" ? string : K extends keyof Row ? Row[K] : never) : K extends keyof Relations ? Reached<Relations[K], S[K]> : never;
};
type Reached<To, S> = To extends Many<infer Row, infer Relations> ? Related<Shown<Row, Relations, S>> : To extends One<infer Row, infer Relations> ? Shown<Row, Relations, S> | null : never;
/** A row of the fields that were selected. */
export type Selected<Row, F extends string> = Pick<Row, Exclude<F extends "*" ? keyof Row : Extract<F, keyof Row>, "etag">> & ("etag" extends F ? {
    etag: string;
} : unknown);
/** Names, one or a list or with commas between them. Of a text with commas the first name is checked. */
export type Names<N extends string> = N | readonly N[] | `${N},${string}`;
/** never of names that are not known when it compiles: a list of any length, one of several. */
export type Literal<N, All = N> = N extends readonly unknown[] ? (number extends N["length"] ? never : unknown) : [All] extends [N] ? unknown : never;
/** The functions of a group, as aggregate names them: count, total.sum. */
export type NumberOf<Group> = {
    [K in Exclude<keyof Group, "key"> & string]-?: NonNullable<Group[K]> extends object ? `${K}.${keyof NonNullable<Group[K]> & string}` : K;
}[Exclude<keyof Group, "key"> & string];
/** Conditions on groups: { count: { gte: 5 }, total: { sum: { gt: 100 } } }. */
export type Having<Group> = {
    readonly and?: readonly Having<Group>[];
    readonly or?: readonly Having<Group>[];
    readonly not?: Having<Group>;
} & {
    readonly [K in Exclude<keyof Group, "key">]?: NonNullable<Group[K]> extends object ? {
        readonly [F in keyof NonNullable<Group[K]>]?: Ordered<NonNullable<NonNullable<Group[K]>[F]>>;
    } : Ordered<NonNullable<Group[K]>>;
};
/** What aggregate takes beside a page and a zone. */
export interface Grouping<Group extends {
    key: unknown;
}, Filter, By, Select> {
    readonly filter?: Filter;
    readonly by?: By;
    readonly select?: Select;
    readonly having?: Having<Group>;
    readonly sort?: Names<`${"" | "-"}${NumberOf<Group> | (keyof Group["key"] & string)}`>;
}
type Named<N> = N extends readonly (infer One)[] ? One : N extends `${infer One},${infer Others}` ? One | Named<Others> : N;
type Before<N, Sign extends string> = N extends `${infer One}${Sign}${string}` ? One : N;
/** A page of groups with the members that a call selects. */
export interface Grouped<Group extends {
    key: unknown;
}, By, Select> {
    items: ({
        key: {
            [K in keyof Group["key"] as K extends Before<Named<By>, ":"> ? K : never]-?: Exclude<Group["key"][K], undefined>;
        };
    } & {
        [K in Exclude<keyof Group, "key"> & string as K extends Before<Named<Select>, "."> ? K : never]-?: NonNullable<Group[K]> extends infer Of extends object ? {
            [F in keyof Of & string as `${K}.${F}` extends Named<Select> ? F : never]-?: Exclude<Of[F], undefined>;
        } : NonNullable<Group[K]>;
    })[];
    hasMore: boolean;
    endCursor: string | null;
}
/** What the row has to be when it is written. A row that is not is PRECONDITION_FAILED and stays as it is. */
export interface IfMatch {
    /** The version the row must have, as etag gives it, or several of which it must have one. */
    readonly ifMatch?: string | readonly string[] | undefined;
}
export interface Where<Filter> {
    /** What the row must meet when it is written. */
    readonly where?: Filter;
}
/** The bound of a write of the rows that meet a condition. */
export interface Most {
    /** If more rows meet the condition, nothing is written; 100 where it is left out. */
    readonly max?: number;
}
/** What an import may be told. */
export interface Importing {
    /** Judge and write the rows, and undo it. */
    readonly dryRun?: boolean;
    /** The faulty rows after which it ends; 100 where it is left out. */
    readonly faults?: number;
}
/** The answer of a write of the rows that meet a condition, where fields are selected. Deleted rows are as they were. */
export interface Written<T> {
    count: number;
    items: T[];
}
/** A row, and whether the call created it. */
export interface Upserted<T> {
    created: boolean;
    item: T;
}
/** The report of an import. A row at fault is left out; `row` is its place in the list. */
export interface Imported {
    created: number;
    updated: number;
    rows: number;
    complete: boolean;
    faults: {
        row: number;
        column: string | null;
        code: string;
        message: string;
    }[];
}
/** The report of an import of a file: `line` is the first line of the row. */
export interface ImportedFile extends Omit<Imported, "faults"> {
    faults: {
        line: number;
        column: string | null;
        code: string;
        message: string;
    }[];
}
/** Which rows an export has; limit is the number of all of them. */
export type Exporting<Query> = Omit<Query, "before" | "backward" | "cursors" | "total" | "count">;
/** The form of an export: rows, or the bytes of a file. */
export interface ExportAs<Format extends RowFormat> {
    readonly format?: Format;
    /** An apostrophe before texts that a spreadsheet takes for formulas; of a file alone. */
    readonly escape?: [Format] extends [never] ? never : "formulas";
}
/** Beside a command: it is made, and undone. */
export interface Rehearse {
    readonly rehearse: true;
}
/** What a command would do, as far as its caller sees it. */
export interface Rehearsal<T> {
    /** The token: `approve` takes it. */
    rehearsal: string;
    result: T;
    /** The rows that would change; null is no row, or none that the caller sees. */
    changes: {
        entity: string;
        key: string | number;
        change: "CREATED" | "UPDATED" | "DELETED";
        before: {
            [field: string]: unknown;
        } | null;
        after: {
            [field: string]: unknown;
        } | null;
    }[];
    events: {
        name: string;
        entity?: string;
        key?: string | number;
    }[];
    /** How many rows more. */
    more: number;
}
/** What a call carries, for operations that do not say what they take. */
export interface Invocation {
    readonly params?: {
        readonly [name: string]: unknown;
    };
    readonly query?: {
        readonly [name: string]: unknown;
    };
    readonly body?: unknown;
}
/** A list result. */
export interface Page<T> {
    items: T[];
    /** -1: not counted. */
    total: number;
    hasMore: boolean;
    endCursor: string | null;
    /** Where the log of events was before the page was read: `changes({ after: position })` misses no change of its rows. Missing where no changes are announced, and where the page may come from a copy of the store. */
    position?: string;
    cursors?: string[];
    hasPrevious?: boolean;
}
/** A page each time it has changed. */
export interface Watched<Page, Update> extends AsyncIterable<Page> {
    /** Shows a patch in the next page, and sends it behind those of the same row that wait for their answer. One that fails takes itself back. */
    readonly update: Update;
}
/** Who caused an event. A member without a value is missing. */
export interface EventActor {
    /** The id of the user; missing for an anonymous caller and for the host itself. */
    readonly user?: string;
    /** The operation that was called, such as order.update, or the name of the consumer. */
    readonly call?: string;
    /** The id of the trace of the call. */
    readonly request?: string;
    readonly by: "call" | "handler" | "job" | "import" | "consumer" | "signed";
    /** The id of the user who acted for the user. */
    readonly as?: string;
    /** The name of the token that the call had. */
    readonly token?: string;
}
/** What happened to a row. */
export interface Change<Row, Key = string | number | bigint> {
    readonly id: string;
    /** Where the stream goes on: `after` takes it. */
    readonly position: string;
    readonly name: string;
    /** left: the row is no longer one that the caller may see, or that meets the filter. */
    readonly change: "created" | "updated" | "deleted" | "left";
    readonly entity: string;
    readonly key: Key;
    readonly version: string | null;
    readonly at: string;
    /** null where the caller may not know; missing where no rule shows it. */
    readonly actor?: EventActor | null;
    /** null where the row has left. */
    readonly data: Row | null;
}
/** An event of a fact. */
export interface FactEvent<Data, Key = string | number | bigint> {
    /** Of the event, equal whenever it is sent again. */
    readonly id: string;
    /** Where the stream goes on: `after` takes it. */
    readonly position: string;
    readonly name: string;
    /** What happened to the row; missing where code emitted the event. */
    readonly change?: "created" | "updated" | "deleted";
    /** The row that the event is about; null where it is about none. */
    readonly entity: string | null;
    readonly key: Key | null;
    readonly version: string | null;
    readonly at: string;
    /** null where the caller may not know; missing where no rule shows it. */
    readonly actor?: EventActor | null;
    readonly data: Data;
}
/** Which changes or events, and from where on. */
export interface ChangesQuery<Filter> {
    /** A position, or "start" for the oldest that is kept; left out: from now on. */
    readonly after?: string;
    readonly filter?: Filter;
    readonly signal?: AbortSignal;
}
export {};
