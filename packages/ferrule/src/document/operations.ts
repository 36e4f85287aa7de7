/** Lists what kinds offer, operations and searches, with an example of each. */
import { type Kind, readSlug } from '../definition/connector.ts'
import { type EntityDefinition, type LiveAction, liveActions, type Operation } from '../definition/entity.ts'
import type { Field, Fields } from '../definition/fields.ts'
import { isObject } from '../definition/object.ts'
import { buildObjectSchema, formatDocumentedType } from '../definition/plain-schema.ts'
import { buildExample, type CallExample } from './example.ts'

/** One searchable entity. */
export interface SearchableEntity {
  readonly kind: Kind
  readonly name: string
  readonly entity: EntityDefinition
  readonly fields: Fields
}

/** Lists the searchable entities, in the order of the definitions. */
export const listSearchable = (kinds: readonly Kind[]): readonly SearchableEntity[] =>
  kinds.flatMap((kind) =>
    Object.entries(kind.definition.entities).flatMap(([name, entity]) =>
      entity.context_store_search === undefined ? [] : [{ kind, name, entity, fields: entity.context_store_search }],
    ),
  )

/** One operation, with everything that its documents are made from. */
export interface DocumentedOperation {
  readonly kind: Kind
  readonly name: string
  readonly entity: EntityDefinition
  readonly action: LiveAction
  readonly operation: Operation
}

/** Lists the live operations, in the order of the definitions. */
export const listOperations = (kinds: readonly Kind[]): readonly DocumentedOperation[] =>
  kinds.flatMap((kind) =>
    Object.entries(kind.definition.entities).flatMap(([name, entity]) =>
      liveActions.flatMap((action) => {
        const operation = entity[action]
        return operation === undefined ? [] : [{ kind, name, entity, action, operation }]
      }),
    ),
  )

/** Names an entity among all kinds: `gong.users`. */
export const nameEntity = ({ kind, name }: Pick<DocumentedOperation, 'kind' | 'name'>): string =>
  `${readSlug(kind.definition.kind)}.${name}`

const search = 'context_store_search'
const isScalar = (field: Field): boolean => !['array', 'object', 'any'].includes(formatDocumentedType(field).replace('?', ''))

function buildCall({ name, action, operation }: DocumentedOperation): CallExample['value'] {
  const params = buildExample(buildObjectSchema(operation.params), 'params')
  return !isObject(params) || Object.keys(params).length === 0 ? { entity: name, action } : { entity: name, action, params }
}

function buildSearch({ name, fields }: SearchableEntity): CallExample['value'] {
  const [field = '', schema] = Object.entries(fields).find(([, each]: [string, Field]) => isScalar(each)) ?? Object.entries(fields)[0] ?? []
  const value = schema !== undefined && isScalar(schema) ? buildExample(schema, field) : null
  return { entity: name, action: search, params: { query: { filter: { eq: { [field]: value } } }, limit: 20 } }
}

/** Builds an example of every operation, the smallest call that is complete, and one of every search. They are named as `gong.users.list`. */
export function buildCallExamples(kinds: readonly Kind[]): Readonly<Record<string, CallExample>> {
  const calls = listOperations(kinds).map((each) => ({ of: each, action: each.action, value: buildCall(each) }))
  const searches = listSearchable(kinds).map((each) => ({ of: each, action: search, value: buildSearch(each) }))
  return Object.fromEntries(
    [...calls, ...searches].map(({ of, action, value }) => [
      `${nameEntity(of)}.${action}`,
      { summary: `${nameEntity(of)} ${action}`, value },
    ]),
  )
}
