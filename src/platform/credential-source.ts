/** Where the engine gets a stored connector's credentials from, and how they are renewed: once at a time over all nodes. */
import type { CredentialSource, CredentialValues, OpenedCredentials } from '../engine/connection.ts'
import type { Secret } from '../engine/secret.ts'
import { asFerruleError, fail } from '../errors.ts'
import type { ConnectionQuery, CredentialsVersion, SealedConnectorRow } from './db/queries-connectors.ts'
import { dropLease, replaceCredentials, setRenewalRefused, takeLease } from './db/queries-connectors.ts'
import { holdWorkspace } from './db/queries-workspaces.ts'
import { newId } from './ids.ts'
import type { Parts } from './parts.ts'

/** Credentials of a stored connector. */
export interface StoredCredentials extends CredentialSource {
  /** The version that was handed out last, or the stored one. */
  current(): CredentialsVersion
}

type Exchange = Parameters<CredentialSource['renew']>[1]

/** What makes the sources of one process. */
interface SourceParts {
  readonly parts: Parts
  readonly read: ConnectionQuery
  /** Names this process in leases. */
  readonly owner: string
  /** Renewals that this process runs, by connector. */
  readonly flights: Map<string, Promise<SealedConnectorRow>>
}

/** How long a row may be old when its credentials are opened again, for connections that live long. */
const freshMs = 5_000
/** A lease outlives the request for a token, which ends after 30 seconds, and its storing. */
const leaseMs = 90_000
/** How long a call waits for the renewal of another node, and its delays between two looks. */
const longestWaitMs = 45_000
const [shortestDelayMs, longestDelayMs] = [100, 3_000]
/** Delays before new attempts to store a token that the vendor will not give twice. */
const storeDelaysMs = [0, 100, 500, 2_000, 5_000, 10_000]

/** The next step for whoever sees a connector in `auth_error`. */
export const authErrorReason = (reason: string, connectorId: string): string =>
  `${reason.slice(0, 1_000)} Replace the credentials with PATCH /api/v1/integrations/connectors/${connectorId}.`

/** Builds the maker of sources; all sources of a process share its renewals. */
export function createCredentialSources(parts: Parts, read: ConnectionQuery): (row: SealedConnectorRow) => StoredCredentials {
  const sources: SourceParts = { parts, read, owner: newId(parts.source), flights: new Map() }
  return (row) => sourceOf(sources, row)
}

const versionOf = (row: SealedConnectorRow): CredentialsVersion => ({
  organizationId: row.organization_id,
  id: row.id,
  version: row.version,
})

function sourceOf(sources: SourceParts, loaded: SealedConnectorRow): StoredCredentials {
  const { steady } = sources.parts
  let row = loaded
  let readAt = steady()
  const keep = async (found: SealedConnectorRow): Promise<OpenedCredentials> => {
    const opened = await openRow(sources, found)
    row = opened.row
    readAt = steady()
    return { values: opened.values, version: String(row.version) }
  }
  return {
    current: () => versionOf(row),
    open: async () => keep(steady() - readAt > freshMs ? await reread(sources, row) : row),
    renew: async (stale, exchange) => keep(await renewed(sources, row, { stale, exchange })),
  }
}

async function reread({ read }: SourceParts, { organization_id: organizationId, id }: SealedConnectorRow): Promise<SealedConnectorRow> {
  const found = await read({ organizationId, workspaceId: null }, id)
  if (found === undefined) throw fail('connector_not_found', {})
  return found
}

/** Opens a row; when a rotation of keys has overtaken it, the row is read once more. */
async function openRow(
  sources: SourceParts,
  row: SealedConnectorRow,
): Promise<{ row: SealedConnectorRow; values: Secret<CredentialValues> }> {
  const first = await openSeal(sources, row)
  if (first !== undefined) return { row, values: first }
  const again = await reread(sources, row)
  const values = await openSeal(sources, again)
  if (values === undefined) throw fail('credentials_unreadable', { reason: 'the data key of the workspace is missing' })
  return { row: again, values }
}

const openSeal = ({ parts: { vault, database } }: SourceParts, row: SealedConnectorRow) =>
  vault.open(database.db, { ...placeOf(row), dataKeyId: row.data_key_id }, row.sealed)
const placeOf = (row: SealedConnectorRow) => ({ organizationId: row.organization_id, workspaceId: row.workspace_id, connectorId: row.id })

interface Renewal {
  readonly stale: string
  readonly exchange: Exchange
}

/** Joins the renewal that runs in this process, or begins one. */
async function renewed(sources: SourceParts, row: SealedConnectorRow, renewal: Renewal): Promise<SealedConnectorRow> {
  const running = sources.flights.get(row.id)
  if (running !== undefined) {
    const found = await running
    // A renewal of an older version ends with the version that this caller was refused with.
    return String(found.version) === renewal.stale ? renewed(sources, row, renewal) : found
  }
  const flight = renew(sources, row, renewal).finally(() => sources.flights.delete(row.id))
  sources.flights.set(row.id, flight)
  return flight
}

async function renew(sources: SourceParts, loaded: SealedConnectorRow, renewal: Renewal): Promise<SealedConnectorRow> {
  const { parts, owner } = sources
  let waited = 0
  for (let delay = shortestDelayMs; ; delay = Math.min(delay * 2, longestDelayMs)) {
    const row = await reread(sources, loaded)
    if (String(row.version) !== renewal.stale) return row
    const now = parts.source.clock()
    if (await takeLease(parts.database.db, versionOf(row), { owner, now, until: now + leaseMs })) {
      const running = exchanged(sources, row, renewal).finally(() => parts.unfinished.delete(running))
      parts.unfinished.add(running)
      return running
    }
    if (waited >= longestWaitMs)
      throw fail('overloaded', { reason: 'the credentials of this connector are being renewed elsewhere' }, { retryAfterMs: 10_000 })
    await parts.sleep(delay)
    waited += delay
  }
}

async function exchanged(sources: SourceParts, row: SealedConnectorRow, { exchange }: Renewal): Promise<SealedConnectorRow> {
  let next: Secret<CredentialValues>
  try {
    next = await exchange((await openRow(sources, row)).values)
  } catch (error) {
    return afterFailure(sources, row, error)
  }
  return store(sources, row, next)
}

/** @returns the credentials that somebody else stored meanwhile. @throws the error when there are none */
async function afterFailure(sources: SourceParts, row: SealedConnectorRow, error: unknown): Promise<SealedConnectorRow> {
  const { db } = sources.parts.database
  const { code, message } = asFerruleError(error)
  // What cannot be written now does not hide the error; the lease runs out by itself.
  if (code !== 'upstream_auth_failed') await dropLease(db, versionOf(row), sources.owner).catch(() => undefined)
  else if (!(await setRenewalRefused(db, versionOf(row), authErrorReason(message, row.id)).catch(() => true))) return reread(sources, row)
  throw error
}

async function store(sources: SourceParts, row: SealedConnectorRow, next: Secret<CredentialValues>): Promise<SealedConnectorRow> {
  let failure: unknown
  for (const delay of storeDelaysMs) {
    if (delay > 0) await sources.parts.sleep(delay)
    try {
      await storeOnce(sources, row, next)
      return await reread(sources, row)
    } catch (error) {
      if (asFerruleError(error).code === 'connector_not_found') throw error
      failure = error
    }
  }
  throw failure
}

/** Stores unless the version was replaced already: by an attempt whose answer was lost, or by new credentials of the user. */
const storeOnce = (
  { parts: { database, vault } }: SourceParts,
  row: SealedConnectorRow,
  next: Secret<CredentialValues>,
): Promise<boolean> =>
  database.transaction(async (db) => {
    const workspace = await holdWorkspace(db, { organizationId: row.organization_id, workspaceId: row.workspace_id }, row.workspace_id)
    if (workspace === undefined) throw fail('connector_not_found', {})
    const dataKeyId = workspace.data_key_id
    const { sealed, fields } = await vault.seal(db, { ...placeOf(row), dataKeyId }, next)
    return replaceCredentials(db, versionOf(row), { sealed, fields, dataKeyId })
  })
