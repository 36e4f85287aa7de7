/** Values that the columns of their fields cannot hold: where they are kept, who sees them, and which rows they change. */
import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { bool, id, int, num } from '../../packages/ferrule/src/definition/fields.ts'
import { writeJson } from '../../packages/ferrule/src/values/json/json.ts'
import type { EntityRef } from '../../packages/server/src/copies/entity-ref.ts'
import type { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import { digestTable } from '../../packages/server/src/copies/store/tables.ts'
import type { OwnKind } from '../../packages/server/src/values/access.ts'
import { createSearcher } from '../support/searcher.ts'
import { share } from '../support/share.ts'
import { createRef, createStoreWorld, note, noteFields, overBoth, refusal, testKind } from './store-world.ts'

const kind = testKind({ ...noteFields, size: int('Size.'), ratio: num('Ratio.'), on: bool('On.') })
const fitting = { id: 1, size: '7', ratio: '1.50', on: 'true' }
const odd = [
  { id: 2, size: 'many', ratio: '-', on: 'yes' },
  { id: 3, size: 1.5, ratio: { a: [1] }, on: 1, title: 'Three' },
  { id: 4, size: 'ü\0 "\\N"\t' },
]
const rescued = [{ size: 'many', ratio: '-', on: 'yes' }, { size: 1.5, ratio: { a: [1] }, on: 1 }, { size: 'ü\ufffd "\\N"\t' }]

overBoth('values that their columns cannot hold', async (engine) => {
  const world = await share(createStoreWorld(engine))
  let store = world.open({ kinds: [kind] })

  const request = (ref: EntityRef, params: object) => ({ ref, params, key: Buffer.from('key'), now: 0 })
  const find = async (ref: EntityRef, filter: object, fields?: readonly string[]): Promise<readonly Record<string, unknown>[]> => {
    const page = await createSearcher(store).search(request(ref, { query: { filter }, fields }))
    return JSON.parse(page?.json ?? '[]')
  }
  const notesOf = (of: ContextStore, all: readonly object[]) => all.map((fields) => note(of, { ...fields }))
  const fill = async (): Promise<EntityRef> => {
    const ref = createRef()
    await store.writeBatch(ref, { records: notesOf(store, [fitting, ...odd]), asked: 1, checkpoints: [{ name: 'cursor', value: '1' }] })
    return ref
  }
  const run = async (text: string, values: readonly string[] = []) =>
    (await store.openDatabase()).withConnection((ask) => ask({ text, values: [...values] }))

  test('stand in a field of the record, which only those see who name it', async () => {
    const ref = await fill()
    const names = ['size', 'ratio', 'on']
    const nothing = { size: null, ratio: null, on: null }
    expect(await find(ref, {}, names)).toEqual([{ size: 7, ratio: 1.5, on: true }, nothing, nothing, nothing])
    expect(await find(ref, {}, ['id', '_rescued'])).toEqual([
      { id: 1, _rescued: null },
      ...rescued.map((_rescued, index) => ({ id: index + 2, _rescued })),
    ])
    expect(Object.keys((await find(ref, {}))[1] ?? {})).toEqual([...Object.keys(noteFields), ...names])
  })

  test('are found and counted by that field', async () => {
    const ref = await fill()
    const idsOf = async (filter: object) => (await find(ref, filter)).map((record) => record['id'])
    expect(await idsOf({ neq: { _rescued: null } })).toEqual([2, 3, 4])
    expect(await idsOf({ eq: { _rescued: null } })).toEqual([1])
    expect(await idsOf({ eq: { '_rescued.size': 'many' } })).toEqual([2])
    expect(await idsOf({ like: { _rescued: 'ü%' } })).toEqual([4])
    expect(await idsOf({ eq: { size: null } })).toEqual([2, 3, 4])
    const params = { query: { filter: { eq: { id: 2 } } }, group_by: ['_rescued.size'] }
    const groups = await createSearcher(store).aggregate(request(ref, params))
    expect(JSON.parse(groups?.json ?? '')).toEqual([{ '_rescued.size': 'many', count: 1 }])
    expect(await refusal(find(ref, { eq: { '_rescued.title': 'Three' } }))).toMatch(/^field_not_searchable: /)
    expect(await refusal(find(ref, { fuzzy: { _rescued: 'many' } }))).toMatch(/^operator_not_supported: .*use like/)
  })

  test('come and go with live reads and syncs, and are told as changes of their field', async () => {
    const ref = await fill()
    await store.followChanges(ref)
    const follow = async () => (await store.readLog(ref, { after: 0n, limit: 10 })).changes.map(({ fields }) => fields)
    await store.foldLive(
      ref,
      notesOf(store, [
        { ...odd[0], size: 'lots' },
        { id: 5, on: 'no' },
      ]),
      world.now + 1,
    )
    expect(await find(ref, { in: { id: [2, 5] } }, ['_rescued'])).toEqual([
      { _rescued: { ...rescued[0], size: 'lots' } },
      { _rescued: { on: 'no' } },
    ])
    await store.writeBatch(ref, { records: notesOf(store, [{ ...odd[0], size: 3 }]), asked: world.now + 2 })
    expect(await find(ref, { eq: { id: 2 } }, ['size', '_rescued'])).toEqual([{ size: 3, _rescued: { ratio: '-', on: 'yes' } }])
    expect((await follow()).toSorted()).toEqual([[], ['size'], ['size']])
  })

  test('are in the hash of a row, so a row from before is written again; no other row is', async () => {
    const ref = await fill()
    const table = store.getTable(ref.kind, ref.entity)
    for (const fields of [fitting, ...odd]) {
      const before = hash('sha256', `${digestTable(table)}${writeJson(fields)}`, 'buffer').readBigInt64BE(0)
      await run(
        `update "${table.name}" set "$r" = null, h = $2 where pk = $3 and connector_id = (select number from cs_connectors where id = $1::uuid)`,
        [ref.connector, String(before), note(store, fields).key],
      )
    }
    const write = () => store.writeBatch(ref, { records: notesOf(store, [fitting, ...odd]), asked: 2 })
    expect(await write()).toEqual({ created: 0, updated: 3, unchanged: 1, removed: 0 })
    expect(await write()).toEqual({ created: 0, updated: 0, unchanged: 4, removed: 0 })
    expect(await find(ref, { neq: { _rescued: null } }, ['_rescued'])).toEqual(rescued.map((_rescued) => ({ _rescued })))
  })

  test('have a column in a table from before too, whose rows stay and are read again', async () => {
    const ref = await fill()
    await run('alter table cs_test_kind_notes drop column "$r"')
    await run("update cs_tables set shape = (shape::jsonb #- '{columns,$r}')::text where name = 'cs_test_kind_notes'")
    await store.close()
    store = world.open({ kinds: [kind] })
    expect(await find(ref, {}, ['id', '_rescued'])).toEqual([1, 2, 3, 4].map((each) => ({ id: each, _rescued: null })))
    expect(await store.readCheckpoints(ref)).toEqual(new Map())
    await store.writeBatch(ref, { records: notesOf(store, [{ ...odd[0], state: 'new' }]), asked: 2 })
    expect(await find(ref, { eq: { id: 2 } }, ['_rescued'])).toEqual([{ _rescued: rescued[0] }])
  })

  test('move with a kind of an organization, and leave a field of theirs its name', async () => {
    const version = (more: object): OwnKind => ({
      organizationId: '7a000000-0000-4000-8000-000000000002',
      id: '7b000000-0000-4000-8000-000000000002',
      entities: {
        deals: { about: 'For tests.', key: ['id'], context_store_search: { id: id('Id.'), _rescued: int('Theirs.'), ...more } },
      },
    })
    const [one, two] = [version({}), version({ on: bool('On.') })]
    const { connector } = createRef()
    const refTo = (own: OwnKind): EntityRef => ({ connector, kind: 'acme', entity: 'deals', own })
    await store.writeBatch(refTo(one), { records: [{ key: '1', fields: { id: 1, _rescued: 'mine' } }], asked: 1 })
    const kept = [{ _rescued: null, __rescued: { _rescued: 'mine' } }]
    expect(await find(refTo(one), {}, ['_rescued', '__rescued'])).toEqual(kept)
    await store.moveRows(connector, one, two)
    expect(await find(refTo(two), {}, ['_rescued', '__rescued'])).toEqual(kept)
  })
})
