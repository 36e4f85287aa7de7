/** The entry for pages of other applications, without a browser: windows and answers are made up. */
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type ConnectResult, connectResult, openConnect } from '../../packages/ferrule/src/connect-link/index.ts'

const id = '0b6b1d6e-6f2f-4a55-9c6e-1f6d3f0f8c11'
const connectorId = '7d8f5a1e-1d0c-4f3a-8a59-5d4a5f0e2b22'
const origin = 'https://ferrule.example'
const url = `${origin}/base/connect/${id}#secret`

const popup = { closed: false, location: { replace: vi.fn() }, close: vi.fn() }
let listeners: ((message: unknown) => void)[] = []
const screen = { screenX: 0, screenY: 0, outerWidth: 1_280, outerHeight: 900 }
const open = vi.fn()
/** Answers of the status route, one after the other; the last one stays. An error: no answer. */
let answers: (object | Error)[] = []
const asked: { readonly url: string; readonly init: RequestInit }[] = []

beforeEach(() => {
  vi.useFakeTimers()
  popup.closed = false
  for (const mock of [popup.location.replace, popup.close, open]) mock.mockReset()
  open.mockReturnValue(popup)
  listeners = []
  answers = [{ status: 'open', connector_id: null }]
  asked.length = 0
  vi.stubGlobal('window', {
    ...{ ...screen, open },
    addEventListener: (_type: string, listener: (message: unknown) => void) => void listeners.push(listener),
    removeEventListener: (_type: string, listener: unknown) => {
      listeners = listeners.filter((each) => each !== listener)
    },
  })
  vi.stubGlobal('fetch', async (address: string, init: RequestInit) => {
    asked.push({ url: address, init })
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    if (answer instanceof Error) throw answer
    return Response.json(answer)
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const say = (event: string, more: object = {}, from: object = {}) => {
  const data = { type: 'ferrule.connect', link_id: id, event, connector_id: null, ...more }
  for (const listener of listeners) listener({ source: popup, origin, data, ...from })
}

/** Opens the link, and keeps the outcome as it comes. */
function start(options: Parameters<typeof openConnect>[1] = {}) {
  const outcome: { result?: ConnectResult; error?: unknown } = {}
  openConnect(url, options).then(
    (result) => Object.assign(outcome, { result }),
    (error: unknown) => Object.assign(outcome, { error }),
  )
  return outcome
}
const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)

describe('openConnect', () => {
  test('resolves with what the page in the popup says', async () => {
    const outcome = start()
    await pass(0)
    expect(popup.location.replace).toHaveBeenCalledWith(url)
    say('opened')
    say('connected', { connector_id: connectorId })
    await pass(0)
    expect(outcome.result).toEqual({ status: 'connected', linkId: id, connectorId })
    expect([popup.close.mock.calls.length, listeners.length]).toEqual([1, 0])
  })

  test.each([
    ['another window', {}, { source: {} }],
    ['another origin', {}, { origin: 'https://evil.example' }],
    ['the page of another link', { link_id: connectorId }, {}],
    ['another script', { type: 'other' }, {}],
  ])('does not listen to %s', async (_who, more, from) => {
    const outcome = start({ timeoutMs: 10_000 })
    await pass(0)
    say('connected', { connector_id: connectorId, ...more }, from)
    say('cancelled', more, from)
    await pass(20_000)
    expect(outcome.result).toEqual({ status: 'timed_out', linkId: id, connectorId: null })
  })

  test('waits on while the page of a vendor has cut the popup off, and asks with the public id only', async () => {
    const outcome = start()
    await pass(0)
    say('opened')
    say('leaving')
    popup.closed = true // what COOP makes of it
    await pass(120_000)
    expect(outcome).toEqual({})
    answers = [{ status: 'used', connector_id: connectorId }]
    await pass(5_000)
    expect(outcome.result).toEqual({ status: 'connected', linkId: id, connectorId })
    expect(new Set(asked.map((each) => each.url))).toEqual(new Set([`${origin}/base/connect/api/links/${id}/status`]))
    expect(asked.length).toBeLessThan(30)
    for (const { init } of asked) expect(init).toMatchObject({ credentials: 'omit', referrerPolicy: 'no-referrer' })
  })

  test('does not take a popup for closed that an own policy of the opener cut off', async () => {
    popup.closed = true
    const outcome = start()
    await pass(60_000)
    expect(outcome).toEqual({})
    answers = [{ status: 'used', connector_id: connectorId }]
    await pass(5_000)
    expect(outcome.result?.status).toBe('connected')
  })

  test('notices that the end user closed the popup, after a grace for an answer on its way', async () => {
    const outcome = start()
    await pass(0)
    say('opened')
    await pass(0)
    popup.closed = true
    await pass(1_500)
    expect(outcome).toEqual({})
    await pass(10_000)
    expect(outcome.result).toEqual({ status: 'closed', linkId: id, connectorId: null })
  })

  test.each(['revoked', 'expired'] as const)('reports that the link was %s', async (status) => {
    answers = [{ status, connector_id: null }]
    const outcome = start()
    await pass(1_000)
    expect(outcome.result).toEqual({ status, linkId: id, connectorId: null })
  })

  test('reports that the end user gave up', async () => {
    const outcome = start()
    await pass(0)
    say('cancelled')
    await pass(0)
    expect(outcome.result?.status).toBe('cancelled')
  })

  test('bears outages once it was answered, and gives up where it never was', async () => {
    answers = [{ status: 'open', connector_id: null }, ...Array(5).fill(new TypeError('offline')), { status: 'revoked' }]
    const outcome = start()
    await pass(60_000)
    expect(outcome.result?.status).toBe('revoked')
    answers = [new TypeError('refused by CORS')]
    const refused = start()
    await pass(60_000)
    expect(refused.error).toMatchObject({
      name: 'ConnectError',
      code: 'status_unavailable',
      hint: expect.stringContaining('allowed_origin'),
    })
  })

  test('ends with the signal, also before the address is there', async () => {
    const stop = new AbortController()
    const outcome = start({ signal: stop.signal })
    await pass(0)
    stop.abort(new Error('enough'))
    await pass(0)
    expect(outcome.error).toMatchObject({ message: 'enough' })
    expect(popup.close).toHaveBeenCalledOnce()
    await expect(openConnect(url, { signal: stop.signal })).rejects.toThrow('enough')
    expect(open).toHaveBeenCalledOnce()
  })

  test('opens the popup before its address is known, and closes it when there is none', async () => {
    const waiting = openConnect(Promise.reject(new Error('no link today')))
    expect(open).toHaveBeenCalledOnce()
    await expect(waiting).rejects.toThrow('no link today')
    expect(popup.close).toHaveBeenCalledOnce()
  })

  test('says what to do where the popup is blocked', async () => {
    open.mockReturnValue(null)
    await expect(openConnect(url)).rejects.toMatchObject({ code: 'popup_blocked', hint: expect.stringContaining('click') })
  })

  test.each(['', 'javascript:alert(1)', `${origin}/connect/${id}`, `${origin}/other/${id}#secret`, `data:/connect/${id}#a`])(
    'refuses the address %j',
    async (address) => {
      await expect(openConnect(address)).rejects.toMatchObject({ code: 'address_invalid' })
      expect(popup.location.replace).not.toHaveBeenCalled()
    },
  )
})

describe('connectResult', () => {
  /** Reads the answer at an address. Returns it with the address that is left. */
  const readAt = (href: string) => {
    const replaceState = vi.fn()
    vi.stubGlobal('window', { location: { href }, history: { state: { page: 1 }, replaceState } })
    return { result: connectResult(), left: replaceState.mock.calls.map(([, , address]) => address) }
  }

  test('reads the answer and takes it out of the address', () => {
    expect(readAt(`https://app.example/done?tab=a&link_id=${id}&connector_id=${connectorId}#top`)).toEqual({
      result: { status: 'connected', linkId: id, connectorId },
      left: ['https://app.example/done?tab=a#top'],
    })
    expect(readAt(`https://app.example/?link_id=${id}&error=access_denied&error_description=a`)).toEqual({
      result: { status: 'cancelled', linkId: id, connectorId: null },
      left: ['https://app.example/'],
    })
  })

  test.each(['', '?connector_id=a', `?link_id=${id}`])('returns nothing at %j, and leaves the address alone', (query) => {
    expect(readAt(`https://app.example/${query}`)).toEqual({ result: undefined, left: [] })
  })

  test('returns nothing where no browser is', () => {
    vi.unstubAllGlobals()
    expect(connectResult()).toBeUndefined()
  })
})

test('is at most 3 kB, and imports nothing', async () => {
  const input = join(import.meta.dirname, '../../packages/ferrule/src/connect-link/index.ts')
  const bundle = await rolldown({ input, platform: 'browser' })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  expect(output.map((file) => ('imports' in file ? file.imports : []))).toEqual([[]])
  expect(gzipSync(output[0].code, { level: 9 }).length).toBeLessThanOrEqual(3_000)
})
