/** Operations of a kind, compiled once: what is looked up, parsed or compiled per operation and not per call. */
import type { ConnectorDefinition, Kind, Lookup, ParameterRule, RowRule } from '../definition/connector.ts'
import { isOptional, partsOf } from '../definition/document.ts'
import { type EntityDefinition, type LiveAction, liveActions, type MergedRows, type Operation, type Origin } from '../definition/entity.ts'
import { type Field, type Fields, type Fill, fillOf } from '../definition/fields.ts'
import { isObject } from '../definition/object.ts'
import { fail } from '../errors.ts'
import { integersOf } from './integer.ts'
import { type Path, parsePath } from './paths.ts'
import { compileSchema, objectOf, type Validator } from './schema.ts'

/** One compiled conversion of a record. */
export interface Shaping {
  /** Where the value goes (or is changed in place). */
  readonly to: Path
  readonly origin: Origin
  /** Where it comes from, for `rename`, `copy` and `param`. */
  readonly source?: Path
}

/** The documented fields of an object, and of the objects within it. */
export interface DocumentedFields {
  readonly names: readonly string[]
  /** Fields that hold an object with documented fields, or a list of such. */
  readonly within: readonly (readonly [name: string, fields: DocumentedFields])[]
}

/** A parameter that the connector supplies when the caller leaves it out. */
export interface FilledParameter {
  readonly name: string
  readonly fill: Fill
}

/** An operation with everything that a call needs, ready to run. */
export interface CompiledOperation {
  readonly kind: Kind
  readonly entityName: string
  readonly action: LiveAction
  readonly entity: EntityDefinition
  readonly operation: Operation
  readonly params: Validator
  readonly method: 'GET' | 'POST'
  /** The endpoint's path, cut at its slots: literal, slot, literal, … */
  readonly template: readonly string[]
  readonly at: Path
  /** Parameters that are integers, or hold some. */
  readonly integers: Fields
  /** Names of the required parameters. */
  readonly required: readonly string[]
  /** Paths of array parameters that are not sent when they are empty. */
  readonly emptyIsAbsent: readonly Path[]
  /** Names of the text parameters whose spaces at the ends do not count. */
  readonly trimmed: readonly string[]
  readonly shapings: readonly Shaping[]
  /** Documented fields of a record. */
  readonly fields: DocumentedFields
  /** Fields of the record that identify it. */
  readonly key: readonly Path[]
  readonly rule?: RowRule
  readonly merged?: MergedRows
  readonly admit?: ParameterRule
  readonly fills: readonly FilledParameter[]
  readonly hidden?: Path
}

const emptyIsAbsentPaths = (fields: Fields, prefix = ''): string[] =>
  Object.entries(fields).flatMap(([name, field]: [string, Field]) => {
    const path = `${prefix}${name}`
    const inner: unknown = Reflect.get(field, 'properties')
    const own = Reflect.get(field, 'x-empty-is-absent') === true ? [path] : []
    return isObject(inner) ? [...own, ...emptyIsAbsentPaths(inner as Fields, `${path}.`)] : own
  })

/** Documented objects within a field: the object itself, or the elements of a list. */
const propertiesOf = (field: Field): Fields => {
  const { properties, items } = partsOf(field)
  return items === undefined ? properties : propertiesOf(items)
}

const documentedFields = (fields: Fields): DocumentedFields => ({
  names: Object.keys(fields),
  within: Object.entries(fields).flatMap(([name, field]: [string, Field]) => {
    const properties = propertiesOf(field)
    return Object.keys(properties).length === 0 ? [] : [[name, documentedFields(properties)] as const]
  }),
})

const shapingOf = ([to, origin]: [string, Origin]): Shaping => {
  const source = origin.rename ?? origin.copy ?? origin.param
  return { to: parsePath(to), origin, ...(source === undefined ? {} : { source: parsePath(source) }) }
}

function compileOperation(kind: Kind, entityName: string, action: LiveAction): CompiledOperation | undefined {
  const entity = kind.definition.entities[entityName]
  const operation = entity?.[action]
  if (entity === undefined || operation === undefined) return undefined
  const [method, path] = operation.call.split(' ') as ['GET' | 'POST', string] // the type of `call` says so
  const { rows, admit: admission } = operation
  const rule = typeof rows === 'string' ? kind.rules.rows?.[rows.slice('rule:'.length)] : undefined
  const admit = admission === undefined ? undefined : kind.rules.params?.[admission.slice('rule:'.length)]
  return {
    kind,
    entityName,
    action,
    entity,
    operation,
    params: compileSchema(objectOf(operation.params)),
    method,
    template: path.split(/[{}]/),
    at: parsePath(operation.at),
    integers: integersOf(operation.params),
    required: Object.keys(operation.params).filter((name) => !isOptional(operation.params, name)),
    emptyIsAbsent: emptyIsAbsentPaths(operation.params).map(parsePath),
    trimmed: Object.entries(operation.params).flatMap(([name, field]) => (Reflect.get(field, 'x-trim') === true ? [name] : [])),
    shapings: Object.entries(entity.from ?? {}).map(shapingOf),
    fields: documentedFields(entity.record ?? {}),
    key: entity.key.filter((path) => !path.startsWith('param.')).map(parsePath),
    fills: Object.entries(operation.params).flatMap(([name, field]: [string, Field]) => {
      const fill = fillOf(field)
      return fill === undefined ? [] : [{ name, fill }]
    }),
    ...(rule === undefined ? {} : { rule }),
    ...(typeof rows === 'object' ? { merged: rows } : {}),
    ...(admit === undefined ? {} : { admit }),
    ...(operation.hidden === undefined ? {} : { hidden: parsePath(operation.hidden) }),
  }
}

/** The live actions that an entity offers, in the order of the documents. */
export const liveActionsOf = (entity: EntityDefinition): LiveAction[] => liveActions.filter((action) => entity[action] !== undefined)

/** All actions that an entity offers. */
export const actionsOf = (entity: EntityDefinition): string[] =>
  entity.context_store_search === undefined ? liveActionsOf(entity) : [...liveActionsOf(entity), 'context_store_search']

const compiled = new WeakMap<Kind, Map<string, CompiledOperation>>()

/**
 * The operation of an entity and an action; compiled on first use and kept.
 * @throws FerruleError `entity_not_found`, `action_not_supported`, each naming what is known
 */
export function operationOf(kind: Kind, entityName: string, action: string): CompiledOperation {
  const operations = compiled.get(kind) ?? new Map<string, CompiledOperation>()
  compiled.set(kind, operations)
  const name = `${entityName}.${action}`
  const kept = operations.get(name)
  if (kept !== undefined) return kept
  const made = compileOperation(kind, entityName, knownAction(kind.definition, entityName, action))
  if (made === undefined) throw unsupported(kind.definition, entityName, action)
  operations.set(name, made)
  return made
}

/** The operation behind a lookup of the kind. */
export const lookupOf = (kind: Kind, name: string): { readonly lookup: Lookup; readonly operation: CompiledOperation } => {
  const lookup = kind.definition.lookups?.[name]
  if (lookup === undefined) throw fail('definition_invalid', { reason: `${kind.definition.kind} has no lookup ${name}` })
  return { lookup, operation: operationOf(kind, lookup.entity, lookup.action) }
}

function knownAction(definition: ConnectorDefinition, entityName: string, action: string): LiveAction {
  if (!Object.hasOwn(definition.entities, entityName))
    throw fail(
      'entity_not_found',
      { kind: definition.kind, entity: entityName || '(none)', known: Object.keys(definition.entities).join(', ') },
      place('entity'),
    )
  const found = liveActions.find((known) => known === action)
  if (found === undefined) throw unsupported(definition, entityName, action)
  return found
}

const place = (field: string) => ({ errors: [{ field: `/${field}`, message: 'is not known', error_code: 'unknown' }] })

const unsupported = (definition: ConnectorDefinition, entityName: string, action: string) => {
  const entity = definition.entities[entityName]
  const known = entity === undefined ? '' : actionsOf(entity).join(', ')
  return fail('action_not_supported', { entity: entityName, action: action || '(none)', known }, place('action'))
}
