/** `kind add` and `kind search` against a registry on this machine: what is written, and what is refused. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { TarEntry } from 'modern-tar'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { makeFolder } from '../support/folder.ts'
import { share } from '../support/share.ts'
import { buildPackage, file, manifest, pack, startKindRegistry, writeKind } from './kind-registry.ts'
import { runFerrule, runForJson } from './support.ts'

const name = 'ferrule-kind-acme'
const kindEntry = file('package/acme.kind.yaml', writeKind('acme'))
const recordings = JSON.stringify({
  kind: 'acme',
  recordings: [
    {
      ...{ call: 'things.get', source: 'document', from: 'https://api.acme.example', params: { id: 't1' }, data: { id: 't1', name: null } },
      exchanges: [{ request: 'GET /things/t1', answer: { body: { id: 't1', name: null } } }],
    },
  ],
})

const registry = await share(startKindRegistry())

let folder: string
beforeEach(() => {
  folder = makeFolder('sharing', onTestFinished)
})

const caller = (env: Readonly<Record<string, string>> = {}) => ({ config: folder, env: { npm_config_registry: registry.url, ...env } })
const add = (...args: readonly string[]) => runFerrule(caller(), 'kind', 'add', ...args)
const listFiles = (): readonly string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()
const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
const written = ['kinds', 'kinds/acme.kind.yaml', 'kinds/ferrule-kinds.lock.json']

test('writes the kind and its recordings, pins them, and nothing else', async () => {
  const entries = [
    kindEntry,
    file('package/acme.recordings.json', recordings),
    file('package/index.js', 'throw 1'),
    file('package/other.txt', ''),
  ]
  registry.publish(await buildPackage(name, '1.0.0', entries))
  const added = await runForJson(caller(), 'kind', 'add', name, '--to', 'kinds')
  expect(added).toEqual({ package: name, version: '1.0.0', before: null, kind: 'acme', file: 'kinds/acme.kind.yaml' })
  expect(listFiles()).toEqual(['kinds', 'kinds/acme.kind.yaml', 'kinds/acme.recordings.json', 'kinds/ferrule-kinds.lock.json'])
  expect([read('kinds/acme.kind.yaml'), read('kinds/acme.recordings.json')]).toEqual([writeKind('acme'), recordings])
  const { kinds } = JSON.parse(read('kinds/ferrule-kinds.lock.json'))
  expect(kinds).toEqual({
    [name]: {
      version: '1.0.0',
      integrity: expect.stringMatching(/^sha512-/),
      files: { 'acme.kind.yaml': expect.stringMatching(/^[0-9a-f]{64}$/), 'acme.recordings.json': expect.stringMatching(/^[0-9a-f]{64}$/) },
    },
  })
})

describe('a pinned version', () => {
  beforeEach(async () => {
    registry.publish(await buildPackage(name, '1.0.0'))
    expect(await add(`${name}@1.0.0`, '--to', 'kinds')).toMatchObject({ code: 0 })
  })

  test('added again changes nothing, and downloads nothing', async () => {
    const before = [read(written[1] ?? ''), read(written[2] ?? '')]
    registry.asked.length = 0
    const { code, stdout, stderr } = await add(name, '--to', 'kinds')
    expect({ code, file: JSON.parse(stdout) }).toMatchObject({ code: 0, file: { version: '1.0.0', before: '1.0.0', kind: 'acme' } })
    expect(stderr).toContain('is there already: nothing was changed')
    expect([read(written[1] ?? ''), read(written[2] ?? '')]).toEqual(before)
    expect(registry.asked).toEqual([`/${name}/latest`])
  })

  test('comes back when its file is missing', async () => {
    rmSync(join(folder, 'kinds/acme.kind.yaml'))
    expect(await add(name, '--to', 'kinds')).toMatchObject({ code: 0 })
    expect(read('kinds/acme.kind.yaml')).toBe(writeKind('acme'))
  })

  test('is refused with another digest', async () => {
    registry.publish(await buildPackage(name, '1.0.0', [file('package/acme.kind.yaml', writeKind('acme', 'Evil'))]))
    const { code, stderr } = await add(name, '--to', 'kinds')
    expect(code).toBe(4)
    expect(JSON.parse(stderr).message).toContain('is not what kinds/ferrule-kinds.lock.json pins')
    expect(read('kinds/acme.kind.yaml')).toBe(writeKind('acme'))
  })

  test('gives way to a newer one, and both versions are said', async () => {
    registry.publish(await buildPackage(name, '1.1.0', [file('package/acme.kind.yaml', writeKind('acme', 'Newer'))]))
    const { code, stdout, stderr } = await add(name, '--to', 'kinds')
    expect({ code, value: JSON.parse(stdout) }).toMatchObject({ code: 0, value: { version: '1.1.0', before: '1.0.0' } })
    expect(stderr).toContain('It was 1.0.0')
    expect(read('kinds/acme.kind.yaml')).toBe(writeKind('acme', 'Newer'))
  })

  test('does not give way where somebody changed the file', async () => {
    registry.publish(await buildPackage(name, '1.2.0', [file('package/acme.kind.yaml', writeKind('acme', 'Newer'))]))
    writeFileSync(join(folder, 'kinds/acme.kind.yaml'), 'mine')
    const { code, stderr } = await add(name, '--to', 'kinds')
    expect({ code, mine: read('kinds/acme.kind.yaml') }).toEqual({ code: 4, mine: 'mine' })
    expect(JSON.parse(stderr).hint).toContain('--to')
  })
})

const bomb = () => gzipSync(Buffer.alloc(17 * 1024 * 1024))
const link = (type: 'symlink' | 'link'): TarEntry => ({ header: { name: 'package/a', size: 0, type, linkname: '/etc/passwd' } })
const packed = (...entries: readonly TarEntry[]) => pack([manifest(name, '3.0.0'), ...entries])

/** Archives that are refused, and what the refusal says. */
const archives: Readonly<Record<string, readonly [make: () => Buffer | Promise<Buffer>, says: string]>> = {
  'a symbolic link': [() => packed(kindEntry, link('symlink')), 'package/a is a symlink'],
  'a hard link': [() => packed(kindEntry, link('link')), 'package/a is a link'],
  'a name that leads out': [() => packed(kindEntry, file('package/../../x', 'x')), 'outside of its folder'],
  'an absolute name': [() => packed(kindEntry, file('/tmp/x', 'x')), 'outside of its folder'],
  'a name with an escape': [() => packed(kindEntry, file('package/\u001b[2Jx', 'x')), '\\u001b[2Jx'],
  'a file twice': [() => packed(kindEntry, kindEntry), 'twice'],
  'too many files': [() => packed(...Array.from({ length: 1_001 }, (_, at) => file(`package/${at}`, ''))), 'more than 1000 files'],
  'a bomb': [bomb, 'unpacks to more than'],
  'no archive': [() => Buffer.from('nothing'), 'cannot be unpacked'],
  'half an archive': [() => gzipSync(Buffer.alloc(700, 1)), 'damaged'],
  'a file of rules': [() => packed(kindEntry, file('package/acme.rules.js', '')), 'has rules'],
  'rules in the manifest': [() => pack([manifest(name, '3.0.0', { kind: './acme.kind.yaml', rules: './r.js' }), kindEntry]), 'has rules'],
  'no kind': [() => pack([manifest(name, '3.0.0', {}), kindEntry]), 'names no kind'],
  'a kind that is not there': [() => packed(), 'it has no file acme.kind.yaml'],
  'a kind outside': [() => pack([manifest(name, '3.0.0', { kind: '../acme.kind.yaml' }), kindEntry]), 'is not the path of a file'],
  'an absolute kind': [() => pack([manifest(name, '3.0.0', { kind: '/etc/acme.kind.yaml' }), kindEntry]), 'is not the path of a file'],
  'no manifest': [() => pack([kindEntry]), 'has no package.json'],
  'the manifest of another': [() => pack([manifest('ferrule-kind-other', '3.0.0'), kindEntry]), 'is that of another package'],
  'a wrong kind': [() => packed(file('package/acme.kind.yaml', 'kind: acme\n')), 'acme.kind.yaml:1:1'],
  'wrong recordings': [() => packed(kindEntry, file('package/acme.recordings.json', '{}')), 'acme.recordings.json:1:1'],
}

describe('a package is refused, and nothing is written, for', () => {
  test.each(Object.entries(archives))('%s', async (_, [make, says]) => {
    registry.publish({ name, version: '3.0.0', archive: await make() })
    const { code, stdout, stderr } = await add(`${name}@3.0.0`, '--to', 'kinds')
    expect({ isRefused: code !== 0 && code !== null, stdout, files: listFiles() }).toEqual({ isRefused: true, stdout: '', files: [] })
    const { message, hint, code: errorCode } = JSON.parse(stderr)
    expect(['validation_failed', 'kind_invalid']).toContain(errorCode)
    expect(`${message}`.replaceAll('\u001b', '\\u001b')).toContain(says)
    expect(hint).toBe(`Nothing was written. Tell the author of ${name}.`)
    expect(stderr).not.toContain('\u001b')
  })

  test('an archive that is not the listed one', async () => {
    const integrity = `sha512-${'A'.repeat(86)}==`
    registry.publish({ ...(await buildPackage(name, '4.0.0')), integrity })
    const { code, stderr } = await add(`${name}@4.0.0`)
    expect({ code, files: listFiles() }).toEqual({ code: 1, files: [] })
    expect(JSON.parse(stderr)).toMatchObject({
      code: 'service_answer_invalid',
      message: expect.stringContaining('sha512'),
      retryable: false,
    })
  })

  test('a digest that is weaker', async () => {
    registry.publish({ ...(await buildPackage(name, '4.0.1')), integrity: 'sha1-AAAA' })
    const { code, stderr } = await add(`${name}@4.0.1`)
    expect({ code, message: JSON.parse(stderr).message }).toEqual({ code: 1, message: expect.stringContaining('has no sha512') })
  })

  test('an archive that is too large', async () => {
    registry.publish({ name, version: '4.0.2', archive: Buffer.alloc(4 * 1024 * 1024 + 1) })
    const { code, stderr } = await add(`${name}@4.0.2`)
    expect({ code, message: JSON.parse(stderr).message }).toEqual({
      code: 1,
      message: expect.stringContaining('larger than 4194304 bytes'),
    })
  })
})

test('a file of the user is never replaced', async () => {
  registry.publish(await buildPackage(name, '1.0.0'))
  writeFileSync(join(folder, 'acme.kind.yaml'), 'mine')
  const { code } = await add(`${name}@1.0.0`)
  expect({ code, mine: read('acme.kind.yaml'), files: listFiles() }).toEqual({ code: 4, mine: 'mine', files: ['acme.kind.yaml'] })
})

test('a lock that names files elsewhere is refused', async () => {
  registry.publish(await buildPackage(name, '1.0.0'))
  mkdirSync(join(folder, 'kinds'))
  const pin = { version: '0.9.0', integrity: 'x', files: { '../victim': 'x' } }
  writeFileSync(join(folder, 'kinds/ferrule-kinds.lock.json'), JSON.stringify({ kinds: { [name]: pin } }))
  const { code, stderr } = await add(name, '--to', 'kinds')
  expect({ code, message: JSON.parse(stderr).message }).toEqual({ code: 78, message: expect.stringContaining('is not a lock of kinds') })
})

describe('the registry', () => {
  test.each([['http://registry.example/'], ['https://user:hidden@registry.example/'], ['file:///etc'], ['nothing']])(
    'is refused at %s',
    async (url) => {
      const { code, stderr } = await runFerrule(caller({ npm_config_registry: url }), 'kind', 'search', 'crm')
      expect({ code, error: JSON.parse(stderr).code }).toEqual({ code: 78, error: 'setting_invalid' })
      expect(stderr).not.toContain('hidden')
    },
  )

  test.each([['left-pad'], ['ferrule-kind-../x'], [`${name}@../../x`], [`${name}@`]])('is not asked for %s', async (wanted) => {
    registry.asked.length = 0
    expect(await add(wanted)).toMatchObject({ code: 4 })
    expect(registry.asked).toEqual([])
  })

  test('says what it does not have', async () => {
    const { code, stderr } = await add('ferrule-kind-nobody')
    expect({ code, error: JSON.parse(stderr) }).toMatchObject({
      code: 3,
      error: { code: 'not_found', hint: expect.stringContaining('kind search') },
    })
  })

  test('lists packages that can be added, and shows control characters', async () => {
    registry.publish({ ...(await buildPackage('ferrule-kind-crm', '1.0.0')), description: 'A \u001b]0;CRM\u0007' })
    registry.publish(await buildPackage('left-pad', '1.0.0'))
    registry.asked.length = 0
    const { stdout } = await runFerrule(caller(), 'kind', 'search', 'crm', 'sales', '--format', 'table')
    expect(stdout).toMatch(/name +version +description +date/)
    expect(stdout).toContain('\\u001b]0;CRM\\u0007')
    expect(stdout).not.toContain('\u001b')
    expect(stdout).not.toContain('left-pad')
    expect(registry.asked).toEqual(['/-/v1/search?text=keywords%3Aferrule-kind+crm+sales&size=100'])
    const rows: readonly { name: string }[] = await runForJson(caller(), 'kind', 'search', 'crm', '--json')
    expect(rows.find((row) => row.name === 'ferrule-kind-crm')).toMatchObject({ version: '1.0.0', date: '2026-01-05T10:00:00.000Z' })
  })
})
