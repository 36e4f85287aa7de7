/** Opens the console: a service with its sandbox, and a page of Chromium that is signed in. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { EngineName } from '../../packages/server/src/copies/store/database/database.ts'
import { ensureWeb } from '../../scripts/web.mjs'
import { startCopyWorld } from '../http/search-support.ts'
import { client, startWorld, type World, type WorldOptions } from '../http/support.ts'
import { findAllBarriers } from './accessibility.ts'
import { closePages, launchBrowser } from './launch.ts'

/** Time limits in milliseconds: a starved machine takes long to draw a page. */
export const limits = { action: 120_000, test: 480_000 } as const

/** What a test opens. */
export interface ConsoleOptions extends WorldOptions {
  /** Where the service keeps copies of records; left out: nowhere. */
  readonly copies?: EngineName
  /** Options of the browser's context, such as its viewport. */
  readonly browserContext?: BrowserContextOptions
}

/** The console in a browser. */
export interface OpenedConsole {
  readonly world: World
  readonly browser: Browser
  /** Signed in, at the overview. */
  readonly page: Page
  /** Goes to a page of the console, as a link does, and reads all again. @param path such as `/connectors/ID` or `/search?text=a` */
  go(path: string): Promise<void>
  /** Loads the console at an address, as somebody who types it. */
  load(path: string): Promise<void>
  /** Opens another page with cookies of its own: nobody is signed in there. */
  openStranger(): Promise<Page>
  /**
   * Returns what the browser complained about since the last call: violations of the policy, errors of the page, failed requests on its
   * console. A test expects an empty list at its end.
   */
  complaints(): string[]
  /** Stores pictures in both schemes when FERRULE_SCREENSHOTS names a folder. @param name such as `overview` */
  screenshot(name: string): Promise<void>
  /** Stores such pictures, and expects that the page has no barriers. */
  look(name: string): Promise<void>
  /** Closes everything. @throws Error when a page has violated its policy at any time */
  close(): Promise<void>
}

/** Begins the message of a violation of the policy. */
const violation = 'The policy of the page forbids'

const reportViolations = `addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) =>
  console.error('${violation}', effectiveDirective, blockedURI, sample))`

/** What pages complain about. */
interface Heard {
  /** Since the last look. */
  readonly complaints: string[]
  /** Since the start: one of them fails the test, whatever it looks at. */
  readonly violations: string[]
}

/** Opens a page and collects what it complains about. */
async function openPage(context: BrowserContext, { complaints, violations }: Heard): Promise<Page> {
  await context.addInitScript(reportViolations)
  const page = await context.newPage()
  page.setDefaultTimeout(limits.action)
  page.on('console', (message) => {
    if (message.text().startsWith(violation)) violations.push(`${page.url()}: ${message.text()}`)
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return page
}

/** Fills in the form of the sign-in on the page that shows it. */
export async function signIn(page: Page, { id, secret }: { readonly id: string; readonly secret: string } = client): Promise<void> {
  await page.getByLabel('Client id').fill(id)
  await page.getByLabel('Client secret').fill(secret)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Replaces the text of an editor, as a reader does who types over it. */
export async function replaceCode(page: Page, label: string, text: string): Promise<void> {
  await page.getByRole('textbox', { name: label }).click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type(text)
}

/** Presses a button if it is there: a page that asks again by itself may have taken it away. */
export const pressIfThere = (button: Locator): Promise<void> =>
  button.evaluateAll((found) => {
    for (const each of found) each.click()
  })

/** Lets a page's reads of a path fail for now, with an answer that the client does not repeat. @returns what ends it */
export async function failReads(page: Page, path: string | RegExp): Promise<() => Promise<void>> {
  const problem = { code: 'unavailable', message: 'The service is stopping.', hint: 'Wait.' }
  await page.route(path, (route) => route.fulfill({ status: 400, json: problem, contentType: 'application/problem+json' }))
  return () => page.unroute(path)
}

/** Stores pictures of a wide screen, and of the whole page on a phone, in both schemes. */
export async function takePictures(page: Page, name: string): Promise<void> {
  const folder = process.env['FERRULE_SCREENSHOTS']
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  const before = page.viewportSize()
  for (const [size, width] of [['', 1_280] as const, ['-phone', 390] as const]) {
    await page.setViewportSize({ width, height: 900 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: join(folder, `${name}${size}-${colorScheme}.png`), animations: 'disabled', fullPage: width < 500 })
    }
  }
  if (before !== null) await page.setViewportSize(before)
}

/** Leads the console to an address, and forgets what it has read. React's own members lead to that memory, which the console shows nobody. */
const followLink = (address: string): string => `(() => {
  const root = document.getElementById('root')
  const container = Object.keys(root ?? {}).find((name) => name.startsWith('__reactContainer$'))
  const find = (fiber) => fiber && (fiber.memoizedProps?.client ?? find(fiber.child) ?? find(fiber.sibling))
  const memory = container && find(root[container].stateNode.current)
  if (!memory) return false
  history.pushState(null, '', ${JSON.stringify(address)})
  memory.clear()
  return location.href === ${JSON.stringify(address)}
})()`

/**
 * Goes to an address by a link: loading the document takes most of a second of a core. An address that is no page is between, so that
 * nothing of the former page stays. A form that asks before it is left, or another page, is left by loading.
 */
async function goByLink(page: Page, address: string): Promise<void> {
  const between = new URL('/console/between', address).href
  const isThere = (await page.evaluate<boolean>(followLink(between))) && (await page.evaluate<boolean>(followLink(address)))
  if (!isThere) await page.goto(address)
}

/** Starts everything and signs in. Close it in `afterAll`. Builds the pages when their sources have changed. */
export async function openConsole({ browserContext, copies, ...options }: ConsoleOptions = {}): Promise<OpenedConsole> {
  if ((await ensureWeb()) !== 0) throw new Error('the pages could not be built')
  const [world, browser] = await Promise.all([
    copies === undefined ? startWorld(options) : startCopyWorld(copies, options),
    launchBrowser(),
  ])
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 }, reducedMotion: 'reduce', ...browserContext })
  const heard: Heard = { complaints: [], violations: [] }
  const page = await openPage(context, heard)
  const load = async (path: string) => void (await page.goto(`${world.url}/console${path}`))
  await load('/')
  await signIn(page)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  return {
    ...{ world, browser, page, load },
    go: (path) => goByLink(page, `${world.url}/console${path}`),
    openStranger: async () => openPage(await browser.newContext(), heard),
    complaints: () => heard.complaints.splice(0),
    screenshot: (name) => takePictures(page, name),
    look: async (name) => {
      await takePictures(page, name)
      expect(await findAllBarriers(page)).toEqual([])
    },
    close: async () => {
      await closePages(browser)
      await world.close()
      if (heard.violations.length > 0) throw new Error(heard.violations.join('\n'))
    },
  }
}
