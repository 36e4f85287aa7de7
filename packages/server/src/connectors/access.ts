/** Opens stored connectors for the engine, renews their credentials on one node at a time, and stores what calls reveal about them. */
import { createHmac } from 'node:crypto'
import type { Kind } from 'ferrule/definition'
import {
  type Call,
  type Connection,
  type CredentialSource,
  type CredentialValues,
  type KeptProof,
  nameOperation,
  type OpenedCredentials,
  type OriginOverride,
  type Secret,
  type VendorNotice,
} from 'ferrule/engine'
import { asFerruleError, BoundedMap, clocks, describeExecute, errorConsequences, fail, inSpan } from 'ferrule/internal'
import type { ConnectorNotice } from 'ferrule/wire'
import type { Usage } from '../calls/usage/usage.ts'
import { unparkRuns } from '../copies/sql/sync-runs.ts'
import type { Database } from '../db/database.ts'
import { storeConnectorEvent } from '../events/sql/events.ts'
import type { Parts } from '../main/parts.ts'
import { refuseDeleted } from '../tenancy/applications/live-client.ts'
import { existenceQuery, holdWorkspace } from '../tenancy/sql/organizations.ts'
import { computeProof } from '../tenancy/vault/master-key.ts'
import { type ConnectorAccess, type PrincipalView, requireScope, toConnectorRef, viewOrganization } from '../values/access.ts'
import { asId, labelKind, newId } from '../values/ids.ts'
import type { CallCode, CallReport } from '../values/metric-types.ts'
import { failInactive } from '../values/read.ts'
import { tryAgain } from '../values/try-again.ts'
import type { Connectors } from './connector-types.ts'
import { cutOAuthClient, openCredentials } from './credential-trial.ts'
import { listKindNames, readDraft } from './draft.ts'
import { createWriteClaims } from './request-claims.ts'
import * as sql from './sql/connectors.ts'

/** Maximum number of rows, about 2 kB each. */
const mostRows = 1_000

/**
 * Builds a query that reads a row again only after a change of the database, by this process or another one. Without a count of changes,
 * which only the embedded database has, each call reads it.
 */
export function keepRows({ countChanges }: Pick<Database, 'countChanges'>, read: sql.ConnectionQuery): sql.ConnectionQuery {
  if (countChanges === undefined) return read
  const kept = new BoundedMap<string, { readonly changes: number; readonly row: sql.SealedConnectorRow }>(mostRows)
  return async (view, id) => {
    if (view.connectorIds !== null) return read(view, id)
    const name = [view.organizationId, id, ...(view.workspaceIds ?? ['all'])].join(' ')
    const changes = countChanges()
    const known = kept.get(name)
    if (known?.changes === changes) return known.row
    const row = await read(view, id)
    if (row !== undefined) kept.set(name, { changes, row })
    return row
  }
}

/** Builds the methods that executions use. */
export function createAccess(parts: Parts): Pick<Connectors, 'trial' | 'readAccess' | 'readKind' | 'markAuthError' | 'markHealthy'> {
  const { db } = parts.database
  const read = keepRows(parts.database, sql.connectionQuery(db))
  const isExisting = existenceQuery(db)
  const createSource = createCredentialSources(parts, read)
  const createNotice = createNotices(parts)
  const sources = new WeakMap<ConnectorAccess, StoredCredentials>()
  /** Accesses of long runs whose success is stored. */
  const healthy = new WeakSet<ConnectorAccess>()
  const readActive = async (view: PrincipalView, given: string): Promise<sql.SealedConnectorRow> => {
    const id = asId(given)
    const row = id === undefined ? undefined : await read(view, id)
    if (row === undefined) throw (await isExisting(view.organizationId)) ? fail('connector_not_found', {}) : refuseDeleted()
    if (row.workspace_status === 'inactive') throw failInactive({ id: row.workspace_id, name: row.workspace_name })
    return row
  }
  return {
    trial: async (principal, body) => {
      requireScope(principal, 'connectors:write')
      const { kind, configuration, credentials, sandbox } = readDraft(
        await parts.kinds.of(principal.organizationId, listKindNames(body)),
        body,
        parts.settings.sandbox,
      ).draft()
      return buildConnection(parts, { kind, sandbox }, { configuration, credentials: toUnstoredSource(credentials) })
    },
    readKind: async (view, id) => parts.kinds.get(await readActive(view, id)),
    readAccess: async (view, id) => {
      const row = await readActive(view, id)
      const source = createSource(row)
      const access = await buildAccess(parts, row, { source, notice: createNotice(row) })
      sources.set(access, source)
      return access
    },
    markAuthError: async (access, reason) => {
      healthy.delete(access)
      const version = sources.get(access)?.current()
      if (version !== undefined) await storeRefusal(parts, version, buildAuthErrorReason(reason, version.id))
    },
    markHealthy: async (access) => {
      if ((access.status !== 'auth_error' && !access.unchecked) || healthy.has(access)) return
      const version = sources.get(access)?.current()
      if (version === undefined) return
      const change = await storeSuccess(parts, version)
      healthy.add(access)
      if (change === 'nothing') return
      await unparkRuns(db, { organizationId: version.organizationId, connectorId: version.id })
      parts.events.emit('queued')
    },
  }
}

/** Stores that the vendor refused credentials, and the event of the first refusal. */
async function storeRefusal({ database, source, events }: Parts, version: sql.CredentialsVersion, reason: string): Promise<void> {
  const isNew = await database.transaction(async (db) => {
    if (!(await sql.setAuthError(db, version, reason))) return false
    await storeConnectorEvent(db, source, 'connector.auth_failed', version)
    return true
  })
  if (isNew) events.emit('queued')
}

/** Stores that the vendor accepted credentials, and the event if it had refused them. */
const storeSuccess = ({ database, source }: Parts, version: sql.CredentialsVersion) =>
  database.transaction(async (db) => {
    const change = await sql.setHealthy(db, version)
    if (change === 'recovered') await storeConnectorEvent(db, source, 'connector.auth_recovered', version)
    return change
  })

async function buildAccess(
  parts: Parts,
  row: sql.SealedConnectorRow,
  { source, notice }: { readonly source: StoredCredentials } & Pick<Required<Connection>, 'notice'>,
): Promise<ConnectorAccess> {
  const ref = toConnectorRef(row)
  const proof = createProof(parts, row, () => source.current())
  const own = {
    configuration: JSON.parse(row.configuration),
    credentials: source,
    notice,
    proof,
    writes: createWriteClaims(parts, ref),
    cursorKey: createHmac('sha256', parts.masterKeys.current().proofs).update(`cursors ${ref.connectorId}`).digest(),
  }
  const kind = await parts.kinds.get(row)
  return {
    ref,
    status: row.status,
    unchecked: Boolean(row.unchecked),
    own: kind.own,
    connection: await buildConnection(parts, { kind, sandbox: Boolean(row.sandbox) }, own),
  }
}

/** Builds a connection to the vendor, its stand-in, or the origin of the settings. Waits for a sandbox that is starting. */
export async function buildConnection(
  parts: Pick<Parts, 'settings' | 'sandboxOrigins'>,
  { kind, sandbox }: { readonly kind: Kind; readonly sandbox: boolean },
  own: Pick<Connection, 'configuration' | 'credentials' | 'notice' | 'proof' | 'writes' | 'cursorKey'>,
): Promise<Connection> {
  const { kind: name, foreign: isForeign } = kind.definition
  // The operator's addresses are for kinds that the operator knows.
  const origin = sandbox ? await readSandboxOrigin(parts, kind) : isForeign ? undefined : parts.settings.origins[name]
  return { kind, ...own, origin }
}

/** Returns the origin of the stand-in. A sandbox connector never reaches the vendor, even while the sandbox is off. */
async function readSandboxOrigin({ sandboxOrigins }: Pick<Parts, 'sandboxOrigins'>, kind: Kind): Promise<OriginOverride> {
  const origin = (await sandboxOrigins(kind))?.[kind.definition.kind]
  if (origin === undefined) throw fail('unavailable', { reason: 'the sandbox that this connector belongs to is not running' })
  return origin
}

/** Wraps credentials that are not stored. A renewal would spend a single-use token and lose its successor. */
export const toUnstoredSource = (values: Awaited<ReturnType<CredentialSource['open']>>['values']): CredentialSource => ({
  open: async () => ({ values, version: '0' }),
  renew: async () => {
    throw fail('validation_failed', { reason: 'a check before the creation renews no tokens; create the connector, then check it' })
  },
})

/** Maximum number of notices per connector. */
const keptNotices = 20
/** Maximum number of connectors in the cache; notices of others are read from their row. */
const keptConnectors = 10_000

const sentences: { readonly [T in VendorNotice['type']]: (notice: Extract<VendorNotice, { type: T }>) => string } = {
  api_version: ({ asked, answered }) => `Version ${asked} of the vendor's API was asked for, and ${answered} answered.`,
  deprecated: ({ entity, reason }) => `The vendor calls what ${entity} uses deprecated: ${reason}`,
}

/** Appends a notice; a notice about the API version replaces the earlier one. */
const addNotice = (kept: readonly ConnectorNotice[], notice: ConnectorNotice): ConnectorNotice[] =>
  [...kept.filter(({ type }) => type !== 'api_version' || notice.type !== 'api_version'), notice].slice(-keptNotices)

/**
 * Builds the function that takes the notices of a connector. A known notice costs one lookup in memory. A change of the configuration
 * deletes the notices, so the cache key contains the configuration.
 */
function createNotices(parts: Parts): (row: sql.SealedConnectorRow) => (notice: VendorNotice) => void {
  const remembered = new BoundedMap<string, readonly ConnectorNotice[]>(keptConnectors)
  return (row) => (notice) => {
    const key = `${row.id} ${row.updated_at} ${row.configuration}`
    const kept = remembered.get(key) ?? (JSON.parse(row.notices) as readonly ConnectorNotice[]) // JSON that this service wrote
    const message = notice.type === 'api_version' ? sentences.api_version(notice) : sentences.deprecated(notice)
    remembered.set(key, kept)
    if (kept.some((known) => known.message === message)) return
    const added = { type: notice.type, message, since: new Date(parts.source.clock()).toISOString() }
    const next = addNotice(kept, added)
    remembered.set(key, next)
    parts.onNotice({ connectorId: row.id, ...added })
    sql.setNotices(parts.database.db, row, JSON.stringify(next)).catch(parts.onBackgroundError)
  }
}

interface StoredCredentials extends CredentialSource {
  /** Returns the version in use, or the stored version before the first use. */
  current(): sql.CredentialsVersion
}

type RenewalExchange = Parameters<CredentialSource['renew']>[1]

/** Shared state of the sources of one process. */
interface SourceParts {
  readonly parts: Parts
  readonly read: sql.ConnectionQuery
  /** Identifies this process in leases. */
  readonly owner: string
  /** Renewals in progress in this process, by connector. */
  readonly flights: Map<string, Promise<sql.SealedConnectorRow>>
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
const buildAuthErrorReason = (reason: string, connectorId: string): string =>
  `${reason.slice(0, 1_000)} Replace the credentials with PATCH /api/v1/integrations/connectors/${connectorId}.`

/** Returns a function that builds sources; all sources of a process share its renewals. */
function createCredentialSources(parts: Parts, read: sql.ConnectionQuery): (row: sql.SealedConnectorRow) => StoredCredentials {
  const sources: SourceParts = { parts, read, owner: newId(parts.source), flights: new Map() }
  return (row) => createSource(sources, row)
}

const toVersion = (row: sql.SealedConnectorRow): sql.CredentialsVersion => ({
  organizationId: row.organization_id,
  id: row.id,
  version: row.version,
})

function createSource(sources: SourceParts, loaded: sql.SealedConnectorRow): StoredCredentials {
  const { steady } = sources.parts
  let row = loaded
  let readAt = steady()
  const keep = async (found: sql.SealedConnectorRow): Promise<OpenedCredentials> => {
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

async function reread(
  { read }: SourceParts,
  { organization_id: organizationId, id }: sql.SealedConnectorRow,
): Promise<sql.SealedConnectorRow> {
  const found = await read(viewOrganization(organizationId), id)
  if (found === undefined) throw fail('connector_not_found', {})
  return found
}

/** Opens a row. Reads the row again when a rotation has replaced its data key. */
async function openRow(
  sources: SourceParts,
  row: sql.SealedConnectorRow,
): Promise<{ row: sql.SealedConnectorRow; values: Secret<CredentialValues> }> {
  const first = await openSeal(sources, row)
  if (first !== undefined) return { row, values: first }
  const again = await reread(sources, row)
  const values = await openSeal(sources, again)
  if (values === undefined) throw fail('credentials_unreadable', { reason: 'the data key of the workspace is missing' })
  return { row: again, values }
}

const openSeal = ({ parts }: SourceParts, row: sql.SealedConnectorRow) => openCredentials(parts, parts.database.db, row)

interface Renewal {
  readonly stale: string
  readonly exchange: RenewalExchange
}

/** Joins the renewal in progress in this process, or starts one. */
async function joinRenewal(sources: SourceParts, row: sql.SealedConnectorRow, renewal: Renewal): Promise<sql.SealedConnectorRow> {
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

async function renew(sources: SourceParts, loaded: sql.SealedConnectorRow, renewal: Renewal): Promise<sql.SealedConnectorRow> {
  const { parts, owner } = sources
  let waited = 0
  for (let delay = shortestDelayMs; ; delay = Math.min(delay * 2, longestDelayMs)) {
    const row = await reread(sources, loaded)
    if (String(row.version) !== renewal.stale) return row
    const now = parts.source.clock()
    if (await sql.takeLease(parts.database.db, toVersion(row), { owner, now, until: now + leaseMs }))
      return parts.unfinished.add(exchangeAndStore(sources, row, renewal))
    if (waited >= longestWaitMs)
      throw fail('overloaded', { reason: 'the credentials of this connector are being renewed elsewhere' }, { retryAfterMs: 10_000 })
    await parts.sleep(delay)
    waited += delay
  }
}

async function exchangeAndStore(sources: SourceParts, row: sql.SealedConnectorRow, { exchange }: Renewal): Promise<sql.SealedConnectorRow> {
  let next: Secret<CredentialValues>
  try {
    next = await exchange((await openRow(sources, row)).values)
  } catch (error) {
    return handleFailure(sources, row, error)
  }
  return store(sources, row, next)
}

/** Handles a failed renewal. @returns the credentials that another process stored meanwhile. @throws the given error otherwise */
async function handleFailure(sources: SourceParts, row: sql.SealedConnectorRow, error: unknown): Promise<sql.SealedConnectorRow> {
  const { database, source } = sources.parts
  const { code, message } = asFerruleError(error)
  const refuse = () =>
    database.transaction(async (db) => {
      if (!(await sql.setRenewalRefused(db, toVersion(row), buildAuthErrorReason(message, row.id)))) return false
      if (row.status !== 'auth_error') await storeConnectorEvent(db, source, 'connector.auth_failed', toVersion(row))
      return true
    })
  // A failed write must not hide the error; the lease expires.
  if (errorConsequences[code].credentials !== 'refused')
    await sql.dropLease(database.db, toVersion(row), sources.owner).catch(() => undefined)
  else if (!(await refuse().catch(() => true))) return reread(sources, row)
  throw error
}

function store(sources: SourceParts, row: sql.SealedConnectorRow, next: Secret<CredentialValues>): Promise<sql.SealedConnectorRow> {
  const work = async () => {
    await storeOnce(sources, row, next)
    return reread(sources, row)
  }
  const isFinal = (error: unknown) => asFerruleError(error).code === 'connector_not_found'
  return tryAgain(work, { pausesMs, sleep: sources.parts.sleep, isFinal })
}

/** Stores new tokens unless the version changed: by an earlier try with a lost answer, or by the user. */
const storeOnce = (
  { parts: { database, vault, source } }: SourceParts,
  row: sql.SealedConnectorRow,
  next: Secret<CredentialValues>,
): Promise<boolean> =>
  database.transaction(async (db) => {
    const workspace = await holdWorkspace(db, viewOrganization(row.organization_id), row.workspace_id)
    if (workspace === undefined) throw fail('connector_not_found', {})
    const dataKeyId = workspace.data_key_id
    const { sealed, fields } = await vault.seal(db, { ...toConnectorRef(row), dataKeyId }, cutOAuthClient(row, next))
    const isStored = await sql.replaceCredentials(db, toVersion(row), { sealed, fields, dataKeyId })
    if (isStored && row.status === 'auth_error') await storeConnectorEvent(db, source, 'connector.auth_recovered', toVersion(row))
    return isStored
  })

/**
 * Builds the proof of one access. Writes on change only: for new credentials, and after a refusal.
 * @param current version of the credentials in use
 */
function createProof(parts: Parts, row: sql.SealedConnectorRow, current: () => sql.CredentialsVersion): KeptProof {
  let stored = row.proof
  const digest = (...[budget, values]: Parameters<KeptProof['holds']>) => computeProof(parts.masterKeys.current(), budget, values)
  const store = (proof: string | null): void => {
    stored = proof
    void parts.unfinished.add(sql.setProof(parts.database.db, current(), proof).catch(parts.onBackgroundError))
  }
  return {
    holds: (budget, values) => stored !== null && stored === digest(budget, values),
    keep: (budget, values, taken) => {
      if (!taken && stored === null) return
      const proof = digest(budget, values)
      if (taken !== (stored === proof)) store(taken ? proof : null)
    },
  }
}

/** Services that hear of calls. */
export interface CallServices {
  readonly connectors: Pick<Connectors, 'markAuthError' | 'markHealthy'>
  /** Called after every call that reached a connector. Must not throw. */
  readonly onCall?: ((report: CallReport) => void) | undefined
  /** Counts the same calls for each connector. */
  readonly usage?: Pick<Usage, 'count'> | undefined
  /** Called with errors beside a call, such as a status that could not be stored. Must not throw. */
  readonly onBackgroundError?: ((error: unknown) => void) | undefined
}

/** A call on a stored connector. */
export interface StoredCall {
  readonly access: ConnectorAccess
  readonly call: Pick<Call, 'entity' | 'action' | 'signal'>
}

/** Runs work in the span of a call, and reports it. */
export async function runReported<T>(
  { onCall, usage }: Pick<CallServices, 'onCall' | 'usage'>,
  { access: { ref, connection }, call: { entity, action, signal } }: StoredCall,
  run: () => Promise<T>,
): Promise<T> {
  const begun = clocks.steady()
  const named = nameOperation(connection.kind.definition, entity, action)
  const report = (code: CallCode): void => {
    onCall?.({ ...named, code })
    usage?.count(ref, code, clocks.steady() - begun)
  }
  try {
    const result = await inSpan(() => describeExecute(labelKind(named), { connectorId: ref.connectorId, signal }), run)
    report('ok')
    return result
  } catch (thrown) {
    report(signal?.aborted ? 'aborted' : asFerruleError(thrown).code)
    throw thrown
  }
}

/** Runs work as `runReported` and updates the status of the connector: refused credentials set `auth_error`, success clears it. */
export async function runMarked<T>(services: CallServices, stored: StoredCall, run: () => Promise<T>): Promise<T> {
  const { connectors } = services
  const failed = (error: unknown): void => services.onBackgroundError?.(error)
  try {
    const result = await runReported(services, stored, run)
    await connectors.markHealthy(stored.access).catch(failed)
    return result
  } catch (thrown) {
    const { code, message } = asFerruleError(thrown)
    if (errorConsequences[code].credentials === 'refused') await connectors.markAuthError(stored.access, message).catch(failed)
    throw thrown
  }
}
