/** What FERRULE_KINDS may name, and what ends the start. */
import { createHash } from 'node:crypto'
import { copyFile, mkdir, readdir, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { kinds as shipped } from '../../packages/ferrule/src/connectors/index.ts'
import { asFerruleError } from '../../packages/ferrule/src/errors.ts'
import { parseKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { summarizeDefinition } from '../../packages/server/src/connectors/connector-types.ts'
import { createCatalogue, describeServedKind } from '../../packages/server/src/connectors/kinds.ts'
import { readServedKinds } from '../../packages/server/src/main/kinds/served.ts'
import { makeFolder } from '../support/folder.ts'

const text = (kind: string, title: string): string => `
kind: ${kind}
title: ${title}
category: help desk
about: Tickets of customers
docs: https://acme.example/docs
api: https://api.acme.example
auth: { token: { title: Token, fields: { token: secret Token }, send: { authorization: 'Bearer {token}' } } }
limits: { per: token, rates: [10/s] }
check: tickets.list
entities:
  tickets:
    about: Questions of customers
    fields: { id: integer Id, subject: string Subject }
    list: { call: GET /tickets, pages: none }
`

const folder = makeFolder('served')
afterEach(() => void vi.restoreAllMocks())

/** Writes a file below the folder, and returns its path. */
async function write(name: string, content: string): Promise<string> {
  const path = join(folder, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
  return path
}

/** Installs a package of one kind, and returns the path of the kind. */
async function share(name: string, kind: string, path = `./${kind}.kind.yaml`, base = ''): Promise<string> {
  const manifest = { name, version: '1.0.0', ferrule: { kind: path }, scripts: { install: 'touch installed' }, exports: {} }
  await write(`${base}node_modules/${name}/package.json`, JSON.stringify(manifest))
  return write(`${base}node_modules/${name}/${path}`, text(kind, kind))
}

const read = async (setting: string | undefined, options?: { readonly keeps: boolean }) =>
  (await readServedKinds({ FERRULE_KINDS: setting, FERRULE_DATA: join(folder, 'data') }, options)).slice(Object.keys(shipped).length)
const own = (...names: string[]) => read(names.join(','))
const slugs = async (...names: string[]) => (await own(...names)).map(({ definition }) => definition.kind)
/** Lines of the refusal, without the first. */
const refusal = async (...names: string[]): Promise<readonly string[]> => {
  const { code, message } = await own(...names).then(
    () => ({ code: 'none', message: '' }),
    (thrown: unknown) => asFerruleError(thrown),
  )
  expect(code).toBe('setting_invalid')
  const [first, ...lines] = message.split('\n')
  expect(first).toContain('FERRULE_KINDS')
  return lines
}

/** The long form of a kind with a rule for its rows. */
async function buildRuled(kind: string): Promise<string> {
  const { definition } = await parseKind(text(kind, kind))
  const long = JSON.parse(JSON.stringify(definition))
  long.entities.tickets.list.rows = 'rule:shout'
  return JSON.stringify(long, null, 2)
}
/** Slugs of the kinds that come with the service. */
const ten = ['github', 'google-calendar', 'hubspot', 'jira', 'linear', 'notion', 'salesforce', 'slack', 'stripe', 'zendesk']

const rules = 'export const rules = { rows: { shout: (row) => ({ subject: String(row.subject).toUpperCase() }) } }'

describe('the setting', () => {
  test('names nothing: the ten that come with the service, of which the index alone is read', async () => {
    const parse = vi.spyOn(JSON, 'parse')
    const kinds = await read(undefined)
    expect(parse).toHaveBeenCalledTimes(1)
    expect(kinds.map(({ summary, ships }) => `${summary?.kind} ${ships}`)).toEqual(ten.map((slug) => `${slug} true`))
    const catalogue = createCatalogue(kinds)
    expect(catalogue.list('calendar')).toMatchObject([{ name: 'Google Calendar', custom: false, supportLevel: 'community' }])
    expect(catalogue.findKind('Google Calendar')).toBe(kinds[1])
    expect(catalogue.listCopied()).toEqual(ten)
    expect(parse).toHaveBeenCalledTimes(1)
    expect(kinds[1]?.summary).toMatchObject(summarizeDefinition(kinds[1]?.definition ?? expect.fail()))
    expect((await describeServedKind(catalogue.getKind('google-calendar'))).entities.map(({ entity }) => entity)).toContain('events')
    expect(parse).toHaveBeenCalledTimes(2)
  })

  test('leaves the ten out, or names some of them', async () => {
    expect(await slugs('none')).toEqual([])
    expect(await slugs('@ferrule/kinds/slack', '@ferrule/kinds/github')).toEqual(['github', 'slack'])
    expect(await slugs('@ferrule/kinds/slack', '@ferrule/kinds')).toEqual(ten)
    await expect(own('@ferrule/kinds/slak')).rejects.toThrow(/@ferrule\/kinds has no slak; it has github, google-calendar/)
  })

  test('names files and folders', async () => {
    const file = await write('one.yaml', text('one', 'One'))
    await write('many/b.kind.yaml', text('two', 'Two'))
    const { definition } = await parseKind(text('three', 'Three'))
    await write('many/a.kind.json', JSON.stringify(definition))
    await write('many/readme.md', 'no kind')
    expect(await slugs(file, join(folder, 'many'))).toEqual(['one', 'three', 'two'])
  })

  test('names packages: their index lists JSON, and none of their code runs', async () => {
    const { definition } = await parseKind(text('packed', 'Packed'))
    await write('node_modules/@acme/kinds/package.json', '{"name": "@acme/kinds", "version": "1.0.0", "exports": {}}')
    await write('node_modules/@acme/kinds/index.json', '{"kinds": [{"kind": "packed", "title": "Packed", "file": "json/packed.json"}]}')
    await write('node_modules/@acme/kinds/json/packed.json', JSON.stringify(definition))
    await write('node_modules/@acme/kinds/json/packed.rules.js', 'throw new Error("it ran")')
    vi.spyOn(process, 'cwd').mockReturnValue(folder)
    expect(await slugs('@acme/kinds')).toEqual(['packed'])
    await write('node_modules/outside/package.json', '{"name": "outside", "version": "1.0.0"}')
    await write('node_modules/outside/index.json', '{"kinds": [{"file": "../../one.json"}]}')
    expect(await refusal('outside')).toEqual([expect.stringContaining('the package outside has no index of kinds')])
  })

  test('names packages of one kind: their manifest names its file, and none of their code runs', async () => {
    vi.spyOn(process, 'cwd').mockReturnValue(folder)
    await share('ferrule-kind-crm', 'crm')
    await write('node_modules/ferrule-kind-crm/crm.rules.js', 'throw new Error("it ran")')
    await write('node_modules/ferrule-kind-crm/crm.recordings.json', '{}')
    await share('@acme/ferrule-kind-desk', 'desk', './kinds/desk.kind.yaml')
    const kinds = await own('ferrule-kind-crm', '@acme/ferrule-kind-desk')
    expect(kinds.map(({ definition }) => definition.kind)).toEqual(['crm', 'desk'])
    expect(kinds.map(({ recordings }) => recordings)).toEqual([
      join(folder, 'node_modules/ferrule-kind-crm/crm.recordings.json'),
      undefined,
    ])
    expect(kinds[0]?.rules).toEqual({})
  })

  test.each<readonly [what: string, ferrule: unknown, reason: string]>([
    ['leaves it', { kind: '../one.kind.yaml' }, '../one.kind.yaml is not the path of a file'],
    ['is absolute', { kind: '/etc/one.kind.yaml' }, '/etc/one.kind.yaml is not the path of a file'],
    ['is a program', { kind: './index.js' }, './index.js is not the path of a file'],
    ['is missing', {}, 'names no kind: "ferrule": {"kind": "./acme.kind.yaml"}'],
    ['comes with rules', { kind: './bad.kind.yaml', rules: './bad.rules.js' }, 'it has rules, which are code'],
    ['is a link out of it', { kind: './linked.kind.yaml' }, 'linked.kind.yaml is a link that leads out of it'],
  ])('refuses a package whose kind %s', async (_, ferrule, reason) => {
    vi.spyOn(process, 'cwd').mockReturnValue(folder)
    await share('ferrule-kind-bad', 'bad')
    await write('node_modules/ferrule-kind-bad/package.json', JSON.stringify({ name: 'ferrule-kind-bad', version: '1.0.0', ferrule }))
    await write('one.kind.yaml', text('one', 'One'))
    await symlink('../../one.kind.yaml', join(folder, 'node_modules/ferrule-kind-bad/linked.kind.yaml')).catch(() => undefined)
    expect(await refusal('ferrule-kind-bad')).toEqual([expect.stringContaining(`the package ferrule-kind-bad is refused: `)])
    expect(await refusal('ferrule-kind-bad')).toEqual([expect.stringContaining(reason)])
  })

  test('compares a package of one kind with the lock in the working directory', async () => {
    vi.spyOn(process, 'cwd').mockReturnValue(join(folder, 'locked'))
    const name = 'ferrule-kind-locked'
    const kind = await share(name, 'locked', './mine.kind.yaml', 'locked/')
    const beside = await write(`locked/node_modules/${name}/mine.recordings.json`, '{}')
    const digest = (content: string) => createHash('sha256').update(content).digest('hex')
    const files = { 'locked.kind.yaml': digest(text('locked', 'locked')), 'locked.recordings.json': digest('{}') }
    const lock = (pin: object) => write('locked/ferrule-kinds.lock.json', JSON.stringify({ kinds: { [name]: pin } }))
    await lock({ version: '1.0.0', integrity: 'sha512-', files })
    expect(await slugs(name)).toEqual(['locked'])
    await writeFile(beside, '{ }')
    expect(await refusal(name)).toEqual([expect.stringContaining('mine.recordings.json is not what ferrule-kinds.lock.json pins')])
    await writeFile(beside, '{}')
    await writeFile(kind, text('locked', 'Other'))
    expect(await refusal(name)).toEqual([expect.stringContaining('mine.kind.yaml is not the file that ferrule-kinds.lock.json lists')])
    await lock({ version: '1.1.0', integrity: 'sha512-', files })
    expect(await refusal(name)).toEqual([expect.stringContaining('ferrule-kinds.lock.json pins version 1.1.0, and 1.0.0 is installed')])
    await write('locked/ferrule-kinds.lock.json', '{"kinds": []}')
    expect(await refusal(name)).toEqual([expect.stringContaining('ferrule-kinds.lock.json is not a lock of kinds')])
  })

  test('takes the rules that lie beside a file', async () => {
    const file = await write('ruled/acme.kind.json', await buildRuled('ruled'))
    expect(await refusal(file)).toEqual([expect.stringMatching(/acme\.kind\.json:\d+:\d+ entities\.tickets\.list: .*shout/)])
    await write('ruled/acme.rules.js', rules)
    const [kind] = await own(file)
    expect(kind?.rules.rows?.['shout']?.({ subject: 'a' })).toEqual({ subject: 'A' })
    expect(kind?.rulesModule).toMatch(/^file:.*acme\.rules\.js$/)
    await write('broken/acme.kind.json', await buildRuled('broken'))
    await write('broken/acme.rules.js', 'export const rules = { rows: { shout: 1 } }')
    expect(await refusal(join(folder, 'broken'))).toEqual([
      expect.stringContaining('acme.rules.js: it must export rules'),
      expect.stringContaining('shout'),
    ])
  })

  // `npm init` of npm 11 writes this type.
  test('says how rules are written in a folder of CommonJS', async () => {
    const file = await write('common/acme.kind.json', await buildRuled('common'))
    await write('common/package.json', JSON.stringify({ type: 'commonjs' }))
    await write('common/acme.rules.js', rules)
    expect(await refusal(file)).toContainEqual(expect.stringMatching(/acme\.rules\.js: .*"type": "module"/))
  })
})

describe('a service keeps what it checked', () => {
  const listKept = () => readdir(join(folder, 'data/kinds')).catch(() => [])
  const keep = async (...names: string[]) => (await read(names.join(','), { keeps: true })).map(({ definition }) => definition.kind)

  test('by the digest of the file, for this user only; a command keeps nothing', async () => {
    const a = await write('kept/a.kind.yaml', text('kept-a', 'Kept A'))
    await own(a)
    expect(await listKept()).toEqual([])
    expect(await keep(a)).toEqual(['kept-a'])
    const [first = ''] = await listKept()
    expect((await stat(join(folder, 'data/kinds', first))).mode & 0o777).toBe(0o600)
    const b = await write('kept/b.kind.yaml', text('kept-b', 'Kept B'))
    expect(await keep(a, b)).toEqual(['kept-a', 'kept-b'])
    const second = (await listKept()).find((name) => name !== first) ?? ''
    await copyFile(join(folder, 'data/kinds', second), join(folder, 'data/kinds', first))
    expect(await slugs(a)).toEqual(['kept-b']) // so the file was not read again
  })

  test('but reads a file again that was kept in part, or has changed; and deletes what nobody names', async () => {
    const a = await write('kept/c.kind.yaml', text('kept-c', 'Kept C'))
    expect(await keep(a)).toEqual(['kept-c'])
    const [first = '', ...others] = await listKept()
    expect(others).toEqual([])
    await truncate(join(folder, 'data/kinds', first), 300)
    expect(await keep(a)).toEqual(['kept-c'])
    await write('kept/c.kind.yaml', text('kept-d', 'Kept D'))
    expect(await keep(a)).toEqual(['kept-d'])
    expect(await listKept()).toHaveLength(1)
  })

  test('and reads of a package its index alone, once the files were checked', async () => {
    const { definition } = await parseKind(text('listed', 'Listed'))
    const json = JSON.stringify(definition)
    const sha256 = createHash('sha256').update(json).digest('hex')
    await write('node_modules/listed/package.json', '{"name": "listed", "version": "1.0.0"}')
    await write('node_modules/listed/index.json', JSON.stringify({ kinds: [{ kind: 'listed', file: 'listed.json', sha256 }] }))
    await write('node_modules/listed/listed.json', `${json} `)
    vi.spyOn(process, 'cwd').mockReturnValue(folder)
    expect(await refusal('listed')).toEqual([expect.stringMatching(/listed\.json is not the file that the index of its package lists/)])
    await write('node_modules/listed/listed.json', json)
    expect(await keep('listed')).toEqual(['listed'])
    await rm(join(folder, 'node_modules/listed/listed.json'))
    expect(await keep('listed')).toEqual(['listed'])
  })
})

describe('the start ends', () => {
  test('with all mistakes of all files, each with its place', async () => {
    const one = await write('wrong/one.kind.yaml', text('first', 'First').replace('integer Id', 'intger Id'))
    const two = await write('wrong/two.kind.yaml', text('second', 'Second').replace('check: tickets.list', 'chek: tickets.list'))
    const lines = await refusal(join(folder, 'wrong'), join(folder, 'nowhere.kind.yaml'), 'no-such-package')
    expect(lines.filter((line) => line.startsWith(`${one}:`))).toEqual([expect.stringMatching(/one\.kind\.yaml:14:\d+ .*intger/)])
    expect(lines.filter((line) => line.startsWith(`${two}:10:`))).not.toEqual([])
    expect(lines).toContainEqual(expect.stringMatching(/nowhere\.kind\.yaml cannot be read \(ENOENT\)/))
    expect(lines).toContainEqual(expect.stringMatching(/no file, folder or installed package no-such-package/))
  })

  test('with a slug, id or title that leads to another kind', async () => {
    const ships = await write('taken/gong.kind.yaml', text('gong', 'Another'))
    const titled = await write('taken/titled.kind.yaml', text('titled', 'Tik-Tok Marketing').replace('Tik-Tok', 'TikTok'))
    const twice = await write('taken/twice.kind.yaml', text('titled', 'Other title'))
    expect(await refusal(ships, titled, twice)).toEqual([
      expect.stringMatching(/gong\.kind\.yaml:2:1 kind: gong is the name of another kind already: gong, which ships/),
      expect.stringMatching(/titled\.kind\.yaml:3:1 title: TikTok Marketing is the name of another kind already: tiktok-marketing/),
      expect.stringMatching(/twice\.kind\.yaml:2:1 kind: titled is the name of another kind already: .*titled\.kind\.yaml/),
    ])
  })

  test('with an empty folder, and with JSON that is no kind', async () => {
    await mkdir(join(folder, 'empty'))
    expect(await refusal(join(folder, 'empty'))).toEqual([expect.stringContaining('has no file *.kind.yaml or *.kind.json')])
    const cut = await write('cut.json', '{"origins": {}, "kind": "cut"}')
    expect(await refusal(cut)).toEqual([expect.stringMatching(/cut\.json:1:1 this definition lacks title, about/)])
    const odd = await write('odd.json', (await buildRuled('odd')).replace(/"list": \{/, '"list": null, "get": {'))
    expect(await refusal(odd)).not.toEqual([])
  })
})
