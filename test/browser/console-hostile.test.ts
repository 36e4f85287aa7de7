/** What other sites and vendors try against somebody who is signed in at the console. */
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { beginSession } from '../http/session-support.ts'
import { client, connectorsPath } from '../http/support.ts'
import { listen } from '../support/listen.ts'
import { share } from '../support/share.ts'
import { limits, openConsole } from './console-support.ts'

/** What the vendor sends as a download: a page or a picture with a script. */
const bait: { type: string; text: string } = { type: '', text: '' }

/** Page of the other site. */
let text = ''

const opened = await openConsole({
  engine: (engine) => ({
    run: async (connection, call) => {
      if (call.action !== 'download') return engine.run(connection, call)
      const bytes = Buffer.from(bait.text)
      const file = {
        status: 200 as const,
        body: Readable.from([bytes]),
        contentType: bait.type,
        contentLength: bytes.length,
        name: 'bait',
      }
      return { type: 'file' as const, file: { ...file, contentRange: null, acceptRanges: null, etag: null } }
    },
  }),
})
const connector = await opened.world.connect('Calls of the sales team')
const site = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(text))
/** Address of the other site: `localhost` is another site than `127.0.0.1`. */
const elsewhere = `http://localhost:${(await share(listen(site))).port}/`
afterAll(async () => {
  await opened.close()
})

/** Shows a page of the other site to somebody who is signed in at the console. */
async function lure(html: string): Promise<Page> {
  text = `<!doctype html><title>Elsewhere</title>${html}`
  const page = await opened.page.context().newPage()
  page.setDefaultTimeout(limits.action)
  await page.goto(elsewhere)
  return page
}

/** Returns the statuses of the last requests for a path. */
const readStatuses = (path: string): number[] =>
  opened.world.log
    .map((line): { path?: string; status?: number } => JSON.parse(line))
    .flatMap((line) => (line.path === path ? [line.status ?? 0] : []))

test('a link of another site opens the console of somebody who is signed in', { timeout: limits.test }, async () => {
  const page = await lure(`<a href="${opened.world.url}/console/?workspace=default">Look at this</a>`)
  await page.getByRole('link').click()
  await page.getByText('Calls of the sales team').waitFor()
  expect(new URL(page.url()).search).toBe('?workspace=default')
  await page.close()
})

test('no page of another site reads or writes with the session', { timeout: limits.test }, async () => {
  const { world } = opened
  const page = await lure('')
  const read = `fetch('${world.url}${connectorsPath}', { credentials: 'include' }).then(() => 'read', () => 'refused')`
  expect(await page.evaluate(read)).toBe('refused')
  expect(await page.evaluate(read.replace('{ ', "{ mode: 'no-cors', "))).toBe('read') // an answer that no script sees
  await expect.poll(() => readStatuses(connectorsPath).slice(-2)).toEqual([401, 401])
  const form = (path: string, fields: string) => `<form method="post" action="${world.url}${path}">${fields}<button>Go</button></form>`
  const field = (name: string, value: string) => `<input name="${name}" value="${value}">`
  const forms = [
    form('/console/session', field('client_id', client.id) + field('client_secret', client.secret)),
    form('/console/session/end', field('everywhere', '1')),
  ]
  for (const each of forms) {
    const other = await lure(each)
    await other.getByRole('button').click()
    await other.getByRole('heading', { name: 'No sign-in here' }).waitFor()
    await other.close()
  }
  await opened.go('/')
  await opened.page.getByText('Calls of the sales team').waitFor()
  await page.close()
})

test('no page of another site frames the console or its sign-in', { timeout: limits.test }, async () => {
  const page = await lure(`<iframe src="${opened.world.url}/console"></iframe>`)
  const stranger = await opened.openStranger()
  await stranger.goto(elsewhere)
  for (const each of [page, stranger]) expect(await each.frames()[1]?.locator('main, #root').count()).toBe(0)
  opened.complaints()
  await stranger.context().close()
  await page.close()
})

test.each([
  ['text/html', '<!doctype html><title>Bait</title><script>document.title = "ran at " + origin</script>'],
  [
    'image/svg+xml',
    '<svg xmlns="http://www.w3.org/2000/svg"><title>Bait</title><script>document.title = "ran at " + origin</script></svg>',
  ],
])('a download of the type %s never runs on our origin', { timeout: limits.test }, async (type, content) => {
  Object.assign(bait, { type, text: content })
  const { world } = opened
  const page = await opened.page.context().newPage()
  page.setDefaultTimeout(limits.action)
  const body = { entity: 'call_audio', action: 'download', params: {} }
  const answer = await world.ask(`${connectorsPath}/${connector}/execute`, { headers: await beginSession(world), body })
  const { 'content-disposition': disposition = '', 'content-type': given = '', 'content-security-policy': policy } = answer.headers
  expect([answer.status, given, answer.text]).toEqual([200, type, content])
  // A browser navigates by GET; this is the worst that an address for downloads could be.
  await page.route('**/console/bait*', (route) => {
    const headers = { 'content-type': given, 'content-security-policy': String(policy), 'x-content-type-options': 'nosniff' }
    const isShown = route.request().url().endsWith('shown')
    return route.fulfill({ body: answer.bytes, headers: isShown ? headers : { ...headers, 'content-disposition': disposition } })
  })
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.goto(`${world.url}/console/bait`).catch(() => undefined), // a download ends the navigation
  ])
  expect(download.suggestedFilename()).toMatch(/^bait/)
  // Without its disposition, the policy alone keeps it from running.
  await page.goto(`${world.url}/console/bait?shown`)
  expect(await page.content()).toContain('Bait')
  expect(await page.title()).not.toContain('ran')
  await page.close()
  opened.complaints()
})

test('nothing of the sign-in is left for scripts', { timeout: limits.test }, async () => {
  const { page, go } = opened
  await go('/')
  await page.getByText('Calls of the sales team').waitFor()
  const left = 'JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, document.documentElement.outerHTML])'
  const found = String(await page.evaluate(left))
  expect(found).not.toContain(client.secret)
  expect(found).not.toContain('ferrule_session')
})
