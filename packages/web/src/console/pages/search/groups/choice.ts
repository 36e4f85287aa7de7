/**
 * How records are grouped and measured. The address holds it as `by=direction,month(started)`, `measures=count,sum(duration)`, and
 * `include=primaryUserId.firstName` for fields of the records that groups refer to.
 */
import { aggregateLimits, isTimeUnit, type MeasureFunction, type SearchFieldType, type TimeUnit, timeUnits } from 'ferrule/internal'
import type { DataSort } from '../../../parts/table/header-row.tsx'
import { type DescribedReferences, type FilterField, findType } from '../filter/fields.ts'

/** A field of the record that a group refers to. */
export interface RelatedField {
  /** As the address has it: `primaryUserId.firstName`. */
  readonly token: string
  readonly title: string
  readonly reference: string
  readonly field: string
}

/** A field that makes groups. */
export interface GroupKey {
  /** As the address has it, such as `month(started)`. */
  readonly token: string
  readonly title: string
  readonly field: string
  readonly by: 'value' | 'ranges' | TimeUnit
  /** Begins of the ranges, as digits. */
  readonly bounds: readonly string[]
  /** What is shown beside it. */
  readonly related: readonly RelatedField[]
}

/** Functions of measures that are offered, each with its words before the field. */
const functions = {
  sum: 'sum of',
  avg: 'average of',
  median: 'median of',
  min: 'least',
  max: 'greatest',
  distinct: 'different',
} as const satisfies Partial<Record<MeasureFunction, string>>

type OfferedFunction = keyof typeof functions

/** What is computed of each group. */
export interface GroupMeasure {
  /** As the address has it, such as `sum(duration)`. */
  readonly token: string
  readonly title: string
  /** undefined: the number of records. */
  readonly of: { readonly is: OfferedFunction; readonly field: string } | undefined
}

const isOfferedFunction = (name: string): name is OfferedFunction => Object.hasOwn(functions, name)

/** Bounds of ranges until the reader enters others. */
const firstBounds = ['0', '10', '100', '1000'] as const

const call = /^([a-z]+)\((.+)\)$/s

/** Writes a group for the address. */
export function writeGroup({ field, by, bounds }: Pick<GroupKey, 'field' | 'by' | 'bounds'>): string {
  if (by === 'ranges') return `ranges(${[field, ...bounds].join(';')})`
  return by === 'value' && !call.test(field) ? field : `${by}(${field})`
}

const describeBy = (field: string, by: GroupKey['by']): string =>
  by === 'value' ? field : by === 'ranges' ? `${field} in ranges` : `${field} by ${by}`

/** Returns a path as groups and references may both write it: with or without `[]` where a list is. */
export const toPlain = (path: string): string => path.replaceAll('[]', '')

const describeRelated = (reference: string, field: string): RelatedField => ({
  token: `${reference}.${field}`,
  title: `${reference} → ${field}`,
  reference,
  field,
})

/** Reads fields of related records of the address, such as `primaryUserId.firstName`. */
export const readRelated = (include: string | undefined): readonly RelatedField[] =>
  readTokens(include).flatMap((token) => {
    const at = token.lastIndexOf('.')
    return at <= 0 || at === token.length - 1 ? [] : [describeRelated(token.slice(0, at), token.slice(at + 1))]
  })

/** Builds `include` of a request. */
export function buildInclude(related: readonly RelatedField[]): { readonly include?: Readonly<Record<string, readonly string[]>> } {
  const byReference = Map.groupBy(related, ({ reference }) => reference)
  const include = [...byReference].map(([reference, fields]) => [reference, fields.map(({ field }) => field)] as const)
  return include.length === 0 ? {} : { include: Object.fromEntries(include) }
}

/** Only values refer to records; periods and ranges do not. */
const refersBy = ({ by, field }: Pick<GroupKey, 'by' | 'field'>, reference: string): boolean =>
  by === 'value' && toPlain(field) === toPlain(reference)

function readGroup(token: string): Omit<GroupKey, 'related'> {
  const [, how = '', inner = ''] = call.exec(token) ?? []
  const [field = '', ...bounds] = inner.split(';')
  if (how === 'ranges') return { token, title: describeBy(field, how), field, by: how, bounds }
  if (isTimeUnit(how) || how === 'value') return { token, title: describeBy(inner, how), field: inner, by: how, bounds: [] }
  return { token, title: token, field: token, by: 'value', bounds: [] }
}

const countToken = 'count'

function readMeasure(token: string): readonly GroupMeasure[] {
  if (token === countToken) return [{ token, title: 'records', of: undefined }]
  const [, is = '', field = ''] = call.exec(token) ?? []
  return isOfferedFunction(is) ? [{ token, title: `${functions[is]} ${field}`, of: { is, field } }] : []
}

/** What is grouped and measured. */
export interface GroupChoice {
  readonly groups: readonly GroupKey[]
  readonly measures: readonly GroupMeasure[]
  /** Name of the zone of periods. */
  readonly zone: string
  readonly order: DataSort | undefined
}

const readTokens = (text: string | undefined): readonly string[] => [...new Set((text ?? '').split(',').filter((each) => each !== ''))]

/** Parameters of the address. */
interface ChoiceParams {
  readonly by: string | undefined
  readonly include: string | undefined
  readonly measures: string | undefined
  readonly zone: string | undefined
  readonly order: DataSort | undefined
}

/** Reads the choice of an address. Without measures the records are counted. Related fields of what is no group are left out. */
export function readChoice({ by, include, measures: measured, zone, order }: ChoiceParams): GroupChoice {
  const related = readRelated(include)
  const groups = readTokens(by)
    .slice(0, aggregateLimits.mostKeys)
    .map(readGroup)
    .map((group) => ({ ...group, related: related.filter(({ reference }) => refersBy(group, reference)) }))
  const asked = readTokens(measured).slice(0, aggregateLimits.mostMeasures).flatMap(readMeasure)
  const measures = asked.length === 0 ? readMeasure(countToken) : asked
  const isKnown = [...groups, ...measures].some(({ token }) => token === order?.column)
  return { groups, measures, zone: zone ?? 'UTC', order: isKnown ? order : findUsualOrder(groups, measures) }
}

/** Returns the order until the reader chooses one: periods and ranges as they follow each other, else the greatest first. */
function findUsualOrder([group]: readonly GroupKey[], [measure]: readonly GroupMeasure[]): DataSort | undefined {
  if (group === undefined || measure === undefined) return undefined
  return group.by === 'value' ? { column: measure.token, direction: 'desc' } : { column: group.token, direction: 'asc' }
}

/** Returns the order after a press on a header, as the address has it. Measures begin with the greatest. */
export function turnOrder({ order, measures }: GroupChoice, column: string): string {
  const begin = measures.some(({ token }) => token === column) ? 'desc' : 'asc'
  const direction = order?.column === column ? (order.direction === 'asc' ? 'desc' : 'asc') : begin
  return `${column}:${direction}`
}

/** Builds the parameters of the aggregate. Groups are `g0` … in its rows, and measures `m0` …: fields may have any name. */
export function buildAggregate({ groups, measures, zone, order }: GroupChoice): Record<string, unknown> {
  const names = new Map<string, string>(groups.map(({ token }, index) => [token, `g${index}`]))
  for (const [index, { token }] of measures.entries()) names.set(token, `m${index}`)
  const name = order === undefined ? undefined : names.get(order.column)
  return {
    group_by: groups.map(({ field, by, bounds }, index) => ({
      field,
      as: `g${index}`,
      ...(by === 'ranges' ? { ranges: bounds } : by === 'value' ? {} : { by, time_zone: zone }),
    })),
    measures: Object.fromEntries(measures.map(({ of }, index) => [`m${index}`, of === undefined ? countToken : { [of.is]: of.field }])),
    ...buildInclude(groups.flatMap(({ related }) => related)),
    ...(name === undefined ? {} : { sort: [{ [name]: order?.direction }] }),
  }
}

// What is offered.

/** Returns the type of the values that a field has, those of an array's elements; undefined: they are objects. */
const findValueType = ({ type, elements }: FilterField): SearchFieldType | undefined => {
  const found = type === 'array' ? findType(elements ?? {}) : type
  return found === 'object' || found === 'array' ? undefined : found
}

const units = Object.keys(timeUnits).filter(isTimeUnit)

const isNumeric = (type: SearchFieldType, { compares }: FilterField): boolean =>
  type === 'integer' || type === 'number' || type === 'any' || compares === 'decimal'

function listBys(field: FilterField): readonly GroupKey['by'][] {
  const type = findValueType(field)
  if (type === undefined) return []
  if (field.compares === 'instant') return units
  return ['value', ...(isNumeric(type, field) ? ['ranges' as const] : []), ...(type === 'any' ? units : [])]
}

function listFunctions(field: FilterField): readonly OfferedFunction[] {
  const type = findValueType(field)
  if (type === undefined) return []
  if (isNumeric(type, field)) return ['sum', 'avg', 'median', 'min', 'max', 'distinct']
  return type === 'boolean' ? ['distinct'] : ['distinct', 'min', 'max']
}

/** What a list offers. */
export interface Offer {
  readonly value: string
  readonly label: string
}

/** Lists the fields of the records that groups refer to. */
export const listOfGroups = (fields: readonly RelatedField[], groups: readonly GroupKey[]): readonly RelatedField[] =>
  fields.filter(({ reference }) => groups.some((group) => refersBy(group, reference)))

/** Lists the fields with one value that each reference leads to. A name with a dot or a comma could not be told from a path or a list. */
export const listRelated = (
  references: DescribedReferences,
  findFields: (entity: string) => readonly FilterField[],
): readonly RelatedField[] =>
  references.flatMap(({ field: reference, entity }) =>
    findFields(entity)
      .filter((field) => !/[.,]/.test(field.path) && field.type !== 'object' && field.type !== 'array')
      .map(({ path }) => describeRelated(reference, path)),
  )

/** Lists what can make groups. */
export const offerGroups = (fields: readonly FilterField[]): readonly Offer[] =>
  fields.flatMap((field) =>
    listBys(field).map((by) => ({
      value: writeGroup({ field: field.path, by, bounds: by === 'ranges' ? firstBounds : [] }),
      label: describeBy(field.path, by),
    })),
  )

/** Lists what can be measured. */
export const offerMeasures = (fields: readonly FilterField[]): readonly Offer[] =>
  [countToken, ...fields.flatMap((field) => listFunctions(field).map((is) => `${is}(${field.path})`))]
    .flatMap(readMeasure)
    .map(({ token, title }) => ({ value: token, label: title }))

/** Adds a path that no document names, which the reader types. */
export const addTyped = (fields: readonly FilterField[], typed: string): readonly FilterField[] =>
  !/^[^\s,;()]+$/.test(typed) || fields.some(({ path }) => path.toLowerCase().includes(typed.toLowerCase()))
    ? fields
    : [...fields, { path: typed, type: 'any', compares: 'text', choices: [], about: '' }]
