/** Where the client goes, and where it does not: next pages, ids, and paths of any route. Nothing is sent to a service. */
import { describe, expect, test } from 'vitest'
import { Ferrule } from '../../packages/ferrule/src/client/ferrule.ts'
import type { ServiceOptions } from '../../packages/ferrule/src/client/settings.ts'

/** A client whose requests are noted, and answered by the test. */
function open(answer: () => Response, more: ServiceOptions = {}) {
  const sent: string[] = []
  const noting: typeof fetch = async (input, init) => {
    const { pathname, search } = new URL(String(input))
    sent.push(`${init?.method} ${pathname}${search}`)
    return answer()
  }
  return { ferrule: new Ferrule({ url: 'https://ferrule.example.com', token: 'token', fetch: noting, ...more }), sent }
}

const nothing = () => new Response('{}')

describe('the address of a next page', () => {
  test.each([['https://elsewhere.example/api/v1/workspaces'], ['//elsewhere.example/x'], ['api/v1/workspaces'], ['']])(
    'is not followed to %s',
    async (next) => {
      const { ferrule: led, sent } = open(() => Response.json({ data: [{ id: '1' }], next }))
      const seen: unknown[] = []
      const walk = (async () => {
        for await (const each of led.workspaces.list()) seen.push(each)
      })()
      await expect(walk).rejects.toMatchObject({ code: 'service_answer_invalid', retryable: false })
      expect([seen.length, sent.length]).toEqual([1, 1])
    },
  )

  test('is not followed in a circle', async () => {
    const next = '/api/v1/workspaces?cursor=1'
    const { ferrule: led, sent } = open(() => Response.json({ data: [], next }))
    await expect(Array.fromAsync(led.workspaces.list())).rejects.toMatchObject({ code: 'service_answer_invalid' })
    expect(sent).toEqual(['GET /api/v1/workspaces?limit=100', `GET ${next}`])
  })

  test('is below an address with a path, and no dots lead out of it', async () => {
    const pages = [
      '/api/v1/workspaces?cursor=1',
      'https://ferrule.example.com/team/api/v1/workspaces?cursor=2',
      '/%2e%2e/api/v1/workspaces',
    ]
    const nexts = pages.values()
    const under = open(() => Response.json({ data: [], next: nexts.next().value }), { url: 'https://ferrule.example.com/team/' })
    await expect(Array.fromAsync(under.ferrule.workspaces.list())).rejects.toMatchObject({ code: 'service_answer_invalid' })
    const path = '/team/api/v1/workspaces'
    expect(under.sent).toEqual([`GET ${path}?limit=100`, `GET ${path}?cursor=1`, `GET ${path}?cursor=2`])
  })
})

test.each(['', '.', '..'])('the id "%s" is refused before anything is sent: it would name another route', async (id) => {
  const { ferrule: sending, sent } = open(nothing)
  await expect(sending.syncs.cancel('c', id)).rejects.toMatchObject({ code: 'validation_failed', errors: [{ field: '/sync_id' }] })
  await expect(sending.contextStore.reset(id)).rejects.toMatchObject({ errors: [{ field: '/connector_id' }] })
  expect(sent).toEqual([])
})

describe('a request to any route', () => {
  test.each(['https://elsewhere.example/api', 'api/v1/organizations', '//elsewhere.example', ''])('is not sent to "%s"', async (path) => {
    const { ferrule: sending, sent } = open(nothing)
    await expect(sending.request('GET', path)).rejects.toMatchObject({ code: 'validation_failed', errors: [{ field: '/path' }] })
    expect(sent).toEqual([])
  })

  test('is repeated for a read, and for a write with a key only', async () => {
    const refusal = () =>
      Response.json({ code: 'overloaded', message: 'm', hint: 'h', retryable: true }, { status: 503, headers: { 'retry-after': '0' } })
    const { ferrule: sending, sent } = open(refusal)
    const counts: number[] = []
    for (const [method, more] of [
      ['GET', {}],
      ['POST', {}],
      ['POST', { idempotencyKey: 'k' }],
      ['DELETE', {}],
    ] as const) {
      sent.length = 0
      await expect(sending.request(method, '/api/v1/workspaces', more)).rejects.toMatchObject({ code: 'overloaded' })
      counts.push(sent.length)
    }
    expect(counts).toEqual([3, 1, 3, 1])
  })

  test('says when its body breaks off', async () => {
    const broken = () => new Response(new ReadableStream({ pull: (controller) => controller.error(new TypeError('terminated')) }))
    const answer = await open(broken).ferrule.request('GET', '/openapi.json')
    await expect(answer.json()).rejects.toMatchObject({ code: 'service_unreachable', message: expect.stringContaining('terminated') })
  })
})
