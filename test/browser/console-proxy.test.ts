/** The console behind a proxy that serves it below a path of its own address. */
import { createServer, request } from 'node:http'
import { afterAll, expect, test } from 'vitest'
import { ensureWeb } from '../../scripts/web.mjs'
import { startWorld } from '../http/support.ts'
import { listen } from '../support/listen.ts'
import { share } from '../support/share.ts'
import { limits, signIn } from './console-support.ts'
import { closePages, launchBrowser } from './launch.ts'

await ensureWeb()
const proxy = createServer((incoming, outgoing) => {
  const { url = '', method, headers } = incoming
  // It passes on what lies below its path, and nothing else.
  if (!url.startsWith('/base/')) return outgoing.writeHead(404).end()
  const onward = request({ host: '127.0.0.1', port: world.port, path: url.slice('/base'.length), method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(outgoing)
  })
  return incoming.pipe(onward)
})
/** Address of the service for people. */
const publicUrl = `${(await share(listen(proxy))).origin}/base`
const world = await startWorld({ settings: { publicUrl } })
await world.connect('Calls of the sales team')
const browser = await launchBrowser()
afterAll(async () => {
  await closePages(browser)
  await world.close()
})

test('every address keeps the path: sign-in, files, requests, links and sign-out', { timeout: limits.test }, async () => {
  const page = await browser.newPage()
  page.setDefaultTimeout(limits.action)
  const lost: string[] = []
  let isLeaving = false
  page.on('response', (answer) => {
    // A reading that is under way at the sign-out ends with the session.
    if (answer.status() >= 400 && !(isLeaving && answer.status() === 401)) lost.push(`${answer.status()} ${answer.url()}`)
  })
  await page.goto(`${publicUrl}/console/no-such-page`)
  await signIn(page)
  await page.getByRole('link', { name: 'Go to the overview' }).click()
  await page.getByText('Calls of the sales team').waitFor()
  expect(page.url()).toBe(`${publicUrl}/console/`)
  await page.getByRole('button', { name: 'Go to' }).click() // loads its code
  await page.getByRole('combobox', { name: 'Where to go' }).press('Escape')
  await page.getByRole('button', { name: 'Sign out' }).click()
  isLeaving = true
  await page.getByRole('menuitem', { name: 'Sign out everywhere' }).click()
  await page.getByRole('heading', { name: 'Sign in to Ferrule' }).waitFor()
  expect(page.url()).toBe(`${publicUrl}/console`)
  await page.goto(`${publicUrl}/connect/an-id`)
  await page.getByRole('heading').first().waitFor()
  expect(lost.filter((each) => !each.includes('/connect/api/'))).toEqual([])
})
