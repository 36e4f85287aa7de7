/** Changes and deletes connectors, and replaces their credentials in full or in part. */
import type { ConnectorDefinition } from 'ferrule/definition'
import {
  type CheckedCredentials,
  type CredentialValues,
  checkConfiguration,
  checkCredentials,
  findWholeHost,
  keepsAccount,
  Secret,
} from 'ferrule/engine'
import { asFerruleError, fail, isOptional } from 'ferrule/internal'
import { type ConnectorRecord, connectorPatch, connectorUpdate, type EntitySelection } from 'ferrule/wire'
import { endSyncs, followChange } from '../copies/queue/queue.ts'
import { type Db, isUniqueViolation } from '../db/database.ts'
import { storeConnectorEvent } from '../events/sql/events.ts'
import type { Parts, Seals } from '../main/parts.ts'
import { holdWorkspace, insertJob } from '../tenancy/sql/organizations.ts'
import { omitFields } from '../tenancy/vault/master-seals.ts'
import { type RequestedId, requireScope, toConnectorRef, viewOrganization } from '../values/access.ts'
import { asId, canonicalJson, digestParts, nameOwnVersion, newId } from '../values/ids.ts'
import { failField, readBody } from '../values/read.ts'
import { buildConnection } from './access.ts'
import { type Connectors, type ServedKind, summarize } from './connector-types.ts'
import { keepRevocation } from './consent-end.ts'
import {
  checkIdempotencyKey,
  cutOrigin,
  findKeptOrigin,
  openCredentials,
  type StoringTrial,
  type Trial,
  type TrialKey,
  type TriedCredentials,
  tryCredentials,
} from './credential-trial.ts'
import { checkEntities, omitNulls, toConnectorRecord } from './draft.ts'
import { keepKind, nameKindOfRow } from './kinds.ts'
import { toGivenCredentials } from './links/consent-secrets.ts'
import * as sql from './sql/connectors.ts'
import { holdConsent } from './sql/revocations.ts'

/** Validated members of an update or patch. */
export interface Change {
  readonly name?: string
  readonly entities?: readonly EntitySelection[]
  readonly changes_days?: number | null
  /** Computes the whole new configuration from the stored one. */
  readonly configuration?: (stored: Readonly<Record<string, unknown>>) => Record<string, unknown>
  readonly credentials?: NewCredentials
  /** Version of an organization's kind that the connector moves to. */
  readonly kind_version?: number
}

/** New credentials with their trial: neither exists without the other. */
export interface NewCredentials extends Pick<Trial, 'isChecked' | 'trial'> {
  readonly given: Record<string, unknown>
}

/** Builds the methods that change connectors. */
export const createChanges = (parts: Parts): Pick<Connectors, 'update' | 'patch' | 'remove'> => ({
  update: async (principal, id, body) => {
    requireScope(principal, 'connectors:write')
    const { replication_config: config, ...rest } = readBody(connectorUpdate, body)
    return changeConnector(
      parts,
      { principal, id },
      { ...rest, ...(config === undefined ? {} : { configuration: () => omitNulls(config) }) },
    )
  },
  patch: async (principal, id, body, trial = {}) => {
    requireScope(principal, 'connectors:write')
    const { replication_config: config, credentials: given, check, ...rest } = readBody(connectorPatch, body)
    const merged = (stored: Readonly<Record<string, unknown>>) => omitNulls({ ...stored, ...config })
    const credentials = given === undefined ? {} : { credentials: { given, trial, isChecked: check !== false } }
    const wanted = { ...rest, ...credentials, ...(config === undefined ? {} : { configuration: merged }) }
    return parts.unfinished.add(changeConnector(parts, { principal, id }, wanted))
  },
  remove: async (principal, id) => {
    requireScope(principal, 'connectors:write')
    const now = parts.source.clock()
    const job = { id: newId(parts.source), type: 'connector_delete', status: 'succeeded', created_at: now, finished_at: now } as const
    await parts.database.transaction(async (db) => {
      const sharing = await holdConsent(db, principal.organizationId, asId(id))
      const row = await holdRequested(db, { principal, id })
      if (sharing.length === 1) await keepRevocation(parts, db, row)
      await endSyncs(parts, db, row)
      await storeConnectorEvent(db, parts.source, 'connector.deleted', { organizationId: row.organization_id, id: row.id })
      await sql.deleteConnector(db, row)
      await insertJob(db, { ...job, organization_id: row.organization_id, workspace_id: row.workspace_id, connector_id: row.id })
    })
    parts.events.emit('queued')
    return { job_id: job.id }
  },
})

interface KindMove {
  readonly before: ServedKind
  readonly after: ServedKind
  /** True: requests would go to hosts that the stored credentials were not entered for. */
  readonly isElsewhere: boolean
}

/** Finds the kinds before and after a change. @throws FerruleError `validation_failed` for a version that there is not */
async function findMove({ kinds }: Pick<Parts, 'kinds'>, row: sql.ConnectorRow, wanted: Change, db?: Db): Promise<KindMove> {
  const before = await kinds.get(row, db)
  const after = wanted.kind_version === undefined ? before : await findVersion(kinds, before, { row, version: wanted.kind_version, db })
  const known = new Set(before.own?.hosts)
  const foreign = [...(after.own?.hosts.filter((host) => !known.has(host)) ?? []), ...listMovedHosts(after, row, wanted)]
  if (foreign.length > 0 && wanted.credentials === undefined) {
    const message = `are required: requests would go to ${foreign.join(', ')}, for which the stored ones were not entered`
    throw failField('/credentials', message, 'required')
  }
  return { before, after, isElsewhere: foreign.length > 0 }
}

async function findVersion(
  kinds: Parts['kinds'],
  before: ServedKind,
  { row, version, db }: { readonly row: sql.ConnectorRow; readonly version: number; readonly db: Db | undefined },
): Promise<ServedKind> {
  const name = before.own === undefined ? undefined : nameOwnVersion(summarize(before).kind, version)
  const after = name === undefined ? undefined : await kinds.find({ ...row, kind: name }, db)
  if (after !== undefined) return after
  const message =
    name === undefined ? 'is for kinds of the organization only' : 'is no version of the kind; see GET /api/v1/kinds/{slug}/versions'
  throw failField('/kind_version', message, 'kind_version')
}

/** Lists the host that a changed configuration leads to, where the account names its own host. */
function listMovedHosts({ definition }: ServedKind, row: sql.ConnectorRow, { configuration }: Change): readonly string[] {
  const name = findWholeHost(definition)
  if (name === undefined || configuration === undefined) return []
  const stored: Readonly<Record<string, unknown>> = JSON.parse(row.configuration)
  const next = checkConfiguration(definition, configuration(stored))[name]
  return next === stored[name] ? [] : [String(next)]
}

const holdRequested = (db: Db, { principal, id }: RequestedId) => sql.requireConnector(db, principal, id, sql.holdConnector)

/** Changes a connector. Tries new credentials first. @throws FerruleError as `Connectors.patch` */
export async function changeConnector(parts: Parts, requested: RequestedId, wanted: Change): Promise<ConnectorRecord> {
  try {
    const tried = await tryChange(parts, requested, wanted)
    const changed = await parts.database.transaction(async (db) => {
      const before = await holdRequested(db, requested)
      const move = await findMove(parts, before, wanted, db)
      await keepKind(db, move.after)
      await sql.updateConnector(db, before, {
        ...buildPlainChange(move, before, wanted),
        ...(wanted.credentials === undefined || tried === undefined
          ? {}
          : await buildCredentialsChange(parts, db, { row: before, move, next: wanted.credentials, tried })),
        updated_at: parts.source.clock(),
      })
      const row = await sql.requireConnector(db, requested.principal, before.id, sql.findConnector)
      await storeChange(parts, db, before, wanted)
      await followChange(parts, db, { before, after: row, hasNewCredentials: wanted.credentials !== undefined })
      await wanted.credentials?.trial.complete?.(db, row.id)
      return toConnectorRecord(row, move.after)
    })
    parts.events.emit('queued')
    return changed
  } catch (error) {
    if (isUniqueViolation(error)) throw fail('connector_name_conflict', { name: wanted.name ?? '' })
    throw error
  }
}

async function storeChange(
  { source }: Parts,
  db: Db,
  { id, organization_id, status }: sql.ConnectorRow,
  { credentials }: Change,
): Promise<void> {
  const ref = { organizationId: organization_id, id }
  await storeConnectorEvent(db, source, 'connector.updated', ref)
  if (credentials !== undefined && status === 'auth_error') await storeConnectorEvent(db, source, 'connector.auth_recovered', ref)
}

/** Refuses a version that stored credentials or entities do not fit. @throws FerruleError `validation_failed`, `credentials_mismatch` */
function requireFitting(kind: ServedKind, row: sql.SealedConnectorRow, { credentials, entities }: Change): void {
  if (credentials === undefined && !Object.hasOwn(kind.definition.credentials, row.scheme)) {
    const message = `are required: the version has no scheme ${row.scheme}`
    throw failField('/credentials', message, 'required')
  }
  if (entities === undefined) checkEntities(kind, JSON.parse(row.entities))
}

function buildPlainChange({ before, after: kind }: KindMove, row: sql.SealedConnectorRow, wanted: Change): sql.ConnectorChange {
  const { name, entities, changes_days, configuration } = wanted
  const isMoved = kind !== before
  const stored: Readonly<Record<string, unknown>> = JSON.parse(row.configuration)
  const next =
    configuration === undefined && !isMoved ? undefined : checkConfiguration(kind.definition, configuration?.(stored) ?? { ...stored })
  if (isMoved) requireFitting(kind, row, wanted)
  return {
    ...(kind === before ? {} : { kind: nameKindOfRow(kind) }),
    ...(name === undefined ? {} : { name }),
    ...(changes_days === undefined ? {} : { changes_days }),
    ...(entities === undefined ? {} : { entities: JSON.stringify(checkEntities(kind, entities)) }),
    ...(next === undefined ? {} : buildConfigurationChange(row, JSON.stringify(next), keepsAccount(kind.definition, stored, next))),
  }
}

/** Clears the notices with a new configuration, because they belong to calls under the old one; the account where it can be another. */
function buildConfigurationChange(row: sql.SealedConnectorRow, configuration: string, isSameAccount: boolean): sql.ConnectorChange {
  if (configuration === row.configuration) return {}
  return { configuration, notices: '[]', ...(isSameAccount ? {} : { account: null }) }
}

interface Tried extends TriedCredentials {
  readonly key: TrialKey
}

/** Tries new credentials before the row is locked, because a vendor can be slow. */
async function tryChange(parts: Parts, requested: RequestedId, wanted: Change): Promise<Tried | undefined> {
  const { credentials, configuration } = wanted
  if (credentials === undefined) return undefined
  const { given, trial, isChecked } = credentials
  const row = await holdRequested(parts.database.db, requested)
  const { after: kind, isElsewhere } = await findMove(parts, row, wanted)
  const stored: Readonly<Record<string, unknown>> = JSON.parse(row.configuration)
  const used =
    configuration === undefined && wanted.kind_version === undefined
      ? stored
      : checkConfiguration(kind.definition, configuration?.(stored) ?? { ...stored })
  const own = { scheme: row.scheme, values: isElsewhere ? undefined : await tryOpen(parts, parts.database.db, { row, trial }) }
  const { values } = mergeCredentials(kind.definition, own, given)
  const text = canonicalJson(given)
  const idempotencyKey = checkIdempotencyKey(trial.idempotencyKey)
  const fingerprint = digestParts('change', row.organization_id, row.id, idempotencyKey ?? '', text)
  const key = { organization_id: row.organization_id, key_digest: fingerprint, fingerprint }
  const tried = await tryCredentials(parts, {
    key,
    given: new Secret({ given: text }),
    credentials: new Secret(values),
    connection: (credentials) => buildConnection(parts, { kind, sandbox: Boolean(row.sandbox) }, { configuration: used, credentials }),
    trial,
    isChecked,
  })
  return { key, ...tried }
}

/** Builds the change of the credentials, which clears `auth_error` and cancels a renewal in progress. */
async function buildCredentialsChange(
  parts: Seals,
  db: Db,
  { row, move, next: { given, trial }, tried }: { row: sql.SealedConnectorRow; move: KindMove; next: NewCredentials; tried: Tried },
): Promise<sql.ConnectorChange> {
  const { vault } = parts
  const ref = toConnectorRef(row)
  const stored = { scheme: row.scheme, values: move.isElsewhere ? undefined : await tryOpen(parts, db, { row, trial }) }
  const { definition } = move.after
  const { scheme, values } = mergeCredentials(definition, stored, given)
  await sql.deleteCreation(db, tried.key)
  const workspace = await holdWorkspace(db, viewOrganization(row.organization_id), row.workspace_id)
  if (workspace === undefined) throw fail('connector_not_found', {})
  const next = tried.renewed ?? new Secret(values)
  const consent = trial.consent ?? findKeptOrigin(parts, row, next)
  const origin = { ...ref, kind: definition.title, consent, account: tried.account }
  const cut = await cutOrigin(db, origin, next)
  const { sealed, fields } = await vault.seal(db, { ...ref, dataKeyId: workspace.data_key_id }, cut.values)
  return {
    ...cut.columns,
    scheme,
    sealed,
    data_key_id: workspace.data_key_id,
    credential_fields: JSON.stringify(fields),
    version: row.version + 1,
    proof: null,
    unchecked: !tried.isChecked,
    status: 'active',
    status_reason: null,
    lease_owner: null,
    lease_until: null,
  }
}

/** Opens the stored credentials; undefined when they are damaged or to be replaced as a whole: the new ones must then be complete. */
async function tryOpen(parts: Seals, db: Db, { row, trial }: { readonly row: sql.SealedConnectorRow; readonly trial: StoringTrial }) {
  if (trial.isWhole === true) return undefined
  try {
    return await openCredentials(parts, db, row)
  } catch (error) {
    if (asFerruleError(error).code === 'credentials_unreadable') return undefined
    throw error
  }
}

/**
 * Merges fields into stored credentials (RFC 7396: null removes). The fields of a token answer belong together. A new one of them, or a
 * single-use field, removes the other stored ones. Fields of another scheme replace everything.
 */
function mergeCredentials(
  definition: ConnectorDefinition,
  stored: { readonly scheme: string; readonly values: Secret<CredentialValues> | undefined },
  given: Record<string, unknown>,
): CheckedCredentials {
  if (stored.values === undefined) return checkCredentials(definition, given)
  const kept = toGivenCredentials(omitFields(stored.values, listSuperseded(definition, stored.scheme, given)))
  try {
    return checkCredentials(definition, { ...kept, ...given })
  } catch (error) {
    if (asFerruleError(error).code !== 'credentials_mismatch') throw error
    return checkCredentials(definition, given)
  }
}

function listSuperseded(definition: ConnectorDefinition, scheme: string, given: Record<string, unknown>): readonly string[] {
  const { exchange, fields = {} } = definition.credentials[scheme] ?? {}
  if (exchange === undefined) return []
  const { read, expires, code } = exchange
  const answered = [...Object.keys(read), ...(expires === undefined ? [] : [expires.field])]
  if ([...answered, ...(code?.field === undefined ? [] : [code.field])].some((name) => name in given)) return answered
  // Without a code the token follows from the other values: it would hide that a new one of them is wrong.
  return code === undefined ? answered.filter((name) => isOptional(fields, name)) : []
}
