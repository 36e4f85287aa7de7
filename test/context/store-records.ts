/** Made-up records for tests of the store, and what is found of them. */
import { primaryKeyOf } from '../../src/context/query/keys.ts'
import type { ContextDatabase, Row } from '../../src/context/store/database.ts'
import type { ContextStore, EntityPlace, SearchableKind } from '../../src/context/store/types.ts'
import type { StoredRecord } from '../../src/context/store/writer.ts'
import type { EntityDefinition } from '../../src/definition/entity.ts'
import { decimal, id, list, open, str, time } from '../../src/definition/fields.ts'

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

/** A made-up kind with searchable entities. */
export const testKind = (notes: NonNullable<EntityDefinition['context_store_search']> = noteFields): SearchableKind => ({
  kind: 'test-kind',
  entities: { notes: entity(notes), people: entity({ id: str('Id.'), name: str('Name.') }) },
})

let connectors = 0

/** The entity `notes`, or another one, of a connector that no other test uses. */
export const newPlace = (name = 'notes'): EntityPlace => {
  connectors += 1
  return { connector: `0190a000-0000-7000-8000-${String(connectors).padStart(12, '0')}`, kind: 'test-kind', entity: name }
}

/** A note as a sync gives it to the store. */
export function note(store: ContextStore, fields: Readonly<Record<string, unknown>>, version?: number): StoredRecord {
  const key = primaryKeyOf(store.tableOf('test-kind', 'notes').key, fields)
  if (key === undefined) throw new Error('a note needs an id')
  return { key, fields, ...(version === undefined ? {} : { version }) }
}

/** Notes of a range of ids. */
export const notesOf = (store: ContextStore, from: number, to: number): StoredRecord[] =>
  Array.from({ length: to - from }, (_, index) => note(store, { id: from + index, title: `Note ${from + index}`, state: 'new' }))

/** Everything that is stored of an entity, in the order of keys. */
export async function rowsOf(store: ContextStore, place: EntityPlace, columns = 'id, title'): Promise<readonly Row[]> {
  const answer = await store.search(place, (table, number) => ({
    text: `select ${columns} from "${table.name}" where connector_id = $1 order by pk`,
    values: [number],
  }))
  return answer?.rows ?? []
}

/** Ids of everything that is stored of an entity. */
export const idsOf = async (store: ContextStore, place: EntityPlace): Promise<number[]> =>
  (await rowsOf(store, place, 'id')).map((row) => Number(row['id']))

/** One value of the database. */
export async function oneValue(database: ContextDatabase, text: string): Promise<unknown> {
  const { rows } = await database.query({ text })
  return Object.values(rows[0] ?? {})[0]
}

/** The error that work is rejected with, as `code: message`. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (thrown) {
    return thrown instanceof Error ? `${String(Reflect.get(thrown, 'code'))}: ${thrown.message}` : String(thrown)
  }
  throw new Error('it was not refused')
}
