/** Shares tokens between the clients of one process: each `connect` would ask for its own. */
import type { TokenAnswer } from '../wire/tokens.ts'
import type { ServiceSettings } from './settings.ts'
import { Tokens } from './tokens.ts'

/** Maximum number of identities with a shared token. The oldest one gets a new token with its next client. */
const mostIdentities = 100

/** Tokens by identity. Clients with another `fetch` have their own: it may add credentials, or be a test's. */
const shared = new WeakMap<typeof fetch, Map<string, Tokens>>()

/**
 * Returns the tokens of an address, a client id, its secret and an organization.
 * @param request gets a token from the service; used when nobody has the same identity
 */
export function shareTokens({ url, identity, organizationId, fetch: send }: ServiceSettings, request: () => Promise<TokenAnswer>): Tokens {
  const byIdentity = shared.get(send) ?? new Map<string, Tokens>()
  shared.set(send, byIdentity)
  // The secret is part of it: a wrong one must not get the token of the right one.
  const key = JSON.stringify([url, identity, organizationId ?? null])
  const tokens = byIdentity.get(key) ?? new Tokens(request)
  byIdentity.delete(key)
  byIdentity.set(key, tokens)
  const [oldest] = byIdentity.keys()
  if (byIdentity.size > mostIdentities && oldest !== undefined) byIdentity.delete(oldest)
  return tokens
}
