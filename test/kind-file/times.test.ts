/** Times in a form of the vendor's own, and a kind that needs no credentials. */
import { describe, expect, test } from 'vitest'
import { buildStart, parseTime, writeTime } from '../../packages/ferrule/src/engine/json/vendor-times.ts'
import { connectLocally } from '../../packages/ferrule/src/engine/local.ts'
import { parseKind, readKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { serve } from '../engine/support.ts'
import { kindTop } from '../support/kind-head.ts'

const form = '{year}/{month}/{day} {hour}:{minute}'
const file = `${kindTop('logs')}api: https://api.logs.example
auth: { none: { title: No credentials } }
check: lines.list
entities:
  lines:
    about: Lines
    fields: { id: string Id, at: date-time When }
    list: { call: GET /lines, params: { from: string Start }, pages: none, because: Few }
    sync: { since: { field: at, send: from, as: '${form}' } }
`

describe('a time', () => {
  test('is written in the form of the file', async () => {
    const { definition } = await parseKind(file)
    const since = definition.entities['lines']?.sync?.since
    expect(since?.as).toBe(form)
    expect(buildStart({ as: form }, '2026-03-04T05:06:07.89+01:00')).toBe('2026/03/04 04:06')
    expect(buildStart({ as: form, text: 'at >= "{time}"' }, '2026-03-04T05:06:07Z')).toBe('at >= "2026/03/04 05:06"')
    expect(writeTime(Date.parse('2026-03-04T05:06:07Z'), '{day}.{month}.{year} {second}')).toBe('04.03.2026 07')
  })

  test.each([
    ['2026-03-04T05:06:07', '2026-03-04T05:06:07.000Z'],
    ['2026-03-04 05:06:07.5', '2026-03-04T05:06:07.500Z'],
    ['2026-03-04 05:06', '2026-03-04T05:06:00.000Z'],
    ['2026-03-04T05:06:07+02:00', '2026-03-04T03:06:07.000Z'],
    ['2026-03-04', '2026-03-04T00:00:00.000Z'],
  ])('%s in a record is %s, wherever the service runs', (text, iso) => {
    expect(new Date(parseTime(text, undefined)).toISOString()).toBe(iso)
  })

  test.each(['{month}/{day}', '{year}-{mont}', 'second', '{year'])('cannot be written as %s', async (wrong) => {
    const { mistakes } = await readKind(file.replace(form, wrong), { name: 'logs' })
    expect(mistakes).toMatchObject([{ path: 'entities.lines.sync.since.as', message: expect.stringContaining('a text with {year}') }])
  })
})

test('a way without fields needs no credentials', async () => {
  await using vendor = await serve(() => ({ body: [{ id: 'a', at: '2026-03-04T05:06:07Z' }] }))
  const { definition } = await parseKind(file)
  await using logs = connectLocally({ definition, rules: {} }, { credentials: {}, origin: vendor.origin })
  expect((await logs.execute('lines', 'list', {})).data).toHaveLength(1)
  expect(vendor.seen[0]?.headers['authorization']).toBeUndefined()
})

describe.each([
  ['seconds', (ms: number) => String(ms / 1_000)],
  ['unix-time', (ms: number) => String(Math.round((Date.now() + ms) / 1_000))],
  ['unix-time-ms', (ms: number) => String(Date.now() + ms)],
  ['date-time', (ms: number) => new Date(Date.now() + ms).toISOString()],
] as const)('a header that writes the end of a window as %s', (as, write) => {
  const limited = file.replace('check:', `limits: { per: [], rates: [100/m], left: x-left, resets: x-reset, as: ${as} }\ncheck:`)

  test.each([
    [50_000, true, 'holds the next call'],
    [86_400_000, false, 'is ignored where it is further away than the period'],
  ])('%i ms away: holds: %s (%s)', async (ms, holds) => {
    await using vendor = await serve(() => ({ headers: { 'x-left': '0', 'x-reset': write(ms) }, body: [] }))
    const { definition } = await parseKind(limited)
    await using logs = connectLocally({ definition, rules: {} }, { credentials: {}, origin: vendor.origin })
    await logs.execute('lines', 'list', {})
    const second = logs.execute('lines', 'list', {}, { deadlineMs: 30_000 })
    await (holds ? expect(second).rejects.toMatchObject({ code: 'upstream_rate_limited' }) : second)
    expect(vendor.seen).toHaveLength(holds ? 1 : 2)
  })
})
