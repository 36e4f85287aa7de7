import { fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { shopifyCredentials, tiktokCredentials } from '../../packages/sandbox/src/index.ts'
import { programLimit } from '../support/commands.ts'
import { ask, basic, get } from './client.ts'

const main = join(import.meta.dirname, '../../packages/sandbox/src/main.ts')
const settings = { SANDBOX_PORT: '0', SANDBOX_LIMITS: 'off', SANDBOX_MEDIA_BYTES: '1000' }

test('forked, it tells its parent where it listens and ends with it', async () => {
  const child = fork(main, { env: { ...process.env, ...settings }, execArgv: [] })
  const [message] = await once(child, 'message')
  expect(get(message, 'type')).toBe('ready')
  const api = String(get(message, 'origins', 'gong', 'api'))
  expect((await ask(`${api}/v2/users`, { headers: { authorization: basic } })).status).toBe(200)
  const shop = String(get(message, 'origins', 'shopify', 'api'))
  const token = { 'x-shopify-access-token': shopifyCredentials.token }
  expect((await ask(`${shop}/admin/api/2026-01/shop.json`, { headers: token })).status).toBe(200)
  const ads = get(message, 'origins', 'tiktok-marketing')
  expect(get(ads, 'oauth')).toBe(get(ads, 'api'))
  const advertiser = { 'access-token': tiktokCredentials.accessToken }
  expect(get((await ask(`${get(ads, 'api')}/open_api/v1.3/user/info/`, { headers: advertiser })).body, 'code')).toBe(0)
  child.disconnect()
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('started by hand, it prints addresses and credentials and stops on a signal', async () => {
  const child = spawn(process.execPath, [main], { env: { ...process.env, ...settings }, stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  for await (const text of child.stdout) {
    printed += text
    if (printed.includes('Ctrl+C')) break
  }
  for (const word of [
    'API      http://127.0.0.1:',
    'sandbox / sandbox-secret',
    'sandbox-client-secret',
    `Token    ${shopifyCredentials.token}`,
    `Token    ${tiktokCredentials.accessToken}`,
  ])
    expect(printed).toContain(word)
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('its help names the settings, starts nothing, and ends well', async () => {
  for (const argument of ['--help', '-h']) {
    const { stdout, stderr, status } = spawnSync(process.execPath, [main, argument], { ...programLimit, encoding: 'utf8' })
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
    for (const name of ['SANDBOX_HOST', 'SANDBOX_PORT', 'SANDBOX_LIMITS', 'SANDBOX_MEDIA_BYTES', 'npm run sandbox'])
      expect(stdout).toContain(name)
    expect(stdout).not.toContain('http://')
  }
})

test('an argument that it does not have is refused with the help', async () => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [main, '--port'], { ...programLimit, encoding: 'utf8' })
  expect({ stdout, status }).toEqual({ stdout: '', status: 1 })
  expect(stderr).toMatch(/^The sandbox takes no argument --port\.\n[\s\S]*SANDBOX_PORT/)
})

test('a setting that is no number is named', async () => {
  const child = spawn(process.execPath, [main], { env: { ...process.env, SANDBOX_PORT: 'many' }, stdio: ['ignore', 'ignore', 'pipe'] })
  let printed = ''
  for await (const text of child.stderr) printed += text
  expect(printed).toContain('SANDBOX_PORT must be a non-negative integer, it is many')
})
