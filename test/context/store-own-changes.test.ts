/** Thirty-two changes of a kind over a filled copy: each means what it says, nothing is lost, and no other copy is touched. */
import { expect, test } from 'vitest'
import { compareKinds, type KindChangeClass } from '../../packages/ferrule/src/definition/compare.ts'
import type { Field } from '../../packages/ferrule/src/definition/fields.ts'
import { type FeedPosition, FeedReader } from '../../packages/server/src/copies/changes/reader.ts'
import { readColumnType } from '../../packages/server/src/copies/search/columns.ts'
import { buildPrimaryKey } from '../../packages/server/src/copies/search/keys.ts'
import { Searcher } from '../../packages/server/src/copies/searcher.ts'
import { findOwnMoves, type OwnMove } from '../../packages/server/src/copies/store/types.ts'
import type { OwnKind } from '../../packages/server/src/values/access.ts'
import { changes, file, read } from '../kind-file/changes.ts'
import { createSearcher } from '../support/searcher.ts'
import { share } from '../support/share.ts'
import { createRef, createStoreWorld, overStatements } from './store-world.ts'

/** Classes that announce what happens to the rows of an entity. Known values that change may be stored alike: then less happens than announced. */
const announced: Readonly<Record<Exclude<OwnMove, 'same'>, readonly KindChangeClass[]>> = {
  created: ['entities', 'fields'],
  extended: ['fields', 'remade'],
  remade: ['remade'],
  removed: ['remade'],
}

const [mine, other] = ['7c000000-0000-4000-8000-000000000001', '7c000000-0000-4000-8000-000000000002']
const toOwn = (organizationId: string, { entities }: Pick<OwnKind, 'entities'>): OwnKind => ({
  organizationId,
  id: organizationId,
  entities,
})

const texts = (name: string, schema: Field, number: number): string => {
  if (Reflect.get(schema, 'format') === 'date-time') return new Date(Date.UTC(2025, 0, number)).toISOString()
  const values: unknown = Reflect.get(schema, 'enum')
  return Array.isArray(values) ? 'open' : name === 'state' ? 'open' : `${name} ${number}`
}
const readValue = (name: string, schema: Field, number: number): unknown =>
  readColumnType(schema) === 'integer' ? number : texts(name, schema, number)

/** Searchable fields of an entity. */
const fieldsOf = ({ entities }: OwnKind, entity: string) => entities[entity]?.context_store_search ?? {}

/** Entities that can be searched. */
const entitiesOf = (own: OwnKind): readonly string[] =>
  Object.keys(own.entities).filter((entity) => own.entities[entity]?.context_store_search !== undefined)

/** Returns all records of an entity, as a version searches them. */
const recordsOf = (own: OwnKind, entity: string): readonly Readonly<Record<string, unknown>>[] =>
  [1, 2, 3, 4].map((number) =>
    Object.fromEntries(Object.entries(fieldsOf(own, entity)).map(([name, schema]) => [name, readValue(name, schema, number)])),
  )

overStatements('a copy whose kind changes', async (engine) => {
  const world = await share(createStoreWorld(engine))
  const store = world.open()
  const searcher = new Searcher(store, { cursorKey: () => Buffer.from('key'), clock: () => world.now })
  const reader = new FeedReader({ store, searcher, timeoutMs: 60_000 })

  const refTo = (own: OwnKind, entity: string, connector: string) => ({ connector, kind: 'acme', entity, own })
  const write = async (own: OwnKind, entity: string, connector: string): Promise<void> => {
    const ref = refTo(own, entity, connector)
    const { key } = store.getTable('acme', entity, own)
    const records = recordsOf(own, entity).map((fields) => ({ key: buildPrimaryKey(key, fields) ?? '', fields }))
    await store.writeBatch(ref, { records, asked: 1, checkpoints: [{ name: 'cursor', value: '1' }] })
  }
  const fill = async (own: OwnKind, connector: string): Promise<void> => {
    for (const entity of entitiesOf(own)) await write(own, entity, connector)
  }
  /** Reads some fields of all records; undefined when nothing of the entity was ever stored. */
  const search = async (own: OwnKind, entity: string, connector: string, fields = Object.keys(fieldsOf(own, entity))) => {
    const ref = refTo(own, entity, connector)
    const answer = await createSearcher(store).search({ ref, params: { query: {}, fields }, key: Buffer.from('key'), now: 0 })
    return answer === undefined ? undefined : JSON.parse(answer.json)
  }

  /** Reads on from a position in the feed of an entity: what comes, or the code of the refusal. */
  const readOn = (own: OwnKind, entity: string, connector: string, from: FeedPosition): Promise<unknown> =>
    reader.read(refTo(own, entity, connector), from, { limit: 10 }).then(
      ({ data }) => data,
      ({ code }) => code,
    )

  test.each(changes)('by %s', async (...[_what, was, is]) => {
    const [before, after] = [await read(file), await read(file.replace(was, is))]
    const [from, to, theirs] = [toOwn(mine, before), toOwn(mine, after), toOwn(other, before)]
    const [moving, staying, foreign] = [createRef().connector, createRef().connector, createRef().connector]
    for (const [own, connector] of [
      [from, moving],
      [from, staying],
      [theirs, foreign],
    ] as const)
      await fill(own, connector)

    const [told, moves] = [compareKinds(before, after), findOwnMoves(from, to)]
    const positions = new Map<string, FeedPosition>()
    for (const entity of entitiesOf(from)) positions.set(entity, await reader.begin(refTo(from, entity, moving)))
    await store.moveRows(moving, from, to)
    for (const [entity, move] of moves) {
      const classes = told.flatMap((each) => (each.entity === entity ? [each.class] : []))
      if (move === 'same') expect(classes.filter((each) => each === 'remade' || each === 'entities')).toEqual([])
      else expect(classes.filter((each) => announced[move].includes(each)).length, `${entity}: ${move}`).toBeGreaterThan(0)
      if (move === 'removed') continue
      const isKept = move === 'same' || move === 'extended'
      const kept = Object.keys(fieldsOf(to, entity)).filter((name) => Object.hasOwn(fieldsOf(from, entity), name))
      const rows = recordsOf(from, entity).map((record) => Object.fromEntries(kept.map((name) => [name, record[name]])))
      expect((await search(to, entity, moving, kept)) ?? [], `${entity}: ${move}`).toEqual(isKept ? rows : [])
      expect((await store.readCheckpoints(refTo(to, entity, moving))).size).toBe(move === 'same' ? 1 : 0)
      const position = positions.get(entity)
      // Rows that are read again would be changes of every record: a reader begins again instead.
      if (position !== undefined)
        expect(await readOn(to, entity, moving, position), `${entity}: ${move}`).toEqual(move === 'same' ? [] : 'changes_expired')
    }
    await fill(to, moving)
    for (const entity of entitiesOf(to)) expect(await search(to, entity, moving)).toEqual(recordsOf(to, entity))
    expect(new Set((await store.countRecords(moving)).keys())).toEqual(new Set(entitiesOf(to)))
    for (const [own, connector] of [
      [from, staying],
      [theirs, foreign],
    ] as const)
      for (const entity of entitiesOf(own)) {
        expect(await search(own, entity, connector)).toEqual(recordsOf(own, entity))
        expect((await store.readCheckpoints(refTo(own, entity, connector))).size).toBe(1)
      }
    for (const connector of [moving, staying, foreign]) await store.removeConnector(connector)
  })
})
