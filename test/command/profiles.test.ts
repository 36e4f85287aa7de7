import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { client, startWorld } from '../http/support.ts'
import { makeFolder } from '../support/folder.ts'
import { share } from '../support/share.ts'
import { openTerminal, plain, runFerrule, runForJson, writeProfile } from './support.ts'

let config: string
const identity = { client_id: client.id, client_secret: client.secret }
const readStored = () => JSON.parse(readFileSync(join(config, 'credentials.json'), 'utf8'))
const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8)

const world = await share(startWorld())
beforeEach(() => {
  config = join(makeFolder('profiles', onTestFinished), 'settings')
  mkdirSync(config)
})

describe('login', () => {
  test('stores an identity from standard input in a file that only its owner reads', async () => {
    const input = JSON.stringify(identity)
    const { code, stdout, stderr } = await runFerrule({ config, input }, 'login', '--url', world.url, '--from-file', '-')
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toContain('Logged in')
    expect(stderr).not.toContain(client.secret)
    expect(readStored()).toEqual({ current: 'default', profiles: { default: { url: world.url, ...identity } } })
    expect([mode(config), mode(join(config, 'credentials.json'))]).toEqual(['700', '600'])
    expect(readdirSync(config)).toEqual(['credentials.json'])
  })

  test('stores nothing when the service refuses the identity: exit code 2', async () => {
    const input = JSON.stringify({ ...identity, client_secret: 'wrong-secret-value' })
    const { code, stderr } = await runFerrule({ config, input }, 'login', '--url', world.url, '--from-file', '-')
    expect(code).toBe(2)
    expect(JSON.parse(stderr)).toMatchObject({ code: 'invalid_client', status: 401 })
    expect(stderr).not.toContain('wrong-secret-value')
    expect(existsSync(join(config, 'credentials.json'))).toBe(false)
  })

  test('never quotes a file that is not right', async () => {
    for (const input of ['{"client_secret": "hush-hush"', '{"client_secret": "hush-hush"}', '["hush-hush"]']) {
      const { code, stderr } = await runFerrule({ config, input }, 'login', '--url', world.url, '--from-file', '-')
      expect(code).toBe(4)
      expect(stderr).not.toContain('hush-hush')
    }
  })

  test('keeps several profiles, and `use` chooses one with its defaults', async () => {
    const caller = { config, input: JSON.stringify(identity) }
    await runFerrule(caller, 'login', '--url', world.url, '--from-file', '-')
    await runFerrule(caller, 'login', '--profile', 'other', '--url', world.url, '--from-file', '-')
    expect(await runForJson(caller, 'use')).toMatchObject([
      { profile: 'default', current: true },
      { profile: 'other', current: false },
    ])
    expect((await runFerrule(caller, 'use', 'other', '--workspace', 'team', '--organization', world.organizationId)).code).toBe(0)
    expect(await runForJson(caller, 'whoami')).toMatchObject({ profile: 'other', workspace: 'team', organization: world.organizationId })
    expect((await runFerrule(caller, 'use', 'third')).code).toBe(4)
    expect((await runFerrule(caller, 'logout', '--profile', 'other')).code).toBe(0)
    expect(Object.keys(readStored().profiles)).toEqual(['default'])
    expect((await runFerrule(caller, 'logout', '--all')).code).toBe(0)
    expect(readStored().profiles).toEqual({})
  })

  test('asks on a terminal, and does not show the secret', async () => {
    const terminal = openTerminal({ config }, ['login', '--url', world.url])
    await terminal.waitFor('Client id')
    terminal.type(`${client.id}\r`)
    await terminal.waitFor('Client secret')
    terminal.type(`${client.secret}\r`)
    await terminal.waitFor('Logged in')
    expect(await terminal.end()).toBe(0)
    expect(plain(terminal.drawn)).not.toContain(client.secret)
    expect(readStored().profiles.default).toMatchObject(identity)
  })

  test('is interrupted by Ctrl-C at a prompt: exit code 130', async () => {
    const terminal = openTerminal({ config }, ['login', '--url', world.url])
    await terminal.waitFor('Client id')
    terminal.type('\u0003')
    expect(await terminal.end()).toBe(130)
    expect(existsSync(join(config, 'credentials.json'))).toBe(false)
  })

  test('never waits without a terminal, with --no-input, or on a build server: the error names the file and the variables', async () => {
    const { code, stderr } = await runFerrule({ config }, 'login', '--url', world.url)
    expect(code).toBe(4)
    expect(JSON.parse(stderr).hint).toMatch(/--from-file.*FERRULE_CLIENT_SECRET/)
    expect((await runFerrule({ config }, 'login')).stderr).toContain('FERRULE_URL')
    const forbidden = openTerminal({ config }, ['login', '--no-input', '--url', world.url])
    expect(await forbidden.end()).toBe(4)
    const server = openTerminal({ config, env: { CI: 'true' } }, ['login', '--url', world.url])
    expect(await server.end()).toBe(4)
    expect(plain(server.drawn)).toContain('--from-file')
  })
})

describe('the file of profiles', () => {
  test('is refused when others can read it: exit code 78, and how to repair it', async () => {
    writeProfile(config, { url: world.url, ...identity })
    chmodSync(join(config, 'credentials.json'), 0o640)
    const { code, stderr } = await runFerrule({ config }, 'whoami')
    expect(code).toBe(78)
    expect(JSON.parse(stderr)).toMatchObject({ code: 'setting_invalid', hint: expect.stringContaining('chmod 600') })
  })

  test('is refused when it is broken: exit code 78', async () => {
    for (const text of ['{', '[]', '{"profiles": 1}']) {
      writeFileSync(join(config, 'credentials.json'), text, { mode: 0o600 })
      expect((await runFerrule({ config }, 'whoami')).code).toBe(78)
    }
  })

  test('stands below XDG_CONFIG_HOME without a folder of its own', async () => {
    const home = makeFolder('home', onTestFinished)
    const env = { XDG_CONFIG_HOME: home, FERRULE_CONFIG_DIR: '' }
    await runFerrule({ config, env, input: JSON.stringify(identity) }, 'login', '--url', world.url, '--from-file', '-')
    expect(mode(join(home, 'ferrule'))).toBe('700')
    expect(existsSync(join(home, 'ferrule/credentials.json'))).toBe(true)
  })

  test('does not give its secret to another service', async () => {
    writeProfile(config, { url: world.url, ...identity })
    const { code, stderr } = await runFerrule({ config }, 'whoami', '--url', 'https://elsewhere.example.com')
    expect(code).toBe(4)
    expect(JSON.parse(stderr).message).toContain('not sent elsewhere')
  })
})

describe('settings', () => {
  const sources = async (env: Record<string, string>, ...flags: string[]): Promise<Record<string, string>> => {
    const rows: { setting: string; value: string; source: string }[] = await runForJson({ config, env }, 'config', ...flags)
    return Object.fromEntries(rows.map(({ setting, value, source }) => [setting, `${value} (${source})`]))
  }

  test('come from the flag, else the environment, else the profile, else the default', async () => {
    expect(await sources({})).toMatchObject({ url: 'null (not set)', workspace: 'default (default)', identity: 'null (not set)' })
    writeProfile(config, { url: 'https://a.example.com', ...identity, workspace: 'of-profile' })
    expect(await sources({})).toMatchObject({
      url: 'https://a.example.com (profile default)',
      identity: `client ${client.id} (profile default)`,
      workspace: 'of-profile (profile default)',
    })
    const env = { FERRULE_URL: 'https://b.example.com', FERRULE_TOKEN: 'a-token', FERRULE_WORKSPACE: 'of-variable' }
    expect(await sources(env)).toMatchObject({
      url: 'https://b.example.com (FERRULE_URL)',
      identity: 'a token (FERRULE_TOKEN)',
      workspace: 'of-variable (FERRULE_WORKSPACE)',
    })
    expect(await sources(env, '--url', 'https://c.example.com', '--workspace', 'of-flag')).toMatchObject({
      url: 'https://c.example.com (--url)',
      workspace: 'of-flag (--workspace)',
    })
  })

  test('are set in the profile', async () => {
    writeProfile(config, { url: world.url, ...identity })
    expect((await runFerrule({ config }, 'config', 'workspace', 'team')).code).toBe(0)
    expect(await sources({})).toMatchObject({ workspace: 'team (profile default)' })
    expect((await runFerrule({ config }, 'config', 'client_secret', 'x')).code).toBe(4)
  })

  test('refuse half an identity in the environment: exit code 78', async () => {
    const { code, stderr } = await runFerrule({ config, env: { FERRULE_CLIENT_ID: 'x' } }, 'whoami')
    expect(code).toBe(78)
    expect(JSON.parse(stderr).message).toContain('FERRULE_CLIENT_SECRET')
  })
})
