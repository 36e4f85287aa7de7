/** Assembles the state of the authorization server. */

import type { Parts } from '../../main/parts.ts'
import type { Tokens } from '../tokens/token-types.ts'
import { createOAuthGrants } from './grants.ts'
import type { OAuth } from './oauth-types.ts'
import { createOAuthRecords } from './records.ts'

/** Builds the service. */
export const createOAuth = (parts: Parts, tokens: Pick<Tokens, 'checkClient'>): OAuth => ({
  cookieKeys: () => parts.masterKeys.all().map(({ cookies }) => cookies.toString('base64url')),
  ...createOAuthRecords(parts),
  ...createOAuthGrants(parts, tokens),
})
