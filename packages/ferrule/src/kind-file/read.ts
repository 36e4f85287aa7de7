/** Reads kind files: their text, their table, and the checks of the long form. All mistakes come at once. */
import { findProblems } from '../definition/check.ts'
import type { ConnectorDefinition, Rules } from '../definition/connector.ts'
import { buildDefinition } from './build-kind.ts'
import { Findings, TreeChecker } from './check-tree.ts'
import { checkLongForm, findLongPlace, parseLongForm } from './long-form.ts'
import type { Mistake, Place } from './mistakes.ts'
import { findProblemSteps } from './problem-steps.ts'
import { readTree, type Tree } from './tree.ts'

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

/** What a tree is checked with. */
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

/** Checks a tree, and makes the long form of it. */
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
