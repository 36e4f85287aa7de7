/** Kinds of external systems on the wire, and their documents for agents in the shape that existing clients read. */
import { bool, int, list, oneOf, open, opt, orNull, str } from '../definition/index.ts'
import { searchFieldTypes } from '../definition/operators.ts'
import { pageQuery } from './paging.ts'
import { jsonSchema, jsonSchemaOrNull, part, query, record, uuid, type Wire } from './schemas.ts'

/** Levels of support. Community: nobody here has tried the kind with an account of the vendor. */
export const supportLevels = ['certified', 'community'] as const

const summary = {
  sourceDefinitionId: uuid('Definition id'),
  name: str('Title'),
  connector_type: str('Slug'),
  description: str('Description'),
  iconUrl: orNull(str('Address of the icon')),
  custom: bool('true: the operator or the organization added the kind'),
  supportLevel: oneOf('Support level', ...supportLevels),
}

export const definitionSummary = record('DefinitionSummary', summary, 'A kind')
/** A kind in the list of definitions. */
export type DefinitionSummary = Wire<typeof definitionSummary>

export const definitionList = record('DefinitionList', { definitions: list(definitionSummary, 'Kinds') }, 'Kinds of external systems')
/** All kinds. */
export type DefinitionList = Wire<typeof definitionList>

export const actionDocument = part(
  { action: str('Action'), description: str('Description'), params: jsonSchema('Parameters') },
  'An action',
)
/** An action of an entity. */
export type ActionDocument = Wire<typeof actionDocument>

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

const findings = '`x-find` of a field states where people find the value: `says`, and where known `menu`, `url` and `role`'

const questions = (about: string) => list(str('Question'), about)

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
      part(
        {
          scheme: str('Name'),
          title: str('Title'),
          schema: jsonSchema(`Fields. ${findings}`),
          application_fields: list(
            str('Name'),
            'Fields that belong to your own OAuth client at the vendor, which its consent page needs; empty without a consent page',
          ),
          revokes_consent: bool('true: the deletion of the last connector of a consent ends the access at the vendor'),
        },
        'An authentication scheme',
      ),
      'Authentication schemes',
    ),
    configuration: jsonSchema(`replication_config. ${findings}`),
    check: part({ entity: str('Entity'), action: str('Action') }, 'The operation that checks credentials'),
    takes_requests: bool('true: connectors send requests of your own to the vendor'),
    entities: list(entityDocument, 'Entities'),
  },
  'A kind in full',
)
/** A kind in full. */
export type DefinitionRecord = Wire<typeof definitionRecord>

export const definitionQuery = query({ name: opt(str('Part of the title or slug; case does not matter')) })
/** What the list of kinds is limited to. */
export type DefinitionQuery = Wire<typeof definitionQuery>

export const definitionVersionQuery = query({
  version: opt(int('Version of a kind of the organization; left out: the newest.', { minimum: 1 })),
})
/** Which version of a kind is read. */
export type DefinitionVersionQuery = Wire<typeof definitionVersionQuery>

export const skill = record(
  'Skill',
  {
    id: str('Id of the document: slug of the kind'),
    kind: oneOf('What it describes', 'connector'),
    title: str('Title'),
    summary: str('One sentence'),
    tags: list(str('Tag'), 'Tags'),
    warnings: list(str('Sentence'), 'What needs attention'),
  },
  'A document for agents',
)
/** A document of a kind. */
export type Skill = Wire<typeof skill>

export const skillPage = record(
  'SkillPage',
  { data: list(skill, 'Documents'), next_cursor: orNull(str('Send it as cursor for the next page; null on the last page')) },
  'Documents for agents',
)
/** One page of documents. */
export type SkillPage = Wire<typeof skillPage>

export const skillBlock = record(
  'SkillBlock',
  {
    type: oneOf('Which of the other members it has', 'heading', 'paragraph', 'code', 'table'),
    level: opt(int('Of a heading, from 1', { minimum: 1, maximum: 6 })),
    text: opt(str('Of a heading or a paragraph')),
    language: opt(str('Of an example')),
    code: opt(str('Of an example')),
    headers: opt(list(str('Title'), 'Of a table')),
    rows: opt(list(list(str('Cell'), 'Cells'), 'Of a table')),
  },
  'A block',
)
/** One block of a document. Its texts are Markdown of one line. */
export type SkillBlock = Wire<typeof skillBlock>

export const skillDocs = record(
  'SkillDocs',
  {
    id: str('Id of the document'),
    metadata: skill,
    outline: list(
      part(
        {
          id: str('Id of the section; `entity:<name>` for an entity'),
          title: str('Title'),
          summary: str('One sentence'),
          available: bool('true: it can be read'),
        },
        'A section',
      ),
      'Sections',
    ),
    section_id: orNull(str('The section of `content`; null: the overview')),
    content: list(skillBlock, 'Blocks'),
  },
  'A document, or one section of it',
)
/** A document: its outline, and one section. */
export type SkillDocs = Wire<typeof skillDocs>

const section = part(
  {
    id: str('Id of the section; `entity:<name>` for an entity'),
    title: str('Title'),
    summary: str('One sentence'),
    blocks: list(skillBlock, 'Blocks'),
  },
  'A section',
)

const exampleCall = part(
  { entity: str('Entity'), action: str('Action'), params: opt(open('Parameters; a value in angle brackets is known to the caller only')) },
  'The smallest call of an operation that is complete, as `execute` takes it',
)

/** How values of a searchable field compare. */
export const searchComparisons = ['text', 'instant', 'decimal', 'lower'] as const

const searchField = part(
  {
    field: str('Name'),
    type: oneOf('Type of its values; any: the vendor documents none', ...searchFieldTypes),
    compares: oneOf(
      'text: as the vendor sends it; instant: as a timestamp; decimal: as a number; lower: without case, known and stored values only',
      ...searchComparisons,
    ),
    operators: list(str('Operator'), 'Operators of a filter that the field supports'),
  },
  'A searchable field',
)

/** The reference of a kind: what the pages of the documents say, and how fields are searched. */
export const definitionReference = record(
  'DefinitionReference',
  {
    id: str('Slug of the kind'),
    title: str('Title'),
    sections: list(section, 'Sections: overview, credentials, configuration, and one for each entity'),
    examples: list(exampleCall, 'One call for each operation, searches included'),
    searches: list(
      part(
        {
          entity: str('Entity'),
          fields: list(searchField, 'Fields'),
          references: list(
            part({ field: str('Path, as include takes it'), entity: str('Entity that its values are keys of') }, 'A reference'),
            'Fields that refer to other records',
          ),
        },
        'A searchable entity',
      ),
      'Searchable entities',
    ),
  },
  'The reference of a kind',
)
/** The reference of a kind. */
export type DefinitionReference = Wire<typeof definitionReference>

const anyTenant = {
  workspace_id: opt(uuid('Existing clients send it. The documents are the same in every workspace.')),
  organization_id: opt(uuid('Existing clients send it. The documents are the same in every organization.')),
}
export const skillQuery = query({ ...pageQuery, ...anyTenant })
/** Which documents are listed. */
export type SkillQuery = Wire<typeof skillQuery>

export const skillDocsQuery = query({
  id: str('Id of the document: slug, title or definition id of the kind.', { maxLength: 256 }),
  section: opt(str('Id of a section; left out: the overview.', { maxLength: 256 })),
  ...anyTenant,
})
/** Which document, and which section of it. */
export type SkillDocsQuery = Wire<typeof skillDocsQuery>
