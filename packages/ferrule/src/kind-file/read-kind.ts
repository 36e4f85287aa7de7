/** Reads kind files: their text, their table, and the checks of the long form. All mistakes come at once. */

import { findProblems } from '../definition/check.ts'
import type { ConnectorDefinition, Rules } from '../definition/connector.ts'
import { isObject } from '../definition/object.ts'
import { tryReadJson } from '../values/json/json.ts'
import { buildDefinition } from './build-kind.ts'
import { Findings, type Steps, TreeChecker } from './check-tree.ts'
import type { Mistake, Place } from './mistakes.ts'
import { readTree, type Tree } from './tree.ts'

/** First words of problems of the connection, and where the file has what they speak of. `$1` is the first group. */
const sections: readonly (readonly [RegExp, Steps])[] = [
  [/^credentials ([\w-]+)/, ['auth', '$1']],
  [/^configuration ([\w-]+)/, ['configuration', '$1']],
  [/^page (\S+)/, ['pages', '$1']],
  [/^error (\d+)/, ['errors', 'rows', '$1']],
  [/^origin oauth|consent/, ['auth']],
  [/origin other/, ['elsewhere']],
  [/^origin|^base/, ['api']],
  [/^prefix/, ['path']],
  [/^(a rate|a bucket|limits|other rates)/, ['limits']],
  [/^the check/, ['check']],
  [/^the account/, ['account']],
  [/^webhooks (\S+) (?:is|does|names|has|reads)\b/, ['webhooks', 'events', '$1']],
  [/^webhooks (\S+): /, ['webhooks', 'events', '$1']],
  [/^webhooks/, ['webhooks']],
  [/^the slug|^the id/, ['kind']],
  [/codes? of/, ['errors']],
]

/** Words of problems for a part of an operation or a sync, and the key of the file. */
const parts: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^key /, ['key']],
  [/^from /, ['from']],
  [/^refers /, ['refers']],
  [/^title /, ['title']],
  [/^summary /, ['summary']],
  [/^link /, ['link']],
  [/^searchable|^projects/, ['search']],
  [/^(path slot|call)/, ['call']],
  [/^(send|parameter|.* is filled)/, ['params', 'body']],
  [/^constant/, ['always']],
  [/^default/, ['defaults']],
  [/^page/, ['pages']],
  [/^outer/, ['outer']],
  [/rows within rows/, ['at']],
  [/keyed/, ['keyed']],
  [/^leaves out/, ['where']],
  [/^only a list has the format/, ['format']],
  [/^rows of/, ['at', 'keyed']],
  [/^(is fed|is walked|takes|is called|is within|is under|sends|remembers|looks|goes on|begins|has windows)/, ['sync']],
]

/** Finds the deepest value below some steps whose key or text stands in a sentence. Of two beside each other the key counts. */
function findNamed(value: unknown, sentence: ReadonlySet<string>, steps: Steps): Steps | undefined {
  const entries = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : []
  for (const [key, inner] of entries) {
    const deeper = findNamed(inner, sentence, [...steps, String(key)])
    if (deeper !== undefined) return deeper
  }
  const found =
    entries.find(([key]) => sentence.has(String(key))) ?? entries.find(([, inner]) => typeof inner === 'string' && sentence.has(inner))
  return found === undefined ? undefined : [...steps, String(found[0])]
}

const getIn = (value: unknown, steps: Steps): unknown =>
  steps.reduce<unknown>((inner, step) => (isObject(inner) || Array.isArray(inner) ? Reflect.get(inner, step) : undefined), value)

/**
 * Finds where a problem is.
 * @param problem a sentence of `findProblems`: `kind.entity.action: sentence`
 * @param file the file as plain data
 * @returns the steps to the value, and the sentence
 */
function findProblemSteps(problem: string, file: unknown): { readonly steps: Steps; readonly sentence: string } {
  const [, at = '', sentence = problem] = /^([^:\s]+): ([\s\S]*)$/.exec(problem) ?? []
  const [, entity, action] = at.split('.')
  const [, path] = /^has the path (\S+)/.exec(sentence) ?? []
  if (path !== undefined) {
    const from = entity === undefined ? [] : ['entities', entity]
    return { steps: findNamed(getIn(file, from), new Set([path]), from) ?? from, sentence }
  }
  const words = new Set(sentence.split(/[\s,]+/))
  if (entity === undefined) {
    const [pattern, section] = sections.find(([each]) => each.test(sentence)) ?? []
    const group = pattern?.exec(sentence)?.[1] ?? ''
    return { steps: (section ?? []).map((step) => (step === '$1' ? group : step)), sentence }
  }
  const base = ['entities', entity, ...(action === undefined ? [] : [action])]
  const keys = parts.find(([each]) => each.test(sentence))?.[1] ?? []
  const key = keys.find((each) => getIn(file, [...base, each]) !== undefined)
  const from = key === undefined ? base : [...base, key]
  return { steps: findNamed(getIn(file, from), words, from) ?? from, sentence }
}

// The long form as JSON, which packages ship, needs no parser of YAML.

/** Members of every definition. `origins` and `configuration` have other names in files that people write. */
const members = ['kind', 'title', 'about', 'id', 'documentation'] as const
const objects = ['origins', 'credentials', 'configuration', 'pages', 'problem', 'limits', 'check', 'entities'] as const

/** Returns the long form in a text; undefined for YAML, for the form that people write, and for JSON that is cut. */
function parseLongForm(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = /^\s*\{/.test(text) ? tryReadJson(text) : undefined
  return isObject(value) && isObject(value['origins']) ? value : undefined
}

const hasMembers = (value: Readonly<Record<string, unknown>>): value is Readonly<Record<string, unknown>> & ConnectorDefinition =>
  members.every((name) => typeof value[name] === 'string') &&
  objects.every((name) => isObject(value[name])) &&
  Array.isArray(value['errors'])

/** Finds where names stand in the text, each behind the one before. */
function findLongPlace(text: string, names: readonly string[]): Place {
  let at = 0
  for (const name of names) {
    const found = text.indexOf(JSON.stringify(name), at)
    if (found < 0) break
    at = found
  }
  const lines = text.slice(0, at).split('\n')
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
}

/** Finds all problems of a definition of unknown form. Its checks read it as if the form were right, and fail where it is not. */
function findAll(definition: ConnectorDefinition, rules: Rules): readonly string[] {
  try {
    return findProblems({ definition, rules })
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown
    return ['a part of it has not the form of a definition: write the file that it was made from, and make it again']
  }
}

function checkLongForm(
  value: Readonly<Record<string, unknown>>,
  { text, name, rules }: { readonly text: string; readonly name: string; readonly rules: Rules },
): { readonly definition: ConnectorDefinition | undefined; readonly mistakes: readonly Mistake[] } {
  if (!hasMembers(value)) {
    const wrong = [...members, ...objects].filter((each) => !(each in value))
    const message = wrong.length > 0 ? `this definition lacks ${wrong.join(', ')}` : 'this has not the form of a definition'
    return { definition: undefined, mistakes: [{ file: name, line: 1, column: 1, path: '', message }] }
  }
  const mistakes = findAll(value, rules).map((problem): Mistake => {
    const [, at = '', message = problem] = /^([^:\s]+): ([\s\S]*)$/.exec(problem) ?? []
    const steps = at.split('.').slice(1)
    const place = findLongPlace(text, steps.length === 0 ? ['kind'] : ['entities', ...steps])
    return { file: name, ...place, path: ['entities', ...steps].slice(0, steps.length === 0 ? 0 : undefined).join('.'), message }
  })
  return { definition: mistakes.length === 0 ? value : undefined, mistakes }
}

/** What was read of a file. */
export interface ReadKind {
  /** The long form; undefined if there are mistakes. */
  readonly definition: ConnectorDefinition | undefined
  /** In the order of the file. */
  readonly mistakes: readonly Mistake[]
  /** What can be right, but often is not: missing sentences, lists without paging. */
  readonly doubts: readonly Mistake[]
  /** What an importer left to the author, as `unsure` of the file names it. */
  readonly unsure: readonly Mistake[]
  /** Finds the place of a part of the file, or of what holds it: `entities`, `issues`, `list`. */
  findPlace(...steps: readonly string[]): Place
}

const inOrder = (found: readonly Mistake[]): readonly Mistake[] =>
  found.toSorted((one, other) => one.line - other.line || one.column - other.column)

/** Runs the checks of the long form, for what the table cannot see. */
function checkDefinition(definition: ConnectorDefinition, { file, rules }: { file: unknown; rules: Rules }, found: Findings): void {
  for (const problem of findProblems({ definition, rules })) {
    const { steps, sentence } = findProblemSteps(problem, file)
    found.note(steps, { message: sentence })
  }
}

/** A further check of a file, as plain data. What the table refused is missing there. */
export type FurtherCheck = (file: unknown, found: Findings) => void

interface Checks {
  readonly rules?: Rules
  readonly further?: FurtherCheck
}

const unsureSays: Readonly<Record<string, string>> = {
  guessed: "is guessed: compare it with the vendor's pages, then delete it from unsure",
  'not said': "was not in the document: look for it on the vendor's pages, then delete it from unsure",
}

/** Lists what is unsure. @param findAt finds the place of a path */
const listUnsure = (definition: ConnectorDefinition | undefined, name: string, findAt: (path: string) => Place): readonly Mistake[] =>
  Object.entries(definition?.unsure ?? {}).map(([path, why]) => ({
    ...{ file: name, ...findAt(path), path, message: unsureSays[why] ?? why },
  }))

/** Finds the place of what is unsure; what is missing stands in `unsure` only. */
function findUnsure(found: Findings, path: string): Place {
  const steps = path.split('.')
  return found.findPlace(found.has(steps) ? steps : ['unsure', path], 'key')
}

function readFile(tree: Tree | undefined, found: Findings, { rules = {}, further }: Checks): ReadKind {
  const checker = new TreeChecker(found)
  const file = tree === undefined ? undefined : checker.check(tree, { is: 'keys', group: 'kind' }, [])
  if (file !== undefined) further?.(file, found)
  const definition = file === undefined ? undefined : buildDefinition(file, found)
  if (definition !== undefined && found.mistakes.length === 0) checkDefinition(definition, { file, rules }, found)
  const isRight = found.mistakes.length === 0
  return {
    definition: isRight ? definition : undefined,
    mistakes: inOrder(found.mistakes),
    doubts: inOrder(found.doubts),
    unsure: inOrder(listUnsure(isRight ? definition : undefined, found.file, (path) => findUnsure(found, path))),
    findPlace: (...steps) => found.findPlace(steps, 'key'),
  }
}

/** Reads the tree of a literal in a program. Its mistakes have paths, and all the same place. */
export const readLiteral = (tree: Tree, { name }: { readonly name: string }): ReadKind => readFile(tree, new Findings(name), {})

/**
 * Reads the text of a kind file: YAML or JSON as people write it, or the long form as JSON.
 * @param options `name`: name of the file, for mistakes; `rules`: functions that the kind may name
 */
export async function readKind(text: string, { name, rules = {} }: { readonly name: string; readonly rules?: Rules }): Promise<ReadKind> {
  const long = parseLongForm(text)
  if (long !== undefined) {
    const checked = checkLongForm(long, { text, name, rules })
    const unsure = listUnsure(checked.definition, name, (path) => findLongPlace(text, ['unsure', path]))
    return { ...checked, doubts: [], unsure, findPlace: (...steps) => findLongPlace(text, steps) }
  }
  const found = new Findings(name)
  return readFile(await readTree(text, (at, said) => found.note([], said, at)), found, { rules })
}

/**
 * Reads the text of a kind file with further checks. The long form is refused: it can hold what files cannot, such as regular expressions.
 * @param options `name`: name of the file, for mistakes; `further`: checks beside those of every file
 */
export async function readKindStrictly(
  text: string,
  { name, further }: { readonly name: string; readonly further: FurtherCheck },
): Promise<ReadKind> {
  const found = new Findings(name)
  if (parseLongForm(text) === undefined) {
    const tree = await readTree(text, (at, said) => found.note([], said, at))
    return readFile(tree, found, { further })
  }
  found.note([], { message: 'this is a long form, which a program made: upload the file that it was made from', example: 'kind: acme' })
  return readFile(undefined, found, {})
}
