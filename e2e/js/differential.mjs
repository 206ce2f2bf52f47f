// The reference of e2e/differential: graphql-js over the rows of a world. The
// argument names the package, graphql (16) or graphql17. A line in is a world and
// cases to answer in it, a line out is their answers.
//
// Resolvers are synchronous, so that errors come in the order of the document.

import { createInterface } from 'node:readline'

const js = await import(process.argv[2])
const byIds = (ids, rows) => ids.map((id) => rows.find((r) => r.row.id === id)).filter(Boolean)

// seedOf is FNV-1a over UTF-8.
function seedOf(text) {
  let h = 2166136261
  for (const byte of Buffer.from(text)) h = Math.imul(h ^ byte, 16777619)
  return h >>> 0
}

// Dice are mulberry32.
class Dice {
  constructor(seed) { this.s = seed | 0 }
  next() {
    this.s = (this.s + 0x6d2b79f5) | 0
    let t = Math.imul(this.s ^ (this.s >>> 15), this.s | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return (t ^ (t >>> 14)) >>> 0
  }
  below(n) { return this.next() % n }
}

// canonical is JSON with its keys sorted.
const canonical = (v) => JSON.stringify(v, (_, x) =>
  x && typeof x === 'object' && !Array.isArray(x) ? Object.fromEntries(Object.keys(x).sort().map((k) => [k, x[k]])) : x)

const texts = ['', 'a', 'b', 'zwei', '<&>', 'é"\\\n', '😀']

function world({ sdl, seed, entities, fields, nodes }) {
  const schema = js.buildSchema(sdl)
  const rows = {}
  for (const [name, e] of Object.entries(entities)) rows[name] = e.rows.map((row) => ({ __typename: e.type, entity: name, row }))
  const entityOf = Object.fromEntries(Object.entries(entities).map(([name, e]) => [e.type, name]))

  // A value that breaks its type is an error in its place: the house repairs
  // nothing but whole numbers for IDs (docs/decisions/graphql-execution.md).
  function strict(type, v) {
    if (js.isNonNullType(type)) type = type.ofType
    if (v == null) return null
    if (js.isListType(type)) return Array.isArray(v) ? v.map((x) => strict(type.ofType, x)) : new Error('no list')
    const is = typeof v
    const fits = {
      Int: () => Number.isInteger(v) && v === (v | 0), Float: () => is === 'number', String: () => is === 'string',
      Boolean: () => is === 'boolean', ID: () => is === 'string' || Number.isInteger(v),
    }[type.name]
    if (fits) return fits() ? v : new Error('no ' + type.name)
    if (js.isEnumType(type)) return is === 'string' && type.getValue(v) ? v : new Error('no ' + type.name)
    if (js.isObjectType(type)) return is === 'object' && !Array.isArray(v) ? v : new Error('no object')
    return v
  }

  const columns = (o) => o.row ?? o
  const sent = (args) => Object.fromEntries(Object.entries(args).filter(([, v]) => v != null))

  // list is the built-in list, over rows.
  function list(all, args, typ) {
    const { filter, orderBy, first, last, after, before, offset = 0 } = sent(args)
    sides(first, last, after, before, offset)
    const met = all.filter((r) => !filter || holds(filter, r.row))
    const rows = met
    const keys = (orderBy ?? []).map((key) => path(key, typ))
    if (new Set(keys.map(([names]) => names.join('.'))).size < keys.length) throw new Error('a key twice')
    met.sort((a, b) => {
      for (const [names, way] of keys) {
        const c = order(valueAt(names, a), valueAt(names, b))
        if (c) return way === 'DESC' ? -c : c
      }
      return order(a.row.id, b.row.id) * (keys.at(-1)?.[1] === 'DESC' ? -1 : 1)
    })
    if (last != null) {
      const items = last > 0 ? met.slice(-last) : []
      return { rows, items, total: met.length, hasMore: false, hasPrevious: met.length > last }
    }
    const rest = met.slice(offset)
    return { rows, items: rest.slice(0, first ?? 50), total: met.length, hasMore: rest.length > (first ?? 50), hasPrevious: offset > 0 && met.length > 0 }
  }

  // path is the names of a key of an order and its direction. It may go through three
  // relations to one row.
  function path(key, typ, steps = 3) {
    const given = Object.entries(key)
    if (given.length !== 1 || given[0][1] == null) throw new Error('one key an object')
    const [name, below] = given[0]
    if (typeof below === 'string') return [[name], below]
    const f = fields[`${typ}.${name}`]
    if (f?.kind === 'one' && steps-- === 0) throw new Error('too many relations')
    const [names, way] = path(below, f && entities[f.entity].type, steps)
    return [[name, ...names], way]
  }

  // valueAt is the value that a path leads to: a column of the row or of the row behind
  // relations to one, or a number of the rows behind a relation to many.
  function valueAt([name, ...rest], r) {
    if (!rest.length) return r.row[name] ?? null
    const f = fields[`${r.__typename}.${name}`]
    const found = related(f, r)
    if (f.kind === 'one') return found.length ? valueAt(rest, found[0]) : null
    const numbers = group(found, {})
    return rest.length === 1 ? numbers.count : numbers[rest[1]][rest[0]]
  }

  // related is the rows behind a relation.
  function related(f, r) {
    switch (f.kind) {
      case 'one': return byIds([columns(r)[f.column]], rows[f.entity])
      case 'many': return rows[f.entity].filter((other) => other.row[f.by] === r.row.id)
      case 'ids': return byIds([...new Set(r.row[f.column] ?? [])], rows[f.entity])
    }
    throw new Error('no relation')
  }

  // aggregated is a page whose rows are not read, since groups alone are selected of it.
  function aggregated(all, args) {
    const { filter } = sent(args)
    return { get rows() { return all.filter((r) => !filter || holds(filter, r.row)) } }
  }

  // alone reports whether nothing but groups is selected of a list.
  function alone(info) {
    let groups = false, others = false
    const typ = js.getNamedType(info.returnType).name
    const walk = (set) => {
      for (const s of set.selections) {
        const skip = js.getDirectiveValues(js.GraphQLSkipDirective, s, info.variableValues)
        const include = js.getDirectiveValues(js.GraphQLIncludeDirective, s, info.variableValues)
        if (skip?.if === true || include?.if === false) continue
        if (s.kind !== 'Field') {
          const fragment = s.kind === 'FragmentSpread' ? info.fragments[s.name.value] : s
          walk((fragment.definition ?? fragment).selectionSet)
          continue
        }
        if (s.name.value === '__typename') continue
        const kind = fields[`${typ}.${s.name.value}`]?.kind
        if (kind === 'aggregate' || kind === 'groups') groups = true
        else others = true
      }
    }
    for (const node of info.fieldNodes) walk(node.selectionSet)
    return groups && !others
  }

  // group is what groups say about rows: numbers of every column that the generator selects.
  function group(list, key) {
    const o = { key, count: list.length }
    const names = new Set(list.flatMap((r) => Object.keys(r.row)))
    return new Proxy(o, { get: (_, name) => {
      if (name in o || typeof name !== 'string' || name === 'row') return o[name]
      const values = (names.has(name) ? list.map((r) => r.row[name] ?? null) : []).filter((v) => v !== null).sort(order)
      const sum = values.length && typeof values[0] === 'number' ? values.reduce((a, b) => a + b) : null
      return {
        countDistinct: new Set(values).size, sum, avg: sum === null ? null : sum / values.length,
        min: values[0] ?? null, max: values[values.length - 1] ?? null,
      }
    } })
  }

  // groups is a page of groups.
  function groups(all, args) {
    const { by, having, orderBy = [], first = 50 } = sent(args)
    if (first < 0) throw new Error('negative')
    const names = by.map((o) => Object.keys(o)[0])
    const wanted = orderBy.map((o) => {
      const [name, way] = Object.entries(o)[0]
      return typeof way === 'string' ? [(g) => g[name], way, name] : [(g) => (way.key ? g.key[name] : g[name][Object.keys(way)[0]]), Object.values(way)[0], way.key ? `key ${name}` : `${name}.${Object.keys(way)[0]}`, way.key && name]
    })
    if (new Set(names).size < names.length || new Set(wanted.map(([, , n]) => n)).size < wanted.length) throw new Error('twice')
    for (const [, , , key] of wanted) if (key && !names.includes(key)) throw new Error('no key')
    const of = new Map()
    for (const r of all) {
      const key = Object.fromEntries(names.map((n) => [n, r.row[n] ?? null]))
      const text = JSON.stringify(key)
      of.set(text, [...(of.get(text) ?? []), r])
    }
    const test = (c, v) => Object.entries(c).every(([op, x]) => {
      switch (op) {
        case 'gte': return v !== null && v >= x
        case 'lt': return v !== null && v < x
        case 'isNull': return (v === null) === x
      }
      throw new Error('the reference knows no ' + op)
    })
    const meets = (c, g) => Object.entries(c).every(([name, f]) => {
      if (name === 'or') return f.some((s) => meets(s, g))
      if (name === 'not') return !meets(f, g)
      return name === 'count' ? test(f, g.count) : Object.entries(f).every(([fn, t]) => test(t, g[name][fn]))
    })
    const met = [...of.entries()].map(([text, list]) => group(list, JSON.parse(text))).filter((g) => !having || meets(having, g))
    const order3 = [...wanted.map(([get, way]) => [get, way]), ...names.map((n) => [(g) => g.key[n], 'ASC'])]
    met.sort((a, b) => {
      for (const [get, way] of order3) {
        const c = order(get(a) ?? null, get(b) ?? null)
        if (c) return way === 'DESC' ? -c : c
      }
      return 0
    })
    return { items: met.slice(0, first), hasMore: met.length > first }
  }

  function sides(first, last, after, before, offset) {
    for (const n of [first, last, offset]) if (n < 0) throw new Error('negative')
    if (offset > 0 && (last != null || after != null || before != null)) throw new Error('offset beside a cursor')
    if (first != null && last != null || first != null && before != null || last != null && after != null) throw new Error('both sides')
  }

  function order(a, b) {
    if (a === null || b === null) return (a !== null) - (b !== null)
    if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b))
    return a - b
  }

  function holds(filter, row) {
    return Object.entries(filter).every(([name, f]) => {
      if (name === 'and') return f.every((s) => holds(s, row))
      if (name === 'or') return f.some((s) => holds(s, row))
      if (name === 'not') return !holds(f, row)
      const v = row[name] ?? null
      return Object.entries(f).every(([op, x]) => {
        if (x === null) throw new Error('null for an operand')
        switch (op) {
          case 'eq': return v === x
          case 'ne': return v !== x
          case 'in': return x.includes(v)
          case 'notIn': return !x.includes(v)
          case 'isNull': return (v === null) === x
          case 'lt': return v !== null && order(v, x) < 0
          case 'gte': return v !== null && order(v, x) >= 0
        }
        throw new Error('the reference knows no ' + op)
      })
    })
  }

  // window is a connection over the ids that stand in a row.
  function window(all, args) {
    const { first, last, after, before, offset = 0 } = sent(args)
    sides(first, last, after, before, offset)
    let from = Math.min(offset, all.length), to = all.length
    if (first != null) to = Math.min(to, from + first)
    else if (last != null) from = Math.max(from, to - last)
    return { rows: all, items: all.slice(from, to), total: all.length, hasMore: to < all.length, hasPrevious: from > 0 }
  }

  function operation(f, args, info) {
    const all = rows[f.entity]
    switch (f.op) {
      case 'list': return alone(info) ? aggregated(all, args) : list(all, args, entities[f.entity].type)
      case 'findById': return byIds([args.id], all)[0] ?? null
      case 'findByIds': return byIds([...new Set(args.ids)], all)
      case 'first':
        if (args.n < 0) throw new Error('negative')
        return list(rows[f.owner], { first: args.n }).items
      case 'maybe':
        if (args.n < 0) throw new Error('negative')
        return list(rows[f.owner], { offset: args.n, first: 1 }).items[0] ?? null
    }
    const said = {}
    for (const [name, v] of Object.entries(args)) {
      const [place, key] = f.args[name]
      if (place === 'body') { if (v && Object.keys(v).length) said.body = v } else (said[place] ??= {})[key] = v
    }
    return JSON.parse(canonical(said))
  }

  function node(id) {
    const text = Buffer.from(id, 'base64url').toString()
    if (Buffer.from(text).toString('base64url') !== id) return null
    const at = text.indexOf(':')
    try { return byIds([JSON.parse(text.slice(at + 1))], rows[nodes[text.slice(0, at)]] ?? [])[0] ?? null } catch { return null }
  }

  // What each kind of generated field does; docs/decisions/graphql-schema.mdresolvers.Binding say it.
  const kinds = {
    column: (f) => (o, args, ctx, info) => strict(info.returnType, columns(o)[f.column]),
    computed: (f) => (o) => {
      if (f.column.endsWith('Fails')) throw new Error('it fails')
      return `${o.entity} ${o.row.id}`
    },
    one: (f) => (o) => related(f, o)[0] ?? null,
    many: (f) => (o, args, ctx, info) => (alone(info) ? aggregated : list)(related(f, o), args, entities[f.entity].type),
    aggregate: () => (p) => {
      if (!p.rows) throw new Error('no list')
      return group(p.rows, {})
    },
    groups: () => (p, args) => {
      if (!p.rows) throw new Error('no list')
      return groups(p.rows, args)
    },
    ids: (f) => (o, args, ctx, info) => {
      const all = related(f, o)
      return alone(info) ? { rows: all } : window(all, args)
    },
    nodeId: (f) => (o) => Buffer.from(`${f.entity}:${JSON.stringify(o.row.id)}`).toString('base64url'),
    node: () => (_, { nodeId, nodeIds }) => nodeIds ? nodeIds.map(node) : node(nodeId),
    operation: (f, name) => {
      f.owner = Object.keys(rows).find((e) => name.startsWith(e))
      return (_, args, ctx, info) => operation(f, args, info)
    },
    items: () => (p) => p.items,
    edges: () => (p) => p.items.map((node) => ({ node })),
    edgeNode: () => (e) => e.node,
    edgeCursor: () => () => 'cursor',
    endCursor: () => (p) => p.items.length ? 'cursor' : null,
    startCursor: () => (p) => p.items.length ? 'cursor' : null,
    total: () => (p) => p.total,
    hasMore: () => (p) => p.hasMore,
    hasPrevious: () => (p) => p.hasPrevious,
    pageInfo: () => (p) => p,
  }

  // hand resolves the fields that were added by hand.
  function hand(o, args, ctx, info) {
    const parent = info.parentType.name
    let from = seed
    if (o?.row) from = seedOf(`${parent}:${JSON.stringify(o.row.id)}`)
    else if (o?.seed !== undefined) from = o.seed
    let key = `${from}|${parent}.${info.fieldName}|${canonical(args)}`
    if (parent === 'Mutation') key += `|${++ctx.n}`
    const v = made(new Dice(seedOf(key)), info.returnType)
    if (v instanceof Error) throw v
    return v
  }

  // made makes up a value of a type, or an error in its place.
  function made(d, type) {
    let roll = d.below(100)
    if (js.isNonNullType(type)) {
      if (roll < 2) return null
      type = type.ofType
    } else if (roll < 12) return null
    roll = d.below(100)
    if (roll < 3) return new Error('the dice say no')
    if (js.isListType(type)) {
      if (roll < 5) return 7 // a string would be a list of its letters
      return Array.from({ length: d.below(4) }, () => made(d, type.ofType))
    }
    if (js.isAbstractType(type)) {
      const names = schema.getPossibleTypes(type).map((t) => t.name).sort()
      let name = names[d.below(names.length)]
      if (roll < 5) name = undefined
      return object(d, name)
    }
    if (js.isObjectType(type)) return object(d, type.name)
    if (js.isEnumType(type)) {
      if (roll < 5) return 'nothing of the kind'
      const names = type.getValues().map((v) => v.name).sort()
      return names[d.below(names.length)]
    }
    const n = d.below(1000)
    switch (type.name) {
      case 'Int': return roll < 5 ? 2 ** 31 + n : n - 500
      case 'Float': return roll < 5 ? NaN : n / 8
      case 'Boolean': return n % 2 === 0
      case 'ID': return roll < 40 ? n : `id${n}`
      case 'JSON': return [{ l: [null, true], n }, [n], n, 'j'][n % 4]
    }
    return `s${n} ${texts[n % texts.length]}`
  }

  function object(d, name) {
    const s = d.next()
    const entity = entityOf[name]
    if (entity) return rows[entity][s % (rows[entity].length + 1)] ?? null
    return { __typename: name, seed: s, mark: `mark${s % 7}` }
  }

  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue
    if (js.isObjectType(type)) {
      for (const [name, field] of Object.entries(type.getFields())) {
        const f = fields[`${type.name}.${name}`]
        field.resolve = f ? kinds[f.kind](f, name) : name.endsWith('Mark') ? (o) => o.mark : hand
      }
    }
    if (type.name === 'BigInt') Object.assign(type, bigInt)
  }
  return schema
}

// bigInt is a whole number, or its digits (docs/decisions/graphql-schema.md).
const whole = (v) => {
  const n = typeof v === 'string' && /^[-+]?\d+$/.test(v) ? Number(v) : v
  if (!Number.isInteger(n) || Math.abs(n) >= 2 ** 63) throw new js.GraphQLError('no BigInt')
  return n
}
const literal = (node) => {
  if (node.kind === 'IntValue' || node.kind === 'StringValue') return whole(String(node.value))
  throw new js.GraphQLError('no BigInt', { nodes: node })
}
const bigInt = {
  parseValue: whole, coerceInputValue: whole, parseLiteral: literal, coerceInputLiteral: literal,
}

function answer(schema, { query, variables, operationName }) {
  return JSON.stringify(js.graphqlSync({
    schema, source: query, operationName: operationName || undefined, rootValue: {}, contextValue: { n: 0 }, hideSuggestions: true,
    variableValues: variables ? JSON.parse(variables) : undefined,
  }))
}

for await (const line of createInterface({ input: process.stdin })) {
  const { world: told, cases } = JSON.parse(line)
  const schema = world(told)
  process.stdout.write(JSON.stringify(cases.map((c) => answer(schema, c))) + '\n')
}
