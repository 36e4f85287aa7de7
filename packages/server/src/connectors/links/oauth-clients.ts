import type { Kind } from 'ferrule/definition'
import { type CredentialValues, findConsent, Secret } from 'ferrule/engine'
import { compileFields, fail, failValidation, readSlug } from 'ferrule/internal'
import { type OAuthCredentialsRecord, oauthCredentialsInput, oauthCredentialsRemovalQuery } from 'ferrule/wire'
import type { Db } from '../../db/database.ts'
import { findOAuthClientSource, insertSource, updateSource } from '../../events/sql/vendor-events.ts'
import type { Parts } from '../../main/parts.ts'
import { requireLiveClient } from '../../tenancy/applications/live-client.ts'
import { type Principal, requireWholeScope } from '../../values/access.ts'
import { iso, newId, newSecret } from '../../values/ids.ts'
import { failField, problem, readBody, readQuery } from '../../values/read.ts'
import type { Catalogue, ServedKind } from '../connector-types.ts'
import * as sql from '../sql/oauth-clients.ts'
import { buildCallbackUrl, buildSourceUrl } from './addresses.ts'
import type { OAuthClients } from './connect-types.ts'

/** Word of existing clients that names no kind: they add the id of the definition. */
const anySource = 'source'

/** Finds the kind of a body. @throws FerruleError `validation_failed`, `connector_type_not_found` */
function readKind(catalogue: Catalogue, given: readonly (string | undefined)[]): ServedKind {
  const [first, second] = given.filter((each) => each !== undefined && each !== anySource)
  if (first === undefined) throw failField('/connector_type', 'is required, or connector_definition_id instead', 'required')
  const kind = catalogue.getKind(first)
  if (second !== undefined && catalogue.getKind(second) !== kind)
    throw failField('/connector_type', 'names another kind than connector_definition_id', 'conflict')
  return kind
}

/** Reads the fields of an OAuth client: all of them, and no others. @throws FerruleError `validation_failed` */
function readOAuthClient({ definition }: Kind, given: Readonly<Record<string, unknown>>): Secret<CredentialValues> {
  const consent = findConsent(definition)
  if (consent === undefined) throw failField('/connector_type', `names a kind without a consent page: ${definition.title}`, 'consent')
  const known = definition.credentials[consent.name]?.fields ?? {}
  const fields = Object.fromEntries(consent.oauthClientFields.flatMap((name) => (known[name] === undefined ? [] : [[name, known[name]]])))
  const missing = consent.oauthClientFields.filter((name) => given[name] === undefined || given[name] === '')
  const problems = [
    ...missing.map((name) => problem(`/configuration/${name}`, 'is required', 'required')),
    ...compileFields(fields, definition.foreign)
      .problems(given, '/configuration')
      .filter(({ field }) => !missing.includes(field.split('/')[2] ?? '')),
  ]
  if (problems.length > 0) throw failValidation(problems)
  return new Secret(Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)])))
}

interface GivenOAuthClient {
  readonly kind: ServedKind
  readonly values: Secret<CredentialValues>
  /** Secret of webhooks beside the fields; null deletes it, undefined leaves it. */
  readonly webhookSecret: string | null | undefined
}

/** Makes the address that the vendor sends webhooks of all accounts to, and sets its secret. */
async function saveSource(parts: Parts, db: Db, { id, organization_id }: sql.OAuthClientRow, { kind, webhookSecret }: GivenOAuthClient) {
  const { webhooks } = kind.definition
  if (webhooks === undefined) {
    if (typeof webhookSecret !== 'string') return
    throw failField('/webhook_secret', `belongs to a kind with webhooks: ${kind.definition.title} has none`, 'webhooks')
  }
  const now = parts.source.clock()
  const owner = { organization_id, connector_id: null, oauth_client_id: id }
  await insertSource(db, { id: newSecret(parts.source.randomBytes), ...owner, created_at: now })
  const source = await findOAuthClientSource(db, organization_id, id)
  if (source === undefined || webhookSecret === undefined) return
  const ref = { organizationId: organization_id, sourceId: source.id, part: 'secret' } as const
  const sealed = webhookSecret === null ? null : parts.masterSeals.seal(ref, new Secret({ [webhooks.signature.secret]: webhookSecret }))
  const columns = { sealed: sealed?.sealed ?? null, master_key_id: sealed?.masterKeyId ?? null }
  await updateSource(db, source, { ...columns, last_refused_at: null, updated_at: now })
}

/** Stores an OAuth client under the id of an earlier one. @returns the row that is stored */
async function save(parts: Parts, principal: Principal, given: GivenOAuthClient) {
  const { kind, values } = given
  const ref = { organizationId: principal.organizationId, kind: kind.definition.kind }
  return parts.database.transaction(async (db) => {
    await requireLiveClient(db, principal)
    const earlier = await sql.holdOAuthClient(db, ref)
    const now = parts.source.clock()
    const { masterKeyId, sealed } = parts.masterSeals.seal(ref, values)
    const row: sql.OAuthClientRow = {
      id: earlier?.id ?? newId(parts.source),
      organization_id: ref.organizationId,
      kind: ref.kind,
      fields: JSON.stringify(findConsent(kind.definition)?.oauthClientFields ?? []),
      hosts: kind.own === undefined ? null : JSON.stringify(kind.own.hosts),
      sealed,
      master_key_id: masterKeyId,
      created_at: earlier?.created_at ?? now,
      updated_at: now,
    }
    await sql.saveOAuthClient(db, row)
    const stored = (await sql.findOAuthClient(db, ref)) ?? row // another request may have stored the first one
    await saveSource(parts, db, stored, given)
    return { ...stored, connectors: await sql.countConnectorsOf(db, stored) }
  })
}

/** Builds the address that the vendor sends webhooks to. */
async function findWebhookUrl({ database, settings }: Parts, { organization_id, id }: sql.OAuthClientRow): Promise<string | null> {
  const source = await findOAuthClientSource(database.db, organization_id, id)
  return source === undefined ? null : (buildSourceUrl(settings, 'apps', source.id) ?? null)
}

const toRecord = async (parts: Parts, row: sql.OAuthClientRow & { readonly connectors: unknown }): Promise<OAuthCredentialsRecord> => ({
  id: row.id,
  scope_type: 'organization',
  scope_id: row.organization_id,
  connector_type: readSlug(row.kind),
  connector_definition_id: (await parts.kinds.get(row)).definition.id,
  configuration_fields: JSON.parse(row.fields), // JSON that this service wrote
  connectors: Number(row.connectors),
  redirect_uri: buildCallbackUrl(parts.settings, row.kind),
  webhook_uri: await findWebhookUrl(parts, row),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
})

/** Builds the service. */
export const createOAuthClients = (parts: Parts): OAuthClients => ({
  save: async (principal, given) => {
    requireWholeScope(principal, 'connectors:write')
    const body = readBody(oauthCredentialsInput, given)
    const names = [body.connector_type, body.connector_definition_id]
    const kind = readKind(await parts.kinds.of(principal.organizationId, names), names)
    buildCallbackUrl(parts.settings, kind.definition.kind) // refuses a service without an address before anything is stored
    const oauthClient = { kind, values: readOAuthClient(kind, body.configuration), webhookSecret: body.webhook_secret }
    return toRecord(parts, await save(parts, principal, oauthClient))
  },
  list: async (principal) => {
    requireWholeScope(principal, 'connectors:read')
    const rows = await sql.listOAuthClients(parts.database.db, principal.organizationId)
    return { data: await Promise.all(rows.map((row) => toRecord(parts, row))) }
  },
  remove: async (principal, given, query) => {
    requireWholeScope(principal, 'connectors:write')
    const { force } = readQuery(oauthCredentialsRemovalQuery, query)
    const { definition } = (await parts.kinds.of(principal.organizationId, [given])).getKind(given)
    return parts.database.transaction(async (db) => {
      const row = await sql.holdOAuthClient(db, { organizationId: principal.organizationId, kind: definition.kind })
      if (row === undefined) throw fail('oauth_credentials_not_found', { vendor: definition.title })
      const connectors = await sql.countConnectorsOf(db, row)
      if (connectors > 0 && force !== 'true')
        throw fail('oauth_credentials_in_use', { vendor: definition.title, connectors: String(connectors) })
      await sql.deleteOAuthClient(db, row)
      return { id: row.id, connectors }
    })
  },
})
