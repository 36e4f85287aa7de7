/** Builds the document of a kind from its definition, as the service does. */
import type { ConnectorDefinition } from '../../definition/connector.ts'
import { toPlainSchema } from '../../definition/document.ts'
import { type EntityDefinition, liveActions } from '../../definition/entity.ts'
import type { Fields } from '../../definition/fields.ts'
import { isObject } from '../../definition/object.ts'
import { buildObjectSchema } from '../../engine/json/schema.ts'
import type { EntityDocument } from '../../wire/definitions.ts'
import type { Schema } from '../typed-values.ts'
import type { KindDocument } from './kind-document.ts'

function toSchema(fields: Fields): Schema {
  const schema = toPlainSchema(buildObjectSchema(fields))
  return isObject(schema) ? schema : {}
}

const toEntity = ([entity, definition]: readonly [string, EntityDefinition]): EntityDocument => ({
  entity,
  description: definition.about,
  key: definition.key,
  actions: liveActions.flatMap((action) => {
    const operation = definition[action]
    return operation === undefined ? [] : [{ action, description: operation.about ?? definition.about, params: toSchema(operation.params) }]
  }),
  record: definition.record === undefined ? null : toSchema(definition.record),
  searchable: definition.context_store_search === undefined ? null : toSchema(definition.context_store_search),
})

/** Builds the document. */
export const buildKindDocument = (definition: ConnectorDefinition): KindDocument => ({
  kind: definition.kind,
  title: definition.title,
  description: definition.about,
  documentation: definition.documentation,
  credentials: Object.entries(definition.credentials).map(([scheme, { title, fields }]) => ({ scheme, title, schema: toSchema(fields) })),
  configuration: toSchema(definition.configuration),
  entities: Object.entries(definition.entities).map(toEntity),
})
