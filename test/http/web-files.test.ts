/** How the built pages are served, without a browser. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeFolder } from '../support/folder.ts'
import { beginSession } from './session-support.ts'
import { startWorld } from './support.ts'

const folder = makeFolder('web')
const world = await startWorld({ webFolder: folder })
afterAll(() => world.close())

test('pages that are not built say so, and what to do', async () => {
  for (const path of ['/connect/an-id', '/console', '/docs']) {
    const answer = await world.ask(path, { headers: await beginSession(world) })
    expect([answer.status, answer.headers['content-type']]).toEqual([503, 'text/html; charset=utf-8'])
    expect(answer.text).toContain('npm start')
  }
})

test('a page has a nonce of its own and forbids everything foreign; its files stay for a year', async () => {
  mkdirSync(join(folder, 'assets'), { recursive: true })
  const page = '<meta name="csp-nonce" content="__NONCE__"><script src="./assets/a-1.js"></script>'
  for (const name of ['console', 'connect']) writeFileSync(join(folder, `${name}.html`), page)
  for (const ending of ['', '.gz', '.br']) writeFileSync(join(folder, `assets/a-1.js${ending}`), `as ${ending}`)
  const [one, two] = [await world.ask('/connect/an-id'), await world.ask('/connect/an-id')]
  const [, nonce = ''] = /content="([\w-]{22})"/.exec(one.text) ?? []
  const policy = String(one.headers['content-security-policy'])
  expect(policy).toContain(`style-src 'self' 'nonce-${nonce}'`)
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toContain('unsafe')
  expect(two.text).not.toContain(nonce)
  expect([one.headers['cache-control'], one.headers['referrer-policy']]).toEqual(['no-store', 'no-referrer'])
  expect(one.text).toContain('src="/connect/assets/a-1.js"')
  const ask = (encoding: string) => world.ask('/console/assets/a-1.js', { headers: { 'accept-encoding': encoding } })
  for (const [encoding, text, sent] of [
    ['gzip, deflate, br', 'as .br', 'br'],
    ['gzip', 'as .gz', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'as .gz', 'gzip'],
    ['identity', 'as ', undefined],
    ['brotli', 'as ', undefined],
  ] as const) {
    const asset = await ask(encoding)
    expect([asset.status, asset.text, asset.headers['content-encoding']]).toEqual([200, text, sent])
    expect([asset.headers['cache-control'], asset.headers.vary]).toEqual(['public, max-age=31536000, immutable', 'accept-encoding'])
  }
})

test.each(['none.js', '..%2fconsole.html', '%2e%2e', 'a-1.js.br', 'a-1.map', 'constructor'])('there is no file %s', async (name) => {
  expect((await world.ask(`/console/assets/${name}`)).status).toBe(404)
})

test('the documentation forbids everything foreign, inline scripts and styles too, and is sent once while it does not change', async () => {
  mkdirSync(join(folder, 'docs/reference'), { recursive: true })
  for (const name of ['index', 'search', 'reference/gong'])
    for (const ending of ['', '.br']) writeFileSync(join(folder, `docs/${name}.html${ending}`), name + ending)
  const page = await world.ask('/docs', { headers: { 'accept-encoding': 'br' } })
  expect([page.status, page.text, page.headers['content-encoding']]).toEqual([200, 'index.br', 'br'])
  expect(page.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache', vary: 'accept-encoding' })
  const policy = String(page.headers['content-security-policy'])
  expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /)
  expect(policy).not.toMatch(/unsafe|nonce/)
  const again = await world.ask('/docs', { headers: { 'accept-encoding': 'br', 'if-none-match': String(page.headers.etag) } })
  expect([again.status, again.text, again.headers.etag]).toEqual([304, '', page.headers.etag])
  expect((await world.ask('/docs/reference/gong')).text).toBe('reference/gong')
  for (const path of ['/docs/', '/docs/index']) {
    const { status, headers } = await world.ask(path)
    expect([status, headers.location]).toEqual([302, '../docs'])
  }
})

test.each(['none', 'reference', 'reference/none', 'reference/..%2f..%2fconsole', '%2e%2e', 'constructor', 'index.html', 'search.html.br'])(
  'there is no document %s',
  async (name) => {
    const { status, headers } = await world.ask(`/docs/${name}`)
    expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
  },
)

test('an error of the sign-in is a page: a person reads it', async () => {
  const answer = await world.ask('/console/session', { body: { client_id: 'as JSON' } })
  expect([answer.status, answer.headers['content-type']]).toEqual([415, 'text/html; charset=utf-8'])
  expect(answer.text).toContain('unsupported_media_type')
})
