import { type Card } from "./judge.js";
/**
 * A relation: its name, the name of the key that its ids are of, what such an id is ("" for the host to
 * say), and the card of the rows with the name of their owner's key. Without a card a body has ids alone.
 */
type Relation = [name: string, key: string, id: string, card?: Card, by?: string];
export declare const nested: (card: Card, owner: string, relations: Relation[]) => Card;
export {};
