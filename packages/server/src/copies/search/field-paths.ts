/** Resolves the names of a query to field paths: field names, paths below them, and their documented types. */
import type { Field } from 'ferrule/definition'
import { type Comparison, formatDocumentedType, readComparison } from 'ferrule/internal'
import { type Column, listNamed, readColumnType, type SearchTable } from './columns.ts'
import { invalid, notSearchable, type RequestPointer, tooComplex } from './refusals.ts'
import { cleanText } from './text.ts'
import type { FieldPath, PathType, Step } from './tree.ts'

/**
 * Where names are resolved: in the columns of a table or, within `any`, in an element. The schema is undefined for undocumented elements.
 */
export interface NameScope {
  readonly table: SearchTable
  readonly element?: { readonly schema: Field | undefined }
  /** Finds the table of an entity that fields refer to; left out where no reference is followed. */
  readonly findTable?: FindTable | undefined
}

/** Finds the table of an entity of the same connector. */
export type FindTable = (entity: string) => SearchTable

const mostSteps = 32

const normalizeName = (name: string): string => name.toLowerCase().replaceAll('_', '')

/** Finds a name: the exact one, else the first that differs only in case and `_`. */
const findName = (names: readonly string[], asked: string): string | undefined =>
  names.includes(asked) ? asked : names.find((name) => normalizeName(name) === normalizeName(asked))

/** Splits `a.b[].c` into steps. Resolving the steps later detects names that contain a dot. */
export const splitPath = (path: string): readonly Step[] =>
  path.split('.').flatMap((part) => {
    const [, name = '', each = ''] = /^(.*?)((?:\[\])*)$/s.exec(part) ?? []
    return [...(name === '' && each !== '' ? [] : [name]), ...Array<null>(each.length / 2).fill(null)]
  })

const joinSteps = (steps: readonly Step[]): string | undefined => (steps.includes(null) ? undefined : steps.join('.'))

/** Finds the longest prefix of the steps that is a known name. So a name with a dot takes precedence over a path. */
function findLongestName(names: readonly string[], steps: readonly Step[]): { readonly name: string; readonly taken: number } | undefined {
  for (let taken = steps.length; taken > 0; taken--) {
    const asked = joinSteps(steps.slice(0, taken))
    const name = asked === undefined ? undefined : findName(names, asked)
    if (name !== undefined) return { name, taken }
  }
  return undefined
}

const isArray = (schema: Field): boolean => /^array/.test(formatDocumentedType(schema))

/** Finds the fields below a schema by name; for an array, those of its elements. Returns undefined when they are undocumented. */
export function findMembers(schema: Field): Readonly<Record<string, Field>> | undefined {
  const { properties = {}, items } = isArray(schema) ? (schema.items ?? schema) : schema
  return items === undefined && Object.keys(properties).length > 0 ? properties : undefined
}

/** Returns whether some fields below a schema are undocumented. */
export function hasOpenNames(schema: Field): boolean {
  const members = findMembers(schema)
  if (members !== undefined) return Object.values(members).some((each) => !isScalar(each) && hasOpenNames(each))
  const holds = isArray(schema) ? schema.items : schema
  return holds === undefined || !isScalar(holds)
}

const isScalar = (schema: Field): boolean => readColumnType(schema) !== 'json'

/**
 * Follows steps below a schema and replaces names by the documented ones. Returns undefined for a path that the documented fields rule
 * out.
 */
function followSteps(
  schema: Field | undefined,
  steps: readonly Step[],
): { readonly steps: readonly Step[]; readonly schema: Field | undefined } | undefined {
  const [first] = steps
  if (first === undefined || schema === undefined) return { steps, schema }
  if (first === null) {
    if (isScalar(schema) || (/^object/.test(formatDocumentedType(schema)) && findMembers(schema) !== undefined)) return undefined
    const rest = followSteps(schema.items, steps.slice(1))
    return rest && { steps: [null, ...rest.steps], schema: rest.schema }
  }
  const members = findMembers(schema)
  if (members === undefined) {
    const holds = isArray(schema) ? schema.items : schema
    return holds !== undefined && isScalar(holds) ? undefined : { steps, schema: undefined }
  }
  const found = findLongestName(Object.keys(members), steps)
  const rest = found && followSteps(members[found.name], steps.slice(found.taken))
  return found && rest && { steps: [found.name, ...rest.steps], schema: rest.schema }
}

/** Returns whether values can be objects as well as arrays, whatever type the documents name. */
export const isEither = ({ type }: Field): boolean => Array.isArray(type) && type.includes('object') && type.includes('array')

const findPathType = (schema: Field | undefined): PathType => {
  if (schema === undefined || isEither(schema)) return 'any'
  const type = readColumnType(schema)
  if (type !== 'json') return type
  const documented = formatDocumentedType(schema).replace('?', '')
  return documented === 'array' || documented === 'object' ? documented : 'any'
}

/** Finds the type of one value at a path: of an array, that of its elements. */
export const findElementType = (schema: Field | undefined): PathType => {
  const type = findPathType(schema)
  return type === 'array' && schema !== undefined ? findElementType(schema.items) : type
}

/** Finds how strings at a path compare; for an array, how its elements do. */
const findComparison = (schema: Field | undefined): Comparison => {
  const type = findPathType(schema)
  if (schema === undefined || (type !== 'text' && type !== 'array')) return 'text'
  return type === 'array' ? findComparison(schema.items) : readComparison(schema)
}

const buildFieldPath = (column: Column | undefined, steps: readonly Step[], schema: Field | undefined): FieldPath => ({
  column,
  steps,
  type: findPathType(schema),
  compare: findComparison(schema),
})

/** Returns whether no record can have such a name: the copy stores U+FFFD instead, and SQL cannot express the name. */
const isUnholdable = (step: Step): boolean => step !== null && cleanText(step) !== step

/** A path with the schema of its target; undefined for an undocumented one. */
export interface FoundPath {
  readonly path: FieldPath
  readonly schema: Field | undefined
}

/**
 * Checks steps before they are followed.
 * @throws FerruleError `query_too_complex`, `invalid_parameter`
 */
export function checkSteps(steps: readonly Step[], pointer: RequestPointer): void {
  if (steps.length > mostSteps) throw tooComplex(pointer, `leads through more than ${mostSteps} steps`)
  if (steps.some(isUnholdable)) throw invalid(pointer, 'must not hold NUL or half of a surrogate pair', 'characters')
}

/** Resolves steps to a path; undefined for what the documented fields rule out. */
export function findPath(scope: NameScope, steps: readonly Step[]): FoundPath | undefined {
  if (scope.element !== undefined) {
    const found = followSteps(scope.element.schema, steps)
    return found && { path: buildFieldPath(undefined, found.steps, found.schema), schema: found.schema }
  }
  const columns = listNamed(scope.table)
  const found = findLongestName(
    columns.map(({ name }) => name),
    steps,
  )
  const column = columns.find(({ name }) => name === found?.name)
  const rest = found && column && followSteps(column.schema, steps.slice(found.taken))
  return rest && { path: buildFieldPath(column, rest.steps, rest.schema), schema: rest.schema }
}

/**
 * Resolves steps to a path.
 * @throws FerruleError `field_not_searchable`, `query_too_complex`, `invalid_parameter`
 */
export function resolvePath(scope: NameScope, steps: readonly Step[], pointer: RequestPointer & { readonly asked: string }): FoundPath {
  checkSteps(steps, pointer)
  const found = findPath(scope, steps)
  if (found === undefined) throw notSearchable(pointer, scope.table)
  return found
}

/**
 * Parses a field of a filter or a sort: a name or a path.
 * @throws FerruleError `field_not_searchable`, `query_too_complex`, `invalid_parameter`
 */
export const parseFieldPath = (scope: NameScope, path: string, pointer: RequestPointer): FoundPath =>
  resolvePath(scope, splitPath(path), { ...pointer, asked: path })

/**
 * Parses an element of `fields`: a path, or an array of the names of a path.
 * @throws as `parseFieldPath`
 */
export const parseListedPath = (table: SearchTable, path: string | readonly string[], pointer: RequestPointer): FieldPath =>
  resolvePath({ table }, typeof path === 'string' ? splitPath(path) : path, {
    ...pointer,
    asked: typeof path === 'string' ? path : path.join('.'),
  }).path

/** Returns the scope of conditions within `any`, given the schema of the array. */
export const toElementScope = (scope: NameScope, schema: Field | undefined): NameScope => ({
  ...scope,
  element: { schema: schema === undefined ? undefined : schema.items },
})
