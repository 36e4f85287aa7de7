/** The address of one record: its key becomes a filter as soon as the entity is known. */
import { formatFilter } from 'ferrule/core'
import type { EntityDocument } from 'ferrule/wire'
import { useEffect } from 'react'
import { readProperties, readTypes } from '../../parts/form/schema.ts'
import type { ChangeAddress, SearchAddress } from './address.ts'

/**
 * Builds the filter that finds a record.
 * @param key as searches of everything and changes name it
 * @returns undefined where the key has several parts, or no searchable field has it
 */
export function buildKeyFilter({ key: paths, searchable }: Pick<EntityDocument, 'key' | 'searchable'>, key: string): string | undefined {
  const [path] = paths
  if (path === undefined || paths.length > 1) return undefined
  const fields = readProperties(searchable ?? {})
  const field = fields.find(({ name }) => name === path) ?? fields.find(({ name }) => path.startsWith(`${name}.`))
  if (field === undefined) return undefined
  const isInteger = /^-?\d+$/.test(key)
  const types = field.name === path ? readTypes(field.schema) : []
  if (types.length === 1) return formatFilter({ eq: { [path]: types[0] === 'integer' && isInteger ? BigInt(key) : key } })
  return formatFilter(isInteger ? { in: { [path]: [key, BigInt(key)] } } : { eq: { [path]: key } })
}

/** Replaces the record of the address by a filter. @returns whether it is still there */
export function useRecordOfAddress(
  { record, filter }: SearchAddress,
  document: EntityDocument | undefined,
  onChange: ChangeAddress,
): boolean {
  useEffect(() => {
    if (record === undefined || document === undefined) return
    onChange({ record: undefined, filter: buildKeyFilter(document, record) ?? filter }, { replace: true })
  }, [record, filter, document, onChange])
  return record !== undefined && document !== undefined
}
