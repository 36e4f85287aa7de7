/** Requests of an execution: calls, exports, downloads that a browser plays, and checks of calls. */
import { bool, type Fields, int, list, obj, oneOf, open, opt, orNull, str, time } from '../definition/index.ts'
import { formulaModes } from '../values/csv.ts'
import { copyStates, mayChangeFrom } from './context-store.ts'
import { problemDetails } from './problem.ts'
import { body, query, record, recordOrNull, uuid, type Wire } from './schemas.ts'

const pathList = (about: string) =>
  opt(orNull(list(str('Dot path, for example metaData.id', { minLength: 1, maxLength: 500 }), about, { maxItems: 1_000 })))

/** Maximum of `max_age` in seconds, more than thirty years. A longer number may be no integer of a double. */
export const longestAge = 1_000_000_000

/** Fields of an execute request. The parameters are checked later, against their operation. */
export const executeFields = {
  entity: str('Entity, for example calls', { maxLength: 200 }),
  action: str('Action, for example list', { maxLength: 200 }),
  params: opt(orNull(open('Parameters of the action; can be left out when none is required'))),
  select_fields: pathList('Return only these fields of every record; wins over exclude_fields. Arrays fan out: a.b and a[].b are the same'),
  exclude_fields: pathList('Leave out these fields of every record'),
  max_age: opt(
    orNull(
      int(
        'For searches and aggregates of the copy: maximum age of the copy in seconds. An older copy is refreshed first; other actions read live',
        {
          minimum: 0,
          maximum: longestAge,
        },
      ),
    ),
  ),
  allow_partial: opt(
    orNull(
      bool(
        'For searches and aggregates of the copy: a part of the records is enough while the first sync runs; context_store.complete is false then',
      ),
    ),
  ),
  skip_truncation: opt(orNull(bool('false: strings of more than 2,000 characters are cut in lists, and truncated_fields names them'))),
  intent: opt(orNull(str('Purpose of the call; it does not change the answer', { maxLength: 512 }))),
} as const satisfies Fields

export const executeInput = obj(executeFields, 'A call')
/** An execute request. */
export type ExecuteRequest = Wire<typeof executeInput>

export const exportFormatNames = ['ndjson', 'csv', 'parquet'] as const
/** Format of an export. */
export type ExportFormatName = (typeof exportFormatNames)[number]

/** The query of an export. */
export const exportQuery = query({
  format: opt(
    oneOf(
      'ndjson (default): one JSON record per line; csv: RFC 4180, nested values as JSON; parquet: typed columns, what one cannot hold exactly in _rescued',
      ...exportFormatNames,
    ),
  ),
  formulas: opt(
    oneOf(
      'In CSV, text that a spreadsheet would run, because it begins with =, +, - or @. mark (default): a single quote stands before it; keep: it stays as it is',
      ...formulaModes,
    ),
  ),
  filter: opt(str('`query.filter` of a search, as JSON')),
  text: opt(str('`query.text` of a search: words in any field that holds a string')),
  sort: opt(
    str(
      '`query.sort` of a search, as JSON; left out: by relevance when the filter searches words, else by the primary key, which is the fastest',
    ),
  ),
  fields: opt(str('Field paths, separated by commas, in the order of the columns; left out: all searchable fields')),
  allow_partial: opt(oneOf('true: a part of the records is enough while the first sync runs', 'true', 'false')),
  max_age: opt(int('Maximum age of the copy in seconds; an older copy is refreshed first', { minimum: 0, maximum: longestAge })),
})

export const mediaInput = body(
  'MediaInput',
  { entity: executeFields.entity, params: opt(orNull(open('Parameters of the download; ranges are those of the browser'))) },
  'A download to play',
)
/** A download to play. */
export type MediaInput = Wire<typeof mediaInput>

export const mediaAddress = record(
  'MediaAddress',
  {
    url: str('Address, relative to the service; it works only for the session or application that asked for it'),
    content_type: str('Media type: audio or video'),
    expires_at: time('Time of its end'),
  },
  'An address that a browser plays a download from',
)
/** An address that a browser plays a download from. */
export type MediaAddress = Wire<typeof mediaAddress>

/** Query of such an address. */
export const mediaQuery = query({
  organization_id: opt(uuid('Organization, instead of `X-Organization-Id`: the browser sends no such header for media.')),
})

const { entity, action, params } = executeFields

export const validationInput = body('ValidationInput', { entity, action, params }, 'A call to check')
/** A call to check. */
export type ValidationInput = Wire<typeof validationInput>

export const validation = record(
  'Validation',
  { problem: recordOrNull(problemDetails) },
  'null: the call can be sent, and the vendor decides. Else the error that execute answers, with its problems, before anything is sent',
)
/** Whether a call can be sent. */
export type Validation = Wire<typeof validation>

const freshnessFields = {
  synced_at: orNull(
    time('The copy holds what was new or changed until this time, as far as the vendor reports changes; null: no sync has finished'),
  ),
  verified_at: orNull(
    time(
      'Time of the last comparison with all records of the vendor. Later edits without a trace, late additions and deletions can be missing',
    ),
  ),
  status: oneOf('State of the copy, as in GET …/context_store', ...copyStates),
  complete: bool('false: a part of the records could not be read, or was not read yet. Age does not matter'),
  may_change_from: opt(mayChangeFrom),
} as const satisfies Fields

export const freshness = obj(freshnessFields, 'How fresh the copy is')
/** How fresh the copy is that a search read. */
export type Freshness = Wire<typeof freshness>

const related = opt(
  list(
    obj({ entity: str('Entity'), ...freshnessFields }, 'How fresh the copy of an entity is'),
    'Entities that include and filter read besides: synced_at is null for one that was never synced, whose records are missing',
  ),
)

export const searchMeta = obj(
  {
    has_more: bool('true: there is a next page'),
    cursor: orNull(str('Send it as cursor for the next page; null on the last page')),
    took_ms: int('Milliseconds that the search took'),
    unknown_paths: opt(list(str('Path'), 'On the first page: paths below undocumented fields that no record had')),
    related,
    relevance_left_out: opt(bool('true: too many records match to be ordered by relevance; the rest of the order holds')),
    total: opt(int('With count: records that the search finds, on all pages; at most 100,000')),
    total_at_least: opt(bool('true: the search finds more records than total')),
  },
  'Where the page stands',
)
/** Where the page of a search stands. */
export type SearchMeta = Wire<typeof searchMeta>

export const aggregateMeta = obj(
  {
    has_more: bool('true: there is a next page'),
    cursor: orNull(str('Send it as cursor for the next page; null on the last page')),
    took_ms: int('Milliseconds that the aggregate took'),
    groups: int('Groups on all pages'),
    changed: opt(bool('true: the copy has changed since the first page, so groups can be missing or come twice')),
    skipped: opt(
      open('By the name of a group or a measure: values that are no number or no time, where one is needed. They count nowhere'),
    ),
    unknown_paths: opt(list(str('Path'), 'On the first page: paths below undocumented fields that no record had')),
    related,
  },
  'Where the page stands',
)
/** Where the page of an aggregate stands. */
export type AggregateMeta = Wire<typeof aggregateMeta>
