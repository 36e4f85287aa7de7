import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Sources } from './imports.ts'

const FILE_LINES = 500

/** A secret becomes readable here and nowhere else: where it is sent, sealed, hashed, merged or opens the database. */
const MAY_REVEAL =
  /^packages\/(ferrule\/src\/engine\/(consent\/(accounts|exchange|words)|credentials\/(auth|signed-token)|limits\/budget|http\/http|transport|download|local)|server\/src\/(platform\/(connect\/consent-secrets|connectors\/(credential-proof|credential-merge)|vault\/(application-seals|vault|rotation|master-key)|tenancy\/first-start|settings\/combinations)|postgres\/server|surfaces\/cli\/show-secret))\.ts$/

const rules: readonly { says: (file: string) => string; broken(file: string, text: string): boolean }[] = [
  {
    says: () => `has more than ${FILE_LINES} lines; cut it where its subject changes`,
    broken: (_file, text) => text.split('\n').length - 1 > FILE_LINES,
  },
  { says: () => 'exports everything of a file with `export *`; list the names', broken: (_file, text) => /^export \*/m.test(text) },
  {
    says: () => 'has a default export; give it a name',
    broken: (_file, text) => /^export (default\b|\{[^}]*\bas default\b)/m.test(text),
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
/** Rooms with another bound, and the stand-ins, whose files follow the vendor's pages. */
const FOLDER_BOUNDS: Readonly<Record<string, number>> = { 'packages/ferrule/src/engine/': 30, 'packages/server/src/platform/': 16 }
const UNBOUNDED_FOLDERS = /^packages\/(sandbox|ferrule\/src\/connectors)\//

/** One sentence for each folder of sources with too many files; tests do not count. Paths start at the repository's root. */
export function folderSizeViolations(files: readonly string[]): string[] {
  const sources = files.filter((file) => !file.endsWith('.test.ts') && !UNBOUNDED_FOLDERS.test(file))
  const folders = Map.groupBy(sources, (file) => file.slice(0, file.lastIndexOf('/') + 1))
  return [...folders].flatMap(([folder, { length }]) => {
    const most = FOLDER_BOUNDS[folder] ?? FOLDER_FILES
    return length > most ? [`${folder} has ${length} source files, more than ${most}; group some by their subject`] : []
  })
}
