import { type Transport } from "./transport.js";
/** What the client knows of a door's GraphQL, by the name of the door. */
export interface DoorNames {
    readonly [door: string]: GraphQLNames;
}
export interface GraphQLNames {
    readonly type: string;
    /** The fields of a query: product, products, productsByIds. */
    readonly one: string;
    readonly many: string;
    /** The type of an id. */
    readonly id: string;
    /** What selects a field, where it is more than its name: dimensions { width }. */
    readonly fields: {
        readonly [name: string]: string | 1;
    };
    /** Fields of which null means that the row lacks them. */
    readonly absent?: readonly string[];
    /** Where its relations lead. */
    readonly relations?: {
        readonly [name: string]: {
            readonly door: string;
            readonly many?: 1;
        };
    };
}
export declare const graphql: Transport;
