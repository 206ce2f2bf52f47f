// Patches that are shown ahead of the host's answer: a queue for each row. They leave one after
// another, and one that fails takes only itself back. Where somebody else wrote the row in between,
// those behind it fail likewise if they have a condition on the version.

import { KitError } from "./errors.js";
import { isObject } from "./json.js";
import { etag } from "./version.js";

export type Row = { readonly [name: string]: unknown };

/** A row with a patch. Members of nested objects are patched too. */
export const laid = (row: Row, patch: Row): Row =>
  Object.fromEntries([
    ...Object.entries(row),
    ...Object.entries(patch).filter(([, x]) => x !== undefined).map(([name, x]) => {
      const was = row[name];
      return [name, isObject(x) && isObject(was) ? laid(was, x) : x];
    }),
  ]);

export interface Edit {
  readonly id: unknown;
  readonly patch: Row;
}

interface Queue {
  readonly edits: Edit[];
  /** Ends when the host has answered what was sent last. */
  turn: Promise<unknown>;
  /** The version that the host answered last. */
  version?: string | undefined;
  /** Versions of rows that were shown with these patches: whether only these were written since. */
  readonly known: Map<string, boolean>;
}

export class Edits {
  private readonly queues = new Map<string, Queue>();
  constructor(
    private readonly update: (id: any, patch: any, options: any) => Promise<any>,
    /** Called when a row is to be shown anew; with the row as the host has it, where it said so. */
    private readonly changed: (id: unknown, row?: Row) => void,
  ) {}

  /** Shows a patch. It has to be sent or dropped. */
  add(id: unknown, patch: Row): Edit {
    const edit = { id, patch };
    const queue = this.queues.get(String(id));
    if (queue) queue.edits.push(edit);
    else this.queues.set(String(id), { edits: [edit], turn: Promise.resolve(), known: new Map() });
    this.changed(id);
    return edit;
  }

  /** Sends a patch behind those of the same row. A condition on a version that is shown with them is then on the one that the host answered last. */
  send(edit: Edit, options: any = {}): Promise<any> {
    const queue = this.queues.get(String(edit.id))!;
    const turn = queue.turn.then(async () => {
      let row: Row | undefined;
      try {
        const version = queue.version !== undefined && queue.known.get(options.ifMatch) ? queue.version : options.ifMatch;
        row = await this.update(edit.id, edit.patch, { ...options, ...(version !== undefined && { ifMatch: version }) });
        return row;
      } catch (err) {
        if (err instanceof KitError && err.code === "PRECONDITION_FAILED") {
          row = err.details && "row" in err.details ? err.details.row : undefined;
          for (const version of queue.known.keys()) queue.known.set(version, false);
        }
        throw err;
      } finally {
        if (row) queue.version = etag(row);
        this.drop(edit, row);
      }
    });
    queue.turn = turn.catch(() => {});
    return turn;
  }

  /** Takes a patch back. */
  drop(edit: Edit, row?: Row): void {
    const queue = this.queues.get(String(edit.id));
    const at = queue?.edits.indexOf(edit) ?? -1;
    if (at < 0) return;
    queue!.edits.splice(at, 1);
    if (queue!.edits.length === 0) this.queues.delete(String(edit.id));
    this.changed(edit.id, row);
  }

  /** A row with the patches that are on their way. */
  shown(id: unknown, row: Row): Row {
    const queue = this.queues.get(String(id));
    if (!queue) return row;
    const version = etag(row);
    if (version !== undefined && !queue.known.has(version)) queue.known.set(version, true);
    return queue.edits.reduce((shown, edit) => laid(shown, edit.patch), row);
  }
}
