import { afterEach, describe, expect, test } from 'vitest'
import { connect, FerruleError } from '../../packages/ferrule/src/index.ts'
import { type Fault, sandboxCredentials, startSandbox } from '../../packages/sandbox/src/index.ts'
import { share } from '../support/share.ts'

const { accessKey, accessKeySecret, clientId, clientSecret, refreshToken } = sandboxCredentials
const key = { access_key: accessKey, access_key_secret: accessKeySecret }

const sandbox = await share(startSandbox({ limits: false }))
afterEach(() => sandbox.gong.reset())

/** Lists calls while a fault lasts; returns the end and the number of requests. */
async function met(fault: Fault, deadlineMs: number): Promise<{ ended: unknown; requests: number }> {
  sandbox.faults.add({ ...fault, on: 'api', times: 10 })
  await using gong = connect('gong', { credentials: key, origin: sandbox.origins.gong, limits: false })
  const ended = await gong.calls.list({}, { deadlineMs }).catch((error: unknown) => error)
  return { ended, requests: sandbox.gong.requests().length }
}

describe('a vendor that misbehaves', () => {
  // The deadline leaves no time for the pause before a second attempt where one would follow.
  test.each<[Fault, string, number]>([
    [{ kind: 'status', status: 400, message: 'Bad request' }, 'upstream_invalid_request', 1],
    [{ kind: 'status', status: 429, retryAfter: 3600 }, 'upstream_rate_limited', 1],
    [{ kind: 'redirect', location: 'http://169.254.169.254/' }, 'upstream_answer_invalid', 1],
    [{ kind: 'malformed-json' }, 'upstream_answer_invalid', 2],
    [{ kind: 'truncated-json' }, 'upstream_answer_invalid', 2],
    [{ kind: 'wrong-shape' }, 'upstream_answer_invalid', 1],
    [{ kind: 'empty-body' }, 'upstream_answer_invalid', 2],
    [{ kind: 'huge-body', bytes: 33 * 1024 * 1024 }, 'result_too_large', 1],
    [{ kind: 'huge-body', bytes: 33 * 1024 * 1024, chunked: true }, 'result_too_large', 1],
    [{ kind: 'expired-cursor' }, 'none', 1],
  ])('%j: %s, after so many requests: %i', async (fault, code, asked) => {
    const { ended, requests } = await met(fault, 60_000)
    if (code === 'none') expect(ended).not.toBeInstanceOf(Error)
    else expect(ended).toMatchObject({ name: 'FerruleError', code })
    expect(requests).toBe(asked)
  })

  test.each<[Fault]>([[{ kind: 'never-answer' }], [{ kind: 'slow-body' }], [{ kind: 'slow-body', intervalMs: 5 }]])(
    '%j: the deadline holds',
    async (fault) => {
      const { ended } = await met(fault, 150)
      expect(ended).toBeInstanceOf(FerruleError)
      expect(ended).toMatchObject({ code: 'upstream_timeout' })
    },
  )

  test.each<[Fault]>([
    [{ kind: 'reset' }],
    [{ kind: 'cut', after: 100 }],
    [{ kind: 'html-502' }],
    [{ kind: 'status', status: 500 }],
    [{ kind: 'status', status: 429, retryAfter: 0 }],
  ])('one %j is survived', async (fault) => {
    sandbox.faults.add({ ...fault, on: 'api' })
    await using gong = connect('gong', { credentials: key, origin: sandbox.origins.gong, limits: false })
    expect((await gong.calls.list()).data.length).toBeGreaterThan(0)
    expect(sandbox.gong.requests()).toHaveLength(2)
  })

  test('a page of private calls only does not end a walk', async () => {
    sandbox.faults.add({ kind: 'private-page' })
    await using gong = connect('gong', { credentials: key, origin: sandbox.origins.gong, limits: false })
    const pages: number[] = []
    for await (const { data } of gong.calls.pages({ fromDateTime: '2025-03-01T00:00:00Z', toDateTime: '2025-05-01T00:00:00Z' }))
      pages.push(data.length)
    expect(pages).toContain(0)
    expect(pages.at(-1)).toBeGreaterThan(0)
  })
})

describe('a customer with a base of his own', () => {
  test('gets all requests there, as the token answer says', async () => {
    sandbox.gong.switches.set({ apiBaseUrl: 'https://company-17.api.gong.io', customerHostOnly: true })
    const credentials = { refresh_token: refreshToken, client_id: clientId, client_secret: clientSecret }
    await using gong = connect('gong', { credentials, origin: sandbox.origins.gong, limits: false })
    await gong.check()
    const api = sandbox.gong.requests().filter(({ origin }) => origin === 'api')
    expect(api.map(({ headers }) => headers['x-forwarded-host'])).toEqual(['company-17.api.gong.io'])
  })
})
