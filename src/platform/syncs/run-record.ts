/** Runs in wire form, and errors as they are kept. */
import { asFerruleError, type ErrorCode, errorTable } from '../../errors.ts'
import { type KeptError, noError, type RunRow } from '../db/queries-sync-runs.ts'
import { iso } from '../ids.ts'
import { readProgress, sumOf } from './progress.ts'
import type { SyncEntityResult, SyncError, SyncProgress, SyncRunRecord } from './records.ts'

/** Longest message that is kept, in characters. */
const longestMessage = 1_000

const isCode = (text: string): text is ErrorCode => Object.hasOwn(errorTable, text)

/** An error as records show it. A code that an older or newer version wrote becomes `internal_error`. */
export const errorOf = ({ error_code: code, error_message: message, error_hint: hint }: KeptError): SyncError | null =>
  code === null ? null : { code: isCode(code) ? code : 'internal_error', message: message ?? '', hint: hint ?? '' }

/** An error as rows keep it. */
export const keptOf = (error: SyncError | null): KeptError =>
  error === null ? noError : { error_code: error.code, error_message: error.message, error_hint: error.hint }

/** What is told of a thrown value. */
export function syncErrorOf(thrown: unknown, connectorId: string): SyncError {
  const { code, message, hint } = asFerruleError(thrown)
  return { code, message: message.slice(0, longestMessage), hint: hint.replace('{connector_id}', connectorId) }
}

/** What is told of a part that a walk could not read. */
export const flawOf = ({ code, message }: { readonly code: ErrorCode; readonly message: string }, connectorId: string): SyncError => ({
  code,
  message: message.slice(0, longestMessage),
  hint: errorTable[code].hint.replace('{connector_id}', connectorId),
})

/** Results that this service wrote. */
export const readResults = (text: string): readonly SyncEntityResult[] => JSON.parse(text)

/** How far a run has come. */
export function progressOf(row: Pick<RunRow, 'progress' | 'state'>): SyncProgress {
  const { entities, estimated_end } = readProgress(row.progress)
  const isRunning = row.state === 'running'
  return {
    ...sumOf(entities),
    estimated_end: isRunning ? estimated_end : null,
    entities: isRunning ? entities : entities.map((each) => ({ ...each, estimated_end: null })),
  }
}

const moment = (milliseconds: number | null): string | null => (milliseconds === null ? null : iso(milliseconds))

/** A run in wire form. */
export const runRecordOf = (row: RunRow): SyncRunRecord => ({
  id: row.id,
  connector_id: row.connector_id,
  workspace_id: row.workspace_id,
  state: row.state,
  mode: row.mode,
  entities: row.entities === null ? null : JSON.parse(row.entities),
  cause: row.cause,
  attempts: row.attempts,
  not_before: row.state === 'queued' ? moment(row.not_before) : null,
  progress: progressOf(row),
  results: readResults(row.results),
  error: errorOf(row),
  created_at: iso(row.created_at),
  started_at: moment(row.started_at),
  finished_at: moment(row.finished_at),
})
