/** Parameters that the caller leaves out and the connector knows. */
import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { fromConnector, opt, str } from '../../packages/ferrule/src/definition/fields.ts'
import { fillParams, findOperation } from '../../packages/ferrule/src/engine/call/operation.ts'
import type { Connection } from '../../packages/ferrule/src/engine/connection.ts'
import { failure, fixed, serve, testEngine } from './support.ts'
import { coded } from './verdict-support.ts'

const kind = kinds['tiktok-marketing']
/** Two ids that are one and the same double. */
const [first, second] = ['7412085530917364481', '7412085530917364503']

interface Known {
  readonly configured?: unknown
  readonly discovered?: string
}

const connectionOf = ({ configured }: Known): Connection => ({
  kind,
  configuration: configured === undefined ? {} : { advertiser_id: configured },
  credentials: fixed({ access_token: 'tok_demo' }),
})

/** The parameters of a list with what is supplied, and the credential fields that were asked for on the way. */
async function filled(entity: string, known: Known, params: Readonly<Record<string, unknown>> = {}) {
  const asked: string[] = []
  const given = await fillParams(connectionOf(known), {
    operation: findOperation(kind, entity, 'list'),
    params,
    discovered: async (field) => {
      asked.push(field)
      return known.discovered ?? ''
    },
  })
  return { given, asked }
}

describe('what the caller gives', () => {
  test('stays as it is, and nothing is asked for', async () => {
    const params = { advertiser_id: second, page: 2 }
    expect(await filled('campaigns', { configured: first, discovered: first }, params)).toEqual({ given: params, asked: [] })
    expect(await filled('campaigns', {}, params)).toEqual({ given: params, asked: [] })
  })
})

describe('a parameter of one value', () => {
  test.each<[string, Known, string[]]>([
    ['the one of the configuration', { configured: first }, []],
    ['the only one of a list', { configured: [first] }, []],
    ['the configuration before what was discovered', { configured: first, discovered: second }, []],
    ['the only one that was discovered', { discovered: first }, ['advertiser_ids']],
  ])('%s', async (_what, known, asked) => {
    expect(await filled('campaigns', known, { page: 2 })).toEqual({ given: { page: 2, advertiser_id: first }, asked })
  })

  test.each<[string, Known]>([
    ['configured', { configured: [first, second] }],
    ['discovered', { discovered: `${first},${second}` }],
  ])('of several that are %s none is picked: all are named', async (_what, known) => {
    const error = await failure(filled('ads', known))
    expect(error).toMatchObject({ code: 'missing_parameter', status: 422 })
    expect(error.errors).toEqual([
      {
        field: '/params/advertiser_id',
        message: `/params/advertiser_id is required, as several are known: advertiser ${first}, ${second}.`,
        error_code: 'required',
      },
    ])
    expect(error.hint).toBe('Send advertiser_id, or set advertiser_id (replication_config on the platform, config in the library).')
  })

  test('of many some are named, and the number of the others', async () => {
    const discovered = Array.from({ length: 120 }, (_each, index) => String(1000 + index)).join(',')
    expect((await failure(filled('ads', { discovered }))).message).toMatch(/advertiser 1000, 1001, [\d, ]*1019 and 100 more\.$/)
  })

  test('that nobody knows is missed, with both ways to give it', async () => {
    const error = await failure(filled('ads', { discovered: '' }))
    expect(error).toMatchObject({ code: 'missing_parameter', retryable: false })
    expect(error.message).toContain(
      '/params/advertiser_id is required: give it with the call, or set advertiser_id in the configuration of the connector',
    )
  })
})

describe('a parameter of all values', () => {
  test.each<[string, Known, string]>([
    ['one that is configured', { configured: first }, `["${first}"]`],
    ['several', { configured: [first, second] }, `["${first}","${second}"]`],
    ['what was discovered', { discovered: `${second},${first}` }, `["${second}","${first}"]`],
  ])('%s', async (_what, known, advertiser_ids) => {
    expect((await filled('advertisers', known)).given).toEqual({ advertiser_ids })
  })

  test('is missed where nobody knows one', async () => {
    expect((await failure(filled('advertisers', {}))).errors).toMatchObject([{ field: '/params/advertiser_ids', error_code: 'required' }])
  })
})

test('a parameter that is filled if a value is known stays away where none is, and takes no choice', async () => {
  const things = coded.definition.entities.things
  const list = { ...things.list, params: { group: fromConnector('group', str('Group'), 'if_known') } }
  const knowing = {
    definition: {
      ...coded.definition,
      configuration: { group: opt(str('Group')) },
      known: { group: { configuration: 'group' } },
      entities: { things: { ...things, list } },
    },
    rules: {},
  }
  const operation = findOperation(knowing, 'things', 'list')
  const given = (configuration: Readonly<Record<string, unknown>>) =>
    fillParams({ ...connectionOf({}), kind: knowing, configuration }, { operation, params: {}, discovered: async () => '' })
  expect(await given({})).toEqual({})
  expect(await given({ group: 'a' })).toEqual({ group: 'a' })
  expect((await failure(given({ group: ['a', 'b'] }))).code).toBe('missing_parameter')
})

test('nothing is sent where a parameter cannot be filled', async () => {
  await using server = await serve(() => ({ body: {} }))
  await using engine = testEngine()
  const connection = { ...connectionOf({}), origin: { api: server.origin } }
  expect((await failure(engine.run(connection, { entity: 'ads', action: 'list' }))).code).toBe('missing_parameter')
  expect(server.seen).toHaveLength(0)
})
