/**
 * Writes the documents that are printed from tables and definitions, and the recorded answers in their compact form. With `--check` it
 * writes nothing and fails when a file differs from what it would print.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { commandPage } from '../packages/ferrule/src/cli/command-page.ts'
import { kinds as kindTable } from '../packages/ferrule/src/connectors/index.ts'
import { checkKinds } from '../packages/ferrule/src/definition/check.ts'
import { printSchema, printTableSchema } from '../packages/ferrule/src/kind-file/print-schema.ts'
import { recordingGroups } from '../packages/ferrule/src/kind-recordings/read-recordings.ts'
import { openApiDocument } from '../packages/server/src/http/openapi/openapi.ts'
import { errorsPage, referencePage, routesPage, settingsPage } from '../packages/server/src/http/reference/printed-pages.ts'
import { routes } from '../packages/server/src/http/routes/index.ts'
import { formatAnswers } from './format-answers.ts'
import { kindFilesPage } from './kind-files-page.ts'
import { printKindFiles } from './kind-packages.ts'
import { printSkill } from './skill.ts'

const root = join(import.meta.dirname, '..')
const kinds = Object.values(checkKinds(kindTable))

/** Every generated file: path below the root → text. */
const files = new Map([
  ['docs/command.md', commandPage()],
  ['docs/errors.md', errorsPage()],
  ['docs/reference/kind-files.md', kindFilesPage()],
  ['docs/settings.md', settingsPage()],
  ['docs/reference/http.md', routesPage(openApiDocument({ routes, kinds: [] }), kinds)],
  ['packages/server/src/http/html/look.ts', lookModule()],
  ['packages/ferrule/skills/writing-kinds/SKILL.md', printSkill(readFileSync(join(root, 'docs/writing-kinds.md'), 'utf8'))],
  ['packages/ferrule/kind.schema.json', `${JSON.stringify(printSchema(), null, 1)}\n`],
  [
    'packages/ferrule/recordings.schema.json',
    `${JSON.stringify(printTableSchema(recordingGroups, 'recordings', 'Recordings of a kind of Ferrule'), null, 1)}\n`,
  ],
  ...kinds.map((kind) => [`docs/reference/${kind.definition.kind}.md`, referencePage(kind)] as const),
  ...kinds.flatMap((kind) => recordedAnswers(`packages/ferrule/src/connectors/${kind.definition.kind}/answers`)),
  ...(await printKindFiles()),
])

/** Prints the look of the service's plain pages: they have no files of their own, and share it with the built ones. */
function lookModule(): string {
  const [tokens = '', mark = ''] = ['tokens.css', 'mark.svg'].map((name) =>
    readFileSync(join(root, 'packages/web/src/shared', name), 'utf8').trim(),
  )
  return `/** Tokens and mark of all pages. \`npm run gen\` prints them from packages/web/src/shared. */

/** Style sheet. */
export const tokens = \`${tokens}\`

/** SVG. */
export const mark =
  '${mark}'
`
}

/** Returns the recorded answers of a folder in their form: path → text. */
function recordedAnswers(folder: string): (readonly [string, string])[] {
  const names = existsSync(join(root, folder)) ? readdirSync(join(root, folder)) : []
  return names.map((name) => [posix.join(folder, name), formatAnswers(readFileSync(join(root, folder, name), 'utf8'))] as const)
}

const present = (path: string): string | undefined => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined)

/** Lists the pages and the JSON of kinds that no longer exist. */
const leftover = (): string[] =>
  ['docs/reference', 'packages/kinds/json']
    .flatMap((folder) => (existsSync(join(root, folder)) ? readdirSync(join(root, folder)).map((name) => `${folder}/${name}`) : []))
    .filter((path) => /\.(md|json)$/.test(path) && !files.has(path))

const stale = [...files].filter(([path, text]) => present(path) !== text).map(([path]) => path)

if (process.argv.includes('--check')) {
  for (const path of [...stale, ...leftover()]) console.error(`${path} is not what the sources say; run npm run gen`)
  process.exitCode = stale.length + leftover().length > 0 ? 1 : 0
} else {
  for (const path of leftover()) rmSync(join(root, path))
  for (const path of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), files.get(path) ?? '')
    console.log(path)
  }
}
