/** Tests records for a condition of a definition. */
import { type Condition, readSetting } from '../../definition/sync.ts'
import { getAt, parsePath } from './paths.ts'

const isNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint'

function holds(value: unknown, { is, exists, above, below }: Condition): boolean {
  if (exists === true) return value !== undefined && value !== null
  if (above !== undefined || below !== undefined)
    return isNumber(value) && (above === undefined || value > above) && (below === undefined || value < below)
  if (Array.isArray(is)) return is.includes(value)
  return is === undefined ? value !== undefined && value !== null && value !== false && value !== '' : value === is
}

/**
 * Builds the test of a record for a condition.
 * @param configuration of the connector, whose values the condition can name: every record fits where it has none
 */
export function buildTest(condition: Condition, configuration: Readonly<Record<string, unknown>> = {}): (record: unknown) => boolean {
  const path = parsePath(condition.field)
  const wanted = condition.not === true
  const setting = readSetting(condition)
  if (setting === undefined) return (record) => holds(getAt(record, path), condition) !== wanted
  const values = [configuration[setting] ?? []].flat().map(String)
  return values.length === 0 ? () => true : (record) => values.includes(String(getAt(record, path))) !== wanted
}
