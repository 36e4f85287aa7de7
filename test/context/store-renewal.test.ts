/** Opens a copy that the first token rules have filled; `copies/first-tokens.json` is what that version wrote. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseJson } from '../../packages/ferrule/src/json/json.ts'
import type { ContextDatabase } from '../../packages/server/src/context/database/database.ts'
import type { EntityRef } from '../../packages/server/src/context/entity-ref.ts'
import { createSearcher } from '../../packages/server/src/context/search.ts'
import type { ContextStore } from '../../packages/server/src/context/store/types.ts'
import { createRef, createStoreWorld, note, oneValue, overBoth, rowsOf, type StoreWorld } from './store-world.ts'

interface Wrote {
  readonly text: string
  readonly values?: readonly unknown[]
}
const wrote: readonly Wrote[] = JSON.parse(readFileSync(new URL('copies/first-tokens.json', import.meta.url), 'utf8'))
/** Copies of each record, for several batches. */
const times = 300
const columns = 'id, title, "title$s", "state$s", made, parts, "parts$s", "parts$g"'

/** Lets a given number of batches start. */
class Gate {
  #open = 0
  #waiting: (() => void)[] = []
  readonly rest = async (_ms: number, signal: AbortSignal): Promise<void> => {
    if (this.#open > 0) this.#open -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve) && signal.addEventListener('abort', () => resolve()))
  }
  let(batches: number): void {
    for (let batch = 0; batch < batches; batch += 1) {
      const next = this.#waiting.shift()
      if (next === undefined) this.#open += 1
      else next()
    }
  }
}

async function fill(database: ContextDatabase, { connector }: EntityRef): Promise<void> {
  await database.transaction((session) => session.query({ text: 'insert into cs_connectors (id) values ($1)', values: [connector] }))
  const number = Number(await oneValue(database, `select number from cs_connectors where id = '${connector}'`))
  const placed = (value: unknown) => (value === '{number}' ? number : value)
  await database.transaction(async (session) => {
    for (const { text, values = [] } of wrote) await session.query({ text, values: values.map(placed) as never })
    const names = await session.query({
      text: `select attname::text as name from pg_attribute where attrelid = 'cs_test_kind_notes'::regclass and attnum > 2`,
    })
    const others = names.rows.map(({ name }) => `"${String(name)}"`).join(', ')
    await session.query({
      text: `insert into cs_test_kind_notes (connector_id, pk, ${others}) select connector_id, pk || '-' || n, ${others}
        from cs_test_kind_notes, generate_series(1, ${times}) n where connector_id = $1`,
      values: [number],
    })
  })
}

overBoth('words of an older version', (engine) => {
  let world: StoreWorld
  const ref = createRef()
  const fresh = createRef()
  beforeAll(async () => {
    world = await createStoreWorld(engine)
    const before = world.open({ kinds: [] })
    await fill(await before.openDatabase(), ref)
    await before.close()
  })
  afterAll(() => world.close())

  const find = async (store: ContextStore, filter: object, where = ref): Promise<number> => {
    const answer = await createSearcher(store).search({
      ref: where,
      params: { query: { filter }, limit: 10_000, fields: ['id'] },
      key: Buffer.from('key'),
      now: world.now,
    })
    return answer?.count ?? -1
  }
  const each = times + 1
  const finds = [
    { keyword: { title: 'oresund' } },
    { keyword: { title: '東京' } },
    { fuzzy: { title: 'agreemnet' } },
    { fuzzy: { title: 'agreemnets' } },
    { fuzzy: { title: 'inv1243' } },
    { keyword: { parts: 'lodz' } },
    { keyword: { parts: '한국' } },
    { like: { title: '%京タ%' } },
    { fuzzy: { state: 'strasse' } },
    { keyword: { state: 'aeon' } },
    { keyword: { parts: '手机' } },
    { fuzzy: { 'parts.s': 'cafe' } },
  ]

  test('is searched as before until the last row has its new ones, written beside, and goes on where it was killed', async () => {
    const gate = new Gate()
    const first = world.open({ rest: gate.rest })
    expect(await find(first, { keyword: { title: 'oresund' } })).toBe(0)
    expect(await find(first, { keyword: { title: 'øresund' } })).toBe(each)
    expect(await find(first, { keyword: { title: '東京' } })).toBe(0)
    expect(await find(first, { keyword: { title: '東京タワー' } })).toBe(each)
    expect(await find(first, { eq: { made: '2025-03' } })).toBe(3 * each)
    await expect.poll(() => [...first.listRenewing(ref.connector)]).toEqual(['notes']) // the renewal begins in the background
    await first.writeBatch(ref, { records: [note(first, { id: 7, title: 'Øland Łąka', parts: [{ s: 'Łódź' }] })], asked: world.now })
    expect(await find(first, { keyword: { title: 'øland' } })).toBe(1)
    gate.let(2)
    const database = await first.openDatabase()
    while ((await oneValue(database, 'select renewed from cs_entities where tokens = 1')) === null) await new Promise(setImmediate)
    expect(await find(first, { keyword: { title: 'oresund' } })).toBe(0)
    await first.close()

    const second = world.open({ rest: gate.rest })
    expect(await oneValue(await second.openDatabase(), 'select renewed from cs_entities where tokens = 1')).toMatch(/^p/)
    expect(await find(second, { keyword: { parts: 'lodz' } })).toBe(0)
    expect(await find(second, { keyword: { title: 'øland' } })).toBe(1)
    gate.let(100)
    const left = 'select count(*)::int4 from cs_entities where tokens = 1 or renewed is not null'
    while ((await oneValue(await second.openDatabase(), left)) !== 0) await new Promise(setImmediate)
    expect(await find(second, { keyword: { title: 'oland' } })).toBe(1)
    expect(await find(second, { keyword: { title: 'oresund' } })).toBe(each)
    expect(await find(second, { keyword: { parts: 'lodz' } })).toBe(each + 1)
    await second.close()
  })

  test('are those that the records would have if they were written now', async () => {
    const store = world.open()
    const rows = await rowsOf(store, ref, `pk, ${columns}`)
    const originals = rows.filter(({ pk }) => !String(pk).includes('-') && String(pk) !== 'p017')
    expect(originals).toHaveLength(6)
    const records = originals.map(({ id, title, made, parts }) => ({
      id,
      title,
      made,
      parts: parts === null ? null : parseJson(String(parts)),
    }))
    const states = ['Straße', 'open', 'กรุงเทพ', null, 'new', 'Æon']
    await store.writeBatch(fresh, {
      records: records.map((record, index) => note(store, { ...record, state: states[index] })),
      asked: world.now,
    })
    expect(await rowsOf(store, fresh, `pk, ${columns}`)).toEqual(originals)
    for (const filter of finds)
      expect([filter, await find(store, filter)]).toEqual([
        filter,
        each * (await find(store, filter, fresh)) + (filter.keyword?.parts === 'lodz' ? 1 : 0),
      ])
    await store.close()
  })

  test('are gone with the next start', async () => {
    const store = world.open()
    const database = await store.openDatabase()
    expect(
      await oneValue(database, `select count(*)::int4 from pg_attribute where attname in ('title$t', 'parts$f') and not attisdropped`),
    ).toBe(0)
    expect(await oneValue(database, `select count(*)::int4 from cs_meta where name like 'renewing%'`)).toBe(0)
    expect(await oneValue(database, `select count(*)::int4 from cs_terms where term = 'øresund'`)).toBe(0)
    expect(await find(store, { keyword: { title: 'oresund' } })).toBe(each)
    await store.writeBatch(ref, { records: [note(store, { id: 8, title: 'Þing' })], asked: world.now })
    expect(await find(store, { keyword: { title: 'thing' } })).toBe(1)
  })
})
