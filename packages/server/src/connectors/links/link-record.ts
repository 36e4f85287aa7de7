/** Converts links to wire form. */
import { fail, readSlug } from 'ferrule/internal'
import type { ConnectLinkRecord, ConnectLinkStatus } from 'ferrule/wire'
import { iso, isoOrNull } from '../../values/ids.ts'
import type { ConnectLinkRow } from '../sql/links.ts'

/** Configuration values by slug of the kind. */
export type ValuesByKind = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** Returns the status of a link. A used link stays used. */
export function getLinkStatus({ used_at, revoked_at, expires_at }: ConnectLinkRow, now: number): ConnectLinkStatus {
  if (used_at !== null) return 'used'
  if (revoked_at !== null) return 'revoked'
  return expires_at <= now ? 'expired' : 'open'
}

const closedReasons: Readonly<Record<Exclude<ConnectLinkStatus, 'open'>, string>> = {
  used: 'a connector was authorized with it',
  revoked: 'it was revoked',
  expired: 'it has expired',
}

/** Refuses a link that is not open. @throws FerruleError `connect_link_closed` */
export function requireOpen(row: ConnectLinkRow, now: number): void {
  const status = getLinkStatus(row, now)
  if (status !== 'open') throw fail('connect_link_closed', { reason: closedReasons[status] })
}

// JSON that this service wrote.
const parseNames = (text: string): readonly string[] => JSON.parse(text)
const parseValues = (text: string): ValuesByKind => JSON.parse(text)

/** Names kinds as people do: without the id of an organization's kind. */
const showKinds = ({ kinds, defaults, locked }: ReturnType<typeof readLinkContent>) => {
  const show = (values: ValuesByKind): ValuesByKind =>
    Object.fromEntries(Object.entries(values).map(([kind, each]) => [readSlug(kind), each]))
  return { kinds: kinds.map(readSlug), defaults: show(defaults), locked: show(locked) }
}

/** Reads the kinds and configuration values of a link. */
export const readLinkContent = ({ kinds, defaults, locked }: ConnectLinkRow) => ({
  kinds: parseNames(kinds),
  defaults: parseValues(defaults),
  locked: parseValues(locked),
})

/** Converts the end user of a link. */
export const toEndUser = ({ end_user_id: id, end_user_name: name, end_user_email: email }: ConnectLinkRow) => ({ id, name, email })

/** Converts a link. */
export const toLinkRecord = (row: ConnectLinkRow, now: number): ConnectLinkRecord => ({
  id: row.id,
  status: getLinkStatus(row, now),
  workspace_id: row.workspace_id,
  workspace_name: row.workspace_name,
  ...showKinds(readLinkContent(row)),
  target_connector_id: row.target_connector_id,
  connector_id: row.connector_id,
  end_user: toEndUser(row),
  name: row.name,
  allow_other_account: Boolean(row.allow_other_account),
  redirect_url: row.redirect_url,
  allowed_origin: row.allowed_origin,
  sandbox: Boolean(row.sandbox),
  attempts: Number(row.attempts),
  created_at: iso(row.created_at),
  expires_at: iso(row.expires_at),
  used_at: isoOrNull(row.used_at),
  revoked_at: isoOrNull(row.revoked_at),
})
