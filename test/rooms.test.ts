import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { root } from '../scripts/paths.mjs'
import { programLimit } from './support/commands.ts'
import { folderSizeViolations, folderViolations, houseViolations } from './support/house-rules.ts'
import { findCycles, readSources } from './support/imports.ts'
import { importViolations } from './support/rooms.ts'

const src = new Map(
  [...readSources(join(root, 'packages'))].filter(([file]) => /^\w+\/src\//.test(file)).map(([file, text]) => [`packages/${file}`, text]),
)

describe('the house', () => {
  test('imports follow the rooms', () => {
    expect(importViolations(src)).toEqual([])
  })

  test('no files import each other in a ring', () => {
    expect(findCycles(src)).toEqual([])
  })

  test('folders stay small enough to read', () => {
    expect(folderSizeViolations([...src.keys()])).toEqual([])
  })

  test('files are short, export by name and keep secrets closed', () => {
    const folders = ['test', 'bench', 'scripts']
    const files = folders.flatMap((folder) =>
      [...readSources(join(root, folder))].map(([file, text]) => [`${folder}/${file}`, text] as const),
    )
    expect(houseViolations(new Map([...src, ...files]))).toEqual([])
  })

  test('no program imports values of node:http, which loads the fetch of Node too', () => {
    const importing = [...src].filter(([file, text]) => !file.includes('.test.') && /^import (?!type ).* from 'node:http'$/m.test(text))
    expect(importing.map(([file]) => file)).toEqual([])
  })

  test('each kind has its definition, its notes and its answers', () => {
    expect(folderViolations(join(root, 'packages/ferrule/src/connectors'))).toEqual([])
  })
})

test('the service loads the SDK of MCP, the tools of agents, the signing of tokens and the driver of PostgreSQL with their first use only', () => {
  const { files } = loadedBy('packages/server/src/index.ts')
  expect(files).toContain('packages/server/src/http/mcp/endpoint.ts')
  expect(files.filter((file) => /@modelcontextprotocol|oidc-provider|node_modules\/(koa|jose|pg)\/|src\/agent\/index/.test(file))).toEqual(
    [],
  )
})

test('the service loads no parser of kind files: it does so when FERRULE_KINDS names some', () => {
  const { files } = loadedBy('packages/server/src/index.ts')
  expect(files).toContain('packages/server/src/main/kinds/served.ts')
  expect(files.filter((file) => /node_modules\/yaml\/|src\/kind-file\/|main\/kinds\/load/.test(file))).toEqual([])
})

describe('the library door', () => {
  test('loads nothing of the service', () => {
    const { files, builtins } = loadedBy('packages/ferrule/src/index.ts')
    expect(files.length).toBeGreaterThan(1)
    expect(files.filter((file) => /^packages\/(server|sandbox)\//.test(file))).toEqual([])
    expect(files.filter((file) => /node_modules\/(fastify|@fastify|pg|kysely|pino|jose|prom-client|commander)\//.test(file))).toEqual([])
    expect(builtins.filter((name) => /sqlite/.test(name))).toEqual([])
  })

  test.each([
    ['ferrule/core', 'core.ts'],
    ['ferrule/agents', 'agent/index.ts'],
    ['ferrule/ai-sdk', 'adapters/ai-sdk.ts'],
    ['ferrule/anthropic', 'adapters/anthropic.ts'],
    ['ferrule/connect-link', 'connect-link/index.ts'],
    ['ferrule/opentelemetry', 'opentelemetry/index.ts'],
    ['ferrule/langchain', 'adapters/langchain.ts'],
    ['ferrule/openai-agents', 'adapters/openai-agents.ts'],
  ])('%s loads no kind, no engine and no framework, and nothing that only Node has', (_entry, file) => {
    const { files, builtins } = loadedBy(`packages/ferrule/src/${file}`)
    expect(files).toContain(`packages/ferrule/src/${file}`)
    expect(files.filter((file) => /src\/(connectors|engine|kinds)\/|node_modules\//.test(file))).toEqual([])
    expect(builtins.filter((name) => name.startsWith('node:'))).toEqual([])
  })

  test('ferrule/gong loads that kind only', () => {
    const { files } = loadedBy('packages/ferrule/src/kinds/gong.ts')
    const kinds = files.flatMap((file) => /src\/connectors\/([^/]+)\//.exec(file)?.[1] ?? [])
    expect(new Set(kinds)).toEqual(new Set(['gong']))
  })

  test('ferrule/kind loads no kind, and no YAML before a file is read', () => {
    const { files } = loadedBy('packages/ferrule/src/kind-file/index.ts')
    expect(files.filter((file) => /src\/connectors\/|node_modules\/yaml\//.test(file))).toEqual([])
  })

  test('would notice a database driver', () => {
    const { files } = loadedBy('packages/server/src/db/postgres.ts')
    expect(files.some((file) => file.includes('node_modules/pg/'))).toBe(true)
  })
})

/** Lists what a fresh Node process loads to import one file: files from the root, and Node's own modules. */
function loadedBy(file: string): { files: string[]; builtins: string[] } {
  const program = `
    import { registerHooks } from 'node:module'
    const urls = []
    registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context) } })
    await import(${JSON.stringify(pathToFileURL(join(root, file)).href)})
    process.stdout.write(JSON.stringify({ urls, builtins: process.moduleLoadList }), () => process.exit())`
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { ...programLimit, encoding: 'utf8' })
  const { urls, builtins }: { urls: string[]; builtins: string[] } = JSON.parse(output)
  const base = `${pathToFileURL(root).href}/`
  return { files: urls.map((url) => url.replace(base, '')), builtins: [...builtins, ...urls.filter((url) => url.startsWith('node:'))] }
}

describe('the rules find what is wrong', () => {
  const library = 'packages/ferrule/src'
  const server = 'packages/server/src'
  const gong = `${library}/connectors/gong/calls.ts`

  test.each([
    [
      `${library}/engine/a.ts`,
      "import { kinds } from '../connectors/index.ts'",
      `imports ${library}/connectors/index.ts; ${library}/engine/`,
    ],
    [`${library}/engine/a.ts`, "import {\n  request,\n} from 'undici'", `imports undici; ${library}/engine/`],
    [`${library}/engine/a.ts`, "const db = await import('node:sqlite')", `imports node:sqlite; ${library}/engine/`],
    [gong, "import { x } from '../shopify/x.ts'", `imports ${library}/connectors/shopify/x.ts; ${library}/connectors/<kind>/`],
    [gong, "import { Type } from 'typebox'", `imports typebox; ${library}/connectors/<kind>/`],
    [gong, "import 'node:fs'", 'imports node:fs'],
    [
      `${library}/definition/a.ts`,
      "export type { A } from '../engine/a.ts'",
      `imports ${library}/engine/a.ts (types); ${library}/definition/`,
    ],
    [`${server}/connectors/a.ts`, "import { Pool } from 'pg'", `imports pg; ${server}/connectors/`],
    [`${server}/connectors/a.ts`, "export { a } from '../http/a.ts'", `imports ${server}/http/a.ts; ${server}/connectors/`],
    [`${server}/http/a.ts`, "import { db } from '../db/a.ts'", 'http/ may not import a database or its SQL'],
    [`${library}/index.ts`, "import type { A } from 'ferrule/internal'", `imports ferrule/internal (types); ${library}/index.ts`],
    ['packages/sandbox/src/a.ts', "import { fail } from 'ferrule/internal'", 'imports ferrule/internal; packages/sandbox/src/'],
    [`${library}/somewhere/a.ts`, '', 'is in no room'],
  ])('%s: %j', (file, text, says) => {
    const found = importViolations(new Map([[file, text]]))
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(`${file} `)
    expect(found[0]).toContain(says)
  })

  test('a folder with too many files is named', () => {
    const files = (folder: string, count: number): string[] => Array.from({ length: count }, (_, index) => `${folder}f${index}.ts`)
    const engine = 'packages/ferrule/src/engine/'
    const full = [...files(engine, 25), ...files(`${engine}json/`, 24), `${engine}f.test.ts`]
    expect(folderSizeViolations(full)).toEqual([`${engine} has 25 source files, more than 24; group some by their subject`])
    expect(folderSizeViolations([...files(engine, 24), ...files(`${engine}json/`, 24)])).toEqual([])
  })

  test('and let pass what is right', () => {
    const right = new Map([
      ['packages/ferrule/src/engine/http/http.ts', "import { request } from 'undici'\nimport { a } from './a.ts'\nconst accept = '*/*'"],
      ['packages/server/src/db/a.ts', "import { DatabaseSync } from 'node:sqlite'\nimport { Kysely } from 'kysely'"],
      ['packages/server/src/http/a.ts', "import cors from '@fastify/cors'\nimport { runs } from '../copies/runs.ts'"],
    ])
    expect(importViolations(right)).toEqual([])
  })

  test('rings and broken house rules are named', () => {
    const ring = new Map([
      ['engine/a.ts', "import { b } from './b.ts'"],
      ['engine/b.ts', "import { a } from './a.ts'\nimport type { c } from './c.ts'"],
      ['engine/c.ts', "import { a } from './a.ts'"],
    ])
    expect(findCycles(ring)).toEqual([
      'engine/a.ts -> engine/b.ts -> engine/a.ts',
      'engine/a.ts -> engine/b.ts -> engine/c.ts -> engine/a.ts',
    ])
    const ofTypes = new Map([
      ['engine/a.ts', "import type { b } from './b.ts'"],
      ['engine/b.ts', "import type { a } from './a.ts'"],
    ])
    expect(findCycles(ofTypes)).toEqual(['engine/a.ts -> engine/b.ts -> engine/a.ts'])
    const broken = new Map([
      ['packages/server/src/connectors/a.ts', 'export * from "./b.ts"\nlog(key.reveal())'],
      ['packages/server/src/connectors/c.ts', '/** A. */\nexport type A = 1\n\nexport interface B {}'],
      ['packages/server/src/connectors/b.ts', `export default 1\n${'\n'.repeat(500)}`],
      ['packages/server/src/tenancy/vault/vault.ts', 'seal(key.reveal())'],
      ['test/http/a.test.ts', "test('a', () => {\n}, 60_000)"],
      ['test/http/b.test.ts', "test('b', { timeout: 900_000 }, () => {\n})"],
      ['packages/server/src/tenancy/vault/master-key.ts', 'seal(key)'],
    ])
    expect(houseViolations(broken)).toEqual([
      'packages/server/src/connectors/a.ts exports everything of a file with `export *`; list the names',
      'packages/server/src/connectors/a.ts reveals a secret; MAY_REVEAL in test/support/house-rules.ts lists who may',
      'packages/server/src/connectors/c.ts exports a type, a class or a function without a doc comment; say what it is',
      'packages/server/src/connectors/b.ts has more than 500 lines; cut it where its subject changes',
      'packages/server/src/connectors/b.ts has a default export; give it a name',
      'test/http/a.test.ts gives a test a limit of 480000 ms or less; leave it out',
      'packages/server/src/tenancy/vault/master-key.ts reveals no secret; take it out of MAY_REVEAL in test/support/house-rules.ts',
    ])
  })
})
