/** What all builders share: the findings, references by name, and small readers of texts. */

import { type Field, type Fields, splitSteps } from '../definition/fields.ts'
import { dropAbsent, isObject, refusedNames } from '../definition/object.ts'
import { findField } from '../definition/plain-schema.ts'
import { type Condition, readSetting } from '../definition/sync.ts'
import type { Findings, Steps } from './check-tree.ts'
import type { FileCondition, FileTest, KindFile, Named, Scalar } from './file.ts'
import { findNearWord, sayUnknown } from './mistakes.ts'

/** A file in the making. */
export interface BuildScope {
  readonly file: KindFile
  readonly found: Findings
}

/** A name that must exist elsewhere in the file. */
export interface Reference {
  readonly steps: Steps
  /** What the name should be: `a way of paging`. */
  readonly what: string
  readonly name: string
  readonly valid: readonly string[]
  readonly example?: string
}

/** Checks that a name exists. @returns whether it does; if not, the mistake is noted with the nearest name */
export function refer({ found }: Pick<BuildScope, 'found'>, { steps, what, name, valid, example }: Reference): boolean {
  if (valid.includes(name)) return true
  if (name === '') return false // it was missing or wrong, and that is noted
  const said = { ...sayUnknown(what, name, valid), ...(example === undefined ? {} : { example }) }
  found.note(steps, said, steps.at(-1) === name ? 'key' : 'value')
  return false
}

/** Types whose values have nothing within them. */
const scalars = new Set(['string', 'number', 'integer', 'boolean', 'null'])

/** Doubts a path below a field. Types can be guessed, and an object can have fields that the file does not name, so none is a mistake. */
function doubtPath(found: Findings, steps: Steps, field: Field, [step, ...rest]: Steps): void {
  if (step === undefined || refusedNames.has(step)) return
  const { type = [], properties = {} } = field.items ?? field
  const types = [type].flat()
  const below = Object.hasOwn(properties, step) ? properties[step] : undefined
  const near = findNearWord(step, Object.keys(properties))
  if (types.length > 0 && types.every((each) => scalars.has(each)))
    found.doubt(steps, { message: `${step} is below a value of the type ${types[0]}, which has nothing within it` })
  else if (below !== undefined) doubtPath(found, steps, below, rest)
  else if (near !== undefined) found.doubt(steps, { message: `${step} is not one of the named fields`, near })
}

/** A path into fields. */
export interface PathReference extends Omit<Reference, 'name' | 'valid'> {
  readonly path: string
  readonly fields: Fields
}

/** Checks that a path leads to a field, or into one. */
export function referPath(scope: Pick<BuildScope, 'found'>, { path, fields, ...reference }: PathReference): boolean {
  if (Object.hasOwn(fields, path)) return true
  const [name = '', ...rest] = splitSteps(path.replaceAll(/\[\d*\]/g, ''))
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (field === undefined) return refer(scope, { ...reference, name, valid: Object.keys(fields) })
  doubtPath(scope.found, reference.steps, field, rest)
  return true
}

/** Checks that a field takes a fixed value. A vendor can have more values than a record names, so only a near one is in doubt. */
export function checkValue({ found }: Pick<BuildScope, 'found'>, steps: Steps, value: unknown, field: Field | undefined): void {
  const { enum: closed, 'x-known-values': known = [] } = field ?? {}
  const valid = (closed ?? []).map(String)
  if (typeof value === 'string' && /^\{\w+\}$/.test(value)) return
  if (closed !== undefined && !valid.includes(String(value))) found.note(steps, sayUnknown('one of the values', String(value), valid))
  const near = findNearWord(String(value), known)
  if (near !== undefined) found.doubt(steps, { message: `${String(value)} is not one of the known values`, near })
}

/** What conditions are about. */
export interface ConditionSource {
  readonly steps: Steps
  /** The records that they are for: what to call them, and their fields. */
  readonly records: readonly (readonly [of: string, fields: Fields])[]
  /** True if `{name}` is a value of configuration. */
  readonly isConfigured?: true
}

function readTest(field: string, is: Scalar | readonly Scalar[] | FileTest): Condition {
  if (!isTest(is)) return { field, is }
  const { exists, not, above, below } = is
  const isNot = not !== undefined || exists === false
  return dropAbsent({ field, is: not, exists: exists === undefined ? undefined : (true as const), above, below, not: isNot || undefined })
}
const isTest = (is: Scalar | readonly Scalar[] | FileTest): is is FileTest => isObject(is)

/** Reads conditions: a field, `!` and a field, or fields with their values or tests. What they name and nothing has is noted. */
export function readConditions(scope: BuildScope, where: FileCondition, source: ConditionSource): readonly Condition[] {
  if (typeof where === 'string') {
    const condition: Condition = where.startsWith('!') ? { field: where.slice(1), not: true } : { field: where }
    referCondition(scope, condition, source)
    return [condition]
  }
  return Object.entries(where).map(([field, is]) => {
    const steps = [...source.steps, field]
    const condition = readTest(field, is)
    if (isTest(is) && Object.keys(is).length === 0) scope.found.note(steps, { message: 'says nothing', example: '{ exists: true }' }, 'key')
    referCondition(scope, condition, { ...source, steps })
    return condition
  })
}

function referCondition(scope: BuildScope, condition: Condition, { steps, records, isConfigured }: ConditionSource): void {
  const { field } = condition
  for (const [of, fields] of records) {
    const isKnown = referPath(scope, { steps, what: `a field of ${of}`, path: field, fields })
    if (isKnown) for (const value of [condition.is ?? []].flat()) checkValue(scope, steps, value, findField(fields, field))
  }
  const setting = isConfigured === undefined ? undefined : readSetting(condition)
  const valid = Object.keys(scope.file.configuration ?? {})
  if (setting !== undefined) refer(scope, { steps, what: 'a field of configuration', name: setting, valid })
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** Reads a time such as `7d` as seconds. A time without a number is one unit. */
export const readSpan = (text: string): number => Number(/^\d+/.exec(text)?.[0] ?? 1) * (units[text.at(-1) ?? ''] ?? 0)

/** Headers that belong to the transfer or to the credentials. */
const ownHeaders =
  /^(host|connection|keep-alive|upgrade|te|trailer|expect|cookie|proxy-(authorization|connection)|content-(length|type)|transfer-encoding|accept-encoding|forwarded|x-forwarded-(for|host|proto))$/

/** Notes headers that no file may set. */
export function checkHeaders({ found }: BuildScope, headers: Named<string>, steps: Steps, isSecret: boolean): void {
  for (const name of Object.keys(headers)) {
    const low = name.toLowerCase()
    if (ownHeaders.test(low))
      found.note([...steps, name], { message: `the header ${name} cannot be set: the request makes it itself` }, 'key')
    if (low === 'authorization' && !isSecret)
      found.note(
        [...steps, name],
        {
          message: 'the header authorization carries credentials: it stands in send',
          example: "send: { authorization: 'Bearer {token}' }",
        },
        'key',
      )
  }
}

/** Writes names of headers in lower case. */
export const lowerNames = (headers: Named<string>): Named<string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
