/** Creates, lists and revokes links. */
import type { Problem } from 'ferrule'
import { fail, failValidation } from 'ferrule/internal'
import {
  type ConnectLinkInput,
  type ConnectLinkSecret,
  connectLinkInput,
  connectLinkQuery,
  connectLinkSeconds,
  oauthInitiateInput,
} from 'ferrule/wire'
import type { Db } from '../../db/database.ts'
import type { Parts } from '../../main/parts.ts'
import { requireLiveSecret } from '../../tenancy/applications/live-client.ts'
import { findWorkspace } from '../../tenancy/sql/organizations.ts'
import { ensureWorkspace, everyonesWorkspace } from '../../tenancy/workspaces/workspace-keeper.ts'
import { type Principal, requireScope } from '../../values/access.ts'
import { buildPage, defaultLimit, readPosition } from '../../values/cursor.ts'
import { asId, newId } from '../../values/ids.ts'
import { failField, findWorkspaceName, problem, readBody, readQuery } from '../../values/read.ts'
import { type Catalogue, summarize } from '../connector-types.ts'
import { sayNoStandIn } from '../kinds.ts'
import { findConnector, requireConnector } from '../sql/connectors.ts'
import * as sql from '../sql/links.ts'
import { deleteEndedVisits } from '../sql/visits.ts'
import { type AddressSettings, buildLinkUrl, readAllowedOrigin, readRedirect, requireOwnAddress } from './addresses.ts'
import type { ConnectLinks } from './connect-types.ts'
import { toLinkRecord } from './link-record.ts'
import { readValuesByKind } from './link-values.ts'
import { newDigestedSecret } from './visits.ts'

/** Members that a link for a connector takes from the connector. */
const ofTheConnector = ['workspace_name', 'workspace_id', 'create_workspace', 'kinds', 'name', 'defaults', 'locked', 'sandbox'] as const

function checkMembers(body: ConnectLinkInput, isSandboxOn: boolean): void {
  const problems: Problem[] = []
  if (body.connector_id !== undefined)
    for (const name of ofTheConnector)
      if (body[name] !== undefined) problems.push(problem(`/${name}`, 'cannot be given with connector_id', 'conflict'))
  if (body.connector_id === undefined && body.allow_other_account !== undefined)
    problems.push(problem('/allow_other_account', 'needs connector_id', 'conflict'))
  if (body.workspace_id !== undefined && body.workspace_name !== undefined)
    problems.push(problem('/workspace_id', 'is given by workspace_name too', 'conflict'))
  if (body.sandbox === true && !isSandboxOn)
    problems.push(problem('/sandbox', 'cannot be true: this service runs without the sandbox (FERRULE_SANDBOX)', 'sandbox'))
  if (problems.length > 0) throw failValidation(problems)
}

interface LinkReading {
  readonly settings: AddressSettings & { readonly sandbox: boolean }
  readonly catalogue: Catalogue
}

const readReading = async (
  { settings, kinds }: Pick<Parts, 'settings' | 'kinds'>,
  { organizationId }: Principal,
): Promise<LinkReading> => ({
  settings,
  catalogue: await kinds.of(organizationId),
})

/** Reads the body of a new link. @throws FerruleError `not_offered`, `validation_failed`, `connector_type_not_found` */
function readLinkInput({ settings, catalogue }: LinkReading, given: unknown) {
  requireOwnAddress(settings)
  const body: ConnectLinkInput = readBody(connectLinkInput, given)
  checkMembers(body, settings.sandbox)
  const named = (body.kinds ?? catalogue.list().map(({ connector_type }) => connector_type)).map((each) => catalogue.getKind(each))
  const offered = body.sandbox === true && body.kinds === undefined ? named.filter(catalogue.hasStandIn) : named
  const lacking = body.sandbox === true ? offered.find((kind) => !catalogue.hasStandIn(kind)) : undefined
  if (lacking !== undefined) throw failField('/sandbox', sayNoStandIn(lacking), 'sandbox')
  const kinds = [...new Set(offered.map((kind) => summarize(kind).kind))]
  return {
    body,
    kinds,
    defaults: readValuesByKind({ catalogue, kinds }, body.defaults, 'defaults'),
    locked: readValuesByKind({ catalogue, kinds }, body.locked, 'locked'),
    redirectUrl: readRedirect(settings, body.redirect_url),
    allowedOrigin: readAllowedOrigin(settings, body.allowed_origin),
  }
}

/** Turns the body of an authorization in a browser into that of a link. @throws FerruleError `validation_failed` */
function toLinkInput(catalogue: Catalogue, given: unknown): ConnectLinkInput {
  const body = readBody(oauthInitiateInput, given)
  const named = body.connector_type ?? body.definition_id ?? body.source_template_id
  if (named === undefined) throw failField('/connector_type', 'is required, or definition_id instead', 'required')
  const { kind } = summarize(catalogue.getKind(named))
  const { sandbox, ...variables } = body.environment ?? {}
  if (sandbox !== undefined && typeof sandbox !== 'boolean') throw failField('/environment/sandbox', 'must be true or false', 'type')
  const workspace = findWorkspaceName(body) ?? everyonesWorkspace
  return {
    workspace_name: workspace,
    kinds: [kind],
    end_user: { id: workspace },
    locked: { [kind]: { ...variables, ...body.replication_config, ...body.oauth_input_configuration } },
    redirect_url: body.redirect_url,
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(sandbox === undefined ? {} : { sandbox }),
  }
}

/** Maximum number of links of an organization, with ended ones that are kept. */
const mostLinks = 50_000
/** Retention of ended links, in milliseconds: 30 days. */
const retentionMs = 30 * 24 * 60 * 60 * 1_000

/** Where a new link puts credentials. */
type LinkDestination = Pick<sql.ConnectLinkRow, 'workspace_id' | 'target_connector_id' | 'kinds' | 'sandbox'>

/** Finds the workspace, or the connector whose credentials are replaced. */
async function findDestination(parts: Pick<Parts, 'source' | 'dataKeys'>, db: Db, { principal, wanted }: Wanted): Promise<LinkDestination> {
  const { body, kinds } = wanted
  if (body.connector_id !== undefined) {
    const row = await requireConnector(db, principal, body.connector_id, findConnector)
    return { workspace_id: row.workspace_id, target_connector_id: row.id, kinds: JSON.stringify([row.kind]), sandbox: Boolean(row.sandbox) }
  }
  const common = { target_connector_id: null, kinds: JSON.stringify(kinds), sandbox: body.sandbox ?? false }
  const byId = body.workspace_id === undefined ? undefined : await findWorkspace(db, principal, asId(body.workspace_id) ?? '')
  if (body.workspace_id !== undefined && byId === undefined) throw fail('workspace_not_found', {})
  const name = byId?.name ?? body.workspace_name ?? everyonesWorkspace
  return { ...common, workspace_id: (await ensureWorkspace(parts, db, { principal, name, make: body.create_workspace ?? false })).id }
}

interface Wanted {
  readonly principal: Principal
  readonly wanted: ReturnType<typeof readLinkInput>
}

async function create(parts: Parts, { principal, wanted }: Wanted): Promise<ConnectLinkSecret> {
  const { body } = wanted
  const { secret, digest } = newDigestedSecret('link', parts.source.randomBytes)
  const now = parts.source.clock()
  const { organizationId, applicationId } = principal
  const row = await parts.database.transaction(async (db) => {
    await requireLiveSecret(db, principal)
    if ((await sql.countConnectLinks(db, organizationId)) >= mostLinks)
      throw failField('', `cannot be done: the organization has ${mostLinks} links, the most; ended ones go after 30 days`, 'limit')
    const id = newId(parts.source)
    await sql.insertConnectLink(db, {
      ...(await findDestination(parts, db, { principal, wanted })),
      id,
      organization_id: organizationId,
      application_id: applicationId,
      digest,
      defaults: JSON.stringify(wanted.defaults),
      locked: JSON.stringify(wanted.locked),
      name: body.name ?? null,
      redirect_url: wanted.redirectUrl,
      allowed_origin: wanted.allowedOrigin,
      allow_other_account: body.allow_other_account ?? false,
      end_user_id: body.end_user.id,
      end_user_name: body.end_user.name ?? null,
      end_user_email: body.end_user.email ?? null,
      attempts: 0,
      connector_id: null,
      used_at: null,
      revoked_at: null,
      created_at: now,
      expires_at: now + (body.expires_in ?? connectLinkSeconds.usual) * 1_000,
    })
    return sql.findConnectLink(db, principal, id)
  })
  if (row === undefined) throw fail('workspace_not_found', {})
  return { ...toLinkRecord(row, now), url: buildLinkUrl(parts.settings, row.id, secret) }
}

async function requireLink(parts: Pick<Parts, 'database'>, principal: Principal, given: string): Promise<sql.ConnectLinkRow> {
  const id = asId(given)
  const row = id === undefined ? undefined : await sql.findConnectLink(parts.database.db, principal, id)
  if (row === undefined) throw fail('connect_link_not_found', {})
  return row
}

/** Builds the service. */
export const createConnectLinks = (parts: Parts): ConnectLinks => ({
  create: async (principal, body) => {
    requireScope(principal, 'connectors:write')
    return create(parts, { principal, wanted: readLinkInput(await readReading(parts, principal), body) })
  },
  initiate: async (principal, body) => {
    requireScope(principal, 'connectors:write')
    const reading = await readReading(parts, principal)
    const { url } = await create(parts, { principal, wanted: readLinkInput(reading, toLinkInput(reading.catalogue, body)) })
    return { consent_url: url }
  },
  list: async (principal, given) => {
    requireScope(principal, 'connectors:read')
    const query = readQuery(connectLinkQuery, given)
    const scope = { list: 'connect links', view: principal, query }
    const now = parts.source.clock()
    const filters = { status: query.status, endUserId: query.end_user_id, now }
    const limits = { after: readPosition(parts, scope), limit: (query.limit ?? defaultLimit) + 1 }
    const rows = await sql.listConnectLinks(parts.database.db, principal, { ...filters, ...limits })
    return buildPage(parts, { ...scope, rows }, (row) => toLinkRecord(row, now))
  },
  get: async (principal, id) => {
    requireScope(principal, 'connectors:read')
    return toLinkRecord(await requireLink(parts, principal, id), parts.source.clock())
  },
  revoke: async (principal, given) => {
    requireScope(principal, 'connectors:write')
    const { id } = await requireLink(parts, principal, given)
    const now = parts.source.clock()
    await sql.revokeConnectLink(parts.database.db, { organizationId: principal.organizationId, id }, now)
    return toLinkRecord(await requireLink(parts, principal, id), now)
  },
  purgeExpired: async (now) => {
    const { db } = parts.database
    return (await deleteEndedVisits(db, now)) + (await sql.deleteEndedConnectLinks(db, now - retentionMs))
  },
})
