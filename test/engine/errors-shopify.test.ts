import { describe, expect, test } from 'vitest'
import type { ErrorCode } from '../../packages/ferrule/src/errors.ts'
import { maxAttempts } from '../../packages/ferrule/src/retry.ts'
import { shopifyAt, token } from './shopify-support.ts'
import { movedTime } from './snowflake-support.ts'
import { failure, listed, type Reply, serve, testEngine } from './support.ts'

const requestId = '0f3c9d52-7a1e-4b60-9c11-000000000001-1775023200'
const operations = {
  list: { entity: 'orders', action: 'list', params: {} },
  page: { entity: 'orders', action: 'list', params: { page_info: 'x' } },
  get: { entity: 'orders', action: 'get', params: { order_id: 1 } },
  address: { entity: 'customer_address', action: 'get', params: { customer_id: 1, address_id: 2 } },
} as const
type Name = keyof typeof operations

/** Runs an operation at a vendor that always answers this; returns its end and the number of requests. */
async function met(name: Name, reply: Exclude<Reply, (...args: never[]) => unknown>) {
  await using server = await serve(() => ({ ...reply, headers: { 'x-request-id': requestId, ...reply.headers } }))
  await using engine = testEngine()
  const error = await failure(engine.run(shopifyAt(server.origin), operations[name]))
  return { error, requests: server.seen.length }
}

const approval = '[API] This action requires merchant approval for read_orders scope.'
const unapproved =
  '[API] This app is not approved to access REST endpoints with protected customer data. See https://partners.shopify.com/1/apps/2/customer_data for more details.'
const frozen = 'Unavailable Shop'
const wrongToken = '[API] Invalid API key or access token (unrecognized login or wrong password)'
const besideCursor =
  'updated_at_min cannot be passed when page_info is present. See https://shopify.dev/api/usage/pagination-rest for more information.'
const tooFast = 'Exceeded 2 calls per second for api client. Reduce request rates to resume uninterrupted service.'

/** Each form of the vendor: operation, status, what lies at `errors`, our code, and the text that is kept. */
const rows: readonly (readonly [Name, number, unknown, ErrorCode, string | undefined])[] = [
  ['list', 400, 'Limit exceeds maximum limit of 250', 'upstream_invalid_request', 'Limit exceeds maximum limit of 250'],
  ['get', 400, { id: 'expected String to be a id' }, 'upstream_invalid_request', 'id: expected String to be a id'],
  ['page', 400, { updated_at_min: besideCursor }, 'invalid_cursor', `updated_at_min: ${besideCursor}`],
  ['page', 400, { page_info: 'Invalid value.' }, 'invalid_cursor', 'page_info: Invalid value.'],
  ['page', 400, 'Limit exceeds maximum limit of 250', 'upstream_invalid_request', 'Limit exceeds maximum limit of 250'],
  ['list', 400, { page_info: 'Invalid value.' }, 'upstream_invalid_request', 'page_info: Invalid value.'],
  ['list', 401, wrongToken, 'upstream_auth_failed', wrongToken],
  ['list', 402, frozen, 'upstream_account_unavailable', frozen],
  ['list', 402, 'This feature is not part of your plan', 'upstream_account_unavailable', 'This feature is not part of your plan'],
  ['list', 403, frozen, 'upstream_account_unavailable', frozen],
  ['list', 403, approval, 'upstream_permission_denied', approval],
  ['list', 403, unapproved, 'upstream_permission_denied', unapproved],
  ['get', 404, 'Not Found', 'record_not_found', 'Not Found'],
  ['list', 404, 'Not Found', 'record_not_found', 'Not Found'],
  ['address', 404, 'Not Found', 'record_not_found', 'Not Found'],
  ['list', 405, 'Method Not Allowed', 'upstream_unsupported', 'Method Not Allowed'],
  ['list', 406, undefined, 'upstream_unsupported', undefined],
  ['list', 409, 'Conflict', 'upstream_invalid_request', 'Conflict'],
  ['list', 414, undefined, 'upstream_invalid_request', undefined],
  ['list', 415, 'Unsupported Media Type', 'upstream_unsupported', 'Unsupported Media Type'],
  ['list', 422, { status: ['is not one of the values', 'is odd'] }, 'upstream_invalid_request', 'status: is not one of the values; is odd'],
  ['list', 423, 'This shop is unavailable', 'upstream_account_unavailable', 'This shop is unavailable'],
  ['list', 429, tooFast, 'upstream_rate_limited', tooFast],
  ['list', 430, undefined, 'upstream_account_unavailable', undefined],
  ['list', 500, 'Internal Server Error', 'upstream_error', 'Internal Server Error'],
  ['list', 501, 'Not Implemented', 'upstream_unsupported', 'Not Implemented'],
  ['list', 502, undefined, 'upstream_error', undefined],
  ['list', 503, 'Service Unavailable', 'upstream_error', 'Service Unavailable'],
  ['list', 504, undefined, 'upstream_error', undefined],
  ['list', 530, undefined, 'upstream_error', undefined],
  ['list', 540, 'Temporarily disabled', 'upstream_error', 'Temporarily disabled'],
  ['list', 783, 'Unexpected Token', 'upstream_invalid_request', 'Unexpected Token'],
]

describe('errors of Shopify', () => {
  test.each(rows)('%s: %i %j is %s', async (name, status, ...[errors, code, message]) => {
    const { error, requests } = await met(name, { status, body: errors === undefined ? '<html>Bad gateway</html>' : { errors } })
    expect(error).toMatchObject({ code, upstream: { status, request_id: requestId } })
    expect(error.upstream?.message).toBe(message)
    expect(requests).toBe(['upstream_rate_limited', 'upstream_error'].includes(code) ? maxAttempts : 1)
  })

  test('each 403 says what to do, and only a token that is wrong calls for another one', async () => {
    const hints = await Promise.all(
      [approval, unapproved, frozen].map(async (errors) => (await met('list', { status: 403, body: { errors } })).error.hint),
    )
    expect(hints.map((hint) => hint.slice(0, 32))).toEqual([
      'Grant the scope to the app in th',
      'The app needs the approval of Sh',
      'Settle it with the vendor.',
    ])
    const { error } = await met('list', { status: 401, body: { errors: wrongToken } })
    expect(error).toMatchObject({ fault: 'credentials', hint: expect.stringContaining('put a new token into the connector') })
  })

  test.each([
    [{ error: 'invalid_request', error_description: 'The request is missing a parameter' }, 'The request is missing a parameter'],
    [{ error: 'invalid_request' }, 'invalid_request'],
  ])('in the form of OAuth %j keep their text', async (body, message) => {
    const { error } = await met('list', { status: 400, body })
    expect(error).toMatchObject({ code: 'upstream_invalid_request', upstream: { status: 400, message } })
  })

  test.each([
    ['no text', {}],
    ['no text in a list', []],
    ['null', null],
    ['an empty text', ''],
    ['fields without texts', { base: [], other: {} }],
  ])('with %s is told by its status', async (_what, errors) => {
    const { error } = await met('list', { status: 422, body: { errors } })
    expect(error.message).toBe('Shopify refused the request: status 422.')
    expect(error.upstream).toEqual({ status: 422, request_id: requestId })
  })

  test('of any depth and number is a text of bounded length', async () => {
    const deep = `{"errors":${'{"a":['.repeat(50_000)}"x"${']}'.repeat(50_000)}}`
    const { error } = await met('list', { status: 422, body: deep })
    expect(error.code).toBe('upstream_invalid_request')
    const wide = { errors: Object.fromEntries(Array.from({ length: 5000 }, (_each, index) => [`field${index}`, ['is wrong']])) }
    expect((await met('list', { status: 422, body: wide })).error.upstream?.message).toHaveLength(500)
  })

  test.each([
    ['2.0', 2000],
    ['0.5', 500],
    ['7', 7000],
  ])('a wait of %s is told in milliseconds', async (header, retryAfterMs) => {
    using _time = movedTime(300)
    await using server = await serve(() => ({ status: 429, headers: { 'retry-after': header }, body: { errors: tooFast } }))
    await using engine = testEngine()
    const error = await failure(engine.run(shopifyAt(server.origin), operations.list))
    expect(error).toMatchObject({ code: 'upstream_rate_limited', retryAfterMs, retryable: true })
  })
})

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])('%i is an error, and the token goes nowhere else', async (status) => {
    await using other = await serve(() => ({ body: { orders: [] } }))
    const { error, requests } = await met('list', { status, headers: { location: `${other.origin}/admin/api/2026-07/orders.json` } })
    expect(error).toMatchObject({ code: 'upstream_answer_invalid', retryable: false })
    expect(error.message).toMatch(
      /a redirect to 127\.0\.0\.1:\d+\/admin\/api\/2026-07\/orders\.json, which is never followed with credentials/,
    )
    expect(JSON.stringify(error.toProblem())).not.toContain(token)
    expect(requests).toBe(1)
    expect(other.seen).toEqual([])
  })
})

describe('an answer that is not whole', () => {
  test.each([
    ['cut text', '{"orders":[{"id":1},'],
    ['HTML', '<html></html>'],
    ['nothing', ''],
    ['another envelope', { order: { id: 1 } }],
    ['no array', { orders: { id: 1 } }],
    ['null', { orders: null }],
  ])('%s is never an empty list', async (_what, body) => {
    const { error } = await met('list', { status: 200, body })
    expect(error.code).toBe('upstream_answer_invalid')
  })

  test('the envelope of an address is not that of its list', async () => {
    await using server = await serve(({ url }) => ({ body: { [url.endsWith('addresses.json') ? 'addresses' : 'customer_address']: [] } }))
    await using engine = testEngine()
    const addresses = { entity: 'customer_address', action: 'list', params: { customer_id: 1 } }
    expect((await listed(engine.run(shopifyAt(server.origin), addresses))).data).toEqual([])
    expect((await failure(engine.run(shopifyAt(server.origin), operations.address))).code).toBe('upstream_answer_invalid')
  })
})
