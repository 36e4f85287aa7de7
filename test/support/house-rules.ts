import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Sources } from './imports.ts'

const FILE_LINES = 500

/** A secret becomes readable here and nowhere else: where it is sent, sealed, hashed, merged or opens the database. */
const MAY_REVEAL =
  /^packages\/(ferrule\/src\/engine\/(consent\/(accounts|exchange|consent-page)|credentials\/auth|http\/http|call\/(transport|download)|local|webhooks\/read-webhook)|server\/src\/(connectors\/links\/consent-secrets|events\/(endpoint-secrets|vendors\/vendor-seals)|tenancy\/(vault\/(master-seals|vault|master-key)|applications\/first-start)|main\/operator\/show-secret|db\/connections\/database-server))\.ts$/

/** Returns whether a type, a class or a function is exported without a doc comment. Overloads share that of the first one. */
function hasUndocumented(text: string): boolean {
  const lines = text.split('\n')
  const seen = new Set<string>()
  return lines.some((line, index) => {
    const [, name] = /^export (?:async |abstract )?(?:interface|type|class|function\*?) (\w+)/.exec(line) ?? []
    if (name === undefined || seen.has(name)) return false
    seen.add(name)
    return !/\*\/$|^\/\/ biome-ignore/.test(lines[index - 1] ?? '')
  })
}

/** Milliseconds that each test has (test/support/vitest-options.ts). */
const TEST_LIMIT = 480_000

/** Returns whether a test has less time than all others: a busy machine needs it. */
const hasShortLimit = (text: string): boolean =>
  [...text.matchAll(/(?:^ *\}, |^ *(?:test|describe)\b.*, \{ timeout: |\bvi\.setConfig\(\{ testTimeout: )([\d_]+_000)\b/gm)].some(
    ([, limit = '']) => Number(limit.replaceAll('_', '')) <= TEST_LIMIT,
  )

const rules: readonly { says: (file: string) => string; broken(file: string, text: string): boolean }[] = [
  {
    says: () => `has more than ${FILE_LINES} lines; cut it where its subject changes`,
    broken: (_file, text) => text.split('\n').length - 1 > FILE_LINES,
  },
  {
    says: () => 'exports everything of a file with `export *`; list the names',
    // The door of this room has all names of the room.
    broken: (file, text) => file !== 'packages/ferrule/src/wire/index.ts' && /^export \*/m.test(text),
  },
  {
    says: () => 'has a default export; give it a name',
    broken: (_file, text) => /^export (default\b|\{[^}]*\bas default\b)/m.test(text),
  },
  {
    says: () => 'exports a type, a class or a function without a doc comment; say what it is',
    broken: (file, text) => /^packages\/(ferrule|server|web)\/src\//.test(file) && !file.endsWith('.test.ts') && hasUndocumented(text),
  },
  {
    says: () => `gives a test a limit of ${TEST_LIMIT} ms or less; leave it out`,
    broken: (file, text) => file.endsWith('.test.ts') && hasShortLimit(text),
  },
  {
    says: () => 'reveals no secret; take it out of MAY_REVEAL in test/support/house-rules.ts',
    broken: (file, text) => MAY_REVEAL.test(file) && !text.includes('.reveal('),
  },
  {
    says: () => 'reveals a secret; MAY_REVEAL in test/support/house-rules.ts lists who may',
    broken: (file, text) =>
      file.startsWith('packages/') && !file.endsWith('.test.ts') && !MAY_REVEAL.test(file) && text.includes('.reveal('),
  },
]

/** One sentence for each house rule that a file breaks; paths start at the repository's root. */
export function houseViolations(sources: Sources): string[] {
  return [...sources].flatMap(([file, text]) => rules.filter(({ broken }) => broken(file, text)).map(({ says }) => `${file} ${says(file)}`))
}

/** One sentence for each part that a kind's folder lacks. */
export function folderViolations(connectors: string): string[] {
  const kinds = readdirSync(connectors).filter((name) => statSync(join(connectors, name)).isDirectory())
  return kinds.flatMap((kind) =>
    ['index.ts', 'README.md', 'answers']
      .filter((part) => !existsSync(join(connectors, kind, part)))
      .map((part) => `${kind}/ has no ${part}`),
  )
}

/** Most source files that lie flat in a folder. */
const FOLDER_FILES = 24
/** The stand-ins follow the vendor's pages, and the kinds too. */
const UNBOUNDED_FOLDERS = /^packages\/(sandbox|ferrule\/src\/connectors)\//

/** One sentence for each folder of sources with too many files; tests do not count. Paths start at the repository's root. */
export function folderSizeViolations(files: readonly string[]): string[] {
  const sources = files.filter((file) => !file.endsWith('.test.ts') && !UNBOUNDED_FOLDERS.test(file))
  const folders = Map.groupBy(sources, (file) => file.slice(0, file.lastIndexOf('/') + 1))
  return [...folders].flatMap(([folder, { length }]) =>
    length > FOLDER_FILES ? [`${folder} has ${length} source files, more than ${FOLDER_FILES}; group some by their subject`] : [],
  )
}
