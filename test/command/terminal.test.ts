import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startSandbox } from '../../packages/sandbox/src/index.ts'
import { listShippedKinds } from '../../packages/server/src/main/kinds/served.ts'
import { sandboxConnector } from '../http/support.ts'
import { makeFolder } from '../support/folder.ts'
import { untilReady } from '../support/postgres.ts'
import { share } from '../support/share.ts'
import { cli, openShell, openTerminal, plain, runFerrule, runForJson } from './support.ts'
import { startCommandWorld } from './world.ts'

const running = await share(startCommandWorld({ kinds: listShippedKinds(['@ferrule/kinds/zendesk']) }))
const caller = () => running.caller
const { credentials } = sandboxConnector('x')

/** Creates a connector with a copy of its users. */
async function create(name: string): Promise<string> {
  const file = join(running.caller.folder, `${name}.json`)
  writeFileSync(file, JSON.stringify({ credentials, environment: { sandbox: true }, entities: [{ entity: 'users' }] }))
  return (await runForJson(caller(), 'connectors', 'create', 'gong', '--name', name, '--from-file', file)).id
}

describe('connectors create', () => {
  test('asks for what the schema of the kind requires, and hides secrets', async () => {
    const file = join(running.caller.folder, 'where.json')
    writeFileSync(file, JSON.stringify({ environment: { sandbox: true }, entities: [{ entity: 'users' }] }))
    const terminal = openTerminal(caller(), ['connectors', 'create', 'gong', '--from-file', file, '--no-check'])
    await terminal.waitFor('Credentials of Gong')
    terminal.type('\r')
    await terminal.waitFor('access_key: Access key')
    terminal.type(`${credentials.access_key}\r`)
    await terminal.waitFor('access_key_secret')
    terminal.type(`${credentials.access_key_secret}\r`)
    await terminal.waitFor('Name of the connector')
    terminal.type('-asked\r')
    expect(await terminal.end()).toBe(0)
    expect(plain(terminal.drawn)).not.toContain(credentials.access_key_secret)
    expect(await runForJson(caller(), 'connectors', 'get', 'gong-asked')).toMatchObject({
      credential_scheme: 'access_key',
      name: 'gong-asked',
    })
  })

  test('takes a connector in the sandbox without a question or a file', async () => {
    const created = await runForJson(caller(), 'connectors', 'create', 'shopify', '--sandbox')
    expect(created).toMatchObject({ name: 'shopify', connector_type: 'shopify', environment: { sandbox: true } })
    expect(await runForJson(caller(), 'execute', 'shopify', 'shop', 'get')).toMatchObject({ data: { name: 'Nordlicht' } })
    await runFerrule(caller(), 'connectors', 'delete', 'shopify', '--yes') // no sync of its many entities
    const invented = await runForJson(caller(), 'connectors', 'create', 'zendesk', '--sandbox', '--no-check')
    expect(invented).toMatchObject({
      credential_scheme: 'token',
      replication_config: { subdomain: 'acme' }, // the example of the kind
      environment: { sandbox: true },
    })
    await runFerrule(caller(), 'connectors', 'delete', 'zendesk', '--yes')
  })

  test('refuses a workspace that does not exist, and names those that there are', async () => {
    for (const words of [
      ['connectors', 'list'],
      ['execute', 'gong', 'users', 'list'],
    ]) {
      const { code, stdout, stderr } = await runFerrule(caller(), ...words, '--workspace', 'defualt')
      expect({ words, code, stdout }).toEqual({ words, code: 3, stdout: '' })
      expect(JSON.parse(stderr)).toMatchObject({
        code: 'workspace_not_found',
        hint: expect.stringMatching(/^There is no workspace defualt\. There are: .*default/),
      })
    }
  })

  test('never waits without a terminal: the error names the file', async () => {
    const { code, stderr } = await runFerrule(caller(), 'connectors', 'create', 'gong')
    expect(code).toBe(4)
    expect(JSON.parse(stderr).hint).toContain('--from-file')
    expect((await runFerrule(caller(), 'connectors', 'create')).code).toBe(4)
  })

  test('sends the problems of the service on, with their fields', async () => {
    const input = JSON.stringify({ credentials: { nope: 'hush-hush' } })
    const { code, stderr } = await runFerrule({ ...caller(), input }, 'connectors', 'create', 'gong', '--from-file', '-')
    expect(code).toBe(4)
    expect(stderr).not.toContain('hush-hush')
    expect(JSON.parse(stderr)).toMatchObject({ code: 'credentials_mismatch', request_id: expect.any(String) })
  })
})

describe('a delete', () => {
  test('asks on a terminal, and deletes nothing without a yes', async () => {
    await create('kept')
    const terminal = openTerminal(caller(), ['connectors', 'delete', 'kept'])
    await terminal.waitFor('Delete the connector kept (gong)?')
    terminal.type('\r') // the suggested answer is no
    expect(await terminal.end()).toBe(130)
    expect((await runFerrule(caller(), 'connectors', 'get', 'kept')).code).toBe(0)
    const agreed = openTerminal(caller(), ['connectors', 'delete', 'kept'])
    await agreed.waitFor('Delete the connector kept (gong)?')
    agreed.type('y')
    expect(await agreed.end()).toBe(0)
    expect((await runFerrule(caller(), 'connectors', 'get', 'kept')).code).toBe(3)
  })

  test('needs --yes without a terminal', async () => {
    await create('stays')
    for (const args of [
      ['connectors', 'delete', 'stays'],
      ['sync', 'reset', 'stays'],
      ['workspaces', 'delete', 'default'],
      ['organizations', 'delete', running.world.organizationId],
      ['applications', 'delete', 'First application'],
      ['applications', 'rotate-secret', 'First application'],
      ['api', 'DELETE', '/api/v1/workspaces/x'],
    ]) {
      const { code, stderr } = await runFerrule(caller(), ...args)
      expect({ args, code, hint: JSON.parse(stderr).hint }).toEqual({ args, code: 4, hint: expect.stringContaining('--yes') })
    }
  })
})

describe('search', () => {
  test('takes the filter as text and as JSON, and points at a mistake', async () => {
    const id = await create('searched')
    await running.world.context.sync()
    const ids = async (...filter: string[]) =>
      (await runForJson(caller(), 'search', id, 'users', '--all', '--fields', 'id,active', ...filter)).map((row: { id: string }) => row.id)
    const all = await ids()
    const active = await ids('--where', 'active = true')
    expect(active.length).toBeGreaterThan(0)
    expect(active.length).toBeLessThan(all.length)
    expect(await ids('--filter', '{"eq":{"active":true}}')).toEqual(active)
    const { code, stderr } = await runFerrule(caller(), 'search', id, 'users', '--where', 'active = = true')
    expect(code).toBe(4)
    expect(JSON.parse(stderr).errors[0]).toMatchObject({ line: 1, column: 10 })
    const pages: string[] = []
    let cursor: string[] = []
    do {
      const { stdout, stderr: said } = await runFerrule(caller(), 'search', id, 'users', '--limit', '100', '--fields', 'id', ...cursor)
      pages.push(...JSON.parse(stdout).data.map((row: { id: string }) => row.id))
      const next = /--cursor (\S+),/.exec(said)?.[1]
      cursor = next === undefined ? [] : ['--cursor', next]
    } while (cursor.length > 0)
    expect(pages).toEqual(all)
  })

  test('sync status is drawn over its older lines while it is watched', async () => {
    await create('watched')
    const terminal = openTerminal(caller(), ['sync', 'status', 'watched', '--watch', '--until-filled'])
    await terminal.waitFor('loading')
    await running.world.context.sync()
    expect(await terminal.end()).toBe(0)
    expect(plain(terminal.drawn)).toMatch(/users +ready/)
    expect(terminal.drawn).toContain('\u001b[7A\u001b[J') // up over the head and six entities
  })
})

describe('doctor', () => {
  test('looks at everything, and names each source', async () => {
    await untilReady(running.world.platform)
    const { stdout } = await runFerrule({ ...caller(), env: { FERRULE_WORKSPACE: 'default' } }, 'doctor')
    const findings: { check: string; status: string; detail: string }[] = JSON.parse(stdout)
    const find = (name: string) => findings.find(({ check }) => check === name)
    expect(find('workspace')?.detail).toBe('default, from FERRULE_WORKSPACE')
    expect(find('url')?.detail).toBe(`${running.world.url}, from profile default`)
    for (const check of ['service', 'clock', 'version', 'token'])
      expect({ check, status: find(check)?.status }).toEqual({ check, status: 'ok' })
    expect(findings.some(({ check }) => check.startsWith('connector '))).toBe(true)
  })

  test('says what to do when the service cannot be reached, or refuses the identity', async () => {
    const env = { FERRULE_URL: 'http://127.0.0.1:1', FERRULE_TOKEN: 'a-token' }
    const gone = await runFerrule({ ...caller(), env }, 'doctor')
    expect(gone.code).toBe(5)
    expect(gone.stdout).toContain('cannot be reached')
    const refused = await runFerrule({ ...caller(), env: { ...env, FERRULE_URL: running.world.url } }, 'doctor')
    expect(refused.code).toBe(2)
    expect(JSON.parse(refused.stdout)).toContainEqual(expect.objectContaining({ check: 'token', status: 'failed' }))
    const empty = await runFerrule({ ...caller(), env: { FERRULE_CONFIG_DIR: join(running.caller.folder, 'empty') } }, 'doctor')
    expect(empty.code).toBe(4)
    expect(empty.stdout).toContain('ferrule login')
  })
})

describe('complete', () => {
  const complete = async (...words: string[]) =>
    (await runFerrule(caller(), 'complete', '--', '--timeout', '30', ...words)).stdout
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith(':'))
      .map((line) => line.split('\t')[0])

  test('offers commands, options, kinds, entities, actions, parameters and connectors', async () => {
    await create('completed')
    expect(await complete('exe')).toEqual(['execute'])
    expect(await complete('workspaces', 're')).toEqual(['rename', 'restore'])
    expect(await complete('mcp', '')).toEqual(['install', 'uninstall'])
    expect(await complete('mcp', 'install', 'c')).toEqual(['claude-desktop', 'claude-code', 'cursor', 'codex', 'chatgpt', 'claude.ai'])
    expect(await complete('execute', '--par')).toEqual(['--params', '--param'])
    expect(await complete('--format', '')).toEqual(['table', 'json', 'ndjson', 'csv', 'parquet'])
    expect(await complete('describe', 'sh')).toEqual(['shopify'])
    expect(await complete('execute', 'compl')).toEqual(['completed'])
    expect(await complete('execute', 'completed', 'call_')).toEqual(['call_audio', 'call_video', 'call_transcripts'])
    expect(await complete('execute', '--local', 'gong', 'users', '')).toEqual(['list', 'get'])
    expect(await complete('execute', 'gong', 'calls', 'list', '-p', 'from')).toEqual(['fromDateTime='])
  })

  test('is silent when something fails', async () => {
    const env = { FERRULE_URL: 'http://127.0.0.1:1', FERRULE_TOKEN: 'a-token' }
    expect(await runFerrule({ ...caller(), env }, 'complete', '--', 'execute', '')).toEqual({ code: 0, stdout: ':4\n', stderr: '' })
    expect(await runFerrule({ ...caller(), env }, 'complete', '--', 'execute', 'nope', 'nope', '')).toMatchObject({ code: 0, stderr: '' })
  })

  test('works in a bash without the package bash-completion, read twice, and runs nothing of the line', async () => {
    const folder = makeFolder('bash', onTestFinished)
    writeFileSync(join(folder, 'ferrule'), `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`, { mode: 0o700 })
    writeFileSync(join(folder, 'script'), (await runFerrule(caller(), 'complete', 'bash')).stdout)
    const env = { PATH: `${folder}:${process.env['PATH']}`, PS1: '$ ' }
    const shell = openShell({ config: folder, env }, 'exec bash --norc --noprofile -i', { columns: 200 })
    shell.type('. ./script; . ./script; echo read=$?\r')
    await shell.waitFor('read=0')
    for (const [keys, drawn] of [
      ['ferrule workspaces ren', 'workspaces rename '],
      ["ferrule search x users --where 'a = b' --format nd", 'ndjson '],
      ['ferrule execute --local "gong" calls list -p fromD', 'fromDateTime='],
      ['ferrule connectors create gong --from-file scr', '--from-file script '],
      ['ferrule $(touch run) workspaces --quie', '--quiet '],
    ] as const) {
      shell.type(`${keys}\t`)
      await shell.waitFor(drawn)
      shell.type('\u0015') // deletes the line
    }
    shell.type('exit\r')
    await shell.end()
    expect(shell.drawn).not.toMatch(/readonly|not found/)
    expect(readdirSync(folder).toSorted()).toEqual(['ferrule', 'script'])
  })

  test.each(['bash', 'zsh', 'fish', 'powershell'])('prints the script for %s', async (shell) => {
    const { code, stdout } = await runFerrule(caller(), 'complete', shell)
    expect(code).toBe(0)
    expect(stdout).toMatch(/ferrule.* complete/i)
  })
})

describe('--local', () => {
  test('calls the vendor with credentials of the environment, and no service', async () => {
    await using sandbox = await startSandbox()
    const env = {
      GONG_ACCESS_KEY: credentials.access_key,
      GONG_ACCESS_KEY_SECRET: credentials.access_key_secret,
      GONG_ORIGIN: JSON.stringify(sandbox.origins.gong),
    }
    const nowhere = { config: join(running.caller.folder, 'empty'), folder: running.caller.folder, env }
    const { data } = await runForJson(nowhere, 'execute', '--local', 'gong', 'users', 'list')
    const all = await runForJson(nowhere, 'execute', '--local', 'gong', 'users', 'list', '--all', '--fields', 'id')
    expect(all.length).toBeGreaterThanOrEqual(data.length)
    expect(Object.keys(all[0])).toEqual(['id'])
    const file = await runFerrule(
      nowhere,
      'download',
      '--local',
      'gong',
      'call_audio',
      '--params',
      '@media.json',
      '-o',
      'local.mp3',
      '--force',
    )
    expect(file).toMatchObject({ code: 0, stderr: expect.stringContaining('Wrote local.mp3') })
    rmSync(join(running.caller.folder, 'local.mp3'))
  })

  test('names the variables that are missing: exit code 78', async () => {
    const { code, stderr } = await runFerrule(caller(), 'execute', '--local', 'snowflake', 'databases', 'list')
    expect(code).toBe(78)
    expect(JSON.parse(stderr).hint).toContain('SNOWFLAKE_PROGRAMMATIC_ACCESS_TOKEN')
    expect((await runFerrule(caller(), 'execute', '--local', 'nope', 'a', 'b')).code).toBe(3)
  })
})
