/** Tokens on the wire (RFC 6749). */
import { int, oneOf, opt, orNull, str } from '../definition/index.ts'
import { displayName, workspaceNames } from './names.ts'
import { body, record, uuid, type Wire } from './schemas.ts'

/** The grant type of the token endpoint. */
export const grantTypes = ['client_credentials'] as const

/** Body of a token request. Unknown members are accepted: clients of RFC 6749 may send more. */
export const tokenRequest = record(
  'TokenRequest',
  {
    client_id: opt(str('Client id; left out with HTTP Basic')),
    client_secret: opt(str('Client secret; left out with HTTP Basic')),
    grant_type: opt(oneOf('Grant type of RFC 6749', ...grantTypes)),
    scope: opt(str('Space-separated scopes; left out: all')),
  },
  'Client credentials',
)

export const tokenAnswer = record(
  'Token',
  {
    access_token: str('Bearer token'),
    token_type: oneOf('Type of the token', 'bearer'),
    expires_in: int('Seconds until the token expires'),
    organization_id: orNull(uuid('Organization of requests without X-Organization-Id; null: every request must name an organization')),
    scope: opt(str('Scopes of the token, when the request narrowed the scopes')),
  },
  'A bearer token',
)
/** Answer of the token endpoint (RFC 6749 section 5.1), with the organization. */
export type TokenAnswer = Wire<typeof tokenAnswer>

export const scopedTokenRequest = body(
  'ScopedTokenRequest',
  {
    ...workspaceNames,
    workspace_name: opt(displayName('Workspace; the first use of a new name creates it.')),
    region_id: opt(uuid('Accepted for compatibility; there is one region.')),
  },
  'Workspace of the token; a new name creates a workspace',
)
/** Workspace of a new scoped token. */
export type ScopedTokenRequest = Wire<typeof scopedTokenRequest>

export const scopedToken = record(
  'ScopedToken',
  { token: str('Bearer token of one workspace'), expires_in: int('Seconds until the token expires') },
  'A token of one workspace',
)
/** A token of one workspace. */
export type ScopedToken = Wire<typeof scopedToken>

export const scopedTokenInfo = record(
  'ScopedTokenInfo',
  { organization_id: uuid('Organization id'), workspace_id: uuid('Workspace id'), workspace_name: str('Workspace name') },
  'Organization and workspace of a scoped token',
)
/** The organization and the workspace of a scoped token. */
export type ScopedTokenInfo = Wire<typeof scopedTokenInfo>
