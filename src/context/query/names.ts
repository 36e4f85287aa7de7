/** From the names of a query to places: field names, paths below them, and what the documents say of the place. */
import { documentedType, partsOf } from '../../definition/document.ts'
import type { Field } from '../../definition/fields.ts'
import { type Column, type Comparison, columnTypeOf, comparisonOf, type SearchTable } from './columns.ts'
import { invalid, notSearchable, type Spot, tooComplex } from './refusals.ts'
import { cleanText } from './text.ts'
import type { Place, PlaceType, Step } from './tree.ts'

/** Where names are looked up: the columns of a table, or (within `any`) the parts of an element, undefined when undocumented. */
export interface Scope {
  readonly table: SearchTable
  readonly element?: { readonly schema: Field | undefined }
}

/** Longest path. */
const mostSteps = 32

const loose = (name: string): string => name.toLowerCase().replaceAll('_', '')

/** The name as it is written, else the first that differs in case and `_` only. */
const matching = (names: readonly string[], asked: string): string | undefined =>
  names.includes(asked) ? asked : names.find((name) => loose(name) === loose(asked))

/** `a.b[].c` as steps; a dot within a name is told later, by the names that there are. */
const stepsOf = (path: string): readonly Step[] =>
  path.split('.').flatMap((part) => {
    const [, name = '', each = ''] = /^(.*?)((?:\[\])*)$/s.exec(part) ?? []
    return [...(name === '' && each !== '' ? [] : [name]), ...Array<null>(each.length / 2).fill(null)]
  })

const joined = (steps: readonly Step[]): string | undefined => (steps.includes(null) ? undefined : steps.join('.'))

/** The longest beginning of the steps that is a known name, and how many steps it takes: a name with a dot wins over a path. */
function leading(names: readonly string[], steps: readonly Step[]): { readonly name: string; readonly taken: number } | undefined {
  for (let taken = steps.length; taken > 0; taken--) {
    const asked = joined(steps.slice(0, taken))
    const name = asked === undefined ? undefined : matching(names, asked)
    if (name !== undefined) return { name, taken }
  }
  return undefined
}

const isArray = (schema: Field): boolean => /^array/.test(documentedType(schema))

/** What lies below a schema by name: of an array, below its elements. Undefined: the documents do not say. */
export function membersOf(schema: Field): Readonly<Record<string, Field>> | undefined {
  const { properties, items } = partsOf(isArray(schema) ? (partsOf(schema).items ?? schema) : schema)
  return items === undefined && Object.keys(properties).length > 0 ? properties : undefined
}

/** Whether the documents leave something open below a schema. */
export function isOpen(schema: Field): boolean {
  const members = membersOf(schema)
  if (members !== undefined) return Object.values(members).some((each) => !isScalar(each) && isOpen(each))
  const holds = isArray(schema) ? partsOf(schema).items : schema
  return holds === undefined || !isScalar(holds)
}

const isScalar = (schema: Field): boolean => columnTypeOf(schema) !== 'json'

/** Follows steps below a schema; the names become the documented ones. Undefined when the documents know no such place. */
function below(
  schema: Field | undefined,
  steps: readonly Step[],
): { readonly steps: readonly Step[]; readonly schema: Field | undefined } | undefined {
  const [first] = steps
  if (first === undefined || schema === undefined) return { steps, schema }
  if (first === null) {
    if (isScalar(schema) || (/^object/.test(documentedType(schema)) && membersOf(schema) !== undefined)) return undefined
    const rest = below(partsOf(schema).items, steps.slice(1))
    return rest && { steps: [null, ...rest.steps], schema: rest.schema }
  }
  const members = membersOf(schema)
  if (members === undefined) {
    const holds = isArray(schema) ? partsOf(schema).items : schema
    return holds !== undefined && isScalar(holds) ? undefined : { steps, schema: undefined }
  }
  const found = leading(Object.keys(members), steps)
  const rest = found && below(members[found.name], steps.slice(found.taken))
  return found && rest && { steps: [found.name, ...rest.steps], schema: rest.schema }
}

/** Whether values can be objects and lists alike, whatever the documents call them. */
const isEither = (schema: Field): boolean => {
  const type: unknown = Reflect.get(schema, 'type')
  return Array.isArray(type) && type.includes('object') && type.includes('array')
}

const typeOf = (schema: Field | undefined): PlaceType => {
  if (schema === undefined || isEither(schema)) return 'any'
  const type = columnTypeOf(schema)
  if (type !== 'json') return type
  const documented = documentedType(schema).replace('?', '')
  return documented === 'array' || documented === 'object' ? documented : 'any'
}

/** How texts compare there; in an array, its elements. */
const comparisonAt = (schema: Field | undefined): Comparison => {
  const type = typeOf(schema)
  if (schema === undefined || (type !== 'text' && type !== 'array')) return 'text'
  return type === 'array' ? comparisonAt(partsOf(schema).items) : comparisonOf(schema)
}

const placeOf = (column: Column | undefined, steps: readonly Step[], schema: Field | undefined): Place => ({
  column,
  steps,
  type: typeOf(schema),
  compare: comparisonAt(schema),
})

/** No record has such a name, because the copy holds U+FFFD in its place; and neither JSON nor its paths can say it in SQL. */
const isUnholdable = (step: Step): boolean => step !== null && cleanText(step) !== step

/**
 * The place that steps lead to.
 * @throws FerruleError `field_not_searchable`
 */
function placeAt(
  scope: Scope,
  steps: readonly Step[],
  spot: Spot & { readonly asked: string },
): { place: Place; schema: Field | undefined } {
  if (steps.length > mostSteps) throw tooComplex(spot, `leads through more than ${mostSteps} steps`)
  if (steps.some(isUnholdable)) throw invalid(spot, 'must not hold NUL or half of a surrogate pair', 'characters')
  if (scope.element !== undefined) {
    const found = below(scope.element.schema, steps)
    if (found === undefined) throw notSearchable(spot, scope.table)
    return { place: placeOf(undefined, found.steps, found.schema), schema: found.schema }
  }
  const { columns } = scope.table
  const found = leading(
    columns.map(({ name }) => name),
    steps,
  )
  const column = columns.find(({ name }) => name === found?.name)
  const rest = found && column && below(column.schema, steps.slice(found.taken))
  if (!rest) throw notSearchable(spot, scope.table)
  return { place: placeOf(column, rest.steps, rest.schema), schema: rest.schema }
}

/** A field of a filter or a sort: a name, or a path. */
export const placeNamed = (scope: Scope, path: string, spot: Spot): { readonly place: Place; readonly schema: Field | undefined } =>
  placeAt(scope, stepsOf(path), { ...spot, asked: path })

/** An element of `fields`: a path, or the names of a path. */
export const placeListed = (table: SearchTable, path: string | readonly string[], spot: Spot): Place =>
  placeAt({ table }, typeof path === 'string' ? stepsOf(path) : path, { ...spot, asked: typeof path === 'string' ? path : path.join('.') })
    .place

/** The scope of a condition within `any` over a place. */
export const elementScope = (scope: Scope, schema: Field | undefined): Scope => ({
  table: scope.table,
  element: { schema: schema === undefined ? undefined : partsOf(schema).items },
})
