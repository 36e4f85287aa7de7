/** The change feed of a copy on the wire. */
import { bool, type Field, int, list, oneOf, opt, str, time } from '../../definition/index.ts'
import type { EventSchema } from '../context-store.ts'
import { part, query, record, type Wire } from '../schemas.ts'

/** Longest wait for a change, in seconds. */
export const longestWait = 30

/** Days for which changes can be kept. */
export const changesDays = { minimum: 1, maximum: 90 } as const

/** Value of `after` that asks for an empty page, whose `next` has what changes from now on. */
export const fromNow = 'now'

const pageQuery = {
  limit: opt(int('Entries of a page', { minimum: 1, maximum: 1_000, default: 100 })),
  wait: opt(int('Seconds to wait for the first change', { minimum: 0, maximum: longestWait, default: 0 })),
}
const after = '`next` of the page before; now: an empty page, and its `next` has what changes from now on; left out: all records come first'

/** Query of a page of changes. */
export const changesQuery = query({ after: opt(str(after, { maxLength: 4_000 })), ...pageQuery })
/** Which changes to read. */
export type ChangesQuery = Wire<typeof changesQuery>

/** Query of a page of changes of a connector. */
export const connectorChangesQuery = query({
  after: opt(str(after, { maxLength: 8_000 })), // has a position of each entity
  entities: opt(str('Names of entities, separated by commas; left out: all. Other entities keep their position in the cursor')),
  consumer: opt(str('Name of a consumer: reads from its cursor on, the entities that it has. Replaces `after` and `entities`')),
  ...pageQuery,
})
/** Which changes of a connector to read. */
export type ConnectorChangesQuery = Wire<typeof connectorChangesQuery>

const copiedRecord: Field<unknown> = {
  type: 'object',
  description: 'Searchable fields of the record as they are now; absent where it was removed',
}

const entry = {
  type: oneOf(
    'snapshot_begin and snapshot_end: marks around all records; what a consumer has and did not meet between them was removed. present: a record ' +
      'between the marks. added, changed, removed: what happened since',
    ...(['snapshot_begin', 'present', 'snapshot_end', 'added', 'changed', 'removed'] as const),
  ),
  key: opt(str('Key of the record; of several parts: a text that only serves to compare')),
  record: opt(copiedRecord),
  fields: opt(list(str('Searchable field'), 'Fields with another value, of a changed record')),
  cause: opt(oneOf('What found the change: a sync, a live read, or a webhook of the vendor', 'sync', 'live', 'webhook')),
  changed_at: opt(time('Time when the copy changed')),
}
const aboutEntry = 'One entry. A record may come again, with the same or a newer state; its newest state comes last'

/** One entry of a feed. */
export const changeRecord = part(entry, aboutEntry)
/** One entry of a feed. */
export type ChangeRecord = Wire<typeof changeRecord>

const nextPage = {
  next: str('Opaque cursor of the next page; every page has one. Valid while its changes are kept'),
  has_more: bool('true: the next page has entries already'),
}

/** A page of a feed. */
export const changesPage = record(
  'ChangesPage',
  { data: list(changeRecord, 'Entries in the order in which the copy changed'), ...nextPage },
  'What changed in the copy of an entity',
)
/** A page of a feed. */
export type ChangesPage = Wire<typeof changesPage>

/** A page of a feed, as soon as it has entries. */
export const changesEvent = { name: 'changes', data: changesPage } as const satisfies EventSchema

/** One entry of the feed of a connector. */
export const connectorChangeRecord = part({ entity: str('Entity of the record, or of the mark'), ...entry }, aboutEntry)

/** A page of the feed of a connector. */
export const connectorChangesPage = record(
  'ConnectorChangesPage',
  { data: list(connectorChangeRecord, 'Entries; those of an entity in the order in which its copy changed'), ...nextPage },
  'What changed in the copy of a connector',
)
/** A page of the feed of a connector. */
export type ConnectorChangesPage = Wire<typeof connectorChangesPage>
/** A page of the feed of a connector, as soon as it has entries. */
export const connectorChangesEvent = { name: 'changes', data: connectorChangesPage } as const satisfies EventSchema
