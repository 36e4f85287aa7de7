/**
 * Writes the documents that are printed from tables and definitions; with `--check` it writes nothing and fails when one of them
 * is not what it would print.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { kinds as kindTable } from '../src/connectors/index.ts'
import { routes } from '../src/surfaces/http/routes/index.ts'
import { openApiDocument } from '../src/surfaces/openapi.ts'
import { errorsPage, referencePage, settingsPage } from '../src/surfaces/pages.ts'

const docs = join(import.meta.dirname, '../docs')
const kinds = Object.values(kindTable)

/** Every printed file: path below docs/ → text. */
const files = new Map([
  ['openapi.json', `${JSON.stringify(openApiDocument({ routes, kinds }), null, 2)}\n`],
  ['errors.md', errorsPage()],
  ['settings.md', settingsPage()],
  ...kinds.map((kind) => [`reference/${kind.definition.kind}.md`, referencePage(kind)] as const),
])

const present = (path: string): string | undefined => (existsSync(join(docs, path)) ? readFileSync(join(docs, path), 'utf8') : undefined)

/** Pages of kinds that are no more. */
function leftover(): string[] {
  const folder = join(docs, 'reference')
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.md')) : []
  return names.map((name) => `reference/${name}`).filter((path) => !files.has(path))
}

const stale = [...files].filter(([path, text]) => present(path) !== text).map(([path]) => path)

if (process.argv.includes('--check')) {
  for (const path of [...stale, ...leftover()]) console.error(`docs/${path} is not what the sources say; run npm run gen`)
  process.exitCode = stale.length + leftover().length > 0 ? 1 : 0
} else {
  for (const path of leftover()) rmSync(join(docs, path))
  for (const path of stale) {
    mkdirSync(dirname(join(docs, path)), { recursive: true })
    writeFileSync(join(docs, path), files.get(path) ?? '')
    console.log(`docs/${path}`)
  }
}
