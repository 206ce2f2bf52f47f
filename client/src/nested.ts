// Rows that belong to a row, in its body (docs/nested.md). They are judged as the host judges them: the
// form of all of them with the row, and then each of them by its own card. Only the host knows which
// rows there are.

import { canonical, type Card, element, isEmpty, judge, type Key, kindOf, type Members, most, names, plain, type Mode, type Refusal } from "./judge.js";

/**
 * A relation: its name, the name of the key that its ids are of, what such an id is ("" for the host to
 * say), and the card of the rows with the name of their owner's key. Without a card a body has ids alone.
 */
type Relation = [name: string, key: string, id: string, card?: Card, by?: string];

type Row = [at: Key[], write: string, id: unknown, body?: Members];

const without = (v: Members, name: string): Members => {
  const { [name]: _, ...rest } = v;
  return rest;
};

export const nested = (card: Card, owner: string, relations: Relation[]): Card => ({
  ...card,
  within(mode: Mode, sent: unknown) {
    let rest = plain(sent) as Members;
    const cuts = kindOf(rest) === "object" && !judge({ open: 1 }, 2, rest)[0] ? names(rest).filter((name) => relations.some((of) => of[0] === name) && (mode || !isEmpty(plain(rest[name])))) : [];
    if (!cuts[0]) return judge(card, mode, sent);
    const of = plain(rest[owner]);
    const all: Refusal[] = [];
    const refuse = (path: Key[], code: string, message: string) => {
      all.push({ path, code, message });
    };
    const rows = new Map<Relation, Row[]>();
    for (const name of cuts) {
      const relation = relations.find((each) => each[0] === name)!;
      const list = read(relation, plain(rest[name]), refuse);
      if (list.length > 1000) refuse([name], "maxItems", `must have at most 1000 rows, and has ${list.length}; send the rest in another call`);
      rows.set(relation, list);
      rest = without(rest, name);
    }
    all.push(...judge(card, mode, rest));
    if (all[0]) return all.slice(0, most);
    for (const relation of relations) {
      const [, , id, card, by] = relation;
      const named = new Set<string>();
      // A row whose id is at fault is left out, and the others are judged all the same.
      const list = (rows.get(relation) ?? []).filter(([at, , sent]) => {
        if (sent === undefined || !id) return true;
        const text = canonical(sent);
        if (id === "a string" ? typeof sent !== "string" : typeof sent !== "bigint" && !Number.isInteger(sent)) refuse(at, "type", "does not name a row: the id must be " + id);
        else if (named.has(text)) refuse(at, "reference", "names a row that is named before; name it once");
        else return named.add(text);
        return false;
      });
      if (!card) continue;
      const judged = list.filter(([at, , , row]) => {
        const key = row && plain(row[by!]);
        const other = key !== undefined && mode === 0 && canonical(key) !== canonical(of); // the host knows the owner of a patch
        if (other) refuse([...at, by!], "read_only", "is the key of the owner, which is filled in; leave it out");
        return row && !other;
      });
      for (const write of ["update", "create"]) {
        for (const [at, is, , row] of judged) {
          if (is === write) for (const x of judge(card, write === "update" ? 1 : 0, without(row!, by!))) all.push({ ...x, path: [...at, ...x.path] });
        }
      }
    }
    return all.slice(0, most);
  },
});

/** The rows of a relation, and the faults of their form. */
function read([name, key, , card]: Relation, v: unknown, refuse: (path: Key[], code: string, message: string) => void): Row[] {
  const lists = card ? ["create", "update", "delete"] : ["connect", "disconnect"];
  const members = `must be an object with ${lists.join(", ").replace(/, (\w+)$/, " and $1")}, or with set`;
  const rows: Row[] = [];
  if (kindOf(v) !== "object") {
    refuse([name], "type", members);
    return rows;
  }
  const sent = names(v as Members);
  for (const write of sent) {
    const list = plain((v as Members)[write]);
    if (write !== "set" && !lists.includes(write)) refuse([name, write], "unknown_key", members);
    else if (list !== null && !Array.isArray(list)) refuse([name, write], "type", "must be a list");
    else (list as unknown[] | null)?.forEach((one, i) => {
      const at = [name, write, i];
      const row = element(one);
      if (!card || write === "delete") rows.push([at, write, row]);
      else if (kindOf(row) !== "object") refuse(at, "type", "must be an object with the fields of a row");
      else {
        const id = plain((row as Members)[key]);
        if (write === "create" || write === "set" && id === undefined) rows.push([at, "create", undefined, row as Members]);
        else if (id === undefined) refuse([...at, key], "required", "is required: it is the id of the row to update");
        else rows.push([at, "update", id, without(row as Members, key)]);
      }
    });
  }
  const says = (list: string) => sent.includes(list) && plain((v as Members)[list]) !== null;
  if (says("set") && lists.some(says)) refuse([name], "set", "has set beside others; set states all rows, so send it alone");
  return rows;
}
