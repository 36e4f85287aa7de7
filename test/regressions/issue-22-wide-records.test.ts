/** Answers of tools for wide records: the fields that tell most of many rows, before all fields of one row. */
import { describe, expect, test } from 'vitest'
import { estimateTokens } from '../../packages/ferrule/src/agent/answers/token-count.ts'
import { createTools } from '../../packages/ferrule/src/agent/index.ts'
import { makeFakeSource } from '../agent/fake-source.ts'
import { makeKindSource } from '../agent/kind-source.ts'
import { findRows, readAll, readRecordedAnswers, readRows, runTool } from '../agent/support.ts'

/** Reads the first record of a recorded list. */
function readFirst(kind: string, operation: string): Readonly<Record<string, unknown>> {
  const recorded = readRecordedAnswers().find((each) => each.kind === kind && each.operation === operation)
  return Object(findRows(Object(recorded?.body).calls.full.pages[0].exchanges[0].answer.body)[0])
}

const order = readFirst('shopify', 'orders.list')
const ids = Array.from({ length: 15 }, (_, at) => String(5_000_000_000_000 + at))
/** 15 orders of a shop, with all that it sends of each. */
const orders = ids.map((id, at) => ({
  ...{ ...order, id, name: `#${1_001 + at}`, total_price: `${100 + at}.90` },
  created_at: `2026-03-${10 + at}T18:00:01+01:00`,
}))
const call = { connector: 'team', entity: 'notes', action: 'list' }

const makeTools = (rows: readonly unknown[], maxTokens: number) =>
  createTools(
    makeFakeSource(() => ({ data: rows, meta: {} })),
    { maxTokens },
  )

describe.each([2_500, 8_000])('wide records in %s tokens', (maxTokens) => {
  test('are answered by ten rows or more, with what tells them apart', async () => {
    const tools = await makeTools(orders, maxTokens)
    const first = await runTool(tools, 'execute', call)
    const rows = readRows(first)
    expect(estimateTokens(first.text)).toBeLessThanOrEqual(maxTokens)
    expect(rows.length).toBeGreaterThanOrEqual(10)
    expect(rows).toMatchObject(orders.slice(0, rows.length).map(({ id, name }) => ({ id, name })))
    expect(first.text).toMatch(/^Left out of each row: .*line_items/m)
  })

  test('come all, and each in full by its number', async () => {
    const tools = await makeTools(orders, maxTokens)
    const answers = await readAll(tools, 'execute', call)
    expect(answers.length).toBeLessThanOrEqual(2)
    expect(answers.flatMap(readRows).map((row) => Object(row).name)).toEqual(orders.map(({ name }) => name))
    const [, handle] = /read_more \{"handle":"([^"]+)"/.exec(answers[0]?.text ?? '') ?? []
    const whole = await runTool(tools, 'read_more', { handle, row: 2 })
    expect(whole.text).toContain('"name":"#1002"')
    expect(whole.text).toMatch(/characters 1 to \d+ of \d+ of the JSON of row 2 of 15/)
  })
})

test('fields that the model named are not left out', async () => {
  const tools = await makeTools(orders, 2_500)
  const named = Object.keys(order)
  const { text } = await runTool(tools, 'execute', { ...call, fields: named })
  expect(text).not.toContain('Left out')
})

test('fields that nobody has, and that are alike everywhere, go before fields that differ', async () => {
  const notes = Array.from({ length: 40 }, (_, at) => ({
    ...Object.fromEntries(Array.from({ length: 40 }, (_each, field) => [`empty_${field}`, null])),
    ...Object.fromEntries(Array.from({ length: 40 }, (_each, field) => [`same_${field}`, 'the same in all'])),
    subject: `Subject of the note ${at}`,
    body: `Note ${at}: ${'a long text '.repeat(60)}`,
  }))
  const first = await runTool(await makeTools(notes, 1_500), 'execute', call)
  const rows = readRows(first)
  expect(rows.length).toBeGreaterThanOrEqual(10)
  expect(rows[3]).toMatchObject({ subject: 'Subject of the note 3', body: expect.stringContaining('Note 3: a long text') })
})

test.each([
  ['shopify', 'orders', orders, ['id', 'name', 'created_at', 'total_price']],
  ['gong', 'calls_extensive', ids.map(readCallOf), ['metaData.id', 'metaData.title', 'metaData.started']],
] as const)('%s %s: what says most stays', async (kind, entity, data, stay) => {
  const source = makeKindSource(() => ({ data, meta: {} }))
  const tools = await createTools(source, { maxTokens: 8_000 })
  const params = entity === 'orders' ? {} : { filter: {} }
  const first = await runTool(tools, 'execute', { connector: `My ${kind}`, entity, action: 'list', params })
  const rows = readRows(first)
  expect(rows.length, first.text).toBeGreaterThanOrEqual(10)
  for (const path of stay) expect(rows[0]).toHaveProperty(path)
})

function readCallOf(id: string): unknown {
  const given = readFirst('gong', 'calls_extensive.list')
  return { ...given, metaData: { ...Object(given['metaData']), id } }
}
