import { describe, expect, test } from 'vitest'
import { tiktokCredentials as known, startSandbox } from '../../packages/sandbox/src/index.ts'
import { ask, get, rows } from './client.ts'
import { codeOf, openDesk, start, withToken } from './tiktok-client.ts'

const { sandbox, tiktok, facts, origin, clock, read } = await openDesk()
const base = `${origin}/open_api/v1.3`
const mine = { advertiser_id: facts.advertiserId }
const campaigns = (headers?: Readonly<Record<string, string>>) => read('/campaign/get/', mine, headers)

describe('the wire', () => {
  test('a path without its slash is not found, in plain text', async () => {
    for (const path of ['/campaign/get', '/nothing/get/']) {
      const answer = await read(path, mine)
      expect([answer.status, answer.text]).toEqual([404, '404 page not found'])
      expect(answer.headers.get('content-type')).toContain('text/plain')
    }
    expect((await ask(`${origin}/campaign/get/`)).status).toBe(404)
  })

  test('another method is not allowed', async () => {
    expect((await ask(`${base}/campaign/get/`, { method: 'POST', body: {} })).status).toBe(405)
    expect((await ask(`${base}/oauth2/access_token/`)).status).toBe(405)
  })

  test('every answer has an envelope with a fresh request id in UTC+8, also in its headers', async () => {
    const [first, second] = [await campaigns(), await campaigns()]
    expect(first).toMatchObject({
      status: 200,
      body: { code: 0, message: 'OK', request_id: expect.stringMatching(/^20250616110000[0-9A-F]{20}$/) },
    })
    expect(first.headers.get('content-type')).toBe('application/json')
    expect(first.headers.get('x-tt-logid')).toBe(get(first.body, 'request_id'))
    expect(first.headers.get('x-tt-trace-id')).not.toBeNull()
    expect(get(second.body, 'request_id')).not.toBe(get(first.body, 'request_id'))
  })
})

describe('who may ask', () => {
  test.each([
    ['/advertiser/info/', '100'],
    ['/campaign/get/', '200'],
    ['/adgroup/get/', '210'],
    ['/ad/get/', '220'],
    ['/dmp/custom_audience/list/', '30'],
    ['/file/image/ad/search/', '600'],
    ['/file/video/ad/search/', '610'],
    ['/tt_video/list/', '691'],
    ['/catalog/get/', '900'],
    ['/report/integrated/get/', '44'],
  ])('%s needs the scope %s', async (path, scope) => {
    tiktok.switches.set({ scopes: '1' })
    const message = `Permission error: The access token lacks the required scope for endpoint '${path}'`
    expect(codeOf(await read(path, mine))).toEqual([40001, message])
    tiktok.switches.set({ scopes: `1, ${scope}` })
    expect(codeOf(await read(path, mine))[0]).not.toBe(40001)
  })

  test('a token tells nothing but what it was given for', async () => {
    const headers = withToken(known.limitedToken)
    expect(codeOf(await read('/adgroup/get/', mine, headers))[0]).toBe(0)
    expect(codeOf(await read('/ad/get/', mine, headers))[0]).toBe(40001)
    expect(codeOf(await read('/user/info/', {}, headers))[0]).toBe(0)
  })
})

describe('tokens', () => {
  const app = { app_id: known.appId, secret: known.secret }
  const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    ask(`${base}${path}`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })
  const exchange = (code: string, further = {}) => post('/oauth2/access_token/', { ...app, auth_code: code, ...further })

  test('what is wrong with an exchange is told by its code', async () => {
    expect(codeOf(await exchange(known.authCode, { secret: 'wrong' }))[0]).toBe(40101)
    expect(codeOf(await exchange('', {}))).toEqual([40002, 'auth_code: Missing data for required field.'])
    expect(codeOf(await exchange(known.authCode, { app_id: 7 }))[0]).toBe(40002)
    expect(codeOf(await post('/oauth2/access_token/', 'app_id=1'))[0]).toBe(40002)
    expect(codeOf(await read('/oauth2/advertiser/get/', { ...app, secret: 'wrong' }))[0]).toBe(40101)
  })
})

describe('rates', () => {
  const often = async (times: number) => {
    for (let time = 0; time < times; time += 1) await read('/user/info/')
  }

  test('too many in a minute suspend the app for five', async () => {
    tiktok.switches.set({ limits: true, qps: 50, qpm: 12 })
    await often(12)
    const message = `Due to too many requests, requests from App ${known.appId} are temporarily restricted.`
    expect(codeOf(await campaigns())).toEqual([40100, message])
    clock.now += 299_000
    expect(codeOf(await campaigns())).toEqual([40100, message])
    clock.now += 1000
    expect(codeOf(await campaigns())[0]).toBe(0)
  })

  test('too many in a day suspend it until midnight UTC', async () => {
    tiktok.switches.set({ limits: true, qpd: 3 })
    await often(3)
    expect(codeOf(await campaigns())[0]).toBe(40100)
    clock.now = Date.UTC(2025, 5, 16, 23, 59, 59)
    expect(codeOf(await campaigns())[0]).toBe(40100)
    clock.now = Date.UTC(2025, 5, 17)
    expect(codeOf(await campaigns())[0]).toBe(0)
  })

  test('an advertiser has a rate of its own for each path', async () => {
    tiktok.switches.set({ limits: true, level: 'ultimate', advertiserQps: 2 })
    await campaigns()
    await campaigns()
    const message = `Advertiser (${facts.advertiserId})'s QPS (3) reaches QPS limit 2 for current path, request is temporarily restricted.`
    expect(codeOf(await campaigns())).toEqual([40133, message])
    expect(codeOf(await read('/adgroup/get/', mine))[0]).toBe(0)
    expect(codeOf(await read('/campaign/get/', { advertiser_id: facts.secondAdvertiserId }))[0]).toBe(0)
  })
})

describe('control', () => {
  const control = (path: string, body?: unknown, method = 'POST') =>
    ask(`${origin}/_sandbox${path}`, { method, ...(body === undefined ? {} : { body }) })

  test('from outside: switches, records, requests, the world', async () => {
    expect((await control('/switches', { level: 'golden' })).body).toEqual({
      error: 'level must be one of basic, advanced, premium, ultimate',
    })
    expect((await control('/records', { kind: 'campaigns', id: facts.campaignId, erased: true })).status).toBe(200)
    expect((await control('/records', { kind: 'campaigns', id: '5', erased: true })).status).toBe(404)
    expect((await control('/records', { kind: 'moons', id: '5' })).status).toBe(400)
    const shown = await campaigns()
    expect(get(shown.body, 'data', 'page_info', 'total_number')).toBe(Number(facts.counts[facts.advertiserId]?.campaigns) - 1)
    expect(rows((await control('/requests', undefined, 'GET')).body, 'requests').map((request) => get(request, 'origin'))).toEqual([
      'tiktok',
    ])
    expect((await control('/world', undefined, 'GET')).body).toEqual({ world: facts })
    expect((await control('/reset')).status).toBe(204)
    expect(get((await campaigns()).body, 'data', 'page_info', 'total_number')).toBe(facts.counts[facts.advertiserId]?.campaigns)
  })

  test('the requests are those of the vendor alone', async () => {
    await campaigns()
    expect(tiktok.requests()).toMatchObject([{ origin: 'tiktok', path: '/open_api/v1.3/campaign/get/', query: mine, at: start }])
    tiktok.clear()
    expect([tiktok.requests(), sandbox.gong.requests(), sandbox.shopify.requests()]).toEqual([[], [], []])
    expect(() => tiktok.edit('ads', '5', { erased: true })).toThrow('There is no object 5 among ads')
  })

  test('a port that is taken leaves nothing behind', async () => {
    await expect(startSandbox({ ports: { tiktok: Number(new URL(origin).port) } })).rejects.toThrow('EADDRINUSE')
  })
})
