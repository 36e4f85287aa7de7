/** The frame of the console: its sign-in, its first page and its ways out. */
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { createTenant } from '../http/support.ts'
import { share } from '../support/share.ts'
import { findAllBarriers } from './accessibility.ts'
import { failReads, limits, openConsole, pressIfThere, signIn } from './console-support.ts'

const opened = await share(openConsole())
await opened.world.connect('Calls of the sales team')

test('the overview lists the connectors, without barriers and without a violation of the policy', { timeout: limits.test }, async () => {
  const { page, load, complaints, screenshot } = opened
  await load('/')
  await page.getByText('Calls of the sales team').waitFor()
  await page.getByText('Waiting for the first sync').first().waitFor()
  await screenshot('overview')
  expect(await findAllBarriers(page, undefined, true)).toEqual([])
  expect(complaints()).toEqual([])
})

test('a page that is still loading is no barrier', { timeout: limits.test }, async () => {
  const { page, load } = opened
  const held = Promise.withResolvers<void>()
  await page.route('**/api/v1/overview**', (route) => held.promise.then(() => route.continue()))
  await load('/')
  await page.getByRole('status', { name: 'Loading' }).first().waitFor()
  expect(await findAllBarriers(page)).toEqual([])
  held.resolve()
  await page.getByText('Calls of the sales team').waitFor()
  await page.unroute('**/api/v1/overview**')
})

test('charts that are still loading are no barrier', { timeout: limits.test }, async () => {
  const { page, load } = opened
  const held = Promise.withResolvers<void>()
  const charts = /\/assets\/lines-[\w-]+\.js$/
  await page.route(charts, (route) => held.promise.then(() => route.continue()))
  await load('/?workspace=default')
  const loading = page.getByRole('status', { name: 'Loading the chart' }).first()
  await loading.waitFor()
  expect(await findAllBarriers(page)).toEqual([])
  held.resolve()
  await loading.waitFor({ state: 'detached' })
  await page.unroute(charts)
})

test('signing out ends the session, and the next sign-in returns to the same address', { timeout: limits.test }, async () => {
  const { page, load, complaints } = opened
  await load('/?workspace=default')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('menuitem', { name: 'Sign out here' }).click()
  await page.getByRole('heading', { name: 'Sign in to Ferrule' }).waitFor()
  await load('/?workspace=default')
  // A reading that was under way has ended with the session.
  expect(complaints().filter((text) => !text.includes('401 (Unauthorized)'))).toEqual([])
  await opened.look('sign-in')
  await signIn(page)
  await page.getByText('Calls of the sales team').waitFor()
  expect(new URL(page.url()).search).toBe('?workspace=default')
  expect(complaints()).toEqual([])
})

/** Keys of a person without a mouse. */
const press = (...keys: readonly string[]) =>
  keys.reduce((before, key) => before.then(() => opened.page.keyboard.press(key)), Promise.resolve())

test('the keyboard reaches everything: the palette goes to a page, and the page gets the focus', { timeout: limits.test }, async () => {
  const { page, load, complaints } = opened
  await load('/no-such-page?workspace=default')
  await page.getByRole('heading', { name: 'There is no such page', level: 1 }).waitFor()
  await expect.poll(() => page.title()).toBe('There is no such page · Ferrule')
  await press('Control+k')
  const field = page.getByRole('combobox', { name: 'Where to go' })
  await field.fill('nothing is called so')
  await page.getByText('Nothing has this name').waitFor()
  await field.fill('over')
  await expect.poll(() => page.getByRole('option').allTextContents()).toEqual(['OverviewPage'])
  await opened.look('palette')
  await press('Enter')
  await page.getByText('Calls of the sales team').waitFor()
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Overview')
  expect(new URL(page.url()).search).toBe('?workspace=default')
  await load('/')
  await page.getByText('Calls of the sales team').waitFor()
  await press('Tab', 'Enter') // skips the navigation
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('page')
  expect(complaints()).toEqual([])
})

test('a failing service leaves what was read, with a sentence', { timeout: limits.test }, async () => {
  const { page, load, complaints } = opened
  await page.clock.install()
  await load('/')
  await page.getByText('Calls of the sales team').waitFor()
  const mend = await failReads(page, '**/api/v1/**')
  await page.clock.fastForward(20_000) // until the next read
  await page.getByText('The last try failed: The service is stopping. Wait.').waitFor()
  expect(await page.getByText('Calls of the sales team').count()).toBe(1)
  await mend()
  await pressIfThere(page.getByRole('button', { name: 'Try again' }))
  await page.getByText('The last try failed').waitFor({ state: 'detached' })
  complaints()
})

test('the end of a session is said over what was read, and the sign-in returns there', { timeout: limits.test }, async () => {
  const { page, load, world, complaints } = opened
  await load('/?workspace=default')
  await page.getByText('Calls of the sales team').waitFor()
  world.clock.now += 31 * 60_000
  await page.getByRole('button', { name: 'Go to' }).click() // reads
  await page.getByText('Your session has ended').waitFor()
  await page.keyboard.press('Escape')
  expect(await page.getByText('Calls of the sales team').count()).toBe(1)
  expect(await findAllBarriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Sign in again' }).click()
  await page.getByText('Your session has ended. Sign in again to continue.').waitFor()
  await signIn(page)
  await page.getByText('Calls of the sales team').waitFor()
  expect(new URL(page.url()).search).toBe('?workspace=default')
  complaints()
})

test('an application of several organizations chooses one, and the address keeps it', { timeout: limits.test }, async () => {
  const { world, openStranger, complaints } = opened
  const made = await world.platform.applications.create({ name: 'Both', organizationId: world.organizationId })
  const tenant = await createTenant(world, 'Northwind')
  await world.platform.applications.grant(made.clientId, tenant.organizationId)
  const page = await openStranger()
  await page.goto(`${world.url}/console`)
  await signIn(page, { id: made.clientId, secret: made.clientSecret.reveal() })
  await page.getByText('Calls of the sales team').waitFor()
  expect(new URL(page.url()).searchParams.get('organization')).toBe(world.organizationId)
  await page.getByRole('combobox', { name: 'Organization' }).click()
  await page.getByRole('option', { name: 'Northwind' }).click()
  await page.getByText('Northwind connector').waitFor()
  expect(await page.getByText('Calls of the sales team').count()).toBe(0)
  expect(new URL(page.url()).searchParams.get('organization')).toBe(tenant.organizationId)
  await page.reload()
  await page.getByText('Northwind connector').waitFor()
  expect(complaints()).toEqual([])
  await page.context().close()
})

/**
 * Measures scripts and styles that an address needs, in bytes as they are sent.
 * @param last name of the script that the page loads last
 */
async function measureFiles(path: string, last: RegExp): Promise<number> {
  const stranger = await opened.openStranger()
  const sizes = new Map<string, number>()
  stranger.on('response', (answer) => {
    const name = basename(new URL(answer.url()).pathname)
    if (/\.(js|css)$/.test(name)) sizes.set(name, Number(answer.headers()['content-length']))
  })
  await stranger.goto(`${opened.world.url}${path}`)
  if (path.startsWith('/console')) await signIn(stranger)
  await expect.poll(() => [...sizes.keys()].some((name) => last.test(name)), { timeout: limits.action }).toBe(true)
  await stranger.context().close()
  return [...sizes.values()].reduce((sum, size) => sum + size, 0)
}

test('the pages are small', { timeout: limits.test }, async () => {
  expect(await measureFiles('/console', /^lines-.*\.js$/)).toBeLessThanOrEqual(250_000)
  expect(await measureFiles('/connect/an-id', /^connect-.*\.js$/)).toBeLessThanOrEqual(90_000)
})
