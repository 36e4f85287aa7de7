/** Kinds that organizations bring themselves, their versions, and what a change of one means. */
import { kindChangeClasses } from '../definition/compare.ts'
import { bool, int, list, oneOf, opt, orNull, str, time } from '../definition/index.ts'
import { body, part, query, record, recordOrNull, uuid, type Wire } from './schemas.ts'

/** Most characters of a kind file, and of its recordings. */
export const [longestKindFile, longestRecordings] = [262_144, 524_288]
/** Largest request with a document that becomes a kind, in bytes. `ferrule kind new` takes larger documents. */
export const largestDocument = 8 * 1024 * 1024

const change = part(
  {
    class: oneOf('What the change means', ...kindChangeClasses),
    entity: orNull(str('Entity that changes')),
    message: str('Sentence about the change'),
  },
  'A change',
)

const finding = part(
  {
    file: oneOf('Where', 'kind', 'recordings'),
    line: int('Line, from 1'),
    column: int('Column, from 1'),
    path: str('Path in the file, such as entities.issues.list; empty for the whole file'),
    message: str('What is wrong'),
    near: orNull(str('The valid word that is most like the wrong one')),
    example: orNull(str('What a right file has there')),
  },
  'A mistake or a doubt',
)

const changes = {
  class: oneOf('The weightiest class of the changes', ...kindChangeClasses),
  changes: list(change, 'What changes, the weightiest first'),
}

const kind = {
  id: uuid('Id of the kind'),
  slug: str('Slug: the connector_type of its connectors'),
  title: str('Title'),
  about: str('Description'),
  version: int('Newest version, from 1'),
  entities: int('Number of entities'),
  hosts: list(str('Host'), 'Hosts that the newest version leads to'),
  sandbox: bool('true: the newest version has recordings, so connectors can be made in the sandbox'),
  connectors: int('Connectors of all versions'),
  created_at: time('Time of the first version'),
  updated_at: time('Time of the newest version'),
}

export const kindSummary = record('OwnKind', kind, 'A kind of the organization')
/** A kind of the organization. */
export type KindSummary = Wire<typeof kindSummary>

export const kindList = record('OwnKindList', { data: list(kindSummary, 'Kinds') }, 'Kinds of the organization')
/** All kinds of an organization. */
export type KindList = Wire<typeof kindList>

export const kindRecord = record(
  'OwnKindFile',
  {
    ...kind,
    file: str('Text of the file, of the version that was asked for'),
    recordings: orNull(str('Text of the recordings of that version')),
    file_version: int('Version of the file'),
  },
  'A kind of the organization with its file',
)
/** A kind with its file. */
export type KindRecord = Wire<typeof kindRecord>

export const kindVersionList = record(
  'OwnKindVersionList',
  {
    data: list(
      part(
        {
          version: int('Version'),
          connectors: int('Connectors that run the version'),
          created_at: time('Time of the upload'),
          ...changes,
        },
        'A version, with its changes against the one before',
      ),
      'Versions, the newest first',
    ),
  },
  'Versions of a kind',
)
/** Versions of a kind. */
export type KindVersionList = Wire<typeof kindVersionList>

export const kindInput = body(
  'OwnKindInput',
  {
    file: str('Text of the kind file: YAML or JSON.', { minLength: 1, maxLength: longestKindFile }),
    recordings: opt(
      str('Text of its recordings: JSON, as `ferrule kind try --record` writes it. The sandbox plays the kind from them.', {
        minLength: 1,
        maxLength: longestRecordings,
      }),
    ),
    newest: opt(int('Newest version that you know of, 0 for a new kind. Another one is refused, so nobody overwrites the work of others.')),
  },
  'A kind file',
)
/** A kind file. */
export type KindInput = Wire<typeof kindInput>

export const kindQuery = query({ version: opt(str('Version of the file; left out: the newest.', { pattern: '^[1-9]\\d{0,8}$' })) })
/** Which version is read. */
export type KindQuery = Wire<typeof kindQuery>

const kindTest = record(
  'OwnKindTest',
  {
    calls: int('Recorded calls'),
    requests: int('Their requests'),
    live: int('Calls whose answers are the own ones of the vendor'),
    failures: list(finding, 'Where the file and its recordings do not agree; path is the call'),
    notes: list(finding, 'What is worth a look, such as operations without a recording'),
  },
  'What the recordings prove of the file, without a network',
)

export const kindCheck = record(
  'OwnKindCheck',
  {
    slug: str('Slug'),
    valid: bool('true: the file can be published'),
    mistakes: list(finding, 'Everything that has to be corrected'),
    doubts: list(finding, 'What can be right, but often is not'),
    unsure: list(finding, 'What an importer guessed or did not find in its document, as `unsure` of the file names it'),
    test: recordOrNull(kindTest),
    newest: int('Newest version of the kind; 0: the file makes a new kind'),
    hosts: list(str('Host'), 'Hosts that the file leads to'),
    ...changes,
  },
  'What is wrong with a kind file, and what it changes',
)
/** The check of a kind file. */
export type KindCheck = Wire<typeof kindCheck>

export const kindDocument = body(
  'OwnKindDocument',
  {
    kind: str('Slug of the kind: small letters, digits and dashes.', { pattern: '^[a-z][a-z0-9-]{1,39}$' }),
    document: str('Text of an OpenAPI document or of a manifest, JSON or YAML; or of a schema of GraphQL, as introspection answers it.', {
      minLength: 1,
    }),
    title: opt(str('Name of the system, instead of that of the document.', { minLength: 1, maxLength: 60 })),
    api: opt(str('Address of the API, instead of that of the document. A schema of GraphQL says none.', { maxLength: 300 })),
    only: opt(list(str('Name', { minLength: 1, maxLength: 100 }), 'Entities, or tags of the document; all if omitted.')),
  },
  'A document of a vendor',
)
/** A document of a vendor. */
export type KindDocument = Wire<typeof kindDocument>

export const kindImport = record(
  'OwnKindImport',
  {
    file: str('Text of the kind file. Nothing is stored of it: check it, then publish it.'),
    entities: int('Number of entities'),
    left_out: list(
      part({ what: str('As the document names it'), why: str('Sentence') }, 'A part of the document'),
      'What the file cannot say',
    ),
  },
  'The kind file of a document',
)
/** The kind file of a document. */
export type KindImport = Wire<typeof kindImport>

export const kindPublication = record(
  'OwnKindPublication',
  { ...kind, published: bool('false: the newest version is this file already'), ...changes },
  'A published kind, and what its newest version changes',
)
/** A published kind. */
export type KindPublication = Wire<typeof kindPublication>

export const kindRemoval = record('OwnKindRemoval', { id: uuid('Id of the kind'), slug: str('Slug') }, 'A deleted kind')
/** A deleted kind. */
export type KindRemoval = Wire<typeof kindRemoval>
