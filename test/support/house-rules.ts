import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Sources } from './imports.ts'

const FILE_LINES = 300
/** Definitions are long lists of plain data. */
const DEFINITION_LINES = 500

/** Their tools demand a default export. */
const CONFIGURATIONS = ['vitest.config.ts']

/** A secret becomes readable here and nowhere else: where it is sent, sealed, hashed, merged or opens the database. */
const MAY_REVEAL =
  /^src\/(engine\/(auth|budget|signed-token|transport|download|local)|platform\/(credential-proof|vault|rotation|master-key|first-start|credential-merge|platform)|context\/store\/engines|surfaces\/show-secret)\.ts$/

const rules: readonly { says: (file: string) => string; broken(file: string, text: string): boolean }[] = [
  {
    says: (file) => `has more than ${longest(file)} lines; cut it where its subject changes`,
    broken: (file, text) => text.split('\n').length - 1 > longest(file),
  },
  { says: () => 'exports everything of a file with `export *`; list the names', broken: (_file, text) => /^export \*/m.test(text) },
  {
    says: () => 'has a default export; give it a name',
    broken: (file, text) => !CONFIGURATIONS.includes(file) && /^export (default\b|\{[^}]*\bas default\b)/m.test(text),
  },
  {
    says: () => 'reveals a secret; MAY_REVEAL in test/support/house-rules.ts lists who may',
    broken: (file, text) => file.startsWith('src/') && !file.endsWith('.test.ts') && !MAY_REVEAL.test(file) && text.includes('.reveal('),
  },
]

function longest(file: string): number {
  return file.startsWith('src/connectors/') ? DEFINITION_LINES : FILE_LINES
}

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
