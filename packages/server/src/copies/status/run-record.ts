/** Converts runs, their progress and their errors between rows and wire form, and stores their events. */
import type { ErrorCode } from 'ferrule'
import { asFerruleError, errorTable, fillHint, isErrorCode } from 'ferrule/internal'
import type { SyncCounts, SyncEntityProgress, SyncEntityResult, SyncError, SyncProgress, SyncRunRecord } from 'ferrule/wire'
import type { Db } from '../../db/database.ts'
import { type News, storeEvent } from '../../events/sql/events.ts'
import { type IdSource, iso, isoOrNull } from '../../values/ids.ts'
import { noError, type RunRow, type StoredError } from '../sql/sync-runs.ts'

const types = {
  running: 'context_store.sync.started',
  succeeded: 'context_store.sync.completed',
  partial: 'context_store.sync.completed',
  failed: 'context_store.sync.failed',
} as const satisfies Partial<Record<RunRow['state'], News['type']>>

const hasEvent = (state: RunRow['state']): state is keyof typeof types => Object.hasOwn(types, state)

/**
 * Stores the event of a run's new state. A run that waits again or was cancelled has none. Call it in the transaction of the change.
 * @param run the run as it is stored now
 */
export async function storeRunEvent(db: Db, source: IdSource, run: RunRow): Promise<void> {
  const { id: sync_id, organization_id: organizationId, workspace_id: workspaceId, connector_id: connectorId, ...rest } = run
  const { state, mode, cause, error_code } = rest
  if (!hasEvent(state)) return
  const { written, removed } = toProgressRecord(run)
  const end = state === 'running' ? {} : { written, removed, error_code, ...(state === 'failed' ? {} : { state }) }
  await storeEvent(db, source, { type: types[state], organizationId, workspaceId, connectorId, data: { sync_id, mode, cause, ...end } })
}

/** A copy that can be searched for the first time. */
interface ReadyCopy {
  readonly run: RunRow
  readonly entity: string
  readonly records: number | null
}

/** Stores the event of a copy that can be searched for the first time. Call it in the transaction of the change. */
export async function storeReadyEvent(db: Db, source: IdSource, { run, entity, records }: ReadyCopy): Promise<void> {
  const { id: sync_id, organization_id: organizationId, workspace_id: workspaceId, connector_id: connectorId } = run
  const data = { sync_id, entity, records }
  await storeEvent(db, source, { type: 'context_store.entity.ready', organizationId, workspaceId, connectorId, data })
}

/** Longest stored message, in characters. */
const longestMessage = 1_000

/** Converts a stored error to wire form. A code of another version of the service becomes `internal_error`. */
export const toSyncError = ({ error_code: code, error_message: message, error_hint: hint }: StoredError): SyncError | null =>
  code === null ? null : { code: isErrorCode(code) ? code : 'internal_error', message: message ?? '', hint: hint ?? '' }

/** Converts an error to the columns of a row. */
export const toStoredError = (error: SyncError | null): StoredError =>
  error === null ? noError : { error_code: error.code, error_message: error.message, error_hint: error.hint }

/** Builds the error of a thrown value. */
export function buildSyncError(thrown: unknown, connectorId: string): SyncError {
  const { code, message, hint } = fillHint(asFerruleError(thrown), { connector_id: connectorId })
  return { code, message: message.slice(0, longestMessage), hint }
}

/** Builds the error of a part that a walk could not read. */
export const buildFlawError = (
  { code, message }: { readonly code: ErrorCode; readonly message: string },
  connectorId: string,
): SyncError => ({
  code,
  message: message.slice(0, longestMessage),
  hint: errorTable[code].hint.replace('{connector_id}', connectorId),
})

/** Builds the notice of values that a vendor has withdrawn. The entity is read without them. */
export const buildWithdrawnNotice = (vendor: string, names: readonly string[]): SyncError => ({
  code: 'upstream_invalid_request',
  message: `${vendor} offers these fields no longer, and they are left out: ${names.join(', ')}.`.slice(0, longestMessage),
  hint: 'The copy is complete without them: the fields are null in what is read from now on.',
})

/** Parses the entities that a run was asked for; null: all of the connector. */
export const readEntities = ({ entities }: { readonly entities: string | null }): readonly string[] | null =>
  entities === null ? null : JSON.parse(entities)

/** Parses results that this service wrote. */
export const readResults = (text: string): readonly SyncEntityResult[] => JSON.parse(text)

/** Parses the entities of a run that searches wait for. */
export const readAsked = ({ asked }: Pick<RunRow, 'asked'>): ReadonlySet<string> => new Set<string>(asked === null ? [] : JSON.parse(asked))

function toProgressRecord(row: Pick<RunRow, 'progress' | 'state'>): SyncProgress {
  const { entities, estimated_end } = readProgress(row.progress)
  const isRunning = row.state === 'running'
  return {
    ...sumCounts(entities),
    estimated_end: isRunning ? estimated_end : null,
    entities: isRunning ? entities : entities.map((each) => ({ ...each, estimated_end: null })),
  }
}

/** Converts a run to wire form. */
export const toRunRecord = (row: RunRow): SyncRunRecord => ({
  id: row.id,
  connector_id: row.connector_id,
  workspace_id: row.workspace_id,
  state: row.state,
  mode: row.mode,
  entities: readEntities(row),
  cause: row.cause,
  attempts: row.attempts,
  not_before: row.state === 'queued' ? isoOrNull(row.not_before) : null,
  progress: toProgressRecord(row),
  results: readResults(row.results),
  error: toSyncError(row),
  created_at: iso(row.created_at),
  started_at: isoOrNull(row.started_at),
  finished_at: isoOrNull(row.finished_at),
})

/** Progress in the row of a run. */
export interface StoredProgress {
  readonly estimated_end: string | null
  readonly entities: readonly SyncEntityProgress[]
  /** Records of the copies in progress, by entity; entities whose walk has not started are missing. */
  readonly stored?: Readonly<Record<string, number>>
}

/** Progress of a run before its first attempt. */
export const noProgress = JSON.stringify({ estimated_end: null, entities: [] } satisfies StoredProgress)

/** Counts of an entity before its start. */
export const noCounts: SyncCounts = { records: 0, pages: 0, calls: 0, written: 0, removed: 0, without_key: 0 }

/** Parses progress that this service wrote. Counts that an older version lacked are 0. */
export function readProgress(text: string): StoredProgress {
  const { entities, ...rest }: StoredProgress = JSON.parse(text)
  return { ...rest, entities: entities.map((each) => ({ ...noCounts, ...each })) }
}

/** Sums counts. */
export const sumCounts = (counts: readonly SyncCounts[]): SyncCounts =>
  counts.reduce<SyncCounts>(
    (total, each) => ({
      records: total.records + each.records,
      pages: total.pages + each.pages,
      calls: total.calls + each.calls,
      written: total.written + each.written,
      removed: total.removed + each.removed,
      without_key: total.without_key + each.without_key,
    }),
    noCounts,
  )
