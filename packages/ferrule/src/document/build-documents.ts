/** Builds the documents of a kind from its definition, for the service, the command and tools. */
import { type ConnectorDefinition, readSlug } from '../definition/connector.ts'
import { asksForDescribed, type EntityDefinition, liveActions, type Operation } from '../definition/entity.ts'
import type { Fields } from '../definition/fields.ts'
import { isObject } from '../definition/object.ts'
import { buildObjectSchema, toPlainSchema } from '../definition/plain-schema.ts'
import type { EntityDocument } from '../wire/definitions.ts'
import type { KindDocument, Schema } from './kind-document.ts'
import { describeOwnFields } from './own-fields.ts'

/** Converts fields to plain JSON Schema. */
export function toSchema(fields: Fields): Schema {
  const schema = toPlainSchema(buildObjectSchema(fields))
  return isObject(schema) ? schema : {}
}

function describeAction(definition: EntityDefinition, operation: Operation): string {
  const own = asksForDescribed(operation) ? describeOwnFields(definition) : undefined
  return [operation.about ?? definition.about, own].filter((each) => each !== undefined).join('. ')
}

/** Builds the document of an entity. */
export const buildEntityDocument = ([entity, definition]: readonly [string, EntityDefinition]): EntityDocument => ({
  entity,
  description: definition.about,
  key: definition.key,
  actions: liveActions.flatMap((action) => {
    const operation = definition[action]
    return operation === undefined
      ? []
      : [{ action, description: describeAction(definition, operation), params: toSchema(operation.params) }]
  }),
  record: definition.record === undefined ? null : toSchema(definition.record),
  searchable: definition.context_store_search === undefined ? null : toSchema(definition.context_store_search),
})

/** Builds the document. */
export const buildKindDocument = (definition: ConnectorDefinition): KindDocument => ({
  kind: readSlug(definition.kind),
  title: definition.title,
  description: definition.about,
  documentation: definition.documentation,
  credentials: Object.entries(definition.credentials).map(([scheme, { title, fields }]) => ({ scheme, title, schema: toSchema(fields) })),
  configuration: toSchema(definition.configuration),
  entities: Object.entries(definition.entities).map(buildEntityDocument),
})
