/** `kind publish`, `list`, `versions`, `pull` and `delete` against a service. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { splitPulled } from '../../packages/ferrule/src/cli/actions/own-kinds.ts'
import { connectorsPath } from '../http/support.ts'
import { share } from '../support/share.ts'
import { type Ended, openTerminal, plain, runFerrule, runForJson } from './support.ts'
import { startCommandWorld } from './world.ts'

/** A kind file; each part can be another one. */
const write = ({ about = 'Tickets', host = 'api.desk.example', subject = 'string', more = '' } = {}): string => `kind: desk
title: Desk
category: help desk
about: ${about}
docs: https://desk.example
api: https://${host}
auth:
  token:
    title: Token
    fields: { token: secret Token of the account }
    find: Settings
    send: { authorization: 'Bearer {token}' }
limits: { per: token, rates: [60/m] }
errors: { message: error }
check: tickets.list
entities:
  tickets:
    about: Questions of customers
    fields:
      id: string Id
      subject: ${subject} Subject
    list: { call: GET /tickets, at: data, pages: none }
    sync: full
${more}`

const people = `  people:
    about: People
    fields: { id: string Id }
    list: { call: GET /people, at: data, pages: none }
`

const running = await share(startCommandWorld())

const path = (name: string): string => join(running.caller.folder, name)
const save = (text: string): void => writeFileSync(path('desk.kind.yaml'), text)
/** Reads the version of a pulled file, and its text. */
function readPulled(name: string): readonly [version: number | undefined, text: string] {
  const { pulled, text } = splitPulled(readFileSync(path(name), 'utf8'))
  return [pulled?.version, text]
}
const publish = (...args: readonly string[]): Promise<Ended> => runFerrule(running.caller, 'kind', 'publish', 'desk.kind.yaml', ...args)
const connect = async (name: string): Promise<string> => {
  const body = { workspace_name: 'default', connector_type: 'desk', name, credentials: { token: 't' }, check: false }
  const { json } = await running.world.ask(connectorsPath, { token: running.world.token, body })
  return String(json.id)
}
const readVersion = async (id: string): Promise<number> =>
  (await running.world.ask(`${connectorsPath}/${id}`, { token: running.world.token })).json.kind_version

test('mistakes are those of kind check, each with its place, and nothing is stored', async () => {
  save(write().replace('list: {', 'lst: {'))
  const { code, stdout, stderr } = await publish('--yes')
  const check = await runFerrule(running.caller, 'kind', 'check', 'desk.kind.yaml', '--json')
  const mistakes: readonly { line: number; column: number; path: string }[] = JSON.parse(check.stdout)
  const mistake = mistakes.find(({ path: at }) => at === 'entities.tickets.lst')
  expect({ code, stdout }).toEqual({ code: check.code, stdout: '' })
  expect(JSON.parse(stderr)).toMatchObject({
    code: 'kind_invalid',
    status: 422,
    fault: 'caller',
    message: expect.stringContaining(`desk.kind.yaml:${mistake?.line}:${mistake?.column} entities.tickets.lst`),
  })
  expect(await runForJson(running.caller, 'kind', 'list')).toEqual([])
})

test.each(['', 'title: Desk', 'kind: [a]', '{"kind": 1}', 'kind: ../x'])('a file %j that names no kind is refused', async (text) => {
  save(text)
  const { code, stderr } = await publish()
  expect({ code, ...JSON.parse(stderr) }).toMatchObject({ code: 'validation_failed', message: 'desk.kind.yaml names no kind.' })
})

describe('a kind through its versions', () => {
  let first: string

  test('a new kind needs no question; a dry run stores nothing', async () => {
    save(write())
    const tried = await publish('--dry-run')
    expect(JSON.parse(tried.stdout)).toMatchObject({
      slug: 'desk',
      version: 0,
      published: false,
      class: 'none',
      hosts: ['api.desk.example'],
    })
    expect(await runForJson(running.caller, 'kind', 'list')).toEqual([])
    const { code, stdout, stderr } = await publish()
    expect({ code, value: JSON.parse(stdout) }).toMatchObject({ code: 0, value: { version: 1, published: true, connectors: 0, moved: [] } })
    expect(stderr).toContain('desk is a new kind.\n  New hosts: api.desk.example')
    first = await connect('First')
  })

  test('the same file again publishes nothing', async () => {
    const { stdout, stderr } = await publish()
    expect(JSON.parse(stdout)).toMatchObject({ version: 1, published: false, connectors: 1, changes: [] })
    expect(stderr).toContain('this file against version 1 (connectors: 1). No change.')
  })

  test('a new entity needs no question, and moves connectors where that is wanted', async () => {
    save(write({ more: people }))
    expect(JSON.parse((await publish()).stdout)).toMatchObject({ version: 2, class: 'entities', moved: [], left: [] })
    expect(await readVersion(first)).toBe(1)
    const again = JSON.parse((await publish('--move')).stdout)
    expect(again).toMatchObject({ version: 2, published: false, moved: [{ id: first, name: 'First' }], left: [] })
    expect(await readVersion(first)).toBe(2)
  })

  test('a weightier change needs an answer', async () => {
    save(write({ subject: 'integer', more: people }))
    const refused = await publish()
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 4, stdout: '' })
    expect(refused.stderr).toContain('remade: tickets searchable fields have another type: subject (a copy is emptied and filled again)')
    expect(refused.stderr).toContain('Give --yes.')
    const terminal = openTerminal({ ...running.caller, env: { ...running.caller.env, NO_COLOR: '1' } }, [
      'kind',
      'publish',
      'desk.kind.yaml',
    ])
    await terminal.waitFor('● No')
    expect(plain(terminal.drawn)).toContain('Publish desk with these changes?')
    terminal.type('y')
    expect(await terminal.end()).toBe(0)
    expect((await runForJson(running.caller, 'kind', 'list'))[0]).toMatchObject({ slug: 'desk', version: 3 })
  })

  test('connectors that need credentials again are listed, and stay', async () => {
    save(write({ host: 'api.desk2.example' }))
    const { code, stdout, stderr } = await publish('--yes', '--move')
    expect({ code, value: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      value: { version: 4, class: 'authorize', moved: [], left: [{ id: first, name: 'First', version: 2, reason: expect.any(String) }] },
    })
    expect(stderr).toContain('New hosts: api.desk2.example')
    expect(stderr).toMatch(/First stays with version 2: .*api\.desk2\.example/)
    writeFileSync(path('again.json'), JSON.stringify({ kind_version: 4, credentials: { token: 'new' } }))
    await runForJson(running.caller, 'connectors', 'update', 'First', '--from-file', 'again.json', '--no-check')
    expect(await readVersion(first)).toBe(4)
  })

  test('versions say what each changed', async () => {
    const versions: readonly { version: number; class: string; connectors: number }[] = await runForJson(
      running.caller,
      ...['kind', 'versions', 'desk'],
    )
    expect(versions.map((each) => [each.version, each.class, each.connectors])).toEqual([
      [4, 'authorize', 1],
      [3, 'remade', 0],
      [2, 'entities', 0],
      [1, 'none', 0],
    ])
  })

  test('pull writes the newest or an older file, and replaces no other content unasked', async () => {
    expect(await runForJson(running.caller, 'kind', 'pull', 'desk', '--to', 'there')).toEqual({
      ...{ file: 'there/desk.kind.yaml', kind: 'desk', version: 4 },
    })
    expect(readPulled('there/desk.kind.yaml')).toEqual([4, write({ host: 'api.desk2.example' })])
    expect(await runFerrule(running.caller, 'kind', 'pull', 'desk', '--to', 'there')).toMatchObject({ code: 0 })
    const refused = await runFerrule(running.caller, 'kind', 'pull', 'desk@1', '--to', 'there')
    expect({ code: refused.code, says: refused.stderr }).toMatchObject({ code: 4, says: expect.stringContaining('Give --yes.') })
    expect(await runFerrule(running.caller, 'kind', 'pull', 'desk@1', '--to', 'there', '--yes')).toMatchObject({ code: 0 })
    expect(readPulled('there/desk.kind.yaml')).toEqual([1, write()])
    for (const [name, code, says] of [
      ['desk@9', 3, 'ferrule kind list'],
      ['desk@x', 4, 'desk@x names no version.'],
      ['../desk', 3, 'ferrule kind list'],
    ] as const) {
      const ended = await runFerrule(running.caller, 'kind', 'pull', name, '--to', 'elsewhere')
      expect({ code: ended.code, says: ended.stderr }).toEqual({ code, says: expect.stringContaining(says) })
    }
    expect(existsSync(path('elsewhere'))).toBe(false)
  })

  test('a file that was pulled as an older version does not replace a newer one', async () => {
    const publishThere = (...args: readonly string[]) => runFerrule(running.caller, 'kind', 'publish', 'there/desk.kind.yaml', ...args)
    const refused = await publishThere('--yes')
    expect({ code: refused.code, ...JSON.parse(refused.stderr.slice(refused.stderr.indexOf('{"'))) }).toMatchObject({
      code: 'kind_changed',
      message: 'The kind has version 4 meanwhile, not 1.',
      hint: expect.stringMatching(/ferrule kind pull desk --to newest.*delete the first line of there\/desk\.kind\.yaml\./),
    })
    await runForJson(running.caller, 'kind', 'pull', 'desk', '--to', 'there', '--yes')
    const [, pulled] = readPulled('there/desk.kind.yaml')
    const file = path('there/desk.kind.yaml')
    writeFileSync(file, readFileSync(file, 'utf8').replace('about: Tickets', 'lost: Tickets'))
    const wrong = await publishThere('--yes')
    expect(JSON.parse(wrong.stderr).message).toContain('desk.kind.yaml:5:1 lost')
    writeFileSync(file, readFileSync(file, 'utf8').replace('lost: Tickets', 'about: Calls'))
    for (const [version, published] of [
      [5, true],
      [5, false],
    ])
      expect(JSON.parse((await publishThere('--yes')).stdout)).toMatchObject({ version, published })
    expect(readPulled('there/desk.kind.yaml')).toEqual([5, pulled.replace('about: Tickets', 'about: Calls')])
    // Without the line the file replaces what is there.
    writeFileSync(file, write())
    expect(JSON.parse((await publishThere('--yes')).stdout)).toMatchObject({ version: 6, published: true })
    expect(readFileSync(file, 'utf8')).toBe(write())
  })

  test('a kind in use is not deleted; an unused one is', async () => {
    const used = await runFerrule(running.caller, 'kind', 'delete', 'desk', '--yes')
    expect({ code: used.code, error: JSON.parse(used.stderr).code }).toEqual({ code: 4, error: 'kind_in_use' })
    await runForJson(running.caller, 'connectors', 'delete', 'First', '--yes')
    expect(await runForJson(running.caller, 'kind', 'delete', 'desk', '--yes')).toMatchObject({ slug: 'desk' })
    expect(await runForJson(running.caller, 'kind', 'list')).toEqual([])
  })
})
