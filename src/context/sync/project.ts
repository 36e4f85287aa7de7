/** A record as the store keeps it: the searchable fields, under the record's key. Pure. */
import { getAt, parsePath } from '../../engine/paths.ts'
import type { SearchTable } from '../query/columns.ts'
import { primaryKeyOf } from '../query/keys.ts'
import type { StoredRecord } from '../store/writer.ts'
import type { Planned } from './plan.ts'

/** A record with where it comes from. */
export interface Met {
  readonly record: unknown
  /** Parameters of the call that gave it. */
  readonly params: Readonly<Record<string, unknown>>
  /** The record that the call was made for. */
  readonly parent?: unknown
}

const parentPath = 'parent.'

/** What a searchable field is read from. */
const searchedFor = (path: string, { record, parent }: Met): unknown =>
  path.startsWith(parentPath) ? getAt(parent, parsePath(path.slice(parentPath.length))) : getAt(record, parsePath(path))

/**
 * The stored form of a record.
 * @returns undefined for a record without an identity: its key is null, missing or not what it is declared to be
 */
export function storedForm(
  { sync, definition }: Pick<Planned, 'sync' | 'definition'>,
  table: SearchTable,
  met: Met,
): StoredRecord | undefined {
  const key = primaryKeyOf(table.key, met.record, met.params)
  if (key === undefined) return undefined
  const names = Object.keys(definition.context_store_search ?? {})
  return { key, fields: Object.fromEntries(names.map((name) => [name, searchedFor(sync.project?.[name] ?? name, met)])) }
}
