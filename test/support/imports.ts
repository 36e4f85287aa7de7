import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** Sources by their path, which starts at the searched folder and uses `/`. */
export type Sources = ReadonlyMap<string, string>

/** One import or re-export of a file. */
export interface Import {
  /** The file that imports. */
  readonly from: string
  /** Path of the file that is meant, `node:…`, or the name of an npm package. */
  readonly to: string
  readonly kind: 'file' | 'node' | 'npm'
  /** Only types: nothing is loaded when the program runs. */
  readonly typeOnly: boolean
}

/** Reads every TypeScript and JavaScript file below a folder. */
export function readSources(folder: string): Sources {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile() && /\.(tsx?|mjs)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
  return new Map(files.map((file) => [posix.relative(slashed(folder), slashed(file)), readFileSync(file, 'utf8')]))
}

function slashed(path: string): string {
  return path.replaceAll('\\', '/')
}

const STATEMENT = /^(?:import|export)\s+(?:(type)\s+)?(?:[\w$*{}\s,]+?\s+from\s+)?['"]([^'"]+)['"]/gm
const CALL = /(?<![.\w])(?:import|require)\s*\(\s*(?:['"]([^'"]+)['"])?/g
// Only comments that start a line: a string such as '*/*' must not look like one.
const COMMENT = /^\s*(?:\/\*[\s\S]*?\*\/|\/\/.*$)/gm

/** The one file that imports modules of others: the rules that an operator wrote. */
const importsRules = 'packages/server/src/main/kinds/rules.ts'

/**
 * All imports of one file: statements, re-exports, `import()` in code and in types, `require()`.
 * @throws for an `import()` whose path is not a literal, because then nothing could be checked
 */
export function readImports(from: string, text: string): Import[] {
  const code = text.replace(COMMENT, '')
  const statements = [...code.matchAll(STATEMENT)].map(([, type, path = '']) => resolve(from, path, type === 'type'))
  const calls = [...code.matchAll(CALL)].flatMap(([, path]) => {
    if (path !== undefined) return [resolve(from, path, false)]
    if (from === importsRules) return []
    throw new Error(`${from} imports a path that is not a literal`)
  })
  return [...statements, ...calls]
}

function resolve(from: string, path: string, typeOnly: boolean): Import {
  if (path.startsWith('node:')) return { from, to: path, kind: 'node', typeOnly }
  if (path.startsWith('.')) return { from, to: posix.join(posix.dirname(from), path), kind: 'file', typeOnly }
  // The entries of our own library are told apart.
  const name = path.startsWith('ferrule/')
    ? path
    : path
        .split('/')
        .slice(0, path.startsWith('@') ? 2 : 1)
        .join('/')
  return { from, to: name, kind: 'npm', typeOnly }
}

/** Finds rings of files, imports of types included, each as its path from file to file. */
export function findCycles(sources: Sources): string[] {
  const edges = new Map([...sources].map(([file, text]) => [file, readTargets(file, text)]))
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' -> '))
    if (path.includes(file) || done.has(file)) return
    for (const next of edges.get(file) ?? []) visit(next, [...path, file])
    done.add(file)
  }
  for (const file of edges.keys()) visit(file, [])
  return cycles
}

/** Reads the files that a file imports. */
const readTargets = (file: string, text: string): string[] =>
  readImports(file, text).flatMap((each) => (each.kind === 'file' ? [each.to] : []))
