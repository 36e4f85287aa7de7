/** Kinds of external systems on the wire. */
import { bool, list, oneOf, opt, orNull, str } from '../definition/index.ts'
import { jsonSchema, jsonSchemaOrNull, part, query, record, uuid, type Wire } from './words.ts'

/** Levels of support. */
export const supportLevels = ['certified'] as const

const summary = {
  sourceDefinitionId: uuid('Definition id'),
  name: str('Title'),
  connector_type: str('Slug'),
  description: str('Description'),
  iconUrl: orNull(str('Address of the icon')),
  custom: bool('true: the operator added the kind'),
  supportLevel: oneOf('Support level', ...supportLevels),
}

/** A kind in the list of definitions. */
export const definitionSummary = record('DefinitionSummary', summary, 'A kind')
/** A kind in the list of definitions. */
export type DefinitionSummary = Wire<typeof definitionSummary>

/** All kinds. */
export const definitionList = record('DefinitionList', { definitions: list(definitionSummary, 'Kinds') }, 'Kinds of external systems')
/** All kinds. */
export type DefinitionList = Wire<typeof definitionList>

/** An action of an entity. */
export const actionDocument = part(
  { action: str('Action'), description: str('Description'), params: jsonSchema('Parameters') },
  'An action',
)
/** An action of an entity. */
export type ActionDocument = Wire<typeof actionDocument>

/** An entity with everything that a caller needs to use it. */
export const entityDocument = record(
  'EntityDocument',
  {
    entity: str('Entity'),
    description: str('Description'),
    key: list(str('Path'), 'Paths of the primary key'),
    actions: list(actionDocument, 'Actions of the entity'),
    record: jsonSchemaOrNull('A record; null: the entity is a file'),
    searchable: jsonSchemaOrNull('Searchable fields; null: the entity cannot be searched'),
  },
  'An entity',
)
/** An entity with everything that a caller needs to use it. */
export type EntityDocument = Wire<typeof entityDocument>

const questions = (about: string) => list(str('Question'), about)

/** A kind in full. */
export const definitionRecord = record(
  'Definition',
  {
    id: uuid('Definition id'),
    definition: part(
      {
        ...summary,
        spec: part(
          { documentationUrl: str("The vendor's documentation"), connectionSpecification: jsonSchema('Credentials and configuration') },
          'What the kind needs',
        ),
      },
      'The kind',
    ),
    example_questions: part(
      { direct: questions('Questions that a call answers'), search: questions('Questions that a search answers') },
      'Example questions',
    ),
    credentials: list(
      part({ scheme: str('Name'), title: str('Title'), schema: jsonSchema('Fields') }, 'An authentication scheme'),
      'Authentication schemes',
    ),
    configuration: jsonSchema('replication_config'),
    check: part({ entity: str('Entity'), action: str('Action') }, 'The operation that checks credentials'),
    entities: list(entityDocument, 'Entities'),
  },
  'A kind in full',
)
/** A kind in full. */
export type DefinitionRecord = Wire<typeof definitionRecord>

/** Query of the list. */
export const definitionQuery = query({ name: opt(str('Part of the title or slug; case does not matter')) })
/** What the list of kinds is limited to. */
export type DefinitionQuery = Wire<typeof definitionQuery>
