/** Runs the hosted client in a page: bundled for browsers, with nothing that only Node has. */
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { root } from '../../scripts/paths.mjs'
import { client, startWorld } from '../http/support.ts'
import { limits } from './console-support.ts'
import { closePages, launchBrowser } from './launch.ts'

let page: Page

async function bundleCore(): Promise<string> {
  const bundle = await rolldown({ input: join(root, 'packages/ferrule/src/core.ts'), platform: 'browser' })
  const { output } = await bundle.generate({ format: 'iife', name: 'ferrule' })
  await bundle.close()
  expect(output).toHaveLength(1)
  return output[0].code
}

const script = await bundleCore()
const world = await startWorld()
await world.connect('Calls')
const browser = await launchBrowser()
afterAll(async () => {
  await closePages(browser)
  await world.close()
})

beforeEach(async () => {
  // The page's own policy forbids scripts of others; a page of a user has its own.
  const context = await browser.newContext({ bypassCSP: true })
  page = await context.newPage()
  page.setDefaultTimeout(limits.action)
  await page.goto(`${world.url}/health/live`)
  await page.addScriptTag({ content: script })
})

/** Runs an expression in the page. `ferrule` is the bundle. Returns its value, or the code of its error and the sentences of its problems. */
const run = (expression: string): Promise<unknown> =>
  page.evaluate(`(async () => {
    try { return await (async () => ${expression})() }
    catch (error) { return { code: error.code, problems: error.errors?.map(({ message }) => message) } }
  })()`)

const options = () => `{ url: location.origin, token: ${JSON.stringify(world.token)} }`

test('lists, walks and downloads with a token', { timeout: limits.test }, async () => {
  expect(await run(`(await ferrule.connect('gong', ${options()}).users.list()).data.length`)).toBeGreaterThan(0)
  const walk = `{
    const ids = new Set()
    for await (const call of ferrule.connect('gong', ${options()}).calls.records({ fromDateTime: '2026-02-01T00:00:00Z' })) ids.add(call.id)
    return ids.size
  }`
  expect(await run(walk)).toBeGreaterThan(100)
  const download = `{
    const params = { filter: { callIds: ['${world.sandbox.gong.world.callId}'] }, contentSelector: { exposedFields: { media: true } } }
    const { stream, type } = await ferrule.connect('gong', ${options()}).call_audio.download(params)
    return { type, whole: (await new Response(stream).arrayBuffer()).byteLength > 0 }
  }`
  expect(await run(download)).toEqual({ type: 'audio/mpeg', whole: true })
})

test('reports errors of the service', { timeout: limits.test }, async () => {
  const missing = `ferrule.connect('gong', ${options()}).calls.get({ id: '1' })`
  expect(await run(missing)).toEqual({ code: 'record_not_found', problems: [] })
})

test('refuses a client secret, which every visitor of the page could read', { timeout: limits.test }, async () => {
  const secret = `ferrule.connect('gong', { url: location.origin, clientId: '${client.id}', clientSecret: 'a secret' })`
  expect(await run(secret)).toEqual({
    code: 'validation_failed',
    problems: ['/clientSecret must not be given to a page: give it a token, or session: true.'],
  })
})

test('uses the session of its own origin without a token', { timeout: limits.test }, async () => {
  const asked: (string | undefined)[] = []
  page.on('request', (request) => asked.push(request.headers()['authorization']))
  expect(await run(`ferrule.connect('gong', { session: true }).users.list()`)).toMatchObject({ code: 'missing_token' })
  expect(asked).toEqual([undefined])
})
