/** Each kind that ships, in a hosted service with its own database: what searches find, against what the stand-in of its vendor holds. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readJson, writeJson } from '../../packages/ferrule/src/values/json/json.ts'
import { eventually, startCopyWorld } from '../http/search-support.ts'
import { connectorsPath, type Json, type World } from '../http/support.ts'
import { choose, isSoak } from '../support/draws.ts'
import { loadSubject } from './connectors.ts'
import { isRow, type Row, sortBy, type Vendor } from './stand-ins/shared.ts'
import { type CopySubject, type ListSubject, type Subject, subjects } from './subjects.ts'

const vendors = new Map<string, Vendor>()
let world: World
beforeAll(async () => {
  const kinds = (await Promise.all(subjects.map(loadSubject))).map(({ definition }) => ({ definition, rules: {} }))
  // In full the larger ones would take hours: each record is in a database, and some are read one by one.
  for (const { slug, start, startLarge = start } of subjects) vendors.set(slug, await choose(startLarge, start)().listen())
  const origins = Object.fromEntries([...vendors].map(([slug, { origin }]) => [slug, { api: origin, oauth: origin }]))
  world = await startCopyWorld('embedded', { kinds, settings: { origins } })
}, 600_000)
afterAll(async () => {
  await world?.close()
  for (const vendor of vendors.values()) await vendor[Symbol.asyncDispose]()
})

const keyById = ({ id }: Row): string => String(id)
/** Returns whether two values agree in all that both have: a copy asks some vendors for some names of an object only. */
function agree(own: unknown, row: unknown): boolean {
  if (Array.isArray(own) && Array.isArray(row)) return own.length === row.length && own.every((each, index) => agree(each, row[index]))
  // A record within another one is as the vendor had it then.
  if (isRow(own) && isRow(row) && 'id' in own && 'id' in row) return agree(own['id'], row['id'])
  if (isRow(own) && isRow(row)) return Object.keys(own).every((name) => !(name in row) || agree(own[name], row[name]))
  return String(own ?? null) === String(row ?? null)
}

/** Lets the service's clock follow the machine's; no two steps are at the same time. */
const tick = () => {
  world.clock.now = Math.max(Date.now(), world.clock.now + 1)
}

/** A connector of a kind in the service. */
class Hosted {
  readonly #subject: Subject
  readonly vendor: Vendor
  #id = ''
  constructor(subject: Subject) {
    this.#subject = subject
    this.vendor = vendors.get(subject.slug) ?? subject.start()
  }

  async create(): Promise<void> {
    const { slug, credentials, config } = this.#subject
    const body = { workspace_name: 'default', name: slug, connector_type: slug, credentials, replication_config: config }
    const { status, text, json } = await world.ask(connectorsPath, { token: world.token, body })
    if (status !== 200) throw new Error(text)
    this.#id = String(json.id)
  }

  /** Runs a sync to its end. @returns the states of its entities, those that are not as they should be apart */
  async sync(
    mode: 'incremental' | 'full',
  ): Promise<{ readonly states: Readonly<Record<string, string>>; readonly wrong: readonly unknown[] }> {
    tick()
    const path = `${connectorsPath}/${this.#id}/syncs`
    const { json: asked } = await world.ask(path, { token: world.token, body: { mode } })
    await world.context.sync()
    const { json: run } = await world.ask(`${path}/${asked.id}`, { token: world.token })
    const wrong = run.results.filter(({ state }: Json) => state !== 'complete' && state !== 'changes')
    const states = Object.fromEntries(run.results.map(({ entity, state }: Json) => [entity, state]))
    return { states, wrong: run.state === 'succeeded' ? wrong : [run] }
  }

  /** Finds records of the copy, with all digits of their numbers. */
  async find(entity: string, query: object = {}): Promise<readonly Row[]> {
    const found: Row[] = []
    for (let cursor: string | undefined | null; cursor !== null; ) {
      const params = { query, limit: 10_000, ...(cursor === undefined ? {} : { cursor }) }
      const { status, text } = await world.execute(this.#id, writeJson({ entity, action: 'context_store_search', params }))
      if (status !== 200) throw new Error(text)
      const { data, meta } = readJson(text) as Json
      found.push(...data)
      cursor = meta.cursor
    }
    return found
  }

  /** Reads a list to its end, at the vendor. */
  async walk({ entity, params = {} }: ListSubject): Promise<void> {
    for (let next: object | null = params; next !== null; ) {
      tick()
      const { status, text, json } = await world.execute(this.#id, writeJson({ entity, action: 'list', params: next }))
      if (status !== 200) throw new Error(text)
      next = json.meta.next_params === null ? null : { ...next, ...json.meta.next_params }
    }
  }

  /** Gets records at the vendor, whether they are there or not. */
  async get(entity: string, params: object): Promise<void> {
    tick()
    await world.execute(this.#id, writeJson({ entity, action: 'get', params }))
  }

  /** Returns how the copies differ from the vendor. A field of the copy that the vendor's record has too must have the same value. */
  async compare(isStrict = false) {
    const found = []
    for (const copy of this.#subject.copies) found.push(...(await this.#compareOne(copy, isStrict)))
    return found
  }

  async #compareOne(copy: CopySubject, isStrict: boolean) {
    const { entity, key = keyById } = copy
    const rows = rowsOf(copy, this.vendor)
    const vanished = new Set(isStrict ? [] : this.vendor.vanished.map(key))
    const found = await this.find(entity)
    const copied = new Map(found.map((row) => [key(row), row]))
    const differs = (row: Row, own: Row) => Object.keys(own).filter((field) => field in row && !agree(own[field], row[field]))
    const differences = {
      doubled: found.length - copied.size,
      lost: [...rows.keys()].filter((one) => !copied.has(one)),
      more: [...copied.keys()].filter((one) => !rows.has(one) && !vanished.has(one)),
      old: [...rows].flatMap(([one, row]) =>
        differs(row, copied.get(one) ?? {}).map((field) => [one, field, row[field], copied.get(one)?.[field]]),
      ),
    }
    const { doubled, lost, more, old } = differences
    return doubled + lost.length + more.length + old.length === 0 ? [] : [{ entity, ...differences }]
  }
}

/** Returns the vendor's records of a copy by their keys. */
const rowsOf = ({ holds, only = () => true, key = keyById }: CopySubject, vendor: Vendor): ReadonlyMap<string, Row> =>
  new Map(
    vendor
      .holds(holds)
      .filter(only)
      .map((row) => [key(row), structuredClone(row)]),
  )

describe.each(subjects)('$slug', (subject) => {
  const { copies, lists, gets } = subject
  const hosted = () => (made ??= new Hosted(subject))
  let made: Hosted | undefined
  let first: ReadonlyMap<CopySubject, ReadonlyMap<string, Row>>

  test('is synced whole, and the copy equals the vendor', async () => {
    for (let count = 0; count < 2; count += 1) hosted().vendor.mutate() // so that some are deleted from the beginning
    first = new Map(copies.map((copy) => [copy, rowsOf(copy, hosted().vendor)]))
    await hosted().create()
    expect((await hosted().sync('full')).wrong).toEqual([])
    expect(await hosted().compare()).toEqual([])
  }, 600_000)

  test('is synced by its changes, and the copy equals the vendor', async () => {
    for (let count = 0; count < 3; count += 1) hosted().vendor.mutate()
    const { states, wrong } = await hosted().sync('incremental')
    expect(wrong).toEqual([])
    const [incremental] = copies.filter((copy) => copy.incremental)
    if (incremental !== undefined && !isSoak) expect(states[incremental.entity]).toBe('changes')
    expect(await hosted().compare()).toEqual([])
    if (!isSoak) return
    expect((await hosted().sync('full')).wrong).toEqual([])
    expect(await hosted().compare(true)).toEqual([])
  }, 600_000)

  test.each(copies.slice(0, choose(2, copies.length)).map((copy) => [copy.entity, copy] as const))(
    'is searched: %s',
    async (entity, { key = keyById, compared }) => {
      const all = await hosted().find(entity)
      const own = all[Math.floor(all.length / 2)] ?? {}
      const ownKey = key(own)
      const field = Object.keys(own).find((name) => String(own[name]) === ownKey) ?? 'id'
      const text = compared.find((name) => typeof own[name] === 'string') ?? field
      const find = async (filter: object) => (await hosted().find(entity, { filter })).map(key).toSorted()
      const those = (fits: (row: Row) => boolean) => all.filter(fits).map(key).toSorted()
      expect(await find({ eq: { [field]: own[field] } })).toEqual([ownKey])
      expect(await find({ not: { eq: { [field]: own[field] } } })).toEqual(those((row) => key(row) !== ownKey))
      const some = new Set(all.filter((_row, index) => index % 7 === 0))
      expect(await find({ in: { [field]: [...some].map((row) => row[field]) } })).toEqual(those((row) => some.has(row)))
      const words = String(own[text])
      const pattern = words.replaceAll(/[\\%_]/g, String.raw`\$&`)
      expect(await find({ like: { [text]: pattern } })).toEqual(those((row) => String(row[text] ?? '').includes(words)))
      const sorted = await hosted().find(entity, { sort: [{ [field]: 'desc' }] })
      expect(sorted.map(key)).toEqual(sortBy(all, [field], false).map(key))
      const time = Object.keys(own).find((name) => /^\d{4}-\d\d-\d\dT/.test(String(own[name])))
      if (time === undefined) return
      const from = Date.parse(String(own[time]))
      expect(await find({ gte: { [time]: own[time] } })).toEqual(those((row) => Date.parse(String(row[time])) >= from))
    },
    600_000,
  )

  test('live reads bring no deleted record into the copy', async () => {
    const { vendor } = hosted()
    const living = new Map(copies.map((copy) => [copy, new Set(rowsOf(copy, vendor).keys())]))
    const copied = new Map<CopySubject, ReadonlySet<string>>()
    for (const copy of copies) copied.set(copy, new Set((await hosted().find(copy.entity)).map(copy.key ?? keyById)))
    for (const [copy, rows] of first)
      for (const { entity, params } of gets) {
        const dead = [...rows].filter(([one]) => entity === copy.entity && !living.get(copy)?.has(one))
        for (const [, row] of dead.slice(0, 3)) await hosted().get(entity, params(row))
      }
    for (const list of lists)
      if (list.params !== undefined && copies.some(({ entity }) => entity === list.entity)) await hosted().walk(list)
    // Records of live reads are written in the order of the reads, so those of a later one show that the others are written.
    vendor.mutate()
    const isNew = (copy: CopySubject) =>
      rowsOf(copy, vendor)
        .keys()
        .some((one) => !living.get(copy)?.has(one))
    const last = copies.find((copy) => isNew(copy) && lists.some(({ entity, only }) => entity === copy.entity && only === undefined))
    const list = lists.find(({ entity, only }) => entity === last?.entity && only === undefined)
    if (last === undefined || list === undefined) throw new Error(`${subject.slug} has no list with new records`)
    await hosted().walk(list)
    const missing = async () => {
      const found = new Set((await hosted().find(last.entity)).map(last.key ?? keyById))
      return [...rowsOf(last, vendor).keys()].filter((one) => !found.has(one))
    }
    await eventually(missing, ({ length }) => length === 0)
    const dead: unknown[] = []
    for (const copy of copies) {
      const { entity, key = keyById } = copy
      const may = new Set([...(copied.get(copy) ?? []), ...rowsOf(copy, vendor).keys()])
      dead.push(...(await hosted().find(entity)).map(key).flatMap((one) => (may.has(one) ? [] : [[entity, one]])))
    }
    expect(dead).toEqual([])
  }, 600_000)
})
