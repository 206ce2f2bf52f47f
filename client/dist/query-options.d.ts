import { type Schema } from "./judge.js";
import type { Door } from "./transport.js";
/** What a QueryClient does for these options. */
export interface Cache {
    invalidateQueries(filters: {
        queryKey: readonly unknown[];
        exact?: boolean;
        refetchType?: "active" | "none";
    }): Promise<unknown>;
    cancelQueries(filters: {
        queryKey: readonly unknown[];
    }): Promise<unknown>;
    getQueriesData(filters: {
        queryKey: readonly unknown[];
    }): [readonly unknown[], unknown][];
    setQueryData(key: readonly unknown[], data: any): unknown;
    getQueryCache(): {
        find(filters: {
            queryKey: readonly unknown[];
            exact?: boolean;
        }): {
            getObserversCount(): number;
        } | undefined;
        subscribe(listener: (event: {
            type: string;
            query?: unknown;
        }) => void): () => void;
    };
}
interface Context {
    readonly signal: AbortSignal;
    /** The QueryClient; TanStack Query gives it from 5.69 on. */
    readonly client?: any;
}
export interface Query<T> {
    readonly queryKey: readonly unknown[];
    readonly queryFn: (context: Context) => Promise<T>;
    readonly structuralSharing: (old: any, data: any) => any;
}
/** A query whose data follows the host for as long as something observes it. */
export interface LiveQuery<T> extends Query<T> {
    readonly staleTime: number;
}
export interface InfiniteQuery<T> {
    readonly queryKey: readonly unknown[];
    readonly queryFn: (context: Context & {
        readonly pageParam: any;
    }) => Promise<T>;
    readonly initialPageParam: string | undefined;
    readonly getNextPageParam: (page: T) => string | undefined;
    readonly structuralSharing: (old: any, data: any) => any;
}
export interface Mutation<T, Variables> {
    readonly mutationKey: readonly unknown[];
    readonly mutationFn: (variables: Variables) => Promise<T>;
    readonly onMutate?: (variables: Variables) => Promise<unknown>;
    readonly onError?: (error: Error, variables: Variables, edit: any) => void;
    readonly onSettled: () => Promise<unknown>;
}
export declare function queries<Options>(member: string, door: Door, methods: any, judges?: {
    readonly [operation: string]: Schema<any>;
}): Options;
export {};
