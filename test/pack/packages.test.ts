import { execFile, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox } from '../../packages/sandbox/src/index.ts'
import { root } from '../../scripts/paths.mjs'
import { buildProgramEnvironment, expectHosted, expectLocal, type Mode, runPrograms, startProgramWorld } from '../client/programs/world.ts'
import type { World } from '../http/support.ts'
import { programLimit, run, withoutOuterSettings } from '../support/commands.ts'
import { choose } from '../support/draws.ts'
import { makeFolder } from '../support/folder.ts'
import { install, installRuntime } from '../support/runtimes.ts'
import { compile, linkPackages, listFiles, type Packed, packAll, readVersion } from './packing.ts'
import {
  agentsProgram,
  browserOptions,
  browserProgram,
  buildReadmeProgram,
  bundledPrograms,
  callsProgram,
  classesProgram,
  connectsProgram,
  kindsProgram,
  peerlessProgram,
  readmeEnvironment,
  readTypeTests,
  requiringProgram,
  serviceProgram,
  strict,
} from './programs.ts'
import { runQuickstart } from './quickstart.ts'
import { type ImportCost, listLoaded, listPackages, measureBytes, measureImport, readPrintedSize } from './weight.ts'

/** Version of the bundler that the bundles are made with. */
const esbuildVersion = '0.28.2'

const folder = makeFolder('pack')
let packed: Packed
/** Has all packages, and a bundler. */
let consumer: string
/** Has the library alone. */
let alone: string

beforeAll(() => {
  packed = packAll(folder)
  consumer = join(folder, 'consumer')
  alone = join(folder, 'alone')
  install(alone, packed.ferrule)
  const tools = [`@types/node@${readVersion('@types/node')}`, `esbuild@${esbuildVersion}`]
  install(consumer, packed.ferrule, packed.sandbox, packed.server, packed.kinds, ...tools)
})

/** Writes the programs of a project, and its settings for the compiler: it checks exactly these programs. */
function writeProject(project: string, programs: Readonly<Record<string, string>>, options: object = {}): void {
  const include = Object.keys(programs).filter((name) => name.endsWith('.ts'))
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: { ...strict, ...options }, include }))
  for (const [name, program] of Object.entries(programs)) writeFileSync(join(project, name), program)
}

/** Finds the supported runtimes that programs run on: the oldest one, and in soak the newest too, on which all other tests run. */
function findNodes(): readonly string[] {
  const oldest = installRuntime('the oldest Node')
  return oldest === undefined ? [process.execPath] : choose([oldest], [process.execPath, oldest])
}

const readManifest = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(consumer, 'node_modules', name, 'package.json'), 'utf8'))

/** Compares a measured size with a printed one, which is rounded. Newer releases of our dependencies change it a little too. */
const describeSize = (measured: number, printed: number): string =>
  Math.abs(measured / printed - 1) <= 0.1 ? 'as printed' : `${measured} bytes, and ${printed} are printed`

const names = ['ferrule', '@ferrule/sandbox', '@ferrule/server']
/** Packages whose minor versions may change what we use (docs/decisions/mcp.md). */
const pinned = ['oidc-provider']
/** Packages of one version: what a kind file means does not change with a newer parser. */
const exact = ['yaml']

describe('the packed packages', () => {
  test.each(names)('%s holds compiled sources and papers only', (name) => {
    const paths = listFiles(join(consumer, 'node_modules', name)).filter((path) => !path.startsWith('node_modules/'))
    const isExpected = (path: string) =>
      /^(dist\/.*(\.js|\.d\.ts|LICENSES\.md)|dist\/web\/(\w+\.html|llms\.txt|docs\/[\w/-]+\.html(\.(gz|br))?|assets\/[\w.-]+\.(js|css|json|svg)(\.(gz|br))?)|dist\/kinds\/(index|json\/[\w-]+|[\w-]+\.recordings)\.json|package\.json|(kind|recordings)\.schema\.json|skills\/writing-kinds\/SKILL\.md|LICENSE|README\.md|CHANGELOG\.md)$/.test(
        path,
      )
    expect(paths.filter((path) => !isExpected(path) || path.includes('.test.'))).toEqual([])
    const documents = name === '@ferrule/server' ? ['dist/web/docs/index.html', 'dist/web/docs/reference/gong.html.br'] : []
    expect(paths).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'package.json', 'LICENSE', ...documents]))
    const promised = readManifest(name)['files']
    expect(promised).toEqual(
      Array.isArray(promised) ? promised.filter((each) => existsSync(join(consumer, 'node_modules', name, each))) : [],
    )
  })

  test.each(names)('%s names no sources, and asks for ranges of others and the same version of ours', (name) => {
    const { exports, dependencies = {}, version, ...manifest } = readManifest(name)
    expect(JSON.stringify(exports)).not.toMatch(/src\/|@ferrule\/source/)
    for (const left of ['private', 'devDependencies', 'optionalDependencies', 'scripts']) expect(manifest).not.toHaveProperty(left)
    for (const [needed, range] of Object.entries({ ...Object(dependencies) })) {
      const other = pinned.includes(needed) ? / ~\d/ : exact.includes(needed) ? / \d/ : / \^\d/
      expect(`${needed} ${range}`).toMatch(names.includes(needed) ? new RegExp(` ${version}$`) : other)
    }
  })

  test('bring no Node along, and leave the manifests of the checkout as they were', () => {
    expect(existsSync(join(consumer, 'node_modules/.bin/node'))).toBe(false)
    for (const path of ['package.json', 'packages/ferrule/package.json', 'packages/sandbox/package.json', 'packages/server/package.json'])
      expect(readFileSync(join(folder, 'source', path), 'utf8')).toBe(readFileSync(join(root, path), 'utf8'))
  })

  test('have the kinds that the service has by default', () => {
    const env = withoutOuterSettings()
    const args = [join(consumer, 'node_modules/.bin/ferrule-server'), 'openapi']
    const { stdout, stderr } = spawnSync(process.execPath, args, { ...programLimit, cwd: consumer, encoding: 'utf8', env })
    expect(stderr).toBe('')
    expect(stdout).toContain('github.pull_requests')
  })

  test('have the commands ferrule-server and ferrule, and the licenses of what the service has inside', () => {
    const bin = (name: string) => join(consumer, 'node_modules/.bin', name)
    expect(readFileSync(join(consumer, 'node_modules/@ferrule/server/dist/LICENSES.md'), 'utf8')).toMatch(/## kysely .*## prom-client /s)
    expect(run(consumer, process.execPath, [bin('ferrule-server'), '--help']).stdout).toMatch(/Usage: ferrule-server/)
    expect(run(consumer, process.execPath, [bin('ferrule'), '--help']).stdout).toMatch(/Usage: ferrule /)
    expect(run(consumer, process.execPath, [bin('ferrule'), '--version']).stdout).toBe(`${readManifest('ferrule')['version']}\n`)
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin('ferrule'), 'serve'], { ...programLimit, encoding: 'utf8' })
    expect({ status, stdout }).toEqual({ status: 4, stdout: '' })
    expect(JSON.parse(stderr)).toMatchObject({ code: 'validation_failed' })
  })
})

describe('a strict project', () => {
  test('compiles: programs, those of the README, each agent framework, and what the type tests expect', () => {
    const texts = readTypeTests()
    const expected = Object.values(texts)
      .join('\n')
      .match(/\byes<|@ts-expect-error/g)
    expect(expected?.length).toBeGreaterThan(80)
    linkPackages(consumer, ['@ai-sdk', '@anthropic-ai', '@langchain', '@openai', 'ai', 'langchain'])
    writeProject(consumer, {
      ...texts,
      'agents.ts': agentsProgram,
      'calls.ts': callsProgram,
      'classes.mjs': classesProgram,
      'connects.ts': connectsProgram,
      'readme.ts': buildReadmeProgram(),
      'requires.cjs': requiringProgram,
      'kinds.ts': kindsProgram,
      'service.ts': serviceProgram,
    })
    compile(consumer, '--noEmit', '--skipLibCheck', '--allowImportingTsExtensions', '--lib', 'ES2024,ESNext.Disposable')
  })

  test('runs on the supported Nodes', () => {
    for (const node of findNodes()) {
      const readOutput = (...args: string[]): unknown => JSON.parse(run(consumer, node, args).stdout)
      expect(readOutput('connects.ts')).toMatchObject({ execute: 'function', FerruleError: 'function', createEngine: 'function' })
      expect(readOutput('calls.ts')).toMatchObject({ rows: true, first: 'string', meta: 'object' })
      expect(readOutput('requires.cjs')).toEqual(['function', 'function'])
      expect(readOutput('kinds.ts')).toEqual(['google-calendar', 'missing_parameter'])
      expect(readOutput('classes.mjs')).toEqual([true, 'invalid_parameter', true])
      expect(readOutput('agents.ts')).toEqual({ same: Array(5).fill(true), agents: 2, answered: true })
      const data = join(folder, `data-${node === process.execPath ? 'newest' : 'oldest'}`)
      expect(readOutput('service.ts', data)).toEqual({ status: 200, registered: 201, pages: [200, 200, 200] })
    }
  })

  test('checks the declarations of the library too, at a cost that its editor can bear', () => {
    writeProject(alone, { 'connects.ts': connectsProgram })
    const args = ['--noEmit', '--skipLibCheck', 'false', '--typeRoots', join(root, 'node_modules/@types')]
    const output = compile(alone, ...args, '--extendedDiagnostics')
    const instantiations = Number(/^Instantiations:\s+(\d+)/m.exec(output)?.[1])
    expect(instantiations).toBeGreaterThan(0)
    expect(instantiations).toBeLessThanOrEqual(105_000)
  })

  test('for browsers compiles against ferrule/core without types of Node', () => {
    writeProject(alone, { 'browser.ts': browserProgram }, browserOptions)
    compile(alone, '--noEmit', '--skipLibCheck', 'false')
  })
})

describe('the documents', () => {
  test('hold programs that run as they stand there: on the supported Nodes and on Bun', async () => {
    const code = buildReadmeProgram()
    expect(code.match(/connect\('/g)).toHaveLength(3)
    writeFileSync(join(consumer, 'readme.mjs'), code)
    await using sandbox = await startSandbox({ limits: false })
    const env = { ...process.env, NODE_OPTIONS: '', ORIGINS: JSON.stringify(sandbox.origins), ...readmeEnvironment }
    const bun = installRuntime('Bun')
    const options = { cwd: consumer, env, maxBuffer: 64 * 1024 * 1024 }
    // Side by side, because each program waits for its answers one by one.
    const runs = [...findNodes(), ...(bun === undefined ? [] : [bun])].map((each) => promisify(execFile)(each, ['readme.mjs'], options))
    for (const { stdout } of await Promise.all(runs)) {
      expect(stdout).toMatch(/^206 audio\/mpeg bytes 0-1023\/\d+$/m)
      expect(stdout).toMatch(/"?numRowsInserted"?: 1/)
    }
  })

  test('and the service that is installed prints lines that work as they stand, on the supported Nodes', async () => {
    const runs = findNodes().map((node) => runQuickstart({ node, project: consumer, data: mkdtempSync(join(folder, 'quickstart-')) }))
    for (const { list, search, exitCode } of await Promise.all(runs)) {
      expect(list.data?.[0]).toMatchObject({ id: expect.any(String), emailAddress: expect.any(String) })
      expect(search.data?.[0]).toMatchObject({ title: expect.stringContaining('Engineer') })
      expect(exitCode).toBe(0)
    }
  })
})

describe('the table of programs', () => {
  let world: World
  beforeAll(async () => {
    world = await startProgramWorld()
    copyFileSync(join(root, 'test/client/programs/programs.mjs'), join(consumer, 'programs.mjs'))
  })
  afterAll(() => world.close())

  /** Runs the programs with the installed package. */
  const print = (executable: string, mode: Mode, ...args: readonly string[]) => {
    const env = { ...withoutOuterSettings(), ...buildProgramEnvironment(world) }
    return runPrograms({ executable, args: [...args, 'programs.mjs'], cwd: consumer, env }, mode)
  }

  test('does its work in both modes on the supported Nodes and on Bun', async () => {
    const bun = installRuntime('Bun')
    for (const executable of [...findNodes(), ...(bun === undefined ? [] : [bun])]) {
      expectLocal(await print(executable, 'local'))
      expectHosted(await print(executable, 'hosted'))
    }
  })

  test('does its work in both modes on Deno', async () => {
    const deno = installRuntime('Deno')
    if (deno === undefined) return
    const args = ['run', '--allow-all', '--node-modules-dir=manual']
    expectLocal(await print(deno, 'local', ...args))
    expectHosted(await print(deno, 'hosted', ...args))
  })
})

describe('a bundle of plain esbuild', () => {
  beforeAll(() => {
    for (const [name, program] of Object.entries(bundledPrograms)) writeFileSync(join(consumer, `${name}.mjs`), program)
  })

  /** Bundles a program into a folder without packages. Returns the path of the bundle. */
  const bundle = (name: string, format: 'esm' | 'cjs', platform = 'node', ...more: readonly string[]): string => {
    const outfile = join(mkdtempSync(join(folder, 'bundled-')), format === 'esm' ? 'bundle.mjs' : 'bundle.cjs')
    const args = [`${name}.mjs`, '--bundle', `--platform=${platform}`, `--format=${format}`, `--outfile=${outfile}`, '--log-level=error']
    run(consumer, join(consumer, 'node_modules/.bin/esbuild'), [...args, ...more])
    return outfile
  }

  test.each([
    ['oneKind', 'esm'],
    ['allKinds', 'esm'],
    ['allKinds', 'cjs'],
  ] as const)('of %s (%s) calls the vendor', async (name, format) => {
    await using sandbox = await startSandbox()
    const file = bundle(name, format)
    const env = { ...process.env, NODE_OPTIONS: '', ORIGIN: sandbox.origins.gong.api, ...readmeEnvironment }
    for (const node of findNodes()) {
      const { stdout } = await promisify(execFile)(node, [file], { env })
      expect(stdout).toMatch(/^[1-9]\d* users\n$/)
    }
  })

  test.each([
    ['hosted', 'node', 'docs/library.md', '| `ferrule/core` and a slug'],
    ['hosted', 'browser', 'docs/library.md', '| `ferrule/core` and a slug'],
    ['oneKind', 'node', 'docs/library.md', '| `ferrule/core` and `ferrule/gong` |'],
    ['allKinds', 'node', 'docs/library.md', '| `ferrule` | 1'],
  ])('of %s for %s is as large as %s says', (name, platform, ...[document, line]) => {
    const { size } = statSync(bundle(name, 'esm', platform, '--minify'))
    expect(describeSize(size, readPrintedSize(document, line))).toBe('as printed')
  })

  test('of the module for connect links is smaller than docs/connect.md says', () => {
    const { size } = statSync(bundle('connectLink', 'esm', 'browser', '--minify'))
    expect(size).toBeLessThan(readPrintedSize('docs/connect.md', '`ferrule/connect-link` is for browsers: less than'))
  })

  test('of one kind has no other kind in it', () => {
    const text = readFileSync(bundle('oneKind', 'esm'), 'utf8')
    expect(text).toContain('api.gong.io')
    expect(text).not.toMatch(/myshopify|snowflakecomputing|tiktok/)
  })

  test('for a browser has no kind, no engine and nothing of Node', () => {
    const text = readFileSync(bundle('hosted', 'esm', 'browser'), 'utf8')
    expect(text).not.toMatch(/api\.gong\.io|undici|node:/)
    expect(text.length).toBeLessThan(200_000)
  })
})

describe('the library alone', () => {
  test('is at most 16 packages and 12 MB, its command included', () => {
    const modules = join(alone, 'node_modules')
    expect(listPackages(modules).length).toBeLessThanOrEqual(16)
    expect(measureBytes(modules)).toBeLessThanOrEqual(12_000_000)
  })

  test('is as many packages and megabytes as docs/library.md says', () => {
    const modules = join(alone, 'node_modules')
    const line = '`npm install ferrule` adds'
    expect(readFileSync(join(root, 'docs/library.md'), 'utf8')).toContain(`${line} ${listPackages(modules).length} packages`)
    expect(describeSize(measureBytes(modules), readPrintedSize('docs/library.md', line))).toBe('as printed')
  })

  test('serves MCP: the SDK is part of it', () => {
    expect(existsSync(join(alone, 'node_modules/@modelcontextprotocol'))).toBe(false)
    const input = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })}\n`
    const env = { ...process.env, NODE_OPTIONS: '', GONG_ACCESS_KEY: 'key', GONG_ACCESS_KEY_SECRET: 'secret' }
    const bin = join(alone, 'node_modules/.bin/ferrule')
    for (const node of findNodes()) {
      const { status, stdout } = spawnSync(node, [bin, 'mcp', '--local', 'gong'], { ...programLimit, encoding: 'utf8', input, env })
      expect([status, JSON.parse(stdout)]).toMatchObject([0, { id: 1, result: { tools: expect.arrayContaining([]) } }])
    }
    expect(readFileSync(join(alone, 'node_modules/ferrule/dist/LICENSES.md'), 'utf8')).toMatch(
      /## @modelcontextprotocol\/server .*## zod /s,
    )
  })

  test('says which framework to install', () => {
    writeProject(alone, { 'peerless.mjs': peerlessProgram })
    const { refusals, aiSdk }: { refusals: string[]; aiSdk: number } = JSON.parse(run(alone, process.execPath, ['peerless.mjs']).stdout)
    const peers = ['@anthropic-ai/sdk', '@langchain/core', '@openai/agents', '@opentelemetry/api']
    const expected = peers.map((name) => [name, `Run npm install ${name}.`])
    for (const [index, texts] of expected.entries()) for (const text of texts) expect(refusals[index]).toContain(text)
    expect(refusals.every((text) => text.startsWith('setting_invalid '))).toBe(true)
    expect(aiSdk).toBeGreaterThan(5)
  })

  test('is imported in 0.2 s of CPU and 75 MB of memory', () => {
    expect(measureImport(alone, 'ferrule')).toSatisfy(({ cpuSeconds, megabytes }: ImportCost) => cpuSeconds <= 0.2 && megabytes <= 75)
  })

  test('loads its HTTP client and the signing of tokens when they are used', () => {
    expect(listLoaded(alone, 'ferrule')).toEqual(['ferrule', 'ipaddr.js'])
  })
})
