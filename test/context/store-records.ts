/** Artificial records for tests of the store, and how to read them back. */

import type { EntityDefinition } from '../../packages/ferrule/src/definition/entity.ts'
import { decimal, id, list, open, str, time } from '../../packages/ferrule/src/definition/fields.ts'
import type { EntityRef } from '../../packages/server/src/copies/entity-ref.ts'
import { buildPrimaryKey } from '../../packages/server/src/copies/search/keys.ts'
import type { ContextDatabase, Row } from '../../packages/server/src/copies/store/database/database.ts'
import type { StoredRecord } from '../../packages/server/src/copies/store/row-encoder.ts'
import type { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import type { SearchableKind } from '../../packages/server/src/copies/store/types.ts'

const entity = (
  context_store_search: NonNullable<EntityDefinition['context_store_search']>,
  key: readonly string[] = ['id'],
): EntityDefinition => ({
  about: 'For tests.',
  key,
  context_store_search,
})

/** Fields of the entity `notes`. */
export const noteFields = {
  id: id('Id.'),
  title: str('Title.'),
  made: time('When it was made.'),
  price: decimal('Price.'),
  state: str('State.'),
  parts: list(open('Part.'), 'Parts.'),
}

/** Defines an artificial kind with searchable entities. */
export const testKind = (notes: NonNullable<EntityDefinition['context_store_search']> = noteFields): SearchableKind => ({
  kind: 'test-kind',
  entities: { notes: entity(notes), people: entity({ id: str('Id.'), name: str('Name.') }) },
})

let connectors = 0

/** Returns the entity `notes`, or another one, of a connector that no other test uses. */
export const createRef = (name = 'notes'): EntityRef => {
  connectors += 1
  return { connector: `0190a000-0000-7000-8000-${String(connectors).padStart(12, '0')}`, kind: 'test-kind', entity: name }
}

/** Builds a note as a sync passes it to the store. */
export function note(store: ContextStore, fields: Readonly<Record<string, unknown>>, version?: number): StoredRecord {
  const key = buildPrimaryKey(store.getTable('test-kind', 'notes').key, fields)
  if (key === undefined) throw new Error('a note needs an id')
  return { key, fields, ...(version === undefined ? {} : { version }) }
}

/** Builds the notes of a range of ids. */
export const notesOf = (store: ContextStore, from: number, to: number): StoredRecord[] =>
  Array.from({ length: to - from }, (_, index) => note(store, { id: from + index, title: `Note ${from + index}`, state: 'new' }))

/** Reads all rows of an entity, in the order of keys. */
export async function rowsOf(store: ContextStore, ref: EntityRef, columns = 'id, title'): Promise<readonly Row[]> {
  const text = `select ${columns} from "${store.getTable(ref.kind, ref.entity).name}" where connector_id = $1 order by pk`
  const answer = await store.search(ref, (session, number) => session.query<Row>({ text, values: [number] }))
  return answer?.rows ?? []
}

/** Reads the ids of all rows of an entity. */
export const idsOf = async (store: ContextStore, ref: EntityRef): Promise<number[]> =>
  (await rowsOf(store, ref, 'id')).map((row) => Number(row['id']))

/** Reads one value of the database. */
export async function oneValue(database: ContextDatabase, text: string): Promise<unknown> {
  const { rows } = await database.query({ text })
  return Object.values(rows[0] ?? {})[0]
}

/** Returns the error that work rejects with, as `code: message`. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (thrown) {
    return thrown instanceof Error ? `${String(Reflect.get(thrown, 'code'))}: ${thrown.message}` : String(thrown)
  }
  throw new Error('it was not refused')
}
