import { describe, expect, onTestFinished, test } from 'vitest'
import { startWorld } from '../http/support.ts'
import { makeFolder } from '../support/folder.ts'
import { share } from '../support/share.ts'
import { connectTo, problem, readBody, type SentRequest, watchFetch } from './support.ts'

/** A window that several pages fill. */
const window = { fromDateTime: '2026-02-01T00:00:00Z', toDateTime: '2026-04-01T00:00:00Z' }
const isExecute = ({ url }: SentRequest): boolean => url.endsWith('/execute')
const isLaterPage = (request: SentRequest): boolean =>
  isExecute(request) && JSON.stringify(readBody(request)['params'] ?? {}).includes('cursor')

const world = await share(startWorld())
await world.connect('Calls')
const expected = await Array.fromAsync(connectTo(world, 'gong').calls.records(window))

/** Cuts the body of an answer in its middle. */
async function cut(answer: Response): Promise<Response> {
  const bytes = new Uint8Array(await answer.arrayBuffer())
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(bytes.subarray(0, bytes.length / 2)),
    pull: (controller) => controller.error(new TypeError('terminated')),
  })
  return new Response(body, { headers: answer.headers })
}

describe('a walk loses and doubles no record', () => {
  type Fault = (pass: () => Promise<Response>) => Promise<Response> | Response
  const refuse: Fault = () => {
    throw new TypeError('fetch failed')
  }
  test.each<[string, Fault]>([
    ['when a connection fails', refuse],
    ['when an answer is cut', async (pass) => cut(await pass())],
    ['when an answer is no JSON', () => new Response('<html>gateway</html>', { status: 502, headers: { 'content-type': 'text/html' } })],
    ['when the service is busy', () => problem(503, 'overloaded', { 'retry-after': '0' })],
    ['when it asks too often', () => problem(429, 'rate_limited', { 'retry-after': '0' })],
    ['when its token expires', () => problem(401, 'token_expired')],
  ])('%s', async (_name, fault) => {
    let faults = 0
    const { fetch } = watchFetch((request, pass) => {
      if (!isLaterPage(request) || faults > 0) return undefined
      faults += 1
      return fault(pass)
    })
    expect(await Array.fromAsync(connectTo(world, 'gong', { fetch }).calls.records(window))).toEqual(expected)
    expect(faults).toBe(1)
  })

  test('when the service stops and starts again', async () => {
    const folder = makeFolder('restart', onTestFinished)
    let service = await startWorld({ folder })
    onTestFinished(() => service.close())
    await service.connect('Calls')
    const first = service.url
    const { fetch, paths } = watchFetch(async (request, pass) => {
      if (service.url !== first) return globalThis.fetch(request.url.replace(first, service.url), request.init)
      if (!isLaterPage(request)) return pass()
      const answer = pass() // it is under way when the service goes
      await service.close()
      await answer.catch(() => undefined)
      service = await startWorld({ folder })
      throw new TypeError('fetch failed')
    })
    expect(await Array.fromAsync(connectTo(service, 'gong', { fetch }).calls.records(window))).toEqual(expected)
    expect(paths().filter((path) => path.endsWith('/token'))).toHaveLength(1)
  })
})

describe('a fault that lasts', () => {
  test.each<[string, () => Response, object]>([
    ['too many requests', () => problem(429, 'rate_limited', { 'retry-after': '0' }), { code: 'rate_limited', retryAfterMs: 0 }],
    ['a service that is not ready', () => problem(503, 'unavailable', { 'retry-after': '0' }), { code: 'unavailable' }],
    ['another server at the address', () => new Response('<html>', { status: 200 }), { code: 'service_answer_invalid' }],
    ['an error of a newer service', () => problem(409, 'something_new'), { code: 'internal_error', message: 'it is something_new' }],
  ])('%s is an error after three attempts at most', async (_name, answer, error) => {
    const { fetch, sent } = watchFetch((request) => (isExecute(request) ? answer() : undefined))
    await expect(connectTo(world, 'gong', { fetch }).calls.list()).rejects.toMatchObject({ name: 'FerruleError', ...error })
    expect(sent.filter(isExecute).length).toBeLessThanOrEqual(3)
  })

  test('a walk ends with the error, after the records before it', async () => {
    const { fetch } = watchFetch((request) => (isLaterPage(request) ? problem(503, 'overloaded', { 'retry-after': '0' }) : undefined))
    const records: unknown[] = []
    const walk = async () => {
      for await (const record of connectTo(world, 'gong', { fetch }).calls.records(window)) records.push(record)
    }
    await expect(walk()).rejects.toMatchObject({ code: 'overloaded', retryable: true })
    expect(records.length).toBeGreaterThan(0)
    expect(records).toEqual(expected.slice(0, records.length))
  })
})
