/** The whole way of a link in Chromium: the service, the vendors' consent pages on another site, and an application that opens links. */
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { expect } from 'vitest'
import { listShippedKinds } from '../../packages/server/src/main/kinds/served.ts'
import { ensureWeb } from '../../scripts/web.mjs'
import { askAs, createLink, readLink, saveOAuthClient } from '../connect/support.ts'
import { base, type Json, startWorld, type World } from '../http/support.ts'
import { type Listening, listen } from '../support/listen.ts'
import { limits, takePictures } from './console-support.ts'
import { closePages, launchBrowser } from './launch.ts'

/** What a test of links opens. The service is at 127.0.0.1, the vendors at localhost, the application at 127.0.0.2: three sites. */
export interface ConnectWorld {
  readonly world: World
  readonly browser: Browser
  /** Origin of the application. Its page `/` opens links, its page `/done` reads the answer. */
  readonly application: string
  /** Opens a page of another person: cookies of its own. */
  openStranger(): Promise<Page>
  /** Creates a link. @param more of its body */
  link(more?: object): Promise<{ readonly id: string; readonly url: string }>
  /** Reads a link from the application's server. */
  read(id: string): Promise<Json>
  /** Returns what pages complained about since the last call, other than refused requests. */
  complaints(): string[]
  screenshot(page: Page, name: string): Promise<void>
  close(): Promise<void>
}

/** The application's page: a button opens the link of the field, and the outcome is shown. */
const applicationPage = `<!doctype html><title>Application</title><h1>Application</h1>
<input id="url" aria-label="Link"><button id="open">Connect</button><button id="stop">Stop</button><output></output>
<script type="module">
import { openConnect, connectResult } from '/connect-link.js'
const show = (value) => { document.querySelector('output').textContent = JSON.stringify(value) }
const stop = new AbortController()
document.querySelector('#stop').onclick = () => stop.abort(new Error('stopped'))
document.querySelector('#open').onclick = () =>
  openConnect(document.querySelector('#url').value, { signal: stop.signal }).then(show, ({ code, message }) => show({ code, message }))
if (location.pathname === '/done') show({ ...connectResult(), left: location.search })
</script>`

/** Bundles the entry as an application does. */
async function bundleEntry(): Promise<string> {
  const input = join(import.meta.dirname, '../../packages/ferrule/src/connect-link/index.ts')
  const bundle = await rolldown({ input, platform: 'browser' })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  return output[0].code
}

/** Starts the application on a site of its own. */
async function startApplication(): Promise<Listening> {
  const entry = await bundleEntry()
  const server = createServer((request, response) => {
    const isEntry = request.url === '/connect-link.js'
    response.setHeader('content-type', isEntry ? 'text/javascript' : 'text/html; charset=utf-8')
    response.end(isEntry ? entry : applicationPage)
  })
  return listen(server, '127.0.0.2')
}

/** Collects violations of policies and mistakes of pages. A refused request is no complaint: tests cause them. */
function collectComplaints(context: BrowserContext, complaints: string[]): void {
  context.setDefaultTimeout(limits.action)
  context.on('weberror', (error) => complaints.push(error.error().message))
  context.on('console', (message) => {
    const text = message.text()
    if (['error', 'warning'].includes(message.type()) && !text.startsWith('Failed to load resource')) complaints.push(text)
  })
}

/** Starts everything. Close it in `afterAll`. */
export async function openConnectWorld(): Promise<ConnectWorld> {
  await ensureWeb()
  const application = await startApplication()
  const { origin } = application
  const allowed = { connectRedirects: [origin], connectOrigins: [origin] }
  const [world, browser] = await Promise.all([
    startWorld({ sandbox: { host: 'localhost' }, settings: allowed, kinds: listShippedKinds(['@ferrule/kinds']) }),
    launchBrowser(),
  ])
  // Links are made for the configured address, and the port is known only now.
  Object.assign(world.settings, { publicUrl: world.url })
  await Promise.all(['gong', 'tiktok-marketing', 'shopify'].map((kind) => saveOAuthClient(world, kind)))
  await askAs(world, `${base}/organizations/${world.organizationId}`, { method: 'PUT', body: { name: 'Example Insights' } })
  const complaints: string[] = []
  return {
    ...{ world, browser, application: origin },
    openStranger: async () => {
      // The limits of an address are those of one person.
      world.clock.now += 60_000
      const context = await browser.newContext({ viewport: { width: 900, height: 1_000 }, reducedMotion: 'reduce' })
      collectComplaints(context, complaints)
      return context.newPage()
    },
    link: (more = {}) => createLink(world, { redirect_url: undefined, ...more }),
    read: (id) => readLink(world, id),
    complaints: () => complaints.splice(0),
    screenshot: takePictures,
    close: async () => {
      await closePages(browser)
      await world.close()
      await application.close()
    },
  }
}

/** Begins on the first screen. */
export async function begin(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
}

/** Presses a button that closes its window, and waits until it is closed. The window may close before Playwright's press has ended. */
export async function pressAndClose(button: Locator): Promise<void> {
  const closed = button.page().waitForEvent('close')
  const pressed = button.click().catch((thrown: unknown) => closed.catch(() => Promise.reject(thrown)))
  await Promise.all([closed, pressed])
}

/** Signs in and agrees on Gong's page. */
export async function agreeAtGong(page: Page, { email, action = 'Allow' }: { readonly email?: string; readonly action?: string } = {}) {
  if (email !== undefined) await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: action }).click()
}

/** Signs in at TikTok, ticks accounts and confirms. */
export async function agreeAtTiktok(page: Page, names: readonly string[]): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click()
  for (const name of names) await page.getByLabel(name).check()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByLabel('Verification code').fill('000000')
  await page.getByRole('button', { name: 'Confirm' }).click()
}

/** Waits for a heading of the page, which has the focus then. */
export async function expectStep(page: Page, name: string | RegExp): Promise<void> {
  const heading = page.getByRole('heading', { level: 1, name })
  await heading.waitFor()
  await expect.poll(() => heading.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true)
}

/** Fails when a secret is left in the page, its storage, its address or the log of the service. */
export async function expectSecrecy({ world }: ConnectWorld, page: Page, secrets: readonly string[]): Promise<void> {
  const left = await page.evaluate<string>(`JSON.stringify([
    document.documentElement.outerHTML, [...document.querySelectorAll('input, textarea')].map((field) => field.value),
    { ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state, window.name,
  ])`)
  const texts = { page: left, log: world.log.join('\n') }
  for (const secret of secrets)
    for (const [name, text] of Object.entries(texts)) expect(text.includes(secret) ? `${name} has a secret` : '').toBe('')
}
