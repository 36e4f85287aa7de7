/** Arguments as hosts and strict modes send them, and what an answer says about those that are wrong. */
import { describe, expect, test } from 'vitest'
import { type AgentRequest, createTools } from '../../packages/ferrule/src/agent/index.ts'
import { makeKindSource } from '../agent/kind-source.ts'
import { runTool } from '../agent/support.ts'

/** Runs a tool over all kinds. @returns the answer, and what reached the source */
async function call(tool: string, args: unknown, options: { readonly include?: readonly string[] } = {}) {
  const requests: AgentRequest[] = []
  const source = makeKindSource((request) => {
    requests.push(request)
    return { data: [], meta: {} }
  })
  const tools = await createTools(source, { write: true, ...options })
  const answer = await runTool(tools, tool, args)
  return { answer, request: requests[0] }
}

const gong = { connector: 'My gong', entity: 'calls' }

describe('arguments that count as left out', () => {
  test.each<[string, unknown]>([
    ['list_connectors', { connector: '' }],
    ['list_connectors', ''],
    ['list_connectors', '{}'],
    ['describe', { connector: 'My gong', entity: '', action: '' }],
    ['current_time', { time_zone: '' }],
    ['current_time', { time_zone: ' ' }],
    ['execute', { ...gong, action: 'list', params: '', fields: '' }],
    ['execute', { ...gong, action: 'list', params: '{}', fields: [] }],
    ['execute', { ...gong, action: 'list', params: {}, fields: '[]' }],
    ['search', { ...gong, text: '', where: '', filter: '', sort: '', fields: [''], limit: 0, max_age: 0 }],
    ['search', { ...gong, text: '{}', where: '{}', filter: {}, sort: '{}', limit: '', max_age: '0' }],
    ['search', { ...gong, text: null, filter: '{}', limit: null }],
  ])('%s %j', async (tool, args) => {
    const { answer, request } = await call(tool, args)
    expect([answer.isError, answer.text.slice(0, 300)]).toEqual([false, expect.any(String)])
    if (tool === 'execute') expect([request?.params, request?.fields]).toEqual([{}, undefined])
    if (tool === 'search') expect([request?.params, request?.maxAge]).toEqual([{ query: {}, limit: 50 }, undefined])
  })

  test('a row of 0 continues with the next rows, and an empty connector is the only one', async () => {
    const rows = Array.from({ length: 2_000 }, (_each, id) => ({ id: `number ${id}`, note: 'some words of a note' }))
    const kinds = makeKindSource(() => ({ data: rows, meta: {} }))
    const tools = await createTools(kinds, { connectors: ['My gong'] })
    const first = await runTool(tools, 'execute', { connector: '', entity: 'calls', action: 'list' })
    const handle = /"handle":"([^"]+)"/.exec(first.text)?.[1]
    const next = await runTool(tools, 'read_more', { handle, row: 0 })
    expect([next.isError, next.text]).toEqual([false, expect.stringMatching(/: rows \d+ to \d+ of 2000/)])
  })

  test.each(['entity', 'action'])('but not what a tool needs: an empty %s', async (name) => {
    const { answer } = await call('execute', { ...gong, action: 'list', [name]: '' })
    expect(answer.text).toContain(`/${name} is required`)
  })
})

describe('what hosts add is dropped', () => {
  const added = { toolCallId: 'call_1', sessionId: 's', chatInput: 'hello', tool: { name: 'x' }, _meta: {} }
  test.each<[string, object]>([
    ['list_connectors', { ...added, action: 'sendMessage' }],
    ['current_time', added],
    ['search', { ...gong, ...added, action: 'sendMessage' }],
    ['execute', { ...gong, action: 'list', ...added }],
  ])('%s', async (tool, args) => {
    expect((await call(tool, args)).answer.isError).toBe(false)
  })
  test('by a tool of one operation', async () => {
    const { answer, request } = await call('gong_calls_list', added, { include: ['gong.calls.list'] })
    expect([answer.isError, request?.params]).toEqual([false, {}])
  })
  test('and nothing else is', async () => {
    const { answer } = await call('search', { ...gong, query: 'x' })
    expect(answer.text).toContain('/query is not known')
  })
})

describe('texts are read as what is declared', () => {
  test.each<[unknown, readonly string[]]>([
    ['id', ['id']],
    ['id, parties.name', ['id', 'parties.name']],
    ['["id"]', ['id']],
  ])('fields %j', async (fields, read) => {
    expect((await call('execute', { ...gong, action: 'list', fields })).request?.fields).toEqual(read)
  })
  test('whole numbers', async () => {
    expect((await call('search', { ...gong, limit: '7', max_age: ' 60 ' })).request).toMatchObject({ maxAge: 60, params: { limit: 7 } })
  })
  test('parameters of an operation', async () => {
    const ads = { connector: 'My tiktok-marketing', entity: 'ads', action: 'list' }
    const params = '{"advertiser_id":"7100000000000000001","page_size":"50","page":"2"}'
    const { request } = await call('execute', { ...ads, params })
    expect(request?.params).toEqual({ advertiser_id: '7100000000000000001', page_size: 50, page: 2 })
    const order = { connector: 'My shopify', entity: 'orders', action: 'get', params: { order_id: '9007199254740993' } }
    expect((await call('execute', order)).request?.params).toEqual({ order_id: 9_007_199_254_740_993n })
  })
  test('parameters of a tool of one operation, where a strict mode fills in all of them', async () => {
    const include = ['tiktok-marketing.ads.list']
    const args = { advertiser_id: '7100000000000000001', page_size: 0, page: 0, filtering: null }
    const { request } = await call('tiktok_marketing_ads_list', args, { include })
    expect(request?.params).toEqual({ advertiser_id: '7100000000000000001' })
  })
})

describe('a wrong call', () => {
  test.each<[string, object, RegExp]>([
    ['search', { ...gong, limit: 'ten' }, /\/limit must be a whole number, such as 10/],
    ['search', { ...gong, fields: 5 }, /\/fields must be a list of strings, such as \["id","title"\]/],
    ['execute', { ...gong, action: 'list', params: 'all' }, /\/params must be an object, such as \{/],
  ])('%s %j is told what to change', async (tool, args, says) => {
    expect((await call(tool, args)).answer.text).toMatch(says)
  })

  test.each<[string, object, object]>([
    ['execute', { connector: 'My shopify', entity: 'orders', query: 1 }, { connector: 'My shopify', entity: 'orders', action: 'list' }],
    ['describe', { connector: 'My shopify', query: 1 }, { connector: 'My shopify', entity: 'calls' }],
    ['search', { ...gong, limit: 'ten' }, { connector: 'My gong', entity: 'calls', text: 'pricing' }],
    ['write', { connector: 'My snowflake', entity: 'record', action: 'insert' }, { connector: 'My snowflake', entity: 'record' }],
  ])('%s %j is shown an example with its own connector', async (tool, args, shown) => {
    const { text } = (await call(tool, args)).answer
    const [, example = '{}'] = new RegExp(`A call that fits: ${tool} (\\{.*\\})$`, 'm').exec(text) ?? []
    expect(JSON.parse(example)).toMatchObject(shown)
    if (tool === 'execute') expect(JSON.parse(example)).not.toHaveProperty('params')
  })
})
