/** Shares tokens between the clients of one process: each `connect` would ask for its own. */
import { BoundedMap } from '../values/bounded-map.ts'
import type { TokenAnswer } from '../wire/tokens.ts'
import type { ServiceSettings } from './settings.ts'
import { Tokens } from './tokens.ts'

/** Maximum number of identities with a shared token. The least recently used one gets a new token with its next client. */
const mostIdentities = 100

/** Tokens by identity. Clients with another `fetch` have their own: it may add credentials, or be a test's. */
const shared = new WeakMap<typeof fetch, BoundedMap<string, Tokens>>()

/**
 * Returns the tokens of an address, a client id, its secret and an organization.
 * @param request gets a token from the service; used when nobody has the same identity
 */
export function shareTokens({ url, identity, organizationId, fetch: send }: ServiceSettings, request: () => Promise<TokenAnswer>): Tokens {
  const byIdentity = shared.get(send) ?? new BoundedMap<string, Tokens>(mostIdentities)
  shared.set(send, byIdentity)
  // The secret is part of it: a wrong one must not get the token of the right one.
  const key = JSON.stringify([url, identity, organizationId ?? null])
  return byIdentity.take(key, () => new Tokens(request))
}
