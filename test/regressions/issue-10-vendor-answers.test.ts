/** Answers of the vendors that lost records, words or their meaning. */
import { describe, expect, test } from 'vitest'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import type { Connection } from '../../packages/ferrule/src/engine/connection.ts'
import { failure, fixed, gongAt, listed, opened, type Reply, serve, testEngine } from '../engine/support.ts'
import { tiktokAt } from '../engine/tiktok-limits-support.ts'

const campaign = { campaign_id: '1866000000000002', campaign_name: 'Spring' }

/** Lists campaigns of a vendor that answers this. */
async function campaigns(answer: Readonly<Record<string, unknown>>, params: unknown = {}) {
  await using server = await serve(() => ({ body: { code: 0, message: 'OK', request_id: 'r', ...answer } }))
  await using engine = testEngine()
  return await listed(engine.run(tiktokAt(server.origin), { entity: 'campaigns', action: 'list', params }))
}

describe('a list of the advertising vendor', () => {
  const page_info = { page: 1, page_size: 1000, total_number: 0, total_page: 0 }

  test('that is null beside its numbers is empty', async () => {
    const { data, meta, doubt } = await campaigns({ data: { list: null, page_info } })
    expect({ data, meta, doubt }).toEqual({ data: [], meta: { page_info, next_params: null }, doubt: undefined })
  })

  test.each([{ data: {} }, { data: { list: null } }, { data: null }, {}])(
    'that is not there is empty, with a warning: %j',
    async (answer) => {
      const { data, meta, doubt } = await campaigns(answer)
      expect([data, meta['next_params'], doubt]).toEqual([[], null, expect.stringContaining('without a list')])
      expect(meta['warnings']).toEqual([expect.stringContaining('answered without a list')])
    },
  )

  test('of another form is still no answer', async () => {
    for (const list of [{}, 'x', 7, false])
      expect(await failure(campaigns({ data: { list } }))).toMatchObject({ code: 'upstream_answer_invalid' })
  })

  test('that lacks one of several pages is no answer: its records would be lost', async () => {
    const several = { page: 2, page_size: 10, total_number: 30, total_page: 3 }
    expect(await failure(campaigns({ data: { list: null, page_info: several } }, { page: 2 }))).toMatchObject({
      code: 'upstream_answer_invalid',
      message: expect.stringContaining('page 2 of 3 without its list'),
    })
  })

  test.each([undefined, null])('without page_info (%s) gives its rows; whether more follow is unknown', async (untold) => {
    const { data, meta, doubt } = await campaigns({ data: { list: [campaign], page_info: untold } }, { page: 3 })
    expect(data).toMatchObject([campaign])
    expect(meta).toEqual({
      page_info: { page: 3, page_size: 1000, total_number: null, total_page: null },
      next_params: null,
      warnings: ['TikTok Marketing did not say whether there are more pages.'],
    })
    expect(doubt).toContain('more pages')
  })

  test('without page_info whose page is full goes on', async () => {
    const { meta } = await campaigns({ data: { list: [campaign, campaign] } }, { page_size: 2 })
    expect(meta['next_params']).toEqual({ page: 2 })
  })
})

describe('codes of the advertising vendor', () => {
  test.each([
    [51021, 'Too many requests', 'upstream_rate_limited'],
    [40002, "Campaign 1866000000000002 doesn't exist or has been deleted", 'record_not_found'],
    [40002, 'The ad group doesn’t exist or has been deleted.', 'record_not_found'],
    [40002, 'The advertisers do not exist or have been deleted.', 'record_not_found'],
    [40002, "Invalid metric fields: ['x']", 'upstream_invalid_request'],
  ])('%i %s is %s', async (code, message, is) => {
    expect(await failure(campaigns({ code, message, data: {} }).then(() => undefined))).toMatchObject({ code: is })
  })
})

describe('errors of the conversation vendor', () => {
  test('keep all their texts, and each of them counts', async () => {
    const errors = ['The request is not valid', "You don't have permission to use 'api:calls:read:basic' in your app."]
    await using server = await serve(() => ({ status: 401, body: { requestId: 'r', errors } }))
    await using engine = testEngine()
    const error = await failure(engine.run(gongAt(server.origin), { entity: 'calls', action: 'list' }))
    expect(error).toMatchObject({ code: 'upstream_permission_denied', upstream: { message: errors.join('; ') } })
    expect(error.message).toContain('The request is not valid; You')
  })

  test.each(['calls', 'calls_extensive', 'call_transcripts'])('%s: no calls found for the period is an empty list', async (entity) => {
    await using server = await serve(() => ({ status: 404, body: { requestId: 'r', errors: ['No calls found for the specified period'] } }))
    await using engine = testEngine()
    const params = entity === 'calls' ? {} : { filter: {} }
    const { data, meta } = await listed(engine.run(gongAt(server.origin), { entity, action: 'list', params }))
    expect([data, meta['total_records'], meta['next_params']]).toEqual([[], 0, null])
  })
})

describe('a download that fails', () => {
  const filter = { callIds: ['7'] }
  const signature = 'f0e1d2c3b4a5968778695a4b3c2d1e0f'
  const params = { filter, contentSelector: { exposedFields: { media: true } } }

  /** Downloads from a file host that answers this. */
  async function downloaded(reply: Reply) {
    await using files = await serve(() => reply)
    const audioUrl = `${files.origin}/7.mp3?X-Amz-SignedHeaders=host&X-Amz-Signature=${signature}`
    await using api = await serve(() => ({
      body: { requestId: 'r', calls: [{ metaData: { id: '7', isPrivate: false }, media: { audioUrl } }] },
    }))
    await using engine = testEngine()
    const call = engine.run(gongAt({ api: api.origin, media: files.origin }), { entity: 'call_audio', action: 'download', params })
    return await failure(opened(call))
  }
  const xml = (code: string, message: string) =>
    `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message><StringToSign>AWS4 secret</StringToSign></Error>`

  test.each([
    [403, 'AccessDenied', 'Request has expired', 'upstream_error'],
    [400, 'ExpiredToken', 'The provided token has expired.', 'upstream_error'],
    [404, 'NoSuchKey', 'The specified key does not exist.', 'record_not_found'],
    [416, 'InvalidRange', 'The requested range is not satisfiable', 'range_not_satisfiable'],
  ])('tells what its host said: %i %s', async (status, ...[code, message, is]) => {
    const error = await downloaded({ status, headers: { 'content-type': 'application/xml' }, body: xml(code, message) })
    expect(error).toMatchObject({ code: is, upstream: { status, code, message } })
    if (is !== 'range_not_satisfiable') expect(error.message).toContain(`${message.replace(/\.$/, '')} (${code})`)
    expect(JSON.stringify(error.toProblem())).not.toContain('AWS4 secret')
  })

  test('keeps the secrets of its link', async () => {
    const error = await downloaded({ status: 403, body: xml('SignatureDoesNotMatch', `for host &amp; ${signature}`) })
    expect(error.upstream?.message).toBe('for host & [secret]')
  })

  test.each(['', '{"error":"no"}', `<Error>${'x'.repeat(100_000)}`, '<html>Forbidden</html>'])(
    'keeps its meaning without words',
    async (body) => {
      expect(await downloaded({ status: 403, body })).toMatchObject({ code: 'upstream_error', upstream: { status: 403 } })
    },
  )
})

const shopifyAt = (origin: string): Connection => ({
  kind: kinds.shopify,
  configuration: { shop: 'no-such-store' },
  credentials: fixed({ api_key: 'shpat_00000000000000000000000000000000' }),
  origin: { api: origin },
})

describe('a store that does not exist', () => {
  const asked = async (body: unknown) => {
    await using server = await serve(() => ({ status: 404, body }))
    await using engine = testEngine()
    return await failure(engine.run(shopifyAt(server.origin), { entity: 'orders', action: 'get', params: { order_id: 7 } }))
  }

  test('is told to check the shop, and a record that does not exist to check the id', async () => {
    for (const body of ['<!DOCTYPE html><title>Not Found</title>', ''])
      expect(await asked(body)).toMatchObject({ code: 'record_not_found', hint: expect.stringMatching(/^Check the shop/) })
    expect(await asked({ errors: 'Not Found' })).toMatchObject({ code: 'record_not_found', hint: expect.stringMatching(/^Check the id/) })
  })
})

describe('a check of a store that does not exist', () => {
  test.each<[string, { readonly status: number; readonly body: unknown; readonly headers?: Record<string, string> }, string]>([
    ['the words of the API', { status: 404, body: { errors: 'Not Found' } }, 'record_not_found'],
    ['a page', { status: 404, body: '<!DOCTYPE html><title>Not Found</title>' }, 'record_not_found'],
    ['a redirect', { status: 301, body: '', headers: { location: 'https://shop.example' } }, 'upstream_answer_invalid'],
  ])('says in plain words where the name of the store is, after %s', async (_what, answer, code) => {
    await using server = await serve(() => answer)
    await using engine = testEngine()
    const error = await failure(engine.check(shopifyAt(server.origin)))
    expect(error).toMatchObject({
      code,
      hint: expect.stringMatching(/^(Check|Change) the value of shop.*\. The address of the store's admin /),
    })
    if (code === 'record_not_found') expect(error.message).toBe('Shopify knows nothing at this address.')
  })
})

describe('a text of digits', () => {
  const { shopify } = kinds
  const connection = (origin: string): Connection => ({
    kind: shopify,
    configuration: { shop: 'my-store' },
    credentials: fixed({ api_key: 'shpat_00000000000000000000000000000000' }),
    origin: { api: origin },
  })

  test.each([
    ['7300000009002', '/7300000009002.json'],
    ['9223372036854775807', '/9223372036854775807.json'],
  ])('is the integer that is declared, to the last digit: %s', async (order_id, ending) => {
    await using server = await serve(() => ({ body: { order: { id: 1 } } }))
    await using engine = testEngine()
    await engine.run(connection(server.origin), { entity: 'orders', action: 'get', params: { order_id } })
    expect(server.seen[0]?.url).toMatch(new RegExp(`${ending}$`))
  })

  test.each(['1.0', '1e3', ' 1', '', '0x10', '1_000', '١', '9'.repeat(31)])('that is no integer is refused: "%s"', async (order_id) => {
    await using engine = testEngine()
    const call = engine.run(connection('http://127.0.0.1:1'), { entity: 'orders', action: 'get', params: { order_id } })
    expect(await failure(call)).toMatchObject({ code: 'invalid_parameter', errors: [{ field: '/params/order_id' }] })
  })

  test('keeps the bounds of a page size', async () => {
    await using server = await serve(() => ({ body: { orders: [] } }))
    await using engine = testEngine()
    await engine.run(connection(server.origin), { entity: 'orders', action: 'list', params: { limit: '20' } })
    expect(server.seen[0]?.url).toContain('limit=20')
    for (const limit of ['251', '0', '9007199254740993'])
      expect(await failure(engine.run(connection(server.origin), { entity: 'orders', action: 'list', params: { limit } }))).toMatchObject({
        code: 'invalid_parameter',
      })
  })
})
