/** Opens a stored connector's credentials for the engine and renews them. One node renews at a time. */
import type { CredentialSource, CredentialValues, OpenedCredentials, Secret } from 'ferrule/engine'
import { asFerruleError, errorConsequences, fail } from 'ferrule/internal'
import type { Parts } from '../main/parts.ts'
import { holdWorkspace } from '../tenancy/sql/workspaces.ts'
import { viewOrganization } from '../values/access.ts'
import { newId } from '../values/ids.ts'
import { tryAgain } from '../values/try-again.ts'
import { cutApplication, openCredentials } from './consent-origin.ts'
import type { ConnectionQuery, CredentialsVersion, SealedConnectorRow } from './sql/connectors.ts'
import { dropLease, replaceCredentials, setRenewalRefused, takeLease } from './sql/connectors.ts'

/** Credentials of a stored connector. */
export interface StoredCredentials extends CredentialSource {
  /** Returns the version in use, or the stored version before the first use. */
  current(): CredentialsVersion
}

type Exchange = Parameters<CredentialSource['renew']>[1]

/** Shared state of the sources of one process. */
interface SourceParts {
  readonly parts: Parts
  readonly read: ConnectionQuery
  /** Identifies this process in leases. */
  readonly owner: string
  /** Renewals in progress in this process, by connector. */
  readonly flights: Map<string, Promise<SealedConnectorRow>>
}

/** Maximum age of a row when long-lived connections open credentials again, in milliseconds. */
const freshMs = 5_000
/** Length of a lease, in milliseconds. Covers a token request of at most 30 seconds and storing its answer. */
const leaseMs = 90_000
/** Longest wait for a renewal on another node, and the bounds of the polling interval. Milliseconds. */
const longestWaitMs = 45_000
const [shortestDelayMs, longestDelayMs] = [100, 3_000]
/** Pauses before a token that the vendor issues once is stored again, in milliseconds. */
const pausesMs = [100, 500, 2_000, 5_000, 10_000]

/** Adds the next step to the reason of `auth_error`. */
export const buildAuthErrorReason = (reason: string, connectorId: string): string =>
  `${reason.slice(0, 1_000)} Replace the credentials with PATCH /api/v1/integrations/connectors/${connectorId}.`

/** Returns a function that builds sources; all sources of a process share its renewals. */
export function createCredentialSources(parts: Parts, read: ConnectionQuery): (row: SealedConnectorRow) => StoredCredentials {
  const sources: SourceParts = { parts, read, owner: newId(parts.source), flights: new Map() }
  return (row) => createSource(sources, row)
}

const toVersion = (row: SealedConnectorRow): CredentialsVersion => ({
  organizationId: row.organization_id,
  id: row.id,
  version: row.version,
})

function createSource(sources: SourceParts, loaded: SealedConnectorRow): StoredCredentials {
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
    current: () => toVersion(row),
    open: async () => keep(steady() - readAt > freshMs ? await reread(sources, row) : row),
    renew: async (stale, exchange) => keep(await joinRenewal(sources, row, { stale, exchange })),
  }
}

async function reread({ read }: SourceParts, { organization_id: organizationId, id }: SealedConnectorRow): Promise<SealedConnectorRow> {
  const found = await read(viewOrganization(organizationId), id)
  if (found === undefined) throw fail('connector_not_found', {})
  return found
}

/** Opens a row. Reads the row again when a rotation has replaced its data key. */
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

const openSeal = ({ parts }: SourceParts, row: SealedConnectorRow) => openCredentials(parts, parts.database.db, row)
const toPlace = (row: SealedConnectorRow) => ({ organizationId: row.organization_id, workspaceId: row.workspace_id, connectorId: row.id })

interface Renewal {
  readonly stale: string
  readonly exchange: Exchange
}

/** Joins the renewal in progress in this process, or starts one. */
async function joinRenewal(sources: SourceParts, row: SealedConnectorRow, renewal: Renewal): Promise<SealedConnectorRow> {
  const running = sources.flights.get(row.id)
  if (running !== undefined) {
    const found = await running
    // A renewal of an older version can end with the version that the vendor refused to this caller.
    return String(found.version) === renewal.stale ? joinRenewal(sources, row, renewal) : found
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
    if (await takeLease(parts.database.db, toVersion(row), { owner, now, until: now + leaseMs }))
      return parts.unfinished.add(exchangeAndStore(sources, row, renewal))
    if (waited >= longestWaitMs)
      throw fail('overloaded', { reason: 'the credentials of this connector are being renewed elsewhere' }, { retryAfterMs: 10_000 })
    await parts.sleep(delay)
    waited += delay
  }
}

async function exchangeAndStore(sources: SourceParts, row: SealedConnectorRow, { exchange }: Renewal): Promise<SealedConnectorRow> {
  let next: Secret<CredentialValues>
  try {
    next = await exchange((await openRow(sources, row)).values)
  } catch (error) {
    return handleFailure(sources, row, error)
  }
  return store(sources, row, next)
}

/** Handles a failed renewal. @returns the credentials that another process stored meanwhile. @throws the given error otherwise */
async function handleFailure(sources: SourceParts, row: SealedConnectorRow, error: unknown): Promise<SealedConnectorRow> {
  const { db } = sources.parts.database
  const { code, message } = asFerruleError(error)
  // A failed write must not hide the error; the lease expires.
  if (errorConsequences[code].credentials !== 'refused') await dropLease(db, toVersion(row), sources.owner).catch(() => undefined)
  else if (!(await setRenewalRefused(db, toVersion(row), buildAuthErrorReason(message, row.id)).catch(() => true)))
    return reread(sources, row)
  throw error
}

function store(sources: SourceParts, row: SealedConnectorRow, next: Secret<CredentialValues>): Promise<SealedConnectorRow> {
  const work = async () => {
    await storeOnce(sources, row, next)
    return reread(sources, row)
  }
  const isFinal = (error: unknown) => asFerruleError(error).code === 'connector_not_found'
  return tryAgain(work, { pausesMs, sleep: sources.parts.sleep, isFinal })
}

/** Stores new tokens unless the version changed: by an earlier try with a lost answer, or by the user. */
const storeOnce = (
  { parts: { database, vault } }: SourceParts,
  row: SealedConnectorRow,
  next: Secret<CredentialValues>,
): Promise<boolean> =>
  database.transaction(async (db) => {
    const workspace = await holdWorkspace(db, viewOrganization(row.organization_id), row.workspace_id)
    if (workspace === undefined) throw fail('connector_not_found', {})
    const dataKeyId = workspace.data_key_id
    const { sealed, fields } = await vault.seal(db, { ...toPlace(row), dataKeyId }, cutApplication(row, next))
    return replaceCredentials(db, toVersion(row), { sealed, fields, dataKeyId })
  })
