/** Keeps what the library stores: grants and access tokens as MCP tokens, everything else as encrypted records. */
import { isObject } from 'ferrule/internal'
import { type McpScope, mcpScopes } from 'ferrule/wire'
import type { Adapter, AdapterPayload, errors as OAuthErrors } from 'oidc-provider'
import type { OAuth, OAuthRecord } from '../../tenancy/oauth/oauth.ts'

/** The account of all grants: a grant names its application itself. */
export const operator = 'operator'
/** Time for which an unused registration is kept, in seconds. */
const registrationSeconds = 24 * 60 * 60
/** Time for which a used refresh token gives the same successors, in milliseconds. Later a use is a reuse, which ends the grant. */
const reuseMs = 60_000
/** Models that only one request reads: nobody stays signed in. */
const unkept: readonly string[] = ['Session']

/** What adapters use. */
export interface AdapterParts {
  readonly oauth: OAuth
  /** Forms of the address of the MCP endpoint; the first one is that of grants. */
  readonly resources: readonly string[]
  readonly errors: typeof OAuthErrors
}

const nothing = { findByUid: async () => undefined, findByUserCode: async () => undefined }

const toSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1_000)
const readScopes = (text: string | undefined): McpScope[] => mcpScopes.filter((scope) => text?.split(' ').includes(scope))

const ignore: Adapter = {
  ...nothing,
  upsert: async () => undefined,
  find: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
}

/** Reads grants; the page of consent stores them. */
const createGrantAdapter = ({ oauth, resources }: AdapterParts): Adapter => ({
  ...ignore,
  find: async (id) => {
    const grant = await oauth.findGrant(id)
    if (grant === undefined) return undefined
    const { clientId, resource, scopes, createdAt, expiresAt } = grant
    const times = { iat: toSeconds(createdAt), exp: toSeconds(expiresAt) }
    const forms = resource === resources[0] ? resources : [resource]
    const reached = Object.fromEntries(forms.map((form) => [form, scopes.join(' ')]))
    return { kind: 'Grant', jti: id, accountId: operator, clientId, resources: reached, ...times }
  },
  destroy: (id) => oauth.endGrant(id),
})

const createAccessTokenAdapter = ({ oauth, errors }: AdapterParts): Adapter => ({
  ...ignore,
  upsert: async (token, { grantId = '', scope, exp = 0 }) => {
    const about = { grantId, scopes: readScopes(scope), expiresAt: exp * 1_000 }
    if (!(await oauth.saveAccessToken(token, about))) throw new errors.InvalidGrant('the grant has ended')
  },
  find: async (token) => {
    const found = await oauth.findAccessToken(token)
    if (found === undefined) return undefined
    const { grantId, clientId, resource, scopes, expiresAt } = found
    const about = { grantId, clientId, aud: resource, scope: scopes.join(' '), exp: toSeconds(expiresAt) }
    return { kind: 'AccessToken', format: 'opaque', jti: token, accountId: operator, ...about }
  },
  destroy: (token) => oauth.removeAccessToken(token),
  revokeByGrantId: (grantId) => oauth.endGrant(grantId),
})

/**
 * Returns whether a used record may be used again: a refresh token with a seed, for a minute. Its successors come from the seed, so sessions
 * that share the token, and an answer that was lost, get the same ones on any node.
 */
const isReusable = ({ content, usedForMs }: OAuthRecord): boolean =>
  usedForMs !== null && usedForMs < reuseMs && isObject(content) && typeof content['seed'] === 'string'

const createRecordAdapter = ({ oauth, errors }: AdapterParts, type: string): Adapter => ({
  ...nothing,
  upsert: async (id, payload, expiresIn = registrationSeconds) => {
    const { grantId } = payload
    const record = { content: payload, lifeMs: expiresIn * 1_000, grantId, keepsFirst: type === 'RefreshToken' }
    if (!(await oauth.save({ type, id }, record))) throw new errors.InvalidGrant('the grant has ended')
  },
  find: async (id) => {
    const found = await oauth.find({ type, id })
    if (found === undefined || !isObject(found.content)) return undefined
    const payload = found.content as AdapterPayload // authenticated bytes that `upsert` wrote
    return found.usedForMs === null || isReusable(found) ? payload : { ...payload, consumed: true }
  },
  consume: async (id) => {
    if (await oauth.consume({ type, id })) return
    const found = await oauth.find({ type, id })
    if (found !== undefined && isReusable(found)) return
    // Two requests came at the same time: the second one is a reuse.
    if (isObject(found?.content) && typeof found.content['grantId'] === 'string') await oauth.endGrant(found.content['grantId'])
    throw new errors.InvalidGrant('it was used already')
  },
  destroy: (id) => oauth.remove({ type, id }),
  revokeByGrantId: (grantId) => oauth.endGrant(grantId),
})

/** Builds the factory of adapters. */
export const createAdapters =
  (parts: AdapterParts) =>
  (type: string): Adapter => {
    if (unkept.includes(type)) return ignore
    if (type === 'Grant') return createGrantAdapter(parts)
    return type === 'AccessToken' ? createAccessTokenAdapter(parts) : createRecordAdapter(parts, type)
  }
