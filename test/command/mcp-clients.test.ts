import { existsSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { parse as parseJsonWithComments } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { beforeEach, describe, expect, test } from 'vitest'
import { fileClients } from '../../packages/ferrule/src/cli/clients/clients.ts'
import { findPath } from '../../packages/ferrule/src/cli/clients/locations.ts'
import { clientNames, editedClientNames, type FileClientName } from '../../packages/ferrule/src/cli/clients/names.ts'
import { type ClientWorld, makeClientWorld, profileSecret, writeText } from './mcp-clients-support.ts'

let world: ClientWorld
beforeEach(() => {
  world = makeClientWorld()
})

const yes = { yes: true }
const remote = { ...yes, remote: true }
const fileOf = (name: FileClientName) => findPath(world.machine, fileClients[name].findUserFile(world.machine))
const readText = (path: string) => readFileSync(path, 'utf8')
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)

const cursorFile = `{
  // my servers
  "mcpServers": {
    /* the first */
    "other": { "command": "other", "env": { "API_KEY": "a-foreign-secret" } }, // keep
    "third": { "url": "https://third.example.com" } // no comma
  },
  "unrelated": [1,2 , 3]
}
`
const codexFile = '# my settings\n[mcp_servers.other]\nenv = { API_KEY = "a-foreign-secret" }\n'

describe('mcp install', () => {
  test.each(editedClientNames)('%s: adds the entry once, takes it out again, and writes no secret', async (name) => {
    const path = fileOf(name)
    const before = cursorFile.replace('mcpServers', fileClients[name].container)
    writeText(path, before, 0o640)
    const { notes } = await world.run('install', name, yes)
    const after = readText(path)
    expect(after).not.toContain(profileSecret)
    expect(notes).toContain(`+++ ${path}\n@@ `)
    expect(notes).not.toContain('a-foreign-secret')
    expect([mode(path), mode(`${path}.ferrule-backup`)]).toEqual(['640', '640'])
    expect(readText(`${path}.ferrule-backup`)).toBe(before)
    expect(world.listFiles()).toEqual([path, `${path}.ferrule-backup`])
    expect(parseJsonWithComments(after)[fileClients[name].container].ferrule).toMatchObject({
      command: '/opt/node/bin/node',
      args: ['/opt/ferrule/dist/cli.js', 'mcp', '--profile', 'default'],
      env: { FERRULE_CONFIG_DIR: join(world.folder, 'config') },
    })
    expect((await world.run('install', name, yes)).notes).toContain('Nothing was changed')
    expect(readText(path)).toBe(after)
    await world.run('uninstall', name, yes)
    expect(readText(path)).toBe(before)
    expect((await world.run('uninstall', name, yes)).notes).toContain('Nothing was changed')
  })

  test('keeps every byte of the file around the entry', async () => {
    writeText(fileOf('cursor'), cursorFile)
    await world.run('install', 'cursor', yes)
    const [head, tail] = cursorFile.split('"mcpServers": {')
    const after = readText(fileOf('cursor'))
    expect(after.startsWith(`${head}"mcpServers": {\n    "ferrule": {\n      "type": "stdio",\n`)).toBe(true)
    expect(after.endsWith(`\n    },${tail}`)).toBe(true)
  })

  test('codex: prints the entry and where it belongs, and leaves the file to the user', async () => {
    writeText(fileOf('codex'), codexFile)
    const { stdout, notes } = await world.run('install', 'codex')
    expect(parseToml(stdout)).toEqual({
      mcp_servers: {
        ferrule: {
          command: '/opt/node/bin/node',
          args: ['/opt/ferrule/dist/cli.js', 'mcp', '--profile', 'default'],
          env: { FERRULE_CONFIG_DIR: join(world.folder, 'config') },
        },
      },
    })
    expect(stdout.startsWith('[mcp_servers.ferrule]\n')).toBe(true)
    expect(notes).toContain(`Paste this into ${fileOf('codex')}; it replaces any older [mcp_servers.ferrule].`)
    expect(notes).toContain('Start Codex again')
    const project = await world.run('install', 'codex', { project: true, name: 'second' })
    expect(project.notes).toContain(`${join(world.machine.folder, '.codex/config.toml')}; it replaces any older [mcp_servers.second].`)
    await expect(world.run('uninstall', 'codex', yes)).rejects.toMatchObject({
      code: 'validation_failed',
      hint: `Delete [mcp_servers.ferrule] in ${fileOf('codex')}, and the tables below it.`,
    })
    expect([readText(fileOf('codex')), world.listFiles()]).toEqual([codexFile, [fileOf('codex')]])
    expect(stdout + notes).not.toMatch(/a-foreign-secret|the-secret-of-the-profile/)
  })

  test('makes a file that is not there, for its user only', async () => {
    const { notes } = await world.run('install', 'vscode', yes)
    expect(notes).toContain('--- /dev/null')
    expect(notes).not.toContain('The old content')
    expect(mode(fileOf('vscode'))).toBe('600')
    expect(Object.keys(JSON.parse(readText(fileOf('vscode'))))).toEqual(['servers'])
  })

  test('names a variable instead of the token, each client in its form', async () => {
    for (const name of ['claude-code', 'cursor', 'vscode', 'gemini'] as const) await world.run('install', name, remote)
    const url = 'https://ferrule.example.com/mcp'
    const headers = (reference: string) => ({ Authorization: `Bearer \${${reference}}` })
    const entry = (name: FileClientName) => JSON.parse(readText(fileOf(name)))[fileClients[name].container].ferrule
    expect(entry('claude-code')).toEqual({ type: 'http', url, headers: headers('FERRULE_MCP_TOKEN') })
    expect(entry('cursor')).toEqual({ url, headers: headers('env:FERRULE_MCP_TOKEN') })
    expect(entry('gemini')).toEqual({ httpUrl: url, headers: headers('FERRULE_MCP_TOKEN') })
    expect(entry('vscode')).toEqual({ type: 'http', url, headers: headers('input:ferrule-mcp-token') })
    expect(JSON.parse(readText(fileOf('vscode'))).inputs).toMatchObject([{ type: 'promptString', id: 'ferrule-mcp-token', password: true }])
    const { stdout } = await world.run('install', 'codex', { remote: true })
    expect(stdout).toBe(`[mcp_servers.ferrule]\nurl = "${url}"\nbearer_token_env_var = "FERRULE_MCP_TOKEN"\n`)
    const own = await world.run('install', 'codex', { ...remote, tokenVariable: 'OTHER', print: true })
    expect(own.stdout).toContain('bearer_token_env_var = "OTHER"')
  })

  test('replaces an entry of another way, and what belongs to it only', async () => {
    writeText(fileOf('vscode'), '{"inputs": [{"type": "promptString", "id": "mine"}]}\n')
    await world.run('install', 'vscode', remote)
    const { notes } = await world.run('install', 'vscode', { ...yes, write: true, profile: 'default', workspace: 'team' })
    expect(notes).toContain('-      "type": "http"')
    const { inputs, servers } = JSON.parse(readText(fileOf('vscode')))
    expect(inputs).toEqual([{ type: 'promptString', id: 'mine' }])
    expect(servers.ferrule.args.slice(1)).toEqual(['mcp', '--profile', 'default', '--workspace', 'team', '--write'])
  })

  test('--name gives several entries, and --project the file of the project', async () => {
    await world.run('install', 'cursor', { ...yes, project: true })
    await world.run('install', 'cursor', { ...yes, project: true, name: 'second', workspace: 'two' })
    const path = join(world.machine.folder, '.cursor/mcp.json')
    expect(Object.keys(JSON.parse(readText(path)).mcpServers).toSorted()).toEqual(['ferrule', 'second'])
    expect([mode(path), existsSync(fileOf('cursor'))]).toEqual(['644', false])
    await expect(world.run('install', 'claude-desktop', { ...yes, project: true })).rejects.toMatchObject({ code: 'validation_failed' })
  })

  test('--print writes nothing', async () => {
    const { stdout, notes } = await world.run('install', 'claude-desktop', { print: true })
    expect(Object.keys(JSON.parse(stdout).mcpServers)).toEqual(['ferrule'])
    expect([notes, world.listFiles()]).toEqual(['', []])
    expect(parseToml((await world.run('install', 'codex', { print: true })).stdout)).toHaveProperty('mcp_servers.ferrule.command')
  })

  test('without a terminal it needs --yes: it shows the difference and writes nothing', async () => {
    await expect(world.run('install', 'cursor')).rejects.toMatchObject({ hint: expect.stringContaining('--yes') })
    expect(world.listFiles()).toEqual([])
  })
})

describe('what is refused', () => {
  const outside = (path: string) => ({ code: 'setting_invalid', message: expect.stringContaining(path) })

  test('links, wherever they stand below the folder', async () => {
    const target = join(world.folder, 'target.json')
    writeText(target, '{}')
    mkdirSync(join(world.machine.home, '.cursor'))
    symlinkSync(target, fileOf('cursor'))
    await expect(world.run('install', 'cursor', yes)).rejects.toMatchObject(outside(fileOf('cursor')))
    symlinkSync(world.folder, join(world.machine.folder, '.vscode'))
    await expect(world.run('install', 'vscode', { ...yes, project: true })).rejects.toMatchObject(outside('.vscode'))
    expect([readText(target), existsSync(join(world.folder, 'mcp.json'))]).toEqual(['{}', false])
  })

  test('a link instead of the backup is replaced, and never followed', async () => {
    const target = join(world.folder, 'target.json')
    writeText(target, 'untouched')
    writeText(fileOf('cursor'), '{}')
    symlinkSync(target, `${fileOf('cursor')}.ferrule-backup`)
    await world.run('install', 'cursor', yes)
    expect([readText(target), lstatSync(`${fileOf('cursor')}.ferrule-backup`).isFile()]).toEqual(['untouched', true])
  })

  test.each([
    ['cursor', '{\n  "mcpServers": {,}\n}', 'line 2, column 18'],
    ['cursor', '{"mcpServers": {} "a": "a-foreign-secret"', 'line 1, column 19: Comma expected'],
    ['cursor', '{"mcpServers": {}, "mcpServers": {}}', 'line 1, column 20: A second member'],
    ['cursor', '{"mcpServers": []}', 'line 1, column 16: No object'],
    ['cursor', '[]', 'line 1, column 1: No object'],
    ['cursor', '// only this', 'line 1, column'],
  ] as const)('%s: a broken file %j, with its place', async (name, text, says) => {
    writeText(fileOf(name), text)
    const error = { code: 'setting_invalid', message: expect.stringContaining(says), hint: expect.stringContaining('Correct it there') }
    await expect(world.run('install', name, yes)).rejects.toMatchObject(error)
    await expect(world.run('install', name, yes)).rejects.not.toMatchObject({ message: expect.stringContaining('a-foreign-secret') })
    expect([readText(fileOf(name)), world.listFiles()]).toEqual([text, [fileOf(name)]])
  })

  test('a file that another program changes during the question', async () => {
    writeText(fileOf('claude-code'), '{}')
    world.onQuestion = () => writeText(fileOf('claude-code'), '{"new": 1}')
    const error = { code: 'setting_invalid', message: expect.stringContaining('was changed by another program') }
    await expect(world.run('install', 'claude-code')).rejects.toMatchObject(error)
    expect([readText(fileOf('claude-code')), world.listFiles()]).toEqual(['{"new": 1}', [fileOf('claude-code')]])
  })

  test('what is no text of UTF-8, and a folder', async () => {
    mkdirSync(fileOf('cursor'), { recursive: true })
    await expect(world.run('install', 'cursor', yes)).rejects.toMatchObject({ message: expect.stringContaining('is no file') })
    writeText(fileOf('gemini'), Buffer.from([0x61, 0xff]))
    await expect(world.run('install', 'gemini', yes)).rejects.toMatchObject({ message: expect.stringContaining('UTF-8') })
  })

  test.each([
    { what: 'an unknown client', client: 'emacs', options: {}, hint: 'Clients: claude-desktop' },
    { what: 'a profile that is not there', client: 'cursor', options: { profile: 'none' }, hint: 'ferrule login --profile none' },
    { what: 'credentials of a vendor', client: 'cursor', options: { local: ['gong'] }, hint: 'Use a profile' },
    { what: 'an address for Claude Desktop', client: 'claude-desktop', options: { remote: true }, hint: 'Leave --remote out' },
    {
      what: 'a token instead of its variable',
      client: 'cursor',
      options: { remote: true, tokenVariable: `frl_mcp_${'a'.repeat(36)}` },
      hint: 'never written',
    },
    { what: 'an option without effect', client: 'cursor', options: { remote: true, write: true }, hint: 'Leave --write out' },
    { what: 'an address beside a profile', client: 'cursor', options: { url: 'https://other.example.com' }, hint: 'Leave --url out' },
    { what: 'a password in the address', client: 'cursor', options: { remote: true, url: 'https://a:hush@example.com' }, hint: '' },
    { what: 'a name that a client refuses', client: 'cursor', options: { name: 'a.b' }, hint: 'letters' },
  ])('$what', async ({ client, options, hint }) => {
    const thrown: unknown = await world.run('install', client, { ...yes, ...options }).catch((error: unknown) => error)
    expect(thrown).toMatchObject({ name: 'FerruleError', hint: expect.stringContaining(hint) })
    expect(JSON.stringify(thrown) + String(thrown)).not.toMatch(/frl_mcp_|hush/)
    expect(world.listFiles()).toEqual([])
  })
})

describe('hosted clients', () => {
  test.each(['chatgpt', 'claude.ai'])('%s gets steps with the address, and nothing is written', async (name) => {
    const { stdout } = await world.run('install', name)
    expect(stdout).toMatch(/^1\. /m)
    expect(stdout).toContain('Address: https://ferrule.example.com/mcp')
    expect(stdout).toContain('All clients: https://ferrule.example.com/docs/mcp-clients\n')
    expect(world.listFiles()).toEqual([])
    await expect(world.run('uninstall', name)).rejects.toMatchObject({ code: 'validation_failed' })
  })

  test.each([
    'http://127.0.0.1:8080',
    'http://localhost:8080',
    'http://[::1]:8080',
    'https://192.168.1.7',
    'https://ferrule.local',
    'https://ferrule:8443',
  ])('say that they cannot reach %s, and what to do', async (url) => {
    for (const [name, title, here] of [
      ['chatgpt', 'ChatGPT', 'codex'],
      ['claude.ai', 'Claude on the web', 'claude-desktop'],
    ]) {
      const thrown: unknown = await world.run('install', name ?? '', { url }).catch((error: unknown) => error)
      expect(thrown).toMatchObject({
        code: 'validation_failed',
        message: expect.stringMatching(new RegExp(`^${title} cannot reach https?://.*/mcp: it runs on the servers of its vendor`)),
        hint: expect.stringMatching(new RegExp(`FERRULE_PUBLIC_URL.*--url.*ferrule mcp install ${here}$`)),
      })
    }
    expect(world.listFiles()).toEqual([])
  })

  test('the page of steps has a part for each client', () => {
    const page = readText(join(import.meta.dirname, '../../docs/mcp-clients.md'))
    for (const name of clientNames) expect(page).toContain(`ferrule mcp install ${name}`)
  })
})
