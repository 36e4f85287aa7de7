/** Vendor of the artificial kind: records that a test changes, and lists as the definition declares them. */

import { isObject } from '../../packages/ferrule/src/definition/object.ts'
import { getAt, parsePath } from '../../packages/ferrule/src/engine/json/paths.ts'
import { fail } from '../../packages/ferrule/src/errors.ts'
import type { Answered, Ask } from '../../packages/server/src/copies/sync/walk/types.ts'
import { type EntityName, entities, madeUp } from './sync-kind.ts'

type Row = Record<string, unknown>
type Call = Parameters<Ask>[0]

const pageRecords = 3
const vendor = 'Acme'
const number = (value: unknown): number => Number(value ?? 0)
const moment = (value: unknown, fallback: number): number => (value === undefined ? fallback : Date.parse(String(value)))

/** Formats a call as one line. */
export const said = ({ entity, params }: Call): string => {
  const shown = Object.entries(params).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [`${name}=${isObject(value) || Array.isArray(value) ? JSON.stringify(value) : value}`],
  )
  return [entity, ...shown].join(' ')
}

/** Returns a counted page: deleting an earlier record shifts the later ones. */
function counted(rows: readonly Row[], { cursor }: Readonly<Record<string, unknown>>, size = pageRecords): Answered {
  const from = number(cursor)
  return { rows: rows.slice(from, from + size), next: from + size < rows.length ? { cursor: String(from + size) } : null }
}

/** Returns a page that continues after the last record. */
function linked(rows: readonly Row[], after: number, size = pageRecords): Answered {
  const left = rows.filter((row) => number(row['id']) > after)
  const page = left.slice(0, size)
  return { rows: page, next: left.length > size ? { page_info: String(page.at(-1)?.['id']) } : null }
}

/** The vendor. */
export class Vendor {
  /** Milliseconds since 1970. */
  now = Date.parse('2026-03-20T12:00:00Z')
  readonly people: Row[] = []
  readonly orders: Row[] = []
  /** All lines, whichever an order shows. */
  readonly lines: Row[] = []
  readonly notes: Row[] = []
  readonly items: Row[] = []
  readonly calls: Row[] = []
  readonly transcripts: Row[] = []
  readonly accounts: Row[] = []
  readonly reports: Row[] = []
  name = 'Shop'
  /** Called before each call is answered; what it throws becomes the answer. */
  before: (call: Call) => void | Promise<void> = () => undefined
  /** Calls since they were last taken. */
  calledWith: Call[] = []

  readonly ask: Ask = async (call) => {
    this.calledWith.push(structuredClone(call))
    await this.before(call)
    return structuredClone(this.#answers[call.entity as EntityName](call.params))
  }

  /** Returns the calls since the last time, one line each. */
  taken(): string[] {
    return this.calledWith.splice(0).map(said)
  }

  /** Returns a timestamp of the vendor, some seconds from now. */
  at(seconds = 0): string {
    return new Date(this.now + seconds * 1000).toISOString()
  }

  /** Adds or changes a record, and sets its change time if it has one. */
  put(entity: Exclude<EntityName, 'shop' | 'refunds'>, row: Row): void {
    const key = entities[entity].key
    const rows = this[entity]
    const index = rows.findIndex((each) => key.every((name) => each[name] === row[name]))
    const fresh = entity === 'orders' ? { refunds: [] } : {}
    const whole = { ...(index < 0 ? fresh : rows[index]), ...row, ...(entity === 'orders' ? { updated_at: this.at() } : {}) }
    if (index < 0) rows.push(whole)
    else rows[index] = whole
  }

  /** Deletes records. */
  drop(entity: Exclude<EntityName, 'shop' | 'refunds'>, where: (row: Row) => boolean): void {
    const left = this[entity].filter((row) => !where(row))
    this[entity].splice(0, this[entity].length, ...left)
  }

  #order(row: Row): Row {
    return {
      ...row,
      refunds: row['refunds'],
      lines: this.lines.filter((line) => line['order_id'] === row['id']).slice(0, pageRecords),
    }
  }

  #below(rows: readonly Row[], params: Readonly<Record<string, unknown>>, size: number): Answered {
    if (!this.orders.some(({ id }) => id === params['order_id'])) throw fail('record_not_found', { reason: 'no such order' })
    const own = rows.filter((row) => row['order_id'] === params['order_id'])
    return linked(own, number(params['page_info']), size)
  }

  readonly #answers: Readonly<Record<EntityName, (params: Readonly<Record<string, unknown>>) => Answered>> = {
    people: (params) => {
      // A cursor holds the parameters of the first page: it withdraws them, and refuses them later.
      const { cursor, limit } = params
      if (cursor !== undefined && limit !== undefined && limit !== null)
        throw fail('invalid_parameter', { reason: 'limit cannot go with cursor' })
      const { rows, next } = counted(this.people, params)
      return { rows, next: next === null || cursor !== undefined ? next : { ...next, limit: null } }
    },
    orders: ({ since_id, updated_at_min }) => {
      const from = moment(updated_at_min, 0)
      const rows = this.orders.filter((row) => moment(row['updated_at'], 0) >= from).toSorted((a, b) => number(a['id']) - number(b['id']))
      return linked(
        rows.map((row) => this.#order(row)),
        number(since_id),
      )
    },
    refunds: () => {
      throw fail('upstream_unsupported', { vendor, reason: 'refunds have no list' })
    },
    lines: (params) => this.#below(this.lines, params, 2),
    notes: (params) => this.#below(this.notes, params, pageRecords),
    items: ({ ids }) => ({ rows: this.items.filter(({ id }) => Array.isArray(ids) && ids.includes(String(id))), next: null }),
    calls: (params) => {
      const from = moment(getAt(params, parsePath('filter.from')), 0)
      const to = moment(getAt(params, parsePath('filter.to')), Number.MAX_VALUE)
      // The vendor compares the scheduled start.
      const inside = this.calls.filter((row) => {
        const at = moment(row['scheduled'] ?? row['started'], 0)
        return at >= from && at < to
      })
      const page = counted(inside, params)
      return { ...page, rows: page.rows.filter((row) => !isObject(row) || row['isPrivate'] !== 'yes') }
    },
    transcripts: (params) => {
      const ids = getAt(params, parsePath('filter.ids'))
      return { rows: this.transcripts.filter(({ callId }) => Array.isArray(ids) && ids.includes(callId)), next: null }
    },
    accounts: () => ({ rows: this.accounts, next: null }),
    reports: (params) => {
      const { account_id, start, end } = params
      return counted(
        this.reports.filter(
          (row) => row['account_id'] === account_id && String(row['day']) >= String(start) && String(row['day']) <= String(end),
        ),
        params,
        20,
      )
    },
    shop: () => ({ rows: [{ id: 1, name: this.name }], next: null }),
  }

  /** Returns the records that the copy must have of an entity, by their keys. */
  truth(entity: EntityName): Map<string, Row> {
    const rows = this.#truth[entity]()
    const fields = Object.keys(madeUp.definition.entities[entity]?.context_store_search ?? {})
    const keyed = rows.map((row): [string, Row] => {
      const key = entities[entity].key.map((name) => String(row[name])).join(' ')
      return [key, Object.fromEntries(fields.map((name) => [name, row[name] ?? null]))]
    })
    return new Map(keyed.toSorted(([one], [other]) => (one < other ? -1 : 1)))
  }

  readonly #truth: Readonly<Record<EntityName, () => readonly Row[]>> = {
    people: () => this.people,
    orders: () => [],
    refunds: () =>
      this.orders.flatMap(({ id, refunds }) => (Array.isArray(refunds) ? refunds.map((each) => ({ ...each, order_id: id })) : [])),
    lines: () => this.lines.filter(({ order_id }) => this.orders.some(({ id }) => id === order_id)),
    notes: () => this.notes.filter(({ order_id }) => this.orders.some(({ id }) => id === order_id)),
    items: () => this.items.filter(({ id }) => this.#truth.lines().some(({ item }) => item === id)),
    calls: () => this.calls.filter(({ isPrivate }) => isPrivate !== 'yes'),
    transcripts: () =>
      this.transcripts.flatMap((each) => {
        const call = this.#truth.calls().find(({ id }) => id === each['callId'])
        return call === undefined ? [] : [{ ...each, started: call['started'] }]
      }),
    accounts: () => this.accounts,
    reports: () => this.reports.filter(({ account_id }) => this.accounts.some(({ id }) => id === account_id)),
    shop: () => [{ id: 1, name: this.name }],
  }
}

/**
 * Creates a vendor with records of every entity.
 * @param more extra plain orders and old calls: a complete walk of more than ten calls does not run every time
 */
export function filledVendor(more = 0): Vendor {
  const vendor = new Vendor()
  const { now } = vendor
  vendor.now = now - 10 * 86_400_000
  for (let index = 0; index < more; index += 1) {
    vendor.put('orders', { id: 1000 + index, title: 'Plain' })
    vendor.put('calls', { id: `o${index}`, started: vendor.at(-(100 + index) * 86_400), title: 'Old' })
  }
  const day = 86_400
  for (let index = 1; index <= 8; index += 1) vendor.put('people', { id: `p${index}`, name: `Person ${index}` })
  for (let index = 1; index <= 7; index += 1) {
    vendor.put('orders', { id: index, title: `Order ${index}`, refunds: index % 3 === 0 ? [{ id: index * 10, amount: '5.00' }] : [] })
    for (let line = 0; line <= index % 5; line += 1) {
      vendor.put('lines', { id: index * 10 + line, item: 500 + index * 10 + line, order_id: index })
      vendor.put('items', { id: 500 + index * 10 + line, stock: line })
    }
    for (let note = 0; note < index % 3; note += 1) vendor.put('notes', { id: index * 10 + note, order_id: index, text: `Note ${note}` })
  }
  vendor.now = now
  for (let index = 0; index < 10; index += 1) {
    vendor.put('calls', { id: `c${index}`, started: vendor.at(-index * 3 * day), title: `Call ${index}` })
    vendor.put('transcripts', { callId: `c${index}`, text: `Words ${index}` })
  }
  for (const id of ['a1', 'a2']) {
    vendor.put('accounts', { id, name: `Account ${id}` })
    for (let index = 0; index < 40; index += 1)
      vendor.put('reports', { account_id: id, day: vendor.at(-index * day).slice(0, 10), clicks: index })
  }
  return vendor
}
