/** Creates, lists and revokes links. */
import { setImmediate as turn } from 'node:timers/promises'
import { fail, failValidation } from 'ferrule/internal'
import { type ConnectLinkSecret, connectLinkQuery, connectLinkSeconds } from 'ferrule/wire'
import type { Db } from '../../db/database.ts'
import type { Parts } from '../../main/parts.ts'
import { requireLiveSecret } from '../../tenancy/applications/live-client.ts'
import { findWorkspace } from '../../tenancy/sql/workspaces.ts'
import { ensureWorkspace, everyonesWorkspace } from '../../tenancy/workspaces/workspace-keeper.ts'
import type { Principal } from '../../values/access.ts'
import { buildPage, defaultLimit, readPosition } from '../../values/cursor.ts'
import { asId, newId } from '../../values/ids.ts'
import { readQuery } from '../../values/read.ts'
import { requireScope } from '../../values/scopes.ts'
import { findConnector } from '../sql/connectors.ts'
import {
  type ConnectLinkRow,
  countConnectLinks,
  deleteEndedConnectLinks,
  findConnectLink,
  insertConnectLink,
  listConnectLinks,
  revokeConnectLink,
} from '../sql/links.ts'
import { deleteEndedVisits } from '../sql/visits.ts'
import { buildLinkUrl } from './addresses.ts'
import type { ConnectLinks } from './connect-types.ts'
import { readLinkInput, toLinkInput, type WantedLink } from './link-input.ts'
import { toLinkRecord } from './link-record.ts'
import { newDigestedSecret } from './secrets.ts'

/** Maximum number of links of an organization, with ended ones that are kept. */
const mostLinks = 50_000
/** Retention of ended links, in milliseconds: 30 days. */
const retentionMs = 30 * 24 * 60 * 60 * 1_000
/** Rows per statement of the garbage collection. */
const batch = 100

/** Where a new link belongs. */
type LinkPlace = Pick<ConnectLinkRow, 'workspace_id' | 'target_connector_id' | 'kinds' | 'sandbox'>

/** Finds the workspace, or the connector whose credentials are replaced. */
async function findPlace(parts: Parts, db: Db, { principal, wanted }: Wanted): Promise<LinkPlace> {
  const { body, kinds } = wanted
  if (body.connector_id !== undefined) {
    const id = asId(body.connector_id)
    const row = id === undefined ? undefined : await findConnector(db, principal, id)
    if (row === undefined) throw fail('connector_not_found', {})
    return { workspace_id: row.workspace_id, target_connector_id: row.id, kinds: JSON.stringify([row.kind]), sandbox: Boolean(row.sandbox) }
  }
  const place = { target_connector_id: null, kinds: JSON.stringify(kinds), sandbox: body.sandbox ?? false }
  const byId = body.workspace_id === undefined ? undefined : await findWorkspace(db, principal, asId(body.workspace_id) ?? '')
  if (body.workspace_id !== undefined && byId === undefined) throw fail('workspace_not_found', {})
  const name = byId?.name ?? body.workspace_name ?? everyonesWorkspace
  return { ...place, workspace_id: (await ensureWorkspace(parts, db, { principal, name, make: body.create_workspace ?? false })).id }
}

interface Wanted {
  readonly principal: Principal
  readonly wanted: WantedLink
}

async function create(parts: Parts, { principal, wanted }: Wanted): Promise<ConnectLinkSecret> {
  const { body } = wanted
  const { secret, digest } = newDigestedSecret('link', parts.source.randomBytes)
  const now = parts.source.clock()
  const { organizationId, applicationId } = principal
  const row = await parts.database.transaction(async (db) => {
    await requireLiveSecret(db, principal)
    if ((await countConnectLinks(db, organizationId)) >= mostLinks) throw refuseMore()
    const id = newId(parts.source)
    await insertConnectLink(db, {
      ...(await findPlace(parts, db, { principal, wanted })),
      ...{ id, organization_id: organizationId, application_id: applicationId, digest },
      ...{ defaults: JSON.stringify(wanted.defaults), locked: JSON.stringify(wanted.locked), name: body.name ?? null },
      ...{ redirect_url: wanted.redirectUrl, allowed_origin: wanted.allowedOrigin },
      allow_other_account: body.allow_other_account ?? false,
      end_user_id: body.end_user.id,
      end_user_name: body.end_user.name ?? null,
      end_user_email: body.end_user.email ?? null,
      ...{ attempts: 0, connector_id: null, used_at: null, revoked_at: null, created_at: now },
      expires_at: now + (body.expires_in ?? connectLinkSeconds.usual) * 1_000,
    })
    return findConnectLink(db, principal, id)
  })
  if (row === undefined) throw fail('workspace_not_found', {})
  return { ...toLinkRecord(row, now), url: buildLinkUrl(parts.settings, row.id, secret) }
}

const refuseMore = () =>
  failValidation([
    {
      field: '',
      message: `cannot be done: the organization has ${mostLinks} links, the most; ended ones go after 30 days`,
      error_code: 'limit',
    },
  ])

async function requireLink(parts: Parts, principal: Principal, given: string): Promise<ConnectLinkRow> {
  const id = asId(given)
  const row = id === undefined ? undefined : await findConnectLink(parts.database.db, principal, id)
  if (row === undefined) throw fail('connect_link_not_found', {})
  return row
}

/** Builds the service. */
export const createConnectLinks = (parts: Parts): ConnectLinks => ({
  create: async (principal, body) => {
    requireScope(principal, 'connectors:write')
    return create(parts, { principal, wanted: readLinkInput(parts, body) })
  },
  initiate: async (principal, body) => {
    requireScope(principal, 'connectors:write')
    const { url } = await create(parts, { principal, wanted: readLinkInput(parts, toLinkInput(parts.catalogue, body)) })
    return { consent_url: url }
  },
  list: async (principal, given) => {
    requireScope(principal, 'connectors:read')
    const query = readQuery(connectLinkQuery, given)
    const scope = { list: 'connect links', view: principal, query }
    const now = parts.source.clock()
    const filters = { status: query.status, endUserId: query.end_user_id, now }
    const place = { after: readPosition(parts, scope), limit: (query.limit ?? defaultLimit) + 1 }
    const rows = await listConnectLinks(parts.database.db, principal, { ...filters, ...place })
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
    await revokeConnectLink(parts.database.db, { organizationId: principal.organizationId, id }, now)
    return toLinkRecord(await requireLink(parts, principal, id), now)
  },
  purgeExpired: (now) => purgeExpired(parts, now),
})

async function purgeExpired({ database: { db } }: Parts, now: number): Promise<number> {
  let removed = 0
  for (let last = batch; last >= batch; removed += last) {
    const visits = await deleteEndedVisits(db, now, batch)
    last = Math.max(visits, await deleteEndedConnectLinks(db, now - retentionMs, batch))
    await turn() // the embedded database blocks the event loop
  }
  return removed
}
