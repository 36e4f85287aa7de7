/** Which test files run on every PostgreSQL that is found: those that make a database, unless they are named here. */
import { join, posix } from 'node:path'
import { readSources, type Sources } from './imports.ts'

/** Whoever makes a database imports this file. */
const maker = 'test/support/postgres.ts'

/** What needs a server and comes to the same on each version; the newest one runs it. */
const sameOnEach: readonly { readonly files: RegExp; readonly because: string }[] = [
  { files: /^test\/soak\/(?!context-passes|search)/, because: 'kills and storms take an hour on each' },
  { files: /kills?\.test|-death\.test/, because: 'what a kill leaves behind is decided by transactions, which are old' },
  { files: /^test\/faults\//, because: 'the faults are those of vendors' },
  { files: /^test\/context\/(memory|store-embedded|sync-truth)/, because: 'the copy is embedded there' },
  {
    files:
      /^test\/context\/(exactness-cases|changes-(kept|noted)|indexes|search-|store-work|sync-fresh|sync-store|citus|folds|store-(copy|forget|own-changes|passes))/,
    because: 'exactness draws searches of every kind, and store.test.ts has the statements that write',
  },
  {
    files: /^test\/context\/(store-replicas|tokens)/,
    because: 'replicas are asked by functions that each version has; words are split without a database',
  },
  { files: /^test\/(connect|http)\//, because: 'routes ask the platform and the store, whose own tests run on each version' },
  { files: /^test\/platform\/syncs-/, because: 'they follow the clock and the walks; syncs.test.ts has the statements' },
  {
    files: /^test\/platform\/(?!syncs|start|budgets-stored)/,
    because: 'its statements are plain SQL; start and syncs run the others on each version',
  },
  {
    files: /^test\/(adapters|agent|client|command|library|mcp|pack)\//,
    because: 'the service is what is called there, and its store is tested elsewhere',
  },
  { files: /^test\/kinds\//, because: 'vendors and their walks are what is tried; syncs.test.ts and store.test.ts have the statements' },
  { files: /^test\/browser\//, because: 'pages show what routes answer, whose own tests run on each version' },
  { files: /^test\/telemetry\//, because: 'spans name a statement, whatever its outcome' },
  {
    files: /^test\/regressions\/(?!issue-22-(postgres-settings|slow-conditions|deleted-records))/,
    because: 'each holds one fault, and the suites of its subject run on each version',
  },
  { files: /^test\/support\//, because: 'the servers themselves are looked at' },
]

const imported = /^(?:import|export)\s[^'"]*?from '(\.[^']+)'/gm

/** Test files that make databases, themselves or through what they import. */
function makers(sources: Sources): readonly string[] {
  const known = new Map<string, boolean>([[maker, true]])
  const reaches = (file: string): boolean => {
    const seen = known.get(file)
    if (seen !== undefined) return seen
    known.set(file, false) // rings end here
    const paths = [...(sources.get(file) ?? '').matchAll(imported)].map(([, path = '']) => posix.join(posix.dirname(file), path))
    const found = paths.some(reaches)
    known.set(file, found)
    return found
  }
  return [...sources.keys()].filter((file) => file.endsWith('.test.ts') && reaches(file)).toSorted()
}

/** Reads the sources of all packages and tests. @param root folder of the project */
const readAll = (root: string): Sources =>
  new Map(
    ['packages', 'test'].flatMap((folder) =>
      [...readSources(join(root, folder))].map(([file, text]) => [posix.join(folder, file), text] as const),
    ),
  )

/** Test files whose outcome can depend on the version of PostgreSQL. */
export const versionTests = (root: string): readonly string[] =>
  makers(readAll(root)).filter((file) => !sameOnEach.some(({ files }) => files.test(file)))

/** What a suite calls that draws little, or runs over one database only, in `npm test`. */
const drawing = /\/draws\.ts'|\bover(?:Server|Statements|BothStores)\(|databasesOfStatements\(|'\.\/subjects\.ts'/

/** Test files that `npm run soak` runs in full, beside those of test/soak. */
export const drawnTests = (root: string): readonly string[] =>
  [...readAll(root)].flatMap(([file, text]) => (file.endsWith('.test.ts') && drawing.test(text) ? [file] : []))
