/** Converts a record to the form of the store: its searchable fields and its key. Pure. */
import { getAt, parsePath } from 'ferrule/internal'
import type { SearchTable } from '../../search/columns.ts'
import { buildPrimaryKey } from '../../search/keys.ts'
import type { StoredRecord } from '../../store/row-encoder.ts'
import type { Planned } from './plan.ts'

/** A record with its origin. */
export interface Met {
  readonly record: unknown
  /** Parameters of the call that returned it. */
  readonly params: Readonly<Record<string, unknown>>
  /** The record that the call was made for. */
  readonly parent?: unknown
}

/** A parent with the values that its children's requests take, and the part of its record that is stored with them. */
export interface Parent {
  readonly key: string
  readonly values: readonly unknown[]
  readonly record: unknown
}

const parentPath = 'parent.'

/** Lists the paths in the parent's record that searchable fields are read from. */
export const listParentPaths = (project: Readonly<Record<string, string>> = {}): readonly string[] =>
  Object.values(project).flatMap((path) => (path.startsWith(parentPath) ? [path.slice(parentPath.length)] : []))

/** Reads the value of a searchable field. */
const readSearchField = (path: string, { record, parent }: Met): unknown =>
  path.startsWith(parentPath) ? getAt(parent, parsePath(path.slice(parentPath.length))) : getAt(record, parsePath(path))

/**
 * Converts a record to its stored form.
 * @returns undefined for a record without an identity: a part of its key is null, missing or of another type
 */
export function toStoredRecord(
  { sync, definition }: Pick<Planned, 'sync' | 'definition'>,
  table: SearchTable,
  met: Met,
): StoredRecord | undefined {
  const key = buildPrimaryKey(table.key, met.record, met.params)
  if (key === undefined) return undefined
  const names = Object.keys(definition.context_store_search ?? {})
  return { key, fields: Object.fromEntries(names.map((name) => [name, readSearchField(sync.project?.[name] ?? name, met)])) }
}
