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
 * @param configuration of the connector, if the condition can name a value of it: every record fits where it has none
 */
export function buildTest(condition: Condition, configuration?: Readonly<Record<string, unknown>>): (record: unknown) => boolean {
  const path = parsePath(condition.field)
  const isNot = condition.not === true
  const setting = configuration === undefined ? undefined : readSetting(condition)
  if (setting === undefined) return (record) => holds(getAt(record, path), condition) !== isNot
  const values = [configuration?.[setting] ?? []].flat().map(String)
  return values.length === 0 ? () => true : (record) => values.includes(String(getAt(record, path))) !== isNot
}

/** Builds the test of a record for several conditions, which it must fulfil all. */
export function buildTests(
  conditions: readonly Condition[],
  configuration?: Readonly<Record<string, unknown>>,
): (record: unknown) => boolean {
  const tests = conditions.map((each) => buildTest(each, configuration))
  return (record) => tests.every((test) => test(record))
}
