/** Compiles the operations of a kind once, so that no call repeats the work. */
import { type ConnectorDefinition, type Kind, type Lookup, type ParameterRule, type RowRule, readSlug } from '../../definition/connector.ts'
import { buildObjectSchema } from '../../definition/document.ts'
import {
  type EntityDefinition,
  type LiveAction,
  listActions,
  liveActions,
  type MergedRows,
  type Method,
  type Operation,
  type Origin,
} from '../../definition/entity.ts'
import { type Field, type Fields, type Fill, isOptional } from '../../definition/fields.ts'
import { fail } from '../../errors.ts'
import type { NamedOperation } from '../../tracing.ts'
import { findConvertible } from '../json/forms.ts'
import { findListPath, type Path, parsePath } from '../json/paths.ts'
import { compileLines, type RowLines } from '../json/row-lines.ts'
import { compileSchema, type Validator } from '../json/schema.ts'

/** One compiled conversion of a record. */
export interface Shaping {
  /** Path of the result. */
  readonly to: Path
  readonly origin: Origin
  /** Path of the source, for `rename`, `copy` and `param`. */
  readonly source?: Path
}

/** The documented fields of an object, and of the objects within it. */
export interface DocumentedFields {
  readonly names: readonly string[]
  /** Fields that hold an object with documented fields, or a list of such objects. */
  readonly within: readonly (readonly [name: string, fields: DocumentedFields])[]
}

/** A parameter that the connector supplies if the caller omits it. */
export interface FilledParameter {
  readonly name: string
  readonly fill: Fill
}

/** A compiled operation with everything that a call needs. */
export interface CompiledOperation {
  readonly kind: Kind
  readonly entityName: string
  readonly action: LiveAction
  readonly entity: EntityDefinition
  readonly operation: Operation
  readonly params: Validator
  readonly method: Method
  /** The endpoint's path, split at its slots: literal, slot, literal, … */
  readonly template: readonly string[]
  readonly at: Path
  /** Where the vendor's list is, which its pages count: `at`, or what stands around rows within rows. */
  readonly list: Path
  /** Fields of a record that rows around it have. */
  readonly outer: readonly (readonly [field: string, path: Path])[]
  /** How answers of lines are read; undefined for answers of one JSON value. */
  readonly lines?: RowLines | undefined
  /** Parameters that have several forms or contain such values: integers, dates, lists as JSON text. */
  readonly convertible: Fields
  /** Names of the required parameters. */
  readonly required: readonly string[]
  /** Paths of array parameters that the request omits if they are empty. */
  readonly emptyIsAbsent: readonly Path[]
  /** Names of the string parameters that are trimmed. */
  readonly trimmed: readonly string[]
  readonly shapings: readonly Shaping[]
  /** Documented fields of a record. */
  readonly fields: DocumentedFields
  /** Paths of the fields that identify a record. */
  readonly key: readonly Path[]
  readonly rule?: RowRule | undefined
  readonly merged?: MergedRows
  /** Names of the account's own fields that no document names, once they are described. */
  readonly own?: ReadonlySet<string> | undefined
  readonly admit?: ParameterRule | undefined
  readonly fills: readonly FilledParameter[]
  readonly hidden?: Path
}

const listEmptyIsAbsent = (fields: Fields, prefix = ''): string[] =>
  Object.entries(fields).flatMap(([name, field]) => {
    const path = `${prefix}${name}`
    const inner = listEmptyIsAbsent(field.properties ?? {}, `${path}.`)
    return field['x-empty-is-absent'] ? [path, ...inner] : inner
  })

/** Finds the documented fields of an object, or of the elements of a list. */
const findProperties = ({ properties = {}, items }: Field): Fields => (items === undefined ? properties : findProperties(items))

const listDocumentedFields = (fields: Fields): DocumentedFields => ({
  names: Object.keys(fields),
  within: Object.entries(fields).flatMap(([name, field]: [string, Field]) => {
    const properties = findProperties(field)
    return Object.keys(properties).length === 0 ? [] : [[name, listDocumentedFields(properties)] as const]
  }),
})

const compileShaping = ([to, origin]: [string, Origin]): Shaping => {
  const source = origin.rename ?? origin.copy ?? origin.param
  return { to: parsePath(to), origin, ...(source === undefined ? {} : { source: parsePath(source) }) }
}

function compileOperation(kind: Kind, entityName: string, action: LiveAction): CompiledOperation | undefined {
  const entity = kind.definition.entities[entityName]
  const operation = entity?.[action]
  if (entity === undefined || operation === undefined) return undefined
  const [method, path] = operation.call.split(' ') as [Method, string] // the type of `call` says so
  const { rows, admit: admission } = operation
  const rule = typeof rows === 'string' ? kind.rules.rows?.[rows.slice('rule:'.length)] : undefined
  const admit = admission === undefined ? undefined : kind.rules.params?.[admission.slice('rule:'.length)]
  return {
    kind,
    entityName,
    action,
    entity,
    operation,
    params: compileSchema(buildObjectSchema(operation.params), kind.definition.foreign),
    method,
    template: path.split(/[{}]/),
    at: parsePath(operation.at),
    list: findListPath(parsePath(operation.at)),
    outer: Object.entries(operation.outer ?? {}).map(([field, path]) => [field, parsePath(path)] as const),
    lines: compileLines(entity, operation),
    convertible: findConvertible(operation.params),
    required: Object.keys(operation.params).filter((name) => !isOptional(operation.params, name)),
    emptyIsAbsent: listEmptyIsAbsent(operation.params).map(parsePath),
    trimmed: Object.entries(operation.params).flatMap(([name, field]) => (field['x-trim'] ? [name] : [])),
    shapings: Object.entries(entity.from ?? {}).map(compileShaping),
    fields: listDocumentedFields(entity.record ?? {}),
    key: entity.key.filter((path) => !path.startsWith('param.')).map(parsePath),
    fills: Object.entries(operation.params).flatMap(([name, { 'x-fill': fill }]) => (fill === undefined ? [] : [{ name, fill }])),
    rule,
    ...(typeof rows === 'object' ? { merged: rows } : {}),
    admit,
    ...(operation.hidden === undefined ? {} : { hidden: parsePath(operation.hidden) }),
  }
}

/** Names an operation by the definition, for metrics and spans: a name that a caller invents is `unknown`. */
export function nameOperation({ kind, entities }: ConnectorDefinition, entityName: string, action: string): NamedOperation {
  const entity = Object.hasOwn(entities, entityName) ? entities[entityName] : undefined
  const isKnown = entity !== undefined && listActions(entity).includes(action)
  return isKnown ? { kind, entity: entityName, action } : { kind, entity: 'unknown', action: 'unknown' }
}

const compiled = new WeakMap<Kind, Map<string, CompiledOperation>>()

/**
 * Finds the operation of an entity and an action. Compiles it on first use and keeps it.
 * @throws FerruleError `entity_not_found`, `action_not_supported`, each with the known names
 */
export function findOperation(kind: Kind, entityName: string, action: string): CompiledOperation {
  const operations = compiled.get(kind) ?? new Map<string, CompiledOperation>()
  compiled.set(kind, operations)
  const name = `${entityName}.${action}`
  const kept = operations.get(name)
  if (kept !== undefined) return kept
  const made = compileOperation(kind, entityName, parseAction(kind.definition, entityName, action))
  if (made === undefined) throw failUnsupported(kind.definition, entityName, action)
  operations.set(name, made)
  return made
}

/**
 * Finds the operation behind a lookup of the kind.
 * @throws FerruleError `definition_invalid`
 */
export const findLookup = (kind: Kind, name: string): { readonly lookup: Lookup; readonly operation: CompiledOperation } => {
  const lookup = kind.definition.lookups?.[name]
  if (lookup === undefined) throw fail('definition_invalid', { reason: `${readSlug(kind.definition.kind)} has no lookup ${name}` })
  return { lookup, operation: findOperation(kind, lookup.entity, lookup.action) }
}

function parseAction(definition: ConnectorDefinition, entityName: string, action: string): LiveAction {
  if (!Object.hasOwn(definition.entities, entityName)) {
    const known = Object.keys(definition.entities).join(', ')
    throw fail(
      'entity_not_found',
      { kind: readSlug(definition.kind), entity: entityName || '(none)', known },
      locateProblem('entity', known),
    )
  }
  const found = liveActions.find((known) => known === action)
  if (found === undefined) throw failUnsupported(definition, entityName, action)
  return found
}

const locateProblem = (field: string, known: string) => ({
  errors: [{ field: `/${field}`, message: `must be one of: ${known}`, error_code: 'unknown' }],
})

const failUnsupported = (definition: ConnectorDefinition, entityName: string, action: string) => {
  const entity = definition.entities[entityName]
  const known = entity === undefined ? '' : listActions(entity).join(', ')
  return fail('action_not_supported', { entity: entityName, action: action || '(none)', known }, locateProblem('action', known))
}
