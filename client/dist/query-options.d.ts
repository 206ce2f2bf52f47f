import { type Schema } from "./judge.js";
import type { Door } from "./transport.js";
/** What a QueryClient does for these options. */
export interface Cache {
    invalidateQueries(filters: {
        queryKey: readonly unknown[];
    }): Promise<unknown>;
    cancelQueries(filters: {
        queryKey: readonly unknown[];
    }): Promise<unknown>;
    getQueriesData(filters: {
        queryKey: readonly unknown[];
    }): [readonly unknown[], unknown][];
    setQueryData(key: readonly unknown[], data: any): unknown;
}
export interface Query<T> {
    readonly queryKey: readonly unknown[];
    readonly queryFn: (context: {
        signal: AbortSignal;
    }) => Promise<T>;
    readonly structuralSharing: (old: any, data: any) => any;
}
export interface InfiniteQuery<T> {
    readonly queryKey: readonly unknown[];
    readonly queryFn: (context: {
        signal: AbortSignal;
        pageParam: any;
    }) => Promise<T>;
    readonly initialPageParam: string | undefined;
    readonly getNextPageParam: (page: T) => string | undefined;
    readonly structuralSharing: (old: any, data: any) => any;
}
export interface Mutation<T, Variables> {
    readonly mutationKey: readonly unknown[];
    readonly mutationFn: (variables: Variables) => Promise<T>;
    readonly onMutate?: (variables: Variables) => Promise<unknown>;
    readonly onError?: (error: Error, variables: Variables, before: any) => void;
    readonly onSettled: () => Promise<unknown>;
}
export declare function queries<Options>(member: string, door: Door, methods: any, judges?: {
    readonly [operation: string]: Schema<any>;
}): Options;
