/** Refusals that come with HTTP 200: whatever code the vendor invents, none of them is an empty list. Hosted and in the library. */
import fc from 'fast-check'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { Deadline } from '../../packages/ferrule/src/engine/http/deadline.ts'
import { asFerruleError } from '../../packages/ferrule/src/errors.ts'
import { connect } from '../../packages/ferrule/src/index.ts'
import { type Reply, serve } from '../engine/support.ts'
import { operations, usesOf } from '../library/tiktok-operations.ts'
import { execute } from '../library/tiktok-support.ts'
import { choose } from '../support/draws.ts'
import { type Json, startWorld } from './support.ts'
import { sandboxAds } from './tiktok-support.ts'

const config = { advertiser_id: '7398164205713920517' }
const secret = 'a-token-that-nobody-may-see'
const credentials = { access_token: secret }

let reply: Reply = {}
type Door = (entity: string) => Promise<{ readonly meta?: Json; readonly data?: Json; readonly problem?: Json }>
const doors: Record<string, Door> = {}
vi.spyOn(Deadline.prototype, 'pause').mockResolvedValue()
const vendor = await serve(() => reply)
const world = await startWorld({ settings: { origins: { 'tiktok-marketing': { api: vendor.origin } } } })
const uses: Readonly<Record<string, object>> = usesOf(world.sandbox.tiktok.world)
const id = await world.connect('refusals', sandboxAds('refusals', { credentials, environment: undefined, replication_config: config }))
const library = connect('tiktok-marketing', { credentials, config, origin: vendor.origin, limits: false })
doors['the service'] = async (entity) => {
  const { status, json } = await world.execute(id, { entity, action: 'list', params: uses[entity] })
  return status === 200 ? json : { problem: json }
}
doors['the library'] = (entity) =>
  execute(library, entity, 'list', uses[entity]).catch((thrown: unknown) => ({ problem: asFerruleError(thrown).toProblem() }))
afterEach(() => expect(world.log.join('')).not.toContain(secret))
afterAll(async () => {
  vi.restoreAllMocks()
  await world.close()
  await vendor[Symbol.asyncDispose]()
})

const pageInfo = { page: 1, page_size: 10, total_number: 0, total_page: 0 }
const envelope = (code: string, data: unknown, message = 'Told') =>
  `{"code":${code},"message":${JSON.stringify(message)},"request_id":"20260501120000A1B2"${data === undefined ? '' : `,"data":${JSON.stringify(data)}`}}`

const code = fc.oneof(
  fc.integer({ min: 40000, max: 61001 }),
  fc.integer({ min: -100, max: 100 }),
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n }),
  fc.constantFrom(1, -1, 20000, 20002, 200, 39999, 60000, 2 ** 53),
)
const data = fc.constantFrom<unknown>(
  {},
  { list: [] },
  { list: [], page_info: pageInfo },
  { list: [{ id: '1' }], page_info: pageInfo },
  null,
  undefined,
)

describe.each(['the service', 'the library'])('%s', (name) => {
  const run: Door = (entity) => doors[name]?.(entity) ?? Promise.reject(new Error('no such door'))

  test('no code but 0 and 20001 is a success, whatever comes with it; the code is told', async () => {
    const entity = fc.constantFrom(...operations.map((operation) => operation.entity))
    await fc.assert(
      fc.asyncProperty(code, data, entity, fc.boolean(), async (number, ...[holds, of, isText]) => {
        fc.pre(BigInt(number) !== 0n && BigInt(number) !== 20001n)
        reply = { body: envelope(isText ? `"${number}"` : String(number), holds) }
        const { problem } = await run(of)
        const digits = String(number)
        expect([problem?.upstream?.code, problem?.upstream?.message, problem?.upstream?.request_id]).toEqual([
          digits,
          'Told',
          '20260501120000A1B2',
        ])
        expect(problem.code).toMatch(/^(upstream_|record_not_found$)/)
        expect(problem.code).not.toBe('upstream_answer_invalid')
      }),
      { numRuns: choose(60, 300) },
    )
  })

  test.each(operations)('$entity: 20001 is a success with its message as a warning, 0 is one without', async ({ entity }) => {
    reply = { body: envelope('20001', { list: [], page_info: pageInfo }, 'One of two was left out') }
    expect(await run(entity)).toMatchObject({ data: [], meta: { warnings: ['One of two was left out'], next_params: null } })
    reply = { body: envelope('0', { list: [], page_info: pageInfo }), headers: { 'x-tt-ads-throttle': 'Only the newest 20000' } }
    expect(await run(entity)).toMatchObject({ data: [], meta: { warnings: ['Only the newest 20000'] } })
    reply = { body: envelope('0', { list: [], page_info: pageInfo }) }
    expect((await run(entity)).meta).not.toHaveProperty('warnings')
  })

  test.each<[string, Reply]>([
    ['HTML', { headers: { 'content-type': 'text/html' }, body: '<html><body>Sign in</body></html>' }],
    ['half of the JSON', { body: envelope('0', { list: [], page_info: pageInfo }).slice(0, 60) }],
    ['no body', { body: '' }],
    ['no code', { body: { message: 'OK', data: { list: [], page_info: pageInfo } } }],
    ['a code that is null', { body: envelope('null', { list: [], page_info: pageInfo }) }],
    ['a code that is an empty text', { body: envelope('""', { list: [], page_info: pageInfo }) }],
    ['a code that is false', { body: envelope('false', { list: [], page_info: pageInfo }) }],
    ['a code in a list', { body: envelope('[0]', { list: [], page_info: pageInfo }) }],
    ['a code in an object', { body: envelope('{"":0}', { list: [], page_info: pageInfo }) }],
    ['a list in the place of the object', { body: '[]' }],
    ['null', { body: 'null' }],
  ])('%s with HTTP 200 is no answer', async (_what, sent) => {
    reply = sent
    for (const entity of ['campaigns', 'ads_reports_daily'])
      expect((await run(entity)).problem).toMatchObject({
        code: 'upstream_answer_invalid',
        retryable: true,
        fault: 'vendor',
      })
  })

  test.each([
    ['without data', undefined, true],
    ['with empty data', {}, true],
    ['with a list that is null', { list: null, page_info: pageInfo }, false],
    ['without page_info', { list: [] }, true],
  ])('code 0 %s is an empty list, with a warning where the vendor told no numbers', async (_what, ...[data, isUntold]) => {
    reply = { body: envelope('0', data) }
    for (const entity of ['campaigns', 'ads_reports_daily']) {
      const { data: found, meta } = await run(entity)
      expect([found, meta.next_params, meta.warnings !== undefined]).toEqual([[], null, isUntold])
    }
  })

  test.each([
    [400, 'upstream_invalid_request'],
    [401, 'upstream_auth_failed'],
    [403, 'upstream_permission_denied'],
    [404, 'upstream_unsupported'],
    [405, 'upstream_unsupported'],
    [418, 'upstream_invalid_request'],
    [429, 'upstream_rate_limited'],
    [500, 'upstream_error'],
    [502, 'upstream_error'],
    [503, 'upstream_error'],
    [504, 'upstream_error'],
    [302, 'upstream_answer_invalid'],
  ])('HTML with HTTP %i is %s', async (status, told) => {
    reply = { status, headers: { 'content-type': 'text/html' }, body: '<html><body><h1>Gateway</h1></body></html>' }
    const { problem } = await run('ads')
    expect(problem).toMatchObject({ code: told, upstream: { status } })
    expect(JSON.stringify(problem)).not.toContain('<')
  })

  test('what the vendor says of a token is not shown', async () => {
    reply = { body: envelope('40105', {}, `The token ${secret} is wrong`) }
    expect((await run('ads')).problem).toMatchObject({ upstream: { message: 'The token [secret] is wrong' } })
  })
})
