/** Opens sessions of the connect page, and finds the link of each later request. Makes the secrets of both. */
import { timingSafeEqual } from 'node:crypto'
import { fail } from 'ferrule/internal'
import { connectSessionInput } from 'ferrule/wire'
import type { Parts, Stored } from '../../main/parts.ts'
import { viewOrganization } from '../../values/access.ts'
import { asId, digestParts, newSecret } from '../../values/ids.ts'
import { readBody } from '../../values/read.ts'
import { type ConnectLinkRow, findConnectLink, findLinkOrganization } from '../sql/links.ts'
import { type ConnectSessionRow, findConnectSession, insertConnectSession } from '../sql/visits.ts'
import type { IssuedCookie, PageVisit } from './connect-types.ts'
import { requireOpen } from './link-record.ts'

/** Lifetime of a session, in milliseconds: an end user may have to ask a colleague for a key. */
const sessionMs = 2 * 60 * 60 * 1_000
/** Sessions of a link beside a new one. */
const keptSessions = 9

/** A request of the page, with the link that its session belongs to. */
export interface Visit {
  readonly link: ConnectLinkRow
  readonly session: ConnectSessionRow
}

/** Finds a link of any organization by its public id, for callers that check a secret or an origin next. */
export async function findAnyLink({ database: { db } }: Pick<Parts, 'database'>, given: string): Promise<ConnectLinkRow | undefined> {
  const id = asId(given)
  const organizationId = id === undefined ? undefined : await findLinkOrganization(db, id)
  return id === undefined || organizationId === undefined ? undefined : findConnectLink(db, viewOrganization(organizationId), id)
}

/** Opens a session. @throws FerruleError `validation_failed`, `connect_link_not_found`, `connect_link_closed` */
export async function openSession(parts: Stored, given: unknown): Promise<Visit & { readonly cookie: IssuedCookie }> {
  const { id, secret } = readBody(connectSessionInput, given)
  const link = await findAnyLink(parts, id)
  // An unknown link and a wrong secret get the same answer.
  if (link === undefined || !isSecret('link', secret, link.digest)) throw fail('connect_link_not_found', {})
  const now = parts.source.clock()
  requireOpen(link, now)
  const { secret: value, digest } = newDigestedSecret('session', parts.source.randomBytes)
  const times = { created_at: now, expires_at: now + sessionMs }
  const session = { digest, organization_id: link.organization_id, link_id: link.id, ...times }
  await parts.database.transaction((db) => insertConnectSession(db, session, keptSessions))
  return { link, session, cookie: { value, maxAgeSeconds: sessionMs / 1_000 } }
}

/** Finds session and link of a request. @throws FerruleError `connect_session_missing` */
export async function requireVisit({ database: { db }, source }: Stored, { linkId, session: value }: PageVisit): Promise<Visit> {
  if (value === undefined) throw fail('connect_session_missing', { reason: 'it did not send the cookie' })
  const session = await findConnectSession(db, digestSecret('session', value), source.clock())
  if (session === undefined || session.link_id !== asId(linkId)) throw fail('connect_session_missing', { reason: 'it has ended' })
  const link = await findConnectLink(db, viewOrganization(session.organization_id), session.link_id)
  if (link === undefined) throw fail('connect_session_missing', { reason: 'the link was deleted' })
  return { link, session }
}

/** What a secret is for: the same text has another digest for each. */
type SecretUse = 'link' | 'session' | 'state' | 'attempt'

/** Computes what is stored. */
export const digestSecret = (use: SecretUse, secret: string): string => digestParts('connect', use, secret)

/** Creates a secret with the digest that is stored. */
export function newDigestedSecret(
  use: SecretUse,
  randomBytes: (size: number) => Buffer,
): { readonly secret: string; readonly digest: string } {
  const secret = newSecret(randomBytes)
  return { secret, digest: digestSecret(use, secret) }
}

/** Returns whether a secret has the stored digest. */
export function isSecret(use: SecretUse, secret: string | undefined, digest: string): boolean {
  if (secret === undefined) return false
  const [given, stored] = [Buffer.from(digestSecret(use, secret)), Buffer.from(digest)]
  return given.length === stored.length && timingSafeEqual(given, stored)
}
