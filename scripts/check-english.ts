/** Checks documents and comments for Plain English; prints each finding as `file:line: rule` and fails when there is one. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkComments, checkDocument, type Finding } from './english.ts'

const root = join(import.meta.dirname, '..')

/** Documents that are checked. A document joins the list when it passes. */
const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'docs/command.md',
  'docs/library.md',
  'docs/mcp-clients.md',
  'docs/operations.md',
  'docs/search.md',
  'docs/decisions/*.md',
  'packages/ferrule/src/connectors/*/README.md',
  'packages/sandbox/src/README.md',
  'packages/web/README.md',
  'test/conformance/README.md',
]

/** Folders whose comments are checked. A folder joins the list when its comments pass. */
const folders = [
  ...['bench', 'examples', 'packages/ferrule/src', 'packages/sandbox/src', 'scripts', 'packages/server/src', 'packages/web/src'],
  ...[
    ...['adapters', 'browser', 'client', 'command', 'conformance', 'connectors', 'context', 'contract', 'definition', 'engine', 'faults'],
    ...['http', 'kinds', 'library', 'pack', 'pins', 'platform', 'regressions', 'sandbox', 'soak', 'support', 'types'],
  ].map((room) => `test/${room}`),
]

const findFiles = (patterns: readonly string[]): string[] =>
  globSync([...patterns], { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .toSorted()

const check = (files: readonly string[], rules: (text: string) => Finding[]): string[] =>
  files.flatMap((file) => rules(readFileSync(join(root, file), 'utf8')).map(({ line, message }) => `${file}:${line}: ${message}`))

const given = process.argv.slice(2)
const sources = (given.length > 0 ? given : folders).map((folder) => `${folder}/**/*.{ts,tsx,mjs}`)
const findings = [...check(given.length > 0 ? [] : findFiles(documents), checkDocument), ...check(findFiles(sources), checkComments)]
for (const finding of findings) console.error(finding)
if (findings.length > 0) {
  console.error(`${findings.length} findings; CONTRIBUTING.md has the rules of Plain English`)
  process.exitCode = 1
}
