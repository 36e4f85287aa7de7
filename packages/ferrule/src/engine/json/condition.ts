/** Tests records for a condition of a definition. */
import type { Condition } from '../../definition/sync.ts'
import { getAt, parsePath } from './paths.ts'

/** Builds the test of a record for a condition. */
export function buildTest({ field, is, not }: Condition): (record: unknown) => boolean {
  const path = parsePath(field)
  return (record) => {
    const value = getAt(record, path)
    const holds = is === undefined ? value !== undefined && value !== null && value !== false && value !== '' : value === is
    return holds !== (not === true)
  }
}
