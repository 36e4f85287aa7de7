import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { folderViolations, houseViolations } from './support/house-rules.ts'
import { findCycles, readSources } from './support/imports.ts'
import { importViolations } from './support/rooms.ts'

const root = join(import.meta.dirname, '..')
const src = readSources(join(root, 'src'))

describe('the house', () => {
  test('imports follow the rooms', () => {
    expect(importViolations(src)).toEqual([])
  })

  test('no files load each other in a ring', () => {
    expect(findCycles(src)).toEqual([])
  })

  test('files are short, export by name and keep secrets closed', () => {
    const folders = ['src', 'test', 'bench', 'scripts', 'examples'].filter((folder) => existsSync(join(root, folder)))
    const files = folders.flatMap((folder) =>
      [...readSources(join(root, folder))].map(([file, text]) => [`${folder}/${file}`, text] as const),
    )
    expect(houseViolations(new Map(files))).toEqual([])
  })

  test('each kind has its definition, its notes and its answers', () => {
    expect(folderViolations(join(root, 'src/connectors'))).toEqual([])
  })
})

describe('the library door', () => {
  test('loads nothing of the service', () => {
    const { files, builtins } = loadedBy('src/index.ts')
    expect(files.length).toBeGreaterThan(1)
    expect(files.filter((file) => /^src\/(platform|surfaces|sandbox|context)\//.test(file))).toEqual([])
    expect(files.filter((file) => /node_modules\/(fastify|@fastify|pg|kysely|pino|jose|prom-client|commander)\//.test(file))).toEqual([])
    expect(builtins.filter((name) => /sqlite/.test(name))).toEqual([])
  })

  test('would notice a database driver', () => {
    const { files } = loadedBy('test/support/postgres-setup.ts')
    expect(files.some((file) => file.includes('node_modules/pg/'))).toBe(true)
  })
})

/** What a fresh Node process loads to import one file: files from the root, and Node's own modules. */
function loadedBy(file: string): { files: string[]; builtins: string[] } {
  const program = `
    import { registerHooks } from 'node:module'
    const urls = []
    registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context) } })
    await import(${JSON.stringify(pathToFileURL(join(root, file)).href)})
    console.log(JSON.stringify({ urls, builtins: process.moduleLoadList }))
    process.exit()`
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
  const { urls, builtins }: { urls: string[]; builtins: string[] } = JSON.parse(output)
  const base = `${pathToFileURL(root).href}/`
  return { files: urls.map((url) => url.replace(base, '')), builtins: [...builtins, ...urls.filter((url) => url.startsWith('node:'))] }
}

describe('the rules find what is wrong', () => {
  const wrong: { file: string; text: string; says: string }[] = [
    {
      file: 'engine/a.ts',
      text: "import { kinds } from '../connectors/index.ts'",
      says: 'src/engine/a.ts imports connectors/index.ts; engine/',
    },
    { file: 'engine/a.ts', text: "import {\n  request,\n} from 'undici'", says: 'imports undici; only engine/http.ts' },
    { file: 'engine/a.ts', text: "const db = await import('node:sqlite')", says: 'imports node:sqlite; engine/' },
    {
      file: 'connectors/gong/calls.ts',
      text: "import { x } from '../shopify/x.ts'",
      says: 'imports connectors/shopify/x.ts; connectors/<kind>/',
    },
    { file: 'connectors/gong/calls.ts', text: "import { Type } from 'typebox'", says: 'imports typebox; connectors/<kind>/' },
    { file: 'connectors/gong/calls.ts', text: "import 'node:fs'", says: 'imports node:fs' },
    { file: 'definition/a.ts', text: "export type { A } from '../engine/a.ts'", says: 'imports engine/a.ts (types); definition/' },
    { file: 'client/a.ts', text: "import { a } from '../engine/a.ts'", says: 'imports engine/a.ts; client/' },
    { file: 'platform/a.ts', text: "import { Pool } from 'pg'", says: 'imports pg; platform/' },
    { file: 'platform/a.ts', text: "export { a } from '../surfaces/a.ts'", says: 'imports surfaces/a.ts; platform/' },
    { file: 'surfaces/a.ts', text: "import { db } from '../platform/db/a.ts'", says: 'surfaces/ may not import platform/db/' },
    { file: 'index.ts', text: "import type { A } from './platform/a.ts'", says: 'imports platform/a.ts (types); index.ts' },
    { file: 'sandbox/a.ts', text: "import { fail } from '../errors.ts'", says: 'imports errors.ts; sandbox/' },
    { file: 'somewhere/a.ts', text: '', says: 'src/somewhere/a.ts is in no room' },
  ]

  test.each(wrong)('$file: $says', ({ file, text, says }) => {
    const found = importViolations(new Map([[file, text]]))
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(says)
  })

  test('and let pass what is right', () => {
    const right = new Map([
      ['client/a.ts', "import type { A } from '../engine/a.ts'\n/** {@link import('pg').Pool} */"],
      ['engine/http.ts', "import { request } from 'undici'\nimport { a } from './a.ts'\nconst accept = '*/*'"],
      ['platform/db/a.ts', "import { DatabaseSync } from 'node:sqlite'\nimport { Kysely } from 'kysely'"],
      ['surfaces/http/a.ts', "import cors from '@fastify/cors'\nimport { runs } from '../../platform/runs.ts'"],
    ])
    expect(importViolations(right)).toEqual([])
  })

  test('rings and broken house rules are named', () => {
    const ring = new Map([
      ['engine/a.ts', "import { b } from './b.ts'"],
      ['engine/b.ts', "import { a } from './a.ts'\nimport type { c } from './c.ts'"],
      ['engine/c.ts', "import { a } from './a.ts'"],
    ])
    expect(findCycles(ring)).toEqual(['engine/a.ts -> engine/b.ts -> engine/a.ts'])
    const broken = new Map([
      ['src/platform/a.ts', 'export * from "./b.ts"\nlog(key.reveal())'],
      ['src/platform/b.ts', `export default 1\n${'\n'.repeat(300)}`],
      ['src/platform/vault.ts', 'seal(key.reveal())'],
    ])
    expect(houseViolations(broken)).toEqual([
      'src/platform/a.ts exports everything of a file with `export *`; list the names',
      'src/platform/a.ts reveals a secret; MAY_REVEAL in test/support/house-rules.ts lists who may',
      'src/platform/b.ts has more than 300 lines; cut it where its subject changes',
      'src/platform/b.ts has a default export; give it a name',
    ])
  })
})
