/** A class of characters, an assertion, a sequence (0), a choice (1) or a repetition (2). */
export type Tree = string | number | readonly [0 | 1, ...Tree[]] | readonly [2, number, number, Tree];
/** What tests a text: a RegExp does. */
export interface Test {
    test(text: string): boolean;
}
/** Makes a pattern that is tested in time linear in the text; steps counts what its tests cost. */
export declare function matcher(tree: Tree): Test & {
    readonly steps: number;
};
