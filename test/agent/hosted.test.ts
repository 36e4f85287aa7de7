/** The tools over a hosted service with copies, a warehouse and files. */
import { afterEach, expect, test } from 'vitest'
import { createTools } from '../../packages/ferrule/src/agent/index.ts'
import { openFerrule } from '../client/support.ts'
import { onlyUsers, startCopyWorld, syncedConnector } from '../http/search-support.ts'
import { share } from '../support/share.ts'
import { findHandle, readAll, readRows, runTool, snowflakeConnector } from './support.ts'

const world = await share(startCopyWorld('postgres'))
await syncedConnector(world, 'Copied', onlyUsers)
await world.connect('Warehouse', { ...snowflakeConnector, check: false })
const tools = await createTools(openFerrule(world), { write: true })
afterEach(() => world.sandbox.faults.clear())

const users = { connector: 'Copied', entity: 'users' }
const statement = (text: string, action = 'list') => ({ connector: 'Warehouse', entity: 'record', action, params: { statement: text } })

test('list_connectors says how fresh the copies are', async () => {
  const { text } = await runTool(tools, 'list_connectors', { connector: 'Copied' })
  expect(text).toMatch(/^ {2}users: ready, \d+ records, synced \d{4}-/m)
})

test('search finds words in any text field, with conditions, an order and fields', async () => {
  const [someone] = readRows(
    await runTool(tools, 'search', { ...users, where: 'active = true', fields: ['lastName', 'emailAddress'], limit: 1 }),
  )
  const { lastName } = Object(someone)
  const found = await runTool(tools, 'search', {
    ...users,
    text: lastName,
    where: 'active = true',
    fields: ['lastName', 'emailAddress'],
    limit: 5,
  })
  expect(found.isError, found.text).toBe(false)
  expect(readRows(found)).toContainEqual(someone)
  expect(found.text).toContain('"context_store":{"synced_at":')
  const sorted = await runTool(tools, 'search', { ...users, sort: 'emailAddress desc', fields: ['emailAddress'], limit: 3 })
  const addresses = readRows(sorted).map((row) => String(Object(row).emailAddress))
  expect(addresses).toEqual(addresses.toSorted().toReversed())
  expect(readRows(await runTool(tools, 'read_more', { handle: findHandle(sorted) }))).toHaveLength(3)
  const filtered = await runTool(tools, 'search', { ...users, filter: { eq: { active: true } }, text: 'nobody-has-this-word' })
  expect(filtered.text).toMatch(/: no rows\./)
})

test('search says which field was meant', async () => {
  const { text, code } = await runTool(tools, 'search', { ...users, where: 'emailAdress = "x"' })
  expect([code, text]).toEqual(['field_not_searchable', expect.stringMatching(/Nearest: emailAddress/)])
})

test('a statement runs once, and all of its parts are read with typed cells', async () => {
  const rows = "SELECT SEQ8() AS N, 12345678901234567890 AS BIG, 'a note' AS NOTE FROM TABLE(GENERATOR(ROWCOUNT => 6000))"
  const small = await createTools(openFerrule(world), { maxTokens: 60_000 })
  const before = world.sandbox.snowflake.executed().length
  const answers = await readAll(small, 'execute', statement(rows))
  const all = answers.flatMap(readRows)
  expect(all).toHaveLength(6_000)
  expect(all.at(-1)).toEqual({ N: 5_999, BIG: 12345678901234567890n, NOTE: 'a note' })
  expect(world.sandbox.snowflake.executed().length - before).toBe(1)
})

test('execute refuses a statement that writes, and write takes it', async () => {
  const refused = await runTool(tools, 'execute', statement("INSERT INTO EVENTS (EVENT_ID, NAME) VALUES ('e-9', 'x')"))
  expect(refused).toMatchObject({ isError: true, code: 'statement_not_allowed' })
  expect(refused.text).toMatch(/The action create takes this statement/)
  const written = await runTool(tools, 'write', statement('CREATE TABLE T (A INT)', 'create'))
  expect(written).toMatchObject({ isError: true, code: 'statement_not_allowed' })
})

test('a file is described, and its transfer ends', async () => {
  const call = await runTool(tools, 'execute', { ...users, entity: 'calls', action: 'list', fields: ['id'] })
  const [first] = readRows(call)
  const params = { filter: { callIds: [Object(first).id] }, contentSelector: { exposedFields: { media: true } } }
  const file = await runTool(tools, 'execute', { ...users, entity: 'call_audio', action: 'download', params })
  expect(file.isError, file.text).toBe(false)
  expect(file.file).toMatchObject({ type: 'audio/mpeg', bytes: expect.any(Number) })
  expect(file.text).toMatch(/of "Copied": a file, \d+ bytes\.\nData from .*\n\{"name":".*\.mp3","type":"audio\/mpeg"\}\nEnd of data\.\n/)
})

test('an abort reaches the call, and a vendor that fails is answered', async () => {
  world.sandbox.faults.add({ kind: 'never-answer', on: 'api', times: 5 })
  const reason = new Error('no longer wanted')
  const list = { ...users, action: 'list' }
  await expect(runTool(tools, 'execute', list, { signal: AbortSignal.timeout(200) })).rejects.toMatchObject({ name: 'TimeoutError' })
  await expect(runTool(tools, 'execute', list, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  const late = await runTool(tools, 'execute', list, { deadlineMs: 50 })
  expect(late).toMatchObject({ isError: true, code: 'service_timeout' })
})
