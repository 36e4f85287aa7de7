/** Tools for single operations: over every kind, over several sources at once, and narrowed. */
import { describe, expect, test } from 'vitest'
import { createTools } from '../../packages/ferrule/src/agent/index.ts'
import { fakeConnector, makeFakeSource } from './fake-source.ts'
import { agentKinds, makeKindSource } from './kind-source.ts'
import { runTool } from './support.ts'

const source = makeKindSource(() => ({ data: [], meta: {} }))
const name = /^[a-zA-Z][a-zA-Z0-9_]{0,63}$/

/** Lists each schema of a schema. */
const listSchemas = (schema: unknown): readonly object[] =>
  typeof schema !== 'object' || schema === null ? [] : [schema, ...Object.values(schema).flatMap(listSchemas)]

test('every operation of every kind has a name and a schema that all frameworks take', async () => {
  const names: string[] = []
  for (const { kind, entities } of agentKinds) {
    const tools = await createTools(source, { include: [kind], write: true })
    expect(tools).toHaveLength(entities.flatMap(({ actions }) => actions).length + 1)
    for (const tool of tools) {
      names.push(tool.name)
      expect(tool.name).toMatch(name)
      expect(tool.description).toMatch(/\w/)
      expect(tool.inputSchema).toMatchObject({ type: 'object' })
      for (const schema of listSchemas(tool.inputSchema))
        expect(Object.keys(schema)).not.toEqual(
          expect.arrayContaining([expect.stringMatching(/^(\$ref|oneOf|anyOf|allOf|default|const)$/)]),
        )
    }
  }
  expect(new Set(names).size).toBe(names.length - (agentKinds.length - 1)) // read_more is in each set
  expect(names).toContain('tiktok_marketing_ads_reports_daily_list')
})

test('names that are too long or begin alike stay apart', async () => {
  const long = 'x'.repeat(70)
  const entities = ['1', '2'].map((end) => ({
    ...{ entity: `${long}${end}`, description: 'Long', key: ['id'], record: null, searchable: null },
    actions: [{ action: 'list' as const, description: 'Lists', params: { type: 'object', properties: {} } }],
  }))
  const kind = { kind: '9-lives', title: 'Nine', description: '', entities }
  const made = { ...makeFakeSource(() => ({ data: [], meta: {} })), readKind: async () => kind }
  const tools = await createTools(made, { include: ['9-lives'] })
  expect(new Set(tools.map((tool) => tool.name)).size).toBe(3)
  for (const tool of tools) expect(tool.name).toMatch(name)
})

describe('patterns', () => {
  const choose = async (...include: readonly string[]) =>
    (await createTools(source, { include, write: true })).map((tool) => tool.name).filter((each) => each !== 'read_more')
  const refuse = (...include: readonly string[]) => createTools(source, { include }).then(String, (thrown: Error) => thrown.message)

  test('mean an operation, an entity, an action of all entities, or a kind', async () => {
    expect(await choose('gong.calls.list')).toEqual(['gong_calls_list'])
    expect(await choose('shopify.orders.*')).toEqual(['shopify_orders_list', 'shopify_orders_get'])
    expect(await choose('shopify.orders')).toEqual(['shopify_orders_list', 'shopify_orders_get'])
    expect(await choose('*.users.get', 'gong.calls.list', 'gong.calls.list')).toEqual(['gong_users_get', 'gong_calls_list'])
    expect(await choose('snowflake.record.*')).toContain('snowflake_record_delete')
  })

  test.each([
    ['gong.call.list', /nearest: gong\.calls\.list/],
    ['gong.call.*', /nearest: gong\.calls\.\*/],
    ['gnog', /nearest: gong\./],
    ['shopify.ordrs', /nearest: shopify\.orders/],
    ['salesforce.leads.list', /connected: gong, shopify, snowflake, tiktok-marketing\./],
    ['gong.calls.list.more', /means no operation/],
    ['snowflake.record.create', /writes: set the option write too/],
  ])('%s is answered', async (pattern, says) => {
    expect(await refuse(pattern)).toMatch(says)
  })

  test('that mean more than 100 operations are refused', async () => {
    const entities = Array.from({ length: 101 }, (_, at) => ({
      ...{ entity: `e${at}`, description: '', key: ['id'], record: null, searchable: null },
      actions: [{ action: 'list' as const, description: 'Lists', params: {} }],
    }))
    const made = { ...makeFakeSource(() => ({})), readKind: async () => ({ kind: 'notes', title: '', description: '', entities }) }
    await expect(createTools(made, { include: ['*'] })).rejects.toThrow(/means 101 operations; 100 tools are the most/)
    expect(await createTools(made, { include: ['notes.e1', 'notes.e2.list'] })).toHaveLength(3)
  })

  test('are refused where nothing is connected, and a search is not one of them', async () => {
    const nothing = makeFakeSource(() => ({}), [])
    await expect(createTools(nothing, { include: ['gong.calls.list'] })).rejects.toThrow(/nothing is connected/)
    expect(await refuse('gong.calls.search')).toMatch(/means no operation/)
  })
})

describe('several sources at once', () => {
  const [notes, others] = [
    makeFakeSource(() => ({ data: [{ of: 'notes' }], meta: {} }), [fakeConnector('team'), fakeConnector('away', { workspace: 'other' })]),
    makeFakeSource(() => ({ data: [{ of: 'others' }], meta: {} }), [fakeConnector('side')]),
  ]

  test('are reached by name, and each tool asks for the connector', async () => {
    const tools = await createTools([notes, others], { include: ['notes.notes.list'] })
    expect(tools[0]?.inputSchema).toMatchObject({ properties: { connector_name: { enum: ['team', 'away', 'side'] } } })
    expect((await runTool(tools, 'notes_notes_list', { connector_name: 'side' })).text).toContain('{"of":"others"}')
    const without = await runTool(tools, 'notes_notes_list', {})
    expect(without).toMatchObject({ isError: true, code: 'connector_ambiguous' })
  })

  test('are narrowed to the workspace and the connectors of one end user', async () => {
    for (const options of [{ workspace: 'default', connectors: ['team', 'away'] }, { connectors: ['id-of-team'] }]) {
      const tools = await createTools([notes, others], { include: ['notes.notes.list'], ...options })
      expect(JSON.stringify(tools[0]?.inputSchema)).not.toMatch(/away|side|connector_name/)
      expect((await runTool(tools, 'notes_notes_list', {})).text).toContain('{"of":"notes"}')
    }
    const { text } = await runTool(await createTools([notes, others], { workspace: 'default' }), 'list_connectors', {})
    expect(text.match(/^"\w+"/gm)).toEqual(['"team"', '"side"'])
  })
})
