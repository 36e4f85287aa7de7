/** Times of vendors in seconds, in milliseconds, as days and within a text. */
import { expect, test } from 'vitest'
import { date, type Field, opt, str, time, unixTime, unixTimeMs } from '../../packages/ferrule/src/definition/fields.ts'
import type { Since } from '../../packages/ferrule/src/definition/sync.ts'
import { compileFields } from '../../packages/ferrule/src/engine/json/validate.ts'
import { entity, page, type Row, World } from './sync-words.ts'

const at = Date.parse('2026-03-20T10:00:01.500Z')
const [seconds, milliseconds] = [Math.floor(at / 1_000), at]

/** The field of a record with its value, the sync, and what the next run must ask for. */
interface Form {
  readonly field: Field
  readonly value: unknown
  readonly since: Partial<Since>
  readonly asked: unknown
}

/** Runs ask again for the last hour. */
const forms: readonly (readonly [name: string, form: Form])[] = [
  ['seconds', { field: unixTime('Changed'), value: seconds, since: { as: 'seconds' }, asked: seconds - 3_600 }],
  ['seconds beyond a double', { field: unixTime('Changed'), value: BigInt(seconds), since: { as: 'seconds' }, asked: seconds - 3_600 }],
  ['milliseconds', { field: unixTimeMs('Changed'), value: milliseconds, since: { as: 'milliseconds' }, asked: milliseconds - 3_600_000 }],
  ['a day', { field: date('Changed'), value: '2026-03-20', since: { as: 'date' }, asked: '2026-03-19' }],
  [
    'seconds for a timestamp',
    { field: time('Changed'), value: new Date(at).toISOString(), since: { as: 'seconds' }, asked: seconds - 3_600 },
  ],
  [
    'a timestamp for seconds',
    { field: unixTime('Changed'), value: seconds, since: {}, asked: new Date((seconds - 3_600) * 1_000).toISOString() },
  ],
  [
    'seconds in a string',
    { field: { ...str('Changed'), format: 'unix-time' }, value: `${seconds}.000200`, since: { as: 'seconds' }, asked: seconds - 3_600 },
  ],
  [
    'a text',
    {
      field: unixTimeMs('Changed'),
      value: milliseconds,
      since: { as: 'milliseconds', text: 'updated >= {time}' },
      asked: `updated >= ${at - 3_600_000}`,
    },
  ],
]

/** A list of 40 records, which is more than a complete pass reads each time. */
function makeWorld(field: Field, value: unknown, since: Partial<Since>): World {
  const rows: Row[] = Array.from({ length: 40 }, (_, index) => ({ id: index + 1, changed: value }))
  const sync = { since: { param: 'updated[gte]', field: 'changed', lookback: 3_600, ...since } }
  const params = { 'updated[gte]': opt(str('Changed since')) }
  const world = new World({ rows: entity({ changed: field }, sync, { params }) }, { rows: (given) => page(rows, given) })
  world.tick = 0
  return world
}

test.each(forms)('a run asks for changes by %s', async (_name, { field, value, since, asked }) => {
  const world = makeWorld(field, value, since)
  expect(await world.states()).toEqual({ rows: 'complete' })
  expect(world.taken()[0]).toBe('rows')
  expect(await world.states()).toEqual({ rows: 'changes' })
  expect(world.taken()[0]).toBe(`rows updated[gte]=${asked}`)
})

test('a first window begins in the form of the vendor', async () => {
  const world = makeWorld(unixTime('Changed'), seconds, { as: 'seconds', first: '2020-01-01T00:00:00Z' })
  await world.sync()
  expect(world.taken()[0]).toBe('rows updated[gte]=1577836800')
})

test('times in numbers are exact integers, and compare as such in the copy', () => {
  const { columns } = makeWorld(unixTime('Changed'), seconds, {}).store.getTable('words', 'rows')
  expect(columns.map(({ type, at: moment }) => [type, moment])).toEqual([
    ['integer', undefined],
    ['integer', undefined],
  ])
  const validator = compileFields({ at: unixTime('At'), ms: unixTimeMs('Ms') })
  expect(validator.problems({ at: 9_007_199_254_740_993n, ms: 1 })).toEqual([])
  expect(validator.problems({ at: 9_007_199_254_740_992, ms: 1.5 }).map(({ field }) => field)).toEqual(['/at', '/ms'])
})
