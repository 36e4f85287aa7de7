/** Assembles the state of the authorization server. */
import type { OAuth } from '../model/oauth-types.ts'
import type { Tokens } from '../model/token-types.ts'
import type { Parts } from '../parts.ts'
import { createOAuthGrants } from './grants.ts'
import { createOAuthRecords } from './records.ts'

/** Builds the service. */
export const createOAuth = (parts: Parts, tokens: Pick<Tokens, 'checkClient'>): OAuth => ({
  cookieKeys: () => parts.masterKeys.all().map(({ cookies }) => cookies.toString('base64url')),
  ...createOAuthRecords(parts),
  ...createOAuthGrants(parts, tokens),
})
