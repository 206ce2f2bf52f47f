export type Row = {
    readonly [name: string]: unknown;
};
/** A row with a patch. Members of nested objects are patched too. */
export declare const laid: (row: Row, patch: Row) => Row;
export interface Edit {
    readonly id: unknown;
    readonly patch: Row;
}
export declare class Edits {
    private readonly update;
    /** Called when a row is to be shown anew; with the row as the host has it, where it said so. */
    private readonly changed;
    private readonly queues;
    constructor(update: (id: any, patch: any, options: any) => Promise<any>, 
    /** Called when a row is to be shown anew; with the row as the host has it, where it said so. */
    changed: (id: unknown, row?: Row) => void);
    /** Shows a patch. It has to be sent or dropped. */
    add(id: unknown, patch: Row): Edit;
    /** Sends a patch behind those of the same row. A condition on a version that is shown with them is then on the one that the host answered last. */
    send(edit: Edit, options?: any): Promise<any>;
    /** Takes a patch back. */
    drop(edit: Edit, row?: Row): void;
    /** A row with the patches that are on their way. */
    shown(id: unknown, row: Row): Row;
}
