/** Each kind that ships, in a hosted service with its own database: what searches find, against what the stand-in of its vendor holds. */
import { describe, expect, test } from 'vitest'
import { parseKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { readJson, writeJson } from '../../packages/ferrule/src/values/json/json.ts'
import { serve } from '../engine/support.ts'
import { eventually, startCopyWorld } from '../http/search-support.ts'
import { type Answer, base, connectorsPath, type Json } from '../http/support.ts'
import { choose, isSoak } from '../support/draws.ts'
import { kindHead } from '../support/kind-head.ts'
import { share } from '../support/share.ts'
import { loadSubject } from './connectors.ts'
import { at, isRow, type Row, sortBy, type Vendor } from './stand-ins/shared.ts'
import { type CopySubject, type ListSubject, type Subject, subjects } from './subjects.ts'

/** A kind whose list has no pages. */
const notesFile = `${kindHead('notes')}limits: { per: key, rates: [1000/s] }
check: notes.list
entities:
  notes: { about: Notes, fields: { id: string Id }, list: { call: GET /notes, at: list, pages: none }, sync: full }
`
let notesAnswer: object = {}
const notes = await share(serve(() => ({ body: notesAnswer })))
const vendors = new Map<string, Vendor>()
// In full the larger ones would take hours: each record is in a database, and some are read one by one.
for (const { slug, start, startLarge = start } of subjects) vendors.set(slug, await share(choose(startLarge, start)().listen()))
const origins = Object.fromEntries([...vendors].map(([slug, { origin }]) => [slug, { api: origin, oauth: origin }]))
const definitions = await Promise.all([...subjects.map(loadSubject), parseKind(notesFile)])
const kinds = definitions.map(({ definition }) => ({ definition, rules: {} }))
const settings = { origins: { ...origins, notes: { api: notes.origin } } }
const world = await share(startCopyWorld('postgres', { kinds, settings }))

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

/** Reads the counts of records of live reads that the service could not write. */
const readUnwritten = async (): Promise<string> =>
  (await world.ask('/metrics')).text.match(/^ferrule_folded_records_total\{.*outcome="(dropped|failed)".*$/gm)?.join() ?? ''

type Hostable = Pick<Subject, 'slug' | 'credentials' | 'config'>

/** A connector of a kind in the service. */
class Hosted {
  readonly #subject: Hostable
  id = ''
  constructor(subject: Hostable) {
    this.#subject = subject
  }

  async create(): Promise<void> {
    const { slug, credentials, config } = this.#subject
    const body = { workspace_name: 'default', name: slug, connector_type: slug, credentials, replication_config: config }
    const { status, text, json } = await world.ask(connectorsPath, { token: world.token, body })
    if (status !== 200) throw new Error(text)
    this.id = String(json.id)
  }

  /** Runs a sync to its end. @returns the states of its entities, those that are not as they should be apart */
  async sync(mode: 'incremental' | 'full') {
    tick()
    const path = `${connectorsPath}/${this.id}/syncs`
    const { json: asked } = await world.ask(path, { token: world.token, body: { mode } })
    await world.context.sync()
    const { json: run } = await world.ask(`${path}/${asked.id}`, { token: world.token })
    const wrong: readonly unknown[] = run.results.filter(({ state }: Json) => state !== 'complete' && state !== 'changes')
    const states: Readonly<Record<string, string>> = Object.fromEntries(run.results.map(({ entity, state }: Json) => [entity, state]))
    return { states, wrong: run.state === 'succeeded' ? wrong : [run], state: run.state, error: run.error }
  }

  /** Asks for one page of a search. */
  search(entity: string, params: object = { query: {} }): Promise<Answer> {
    return world.execute(this.id, writeJson({ entity, action: 'context_store_search', params }))
  }

  /** Finds records of the copy, with all digits of their numbers. */
  async find(entity: string, query: object = {}): Promise<readonly Row[]> {
    const found: Row[] = []
    for (let cursor: string | undefined | null; cursor !== null; ) {
      const params = { query, limit: 10_000, ...(cursor === undefined ? {} : { cursor }) }
      const { status, text } = await this.search(entity, params)
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
      const { status, text, json } = await world.execute(this.id, writeJson({ entity, action: 'list', params: next }))
      if (status !== 200) throw new Error(text)
      next = json.meta.next_params === null ? null : { ...next, ...json.meta.next_params }
    }
  }

  /** Gets records at the vendor, whether they are there or not. */
  async get(entity: string, params: object): Promise<void> {
    tick()
    await world.execute(this.id, writeJson({ entity, action: 'get', params }))
  }

  /** Asks the service about the connector. */
  async ask(path: string): Promise<Json> {
    return (await world.ask(`${connectorsPath}/${this.id}${path}`, { token: world.token })).json
  }
}

/** Returns the vendor's records of a copy by their keys. */
const rowsOf = ({ holds, only = () => true, key = keyById, shows = (row) => row }: CopySubject, vendor: Vendor): ReadonlyMap<string, Row> =>
  new Map(
    vendor
      .holds(holds)
      .filter(only)
      .map((row) => [key(row), structuredClone(shows(row))]),
  )

/**
 * Returns how a copy differs from the vendor. A field of the copy that the vendor's record has too must have the same value.
 * @param isStrict whether records must have left that vanished without a sign
 */
async function findDifferences(hosted: Hosted, copy: CopySubject, { vendor, isStrict }: { vendor: Vendor; isStrict: boolean }) {
  const { entity, key = keyById } = copy
  const rows = rowsOf(copy, vendor)
  const vanished = new Set(isStrict ? [] : vendor.vanished.map(key))
  const found = await hosted.find(entity)
  const copied = new Map(found.map((row) => [key(row), row]))
  const listOld = (one: string, row: Row) => {
    const own = copied.get(one) ?? {}
    return Object.keys(own).flatMap((field) =>
      field in row && !agree(own[field], row[field]) ? [[one, field, row[field], own[field]]] : [],
    )
  }
  const lost = [...rows.keys()].filter((one) => !copied.has(one))
  const more = [...copied.keys()].filter((one) => !rows.has(one) && !vanished.has(one))
  const old = [...rows].flatMap(([one, row]) => listOld(one, row))
  const doubled = found.length - copied.size
  return doubled + lost.length + more.length + old.length === 0 ? [] : [{ entity, doubled, lost, more, old }]
}

describe.each(subjects)('$slug', (subject) => {
  const { copies, lists, gets } = subject
  const connector = new Hosted(subject)
  const vendor = () => vendors.get(subject.slug) ?? subject.start()
  const compare = async (isStrict = false) => {
    const found: unknown[] = []
    for (const copy of copies) found.push(...(await findDifferences(connector, copy, { vendor: vendor(), isStrict })))
    return found
  }
  let first: ReadonlyMap<CopySubject, ReadonlyMap<string, Row>>

  test('is synced whole, and the copy equals the vendor', async () => {
    for (let count = 0; count < 2; count += 1) vendor().mutate() // so that some are deleted from the beginning
    first = new Map(copies.map((copy) => [copy, rowsOf(copy, vendor())]))
    await connector.create()
    expect((await connector.sync('full')).wrong).toEqual([])
    expect(await compare()).toEqual([])
  }, 600_000)

  test('is synced by its changes, and the copy equals the vendor', async () => {
    for (let count = 0; count < 3; count += 1) vendor().mutate()
    const { states, wrong } = await connector.sync('incremental')
    expect(wrong).toEqual([])
    const [incremental] = copies.filter((copy) => copy.incremental)
    if (incremental !== undefined && !isSoak) expect(states[incremental.entity]).toBe('changes')
    expect(await compare()).toEqual([])
    if (!isSoak) return
    expect((await connector.sync('full')).wrong).toEqual([])
    expect(await compare(true)).toEqual([])
  }, 600_000)

  test.each(copies.slice(0, choose(1, copies.length)).map((copy) => [copy.entity, copy] as const))(
    'is searched: %s',
    async (entity, { key = keyById, compared }) => {
      const all = await connector.find(entity)
      const own = all[Math.floor(all.length / 2)] ?? {}
      const ownKey = key(own)
      const field = Object.keys(own).find((name) => String(own[name]) === ownKey) ?? 'id'
      const text = compared.find((name) => typeof own[name] === 'string') ?? field
      const find = async (filter: object) => (await connector.find(entity, { filter })).map(key).toSorted()
      const those = (fits: (row: Row) => boolean) => all.filter(fits).map(key).toSorted()
      const isSame = (row: Row) => row[field] === own[field] // an id can be one of its parent only
      expect(await find({ eq: { [field]: own[field] } })).toEqual(those(isSame))
      expect(await find({ not: { eq: { [field]: own[field] } } })).toEqual(those((row) => !isSame(row)))
      const some = new Set(all.filter((_row, index) => index % 7 === 0).map((row) => row[field]))
      expect(await find({ in: { [field]: [...some] } })).toEqual(those((row) => some.has(row[field])))
      const words = String(own[text])
      const pattern = words.replaceAll(/[\\%_]/g, String.raw`\$&`)
      expect(await find({ like: { [text]: pattern } })).toEqual(those((row) => String(row[text] ?? '').includes(words)))
      const sorted = await connector.find(entity, { sort: [{ [field]: 'desc' }] })
      expect(sorted.map((row) => row[field])).toEqual(sortBy(all, [field], false).map((row) => row[field]))
      const time = Object.keys(own).find((name) => /^\d{4}-\d\d-\d\dT/.test(String(own[name])))
      if (time === undefined) return
      const from = Date.parse(String(own[time]))
      expect(await find({ gte: { [time]: own[time] } })).toEqual(those((row) => Date.parse(String(row[time])) >= from))
    },
    600_000,
  )

  test.each(
    copies
      .filter(({ entity }, index) => index < choose(1, copies.length) || entity === 'custom_records')
      .flatMap(({ compared, ...copy }) => compared.filter((path) => path.includes('.')).map((path) => [copy.entity, path, copy] as const)),
  )('is searched by a field that the account made: %s %s', async (entity, path, { key = keyById }) => {
    const all = await connector.find(entity)
    const value = all.map((row) => at(row, path)).find((each) => each !== null && each !== undefined)
    const those = all.filter((row) => at(row, path) === value).map(key)
    expect(those.length).toBeGreaterThan(0)
    expect((await connector.find(entity, { filter: { eq: { [path]: value } } })).map(key).toSorted()).toEqual(those.toSorted())
  })

  test('live reads bring no deleted record into the copy', async () => {
    const living = new Map(copies.map((copy) => [copy, new Set(rowsOf(copy, vendor()).keys())]))
    const copied = new Map<CopySubject, ReadonlySet<string>>()
    for (const copy of copies) copied.set(copy, new Set((await connector.find(copy.entity)).map(copy.key ?? keyById)))
    for (const [copy, rows] of first)
      for (const { entity, params } of gets) {
        const dead = [...rows].filter(([one]) => entity === copy.entity && !living.get(copy)?.has(one))
        for (const [, row] of dead.slice(0, 3)) await connector.get(entity, params(row))
      }
    for (const list of lists)
      if (list.params !== undefined && copies.some(({ entity }) => entity === list.entity)) await connector.walk(list)
    // Records of live reads are written in the order of the reads, so those of a later one show that the others are written.
    vendor().mutate()
    const isNew = (copy: CopySubject) =>
      rowsOf(copy, vendor())
        .keys()
        .some((one) => !living.get(copy)?.has(one))
    const last = copies.find((copy) => isNew(copy) && lists.some(({ entity, only }) => entity === copy.entity && only === undefined))
    const list = lists.find(({ entity, only }) => entity === last?.entity && only === undefined)
    if (last === undefined || list === undefined) throw new Error(`${subject.slug} has no list with new records`)
    let walkedAt: string | undefined
    const missing = async () => {
      // Again only where the service has not written what was read: the vendor counts what is read.
      const unwritten = await readUnwritten()
      if (unwritten !== walkedAt) await connector.walk(list)
      walkedAt = unwritten
      const found = new Set((await connector.find(last.entity)).map(last.key ?? keyById))
      return [...rowsOf(last, vendor()).keys()].filter((one) => !found.has(one))
    }
    await eventually(missing, ({ length }) => length === 0)
    const dead: unknown[] = []
    for (const copy of copies) {
      const { entity, key = keyById } = copy
      const may = new Set([...(copied.get(copy) ?? []), ...rowsOf(copy, vendor()).keys()])
      dead.push(...(await connector.find(entity)).map(key).flatMap((one) => (may.has(one) ? [] : [[entity, one]])))
    }
    expect(dead).toEqual([])
  }, 600_000)
})

test('a list that ends with a sign of more is a partial sync, and deletes nothing', async () => {
  const connector = new Hosted({ slug: 'notes', credentials: { key: 'key' } })
  const sync = async (ids: readonly string[], total: number) => {
    notesAnswer = { list: ids.map((id) => ({ id })), total }
    const { states, state, error } = await connector.sync('full')
    const [entity] = (await connector.ask('/context_store')).entities
    const { data, context_store } = (await connector.search('notes')).json
    const overviews = (await world.ask(`${base}/overview`, { token: world.token })).json.data
    const overview = overviews.find(({ id }: Json) => id === connector.id)
    const found = data.map(({ id }: Json) => id)
    const status = [entity.complete, entity.last_error]
    return { states, state, error, status, failing: overview.failing_entities, found, complete: context_store.complete }
  }
  const says = (message: string) => ({ code: 'upstream_answer_invalid', message, hint: expect.any(String) })
  notesAnswer = { list: [] }
  await connector.create()
  const short = says('Notes may have more records: total is 5, and 3 came.')
  expect(await sync(['a', 'b', 'c'], 5)).toEqual({
    ...{
      states: { notes: 'partial' },
      state: 'partial',
      error: short,
      status: [false, short],
      found: ['a', 'b', 'c'],
      complete: false,
      failing: [{ entity: 'notes', error: short }],
    },
  })
  const whole = { states: { notes: 'complete' }, state: 'succeeded', error: null, failing: [], status: [true, null], complete: true }
  expect(await sync(['a', 'b', 'c'], 3)).toMatchObject({ ...whole, found: ['a', 'b', 'c'] })
  expect(await sync(['a', 'b'], 3)).toMatchObject({ states: { notes: 'partial' }, found: ['a', 'b', 'c'], complete: false })
  expect(await sync(['a', 'b'], 2)).toMatchObject({ ...whole, found: ['a', 'b'] })
})
