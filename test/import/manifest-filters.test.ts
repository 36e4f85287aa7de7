/** Records that a manifest filters: what the importer makes of the conditions. */
import { describe, expect, test } from 'vitest'
import { importText, writeManifest } from './manifests.ts'

/** Keys of the selector with a filter. */
const filter = (condition: string, merge = ''): string =>
  `[data${merge}] }\n        record_filter: { type: RecordFilter, condition: ${JSON.stringify(condition)}`
const importFiltered = (condition: string, stream = '') => importText(writeManifest({ fieldPath: filter(condition), stream }))

const changes = `incremental_sync:
  type: DatetimeBasedCursor
  cursor_field: changed_at
  datetime_format: "%s"`

describe('a filter that becomes where', () => {
  test.each([
    ["record.state == 'open'", { state: 'open' }],
    [`record["state"] == "open"`, { state: 'open' }],
    ["record.get('state') != 'open'", { state: { not: 'open' } }],
    ['record.paid == true', { paid: true }],
    ['record.owner.id == 7', { 'owner.id': 7 }],
    ["record.state in ['open', 'a, b']", { state: ['open', 'a, b'] }],
    ["record.state in ['open']", { state: 'open' }],
    ["record.state not in ['open', 'new']", { state: { not: ['open', 'new'] } }],
    ['record.title is not none', { title: { exists: true } }],
    ['record.title is defined', { title: { exists: true } }],
    ['record.title is not defined', { title: { exists: false } }],
    ['record.title != None', { title: { exists: true } }],
    ['record.title not in [None]', { title: { exists: true } }],
    ['record.size > 0', { size: { above: 0 } }],
    [`record.size < 10\n  and record.state == 'open'`, { size: { below: 10 }, state: 'open' }],
  ])('%s', async (condition, where) => {
    const { file, read, isWhole, unsure } = await importFiltered(`{{ ${condition} }}`)
    expect([read.mistakes, isWhole]).toEqual([[], true])
    expect(file.entities['notes']?.list).toMatchObject({ where })
    expect(unsure['entities.notes.list.where']).toBe(/none|defined/i.test(condition) ? 'guessed' : undefined)
    expect(Object.keys(file.entities['notes']?.fields ?? {})).toContain(Object.keys(where)[0]?.split('.')[0])
  })
})

describe('a filter that stops its stream', () => {
  test.each([
    "record.state == 'open' or record.paid == true",
    "not record.state == 'open'",
    'record.title',
    "'title' in record",
    "record.state in config['states']",
    "record.state == config['state']",
    "record.get('state', 'open') == 'open'",
    "record.state in [None, 'open']",
    'record.size >= 1',
    'record.size > 0.5',
    'record.size > 0 and record.size < 9',
    "record.state == '{state}'",
    "record.state | lower == 'open'",
    "record.state == 'open' if record.paid else true",
    "record.state == 'open' }}{{ record.paid",
    "record.state == 'open' and record.changed_at >= stream_interval['start_time']",
  ])('%s', async (condition) => {
    await expect(importFiltered(`{{ ${condition} }}`)).rejects.toThrow(
      `has no stream that a kind can say; notes: records that the platform filters by a condition: {{ ${condition} }}`,
    )
  })

  test.each([
    ["record.kind == 'a'", 'transformations: [{ type: AddFields, fields: [{ path: [kind], value: "{{ record.type.name }}" }] }]'],
    ["record.kind == 'a'", 'transformations: [{ type: AddFields, fields: [{ path: [kind], value: "{{ record.type | upper }}" }] }]'],
    ["record.inner.kind == 'a'", 'transformations: [{ type: DpathFlattenFields, field_path: [inner] }]'],
  ])('%s with %s', async (condition, stream) => {
    await expect(importFiltered(`{{ ${condition} }}`, stream)).rejects.toThrow('a condition on a field that the platform moves')
  })

  test('a number for a field of another type', async () => {
    await expect(importFiltered('{{ record.title > 3 }}')).rejects.toThrow('a field that is compared with a number and is none: title')
  })
})

test('a filter by the time is soft', async () => {
  const { leftOut, isWhole } = await importFiltered("{{ record.changed_at >= stream_interval['start_time'] }}", changes)
  expect(isWhole).toBe(true)
  expect(leftOut).toContainEqual({
    what: 'notes record_filter',
    why: 'filters by time that the platform applies to what it has read already',
  })
})

test('two streams of one name that differ in their filter are two', async () => {
  const other = writeManifest({ fieldPath: filter("{{ record.state == 'closed' }}") })
    .split('\n')
    .filter((_, index, lines) => index > lines.indexOf('streams:') && index < lines.indexOf('spec:'))
    .join('\n')
  const { file } = await importText(
    writeManifest({ fieldPath: filter("{{ record.state == 'open' }}"), streams: other.replace(/^ {2}/gm, '') }),
  )
  expect(Object.values(file.entities).map(({ list }) => list)).toMatchObject([{ where: { state: 'open' } }, { where: { state: 'closed' } }])
})
