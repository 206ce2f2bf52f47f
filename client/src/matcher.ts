// Patterns on which an engine that backtracks may never end. The matcher follows all ways through
// a pattern at once, so a character costs the same whatever precedes it, and remembers the sets
// of places that it meets, as RE2 does. schema/script/matcher.go writes the trees.

/** A class of characters, an assertion, a sequence (0), a choice (1) or a repetition (2). */
export type Tree = string | number | readonly [0 | 1, ...Tree[]] | readonly [2, number, number, Tree];

/** What tests a text: a RegExp does. */
export interface Test {
  test(text: string): boolean;
}

/** A set of places in a pattern. A place is where a character is taken; the last one is 0. */
type Places = Int32Array;

/** What is reached without taking a character: places, and perhaps the end of the pattern. */
interface Reach {
  places: Places;
  end?: boolean;
}

/** What follows each place between two kinds of characters, filled in as places are met. */
interface Ways {
  holds: number;
  first: Reach;
  /** Places that the next lower one follows, those at the end, and those that only the next lower one follows. */
  lower: Places;
  ends: Places;
  plain: Places;
  /** The words of the sets that others have, those that are not 0. */
  follow: [word: number, bits: number][][];
}

/** The places that a match may have reached, and the kind of the character before. */
interface State {
  places: Places;
  kind: number;
  next: Map<string, State | true>;
}

/** How many steps between sets of places are remembered, of at least eight times as many. */
const most = 1000;

/** Adds the next lower places of those that one follows, and leaves the places that take the character. */
function take(out: Places, places: Places, lower: Places, takes: Places): void {
  let carry = 0; // from the word above
  for (let i = out.length; i--; ) {
    const low = places[i]! & lower[i]!;
    out[i] = (out[i]! | (low >>> 1) | carry) & takes[i]!;
    carry = low << 31;
  }
}

const nowhere: State["next"] = new Map();

/** Makes a pattern that is tested in time linear in the text; steps counts what its tests cost. */
export function matcher(tree: Tree): Test & { readonly steps: number } {
  // A step of the program is what it takes or asserts (0: a fork), and the steps behind it.
  const program: [what: string | number, ...next: number[]][] = [[0]];
  const at: number[] = []; // the steps of the places
  let asserts = 0;
  let steps = 0;

  /** Adds the steps of a tree in front of a step, and returns the first of them. */
  const build = (t: Tree, next: number): number => {
    if (typeof t !== "object") {
      if (typeof t === "number") asserts |= t;
      else at.push(program.length);
      return program.push([t, next]) - 1;
    }
    if (t[0] !== 2) {
      const parts = t.slice(1) as Tree[];
      return t[0] ? program.push([0, ...parts.map((part) => build(part, next))]) - 1 : parts.reduceRight((to: number, part) => build(part, to), next);
    }
    let to = next;
    if (t[2] < 0) {
      to = program.push([0, next]) - 1;
      program[to]!.push(build(t[3], to));
    } else for (let i = t[1]; i < t[2]; i++) to = program.push([0, next, build(t[3], to)]) - 1;
    for (let i = 0; i < t[1]; i++) to = build(t[3], to);
    return to;
  };
  const entry = build(tree, 0);
  const width = (at.length >> 5) + 1;
  const none = (): Places => new Int32Array(width);
  const add = (places: Places, place: number): void => void (places[place >> 5]! |= 1 << place);
  const after = at.map((step) => program[step]![1]!);
  const placeOf: number[] = [];
  const classes = new Map<string, Places>();
  at.forEach((step, place) => {
    placeOf[step] = place;
    const name = program[step]![0] as string;
    if (!classes.has(name)) classes.set(name, none());
    add(classes.get(name)!, place);
  });
  const tests = [...classes].map(([name, places]) => [new RegExp(`^${name}$`, "u"), places] as const);

  const seen = new Int32Array(program.length);
  let round = 0;
  /** What steps lead to where some assertions hold. */
  const reach = (todo: number[], holds: number): Reach => {
    const found: Reach = { places: none() };
    round++;
    for (let step; (step = todo.pop()) !== undefined; ) {
      if (seen[step] === round) continue;
      seen[step] = round;
      steps++;
      const way = program[step]!;
      const what = way[0];
      if (!step) found.end = true;
      else if (typeof what === "string") add(found.places, placeOf[step]!);
      else if ((what & holds) === what) for (let i = 1; i < way.length; i++) if (seen[way[i] as number] !== round) todo.push(way[i] as number);
    }
    return found;
  };

  // Kinds of characters: 0 beyond the ends of the text, 1 an end of a line, 2 of a word, 3 others.
  const lines = asserts & ~3;
  const kindOf = (c: string): number => (!lines ? 3 : c === "\n" ? 1 : /\w/.test(c) ? 2 : 3);
  const between: Ways[] = [];
  const holding = (before: number, after: number): number =>
    ((before ? 0 : 1) | (after ? 0 : 2) | (before < 2 ? 4 : 0) | (after < 2 ? 8 : 0) | ((before === 2) !== (after === 2) ? 16 : 32)) & asserts;
  const ways = (holds: number): Ways =>
    (between[holds] ??= { first: reach([entry], holds), holds, lower: none(), ends: none(), plain: none(), follow: [] });
  const learn = (w: Ways, place: number): [word: number, bits: number][] => {
    const { places, end } = reach([after[place]!], w.holds);
    if (end) add(w.ends, place);
    const below = place - 1;
    if (place && places[below >> 5]! & (1 << below)) {
      add(w.lower, place);
      places[below >> 5]! &= ~(1 << below);
    }
    const words: [number, number][] = [];
    places.forEach((bits, i) => bits && words.push([i, bits]));
    if (!words.length && !end) add(w.plain, place);
    return (w.follow[place] = words);
  };

  const states = new Map<number, State>(); // by a hash of their places
  const masks = new Map<string, Places>();
  let learned = 0;
  let met = 0; // of the sets that were to be remembered, those that were
  let period = 8 * most;
  const start: State = { places: none(), kind: 0, next: new Map() };
  // Where no more is remembered, two states take turns.
  const spare = [0, 1].map((): State => ({ places: none(), kind: 0, next: nowhere }));
  let turn = 0;
  const mask = (c: string): Places => {
    let places = masks.get(c);
    if (!places) {
      places = none();
      for (const [re, those] of tests) if (re.test(c)) those.forEach((bits, i) => (places![i]! |= bits));
      steps += tests.length;
      if (masks.size > most) masks.clear();
      masks.set(c, places);
    }
    return places;
  };

  /** Takes a character; true: the pattern matches before it. */
  const step = (from: State, c: string): State | true => {
    if (++learned > period) {
      // A text that meets no set again has fewer of its sets remembered from here on.
      period = met ? 8 * most : 4 * period;
      learned = met = 0;
      states.clear();
      start.next.clear();
    }
    const kind = kindOf(c);
    const w = ways(holding(from.kind, kind));
    const keep = learned <= most;
    let to = keep ? { places: none(), kind, next: new Map<string, State | true>() } : spare[(turn ^= 1)]!;
    const out = to.places;
    const { places } = from;
    const { ends, plain, follow } = w;
    out.set(w.first.places);
    let matched = w.first.end;
    for (let i = 0; i < width && !matched; i++) {
      let rest = places[i]! & ~plain[i]!;
      if (!rest) continue;
      for (; rest; rest &= rest - 1) {
        const place = i * 32 + 31 - Math.clz32(rest & -rest);
        for (const [k, bits] of follow[place] ?? learn(w, place)) {
          out[k]! |= bits;
          steps++;
        }
      }
      matched = (places[i]! & ends[i]!) !== 0;
    }
    if (!matched) {
      take(out, places, w.lower, mask(c));
      to.kind = kind;
    }
    steps += width;
    if (keep) {
      let hash = kind;
      for (let i = 0; i < width; i++) hash = (Math.imul(hash, 31) + out[i]!) | 0;
      const same = states.get(hash);
      if (same?.kind === kind && out.every((bits, i) => bits === same.places[i])) {
        met++;
        to = same;
      } else if (!matched) states.set(hash, to);
      if (from.next !== nowhere) from.next.set(c, matched || to);
    }
    return matched || to;
  };

  return {
    get steps() {
      return steps;
    },
    test(text: string): boolean {
      let at = start;
      for (const c of text) {
        const next = at.next.get(c) ?? step(at, c);
        steps++;
        if (next === true) return true;
        at = next;
      }
      return !!reach([entry, ...after.filter((_, place) => at.places[place >> 5]! & (1 << place))], holding(at.kind, 0)).end;
    },
  };
}
