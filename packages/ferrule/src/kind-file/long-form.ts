/** Reads the long form as JSON: what packages ship, made from their files. It needs no parser of YAML. */
import { findProblems } from '../definition/check.ts'
import type { ConnectorDefinition, Rules } from '../definition/connector.ts'
import { isObject } from '../definition/object.ts'
import type { Mistake, Place } from './mistakes.ts'

/** Members of every definition. `origins` and `configuration` have other names in files that people write. */
const members = ['kind', 'title', 'about', 'id', 'documentation'] as const
const objects = ['origins', 'credentials', 'configuration', 'pages', 'problem', 'limits', 'check', 'entities'] as const

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the long form in a text; undefined for YAML, for the form that people write, and for JSON that is cut. */
export function parseLongForm(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = /^\s*\{/.test(text) ? parse(text) : undefined
  return isObject(value) && isObject(value['origins']) ? value : undefined
}

const hasMembers = (value: Readonly<Record<string, unknown>>): value is Readonly<Record<string, unknown>> & ConnectorDefinition =>
  members.every((name) => typeof value[name] === 'string') &&
  objects.every((name) => isObject(value[name])) &&
  Array.isArray(value['errors'])

/** Finds where names stand in the text, each behind the one before. */
export function findLongPlace(text: string, names: readonly string[]): Place {
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

/** Checks the long form. */
export function checkLongForm(
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
