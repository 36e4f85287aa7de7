/** Connect links on the wire: with one, an end user authorizes a connector without anybody seeing the secret. */
import { bool, int, list, obj, oneOf, open, opt, orNull, str, time, wellFormed } from '../../definition/index.ts'
import { displayName } from '../names.ts'
import { page, pageQuery } from '../paging.ts'
import { body, part, query, record, uuid, type Wire } from '../schemas.ts'

export const connectLinkStatuses = ['open', 'used', 'revoked', 'expired'] as const
/** Status of a link. */
export type ConnectLinkStatus = (typeof connectLinkStatuses)[number]

/** Lifetime of a link, in seconds. */
export const connectLinkSeconds = { usual: 7 * 86_400, least: 60, most: 90 * 86_400 } as const

const statusText = 'open: it can be used; used: a connector was authorized; revoked; expired'
const address = (about: string) => wellFormed(str(about, { maxLength: 2_000 }))

const endUser = {
  id: str("Id of the end user in the caller's own system.", { minLength: 1, maxLength: 256 }),
  name: opt(displayName('Name, which the page shows.')),
  email: opt(str('Email address, which the page shows.', { maxLength: 320 })),
}

const link = {
  id: uuid('Link id; public, it opens nothing without the secret part of the address'),
  status: oneOf(statusText, ...connectLinkStatuses),
  workspace_id: uuid('Workspace of the connector'),
  workspace_name: str('Workspace name'),
  kinds: list(str('Slug'), 'Kinds that the end user can choose from'),
  target_connector_id: orNull(uuid('Connector whose credentials the link replaces; null: the link creates a connector')),
  connector_id: orNull(uuid('Connector that was authorized; null until the link is used')),
  end_user: part({ id: str('Id'), name: orNull(str('Name')), email: orNull(str('Email address')) }, 'End user that the link was made for'),
  name: orNull(str('Name of the new connector; null: the page asks')),
  defaults: open('Configuration values that the page fills in, by slug of the kind'),
  locked: open('Configuration values that the page cannot change, by slug of the kind'),
  allow_other_account: bool('true: the new credentials may belong to another account'),
  redirect_url: orNull(str('Address that the page leads back to')),
  allowed_origin: orNull(str('Origin that may ask for the status from a browser')),
  sandbox: bool('true: the connector calls the stand-in of the vendor'),
  attempts: int('Authorizations that were begun'),
  created_at: time('Time of creation'),
  expires_at: time('Time of expiry'),
  used_at: orNull(time('Time of the authorization')),
  revoked_at: orNull(time('Time of the revocation')),
}

export const connectLinkRecord = record('ConnectLink', link, 'A link, without its address')
/** A link. */
export type ConnectLinkRecord = Wire<typeof connectLinkRecord>

/** One page of links. */
export const connectLinkPage = page('ConnectLinkPage', connectLinkRecord, 'links')

export const connectLinkSecret = record(
  'ConnectLinkSecret',
  { ...link, url: str('Address for the end user; its secret part is stored as a hash and cannot be read again') },
  'A new link with its address',
)
/** A new link. */
export type ConnectLinkSecret = Wire<typeof connectLinkSecret>

export const connectLinkInput = body(
  'ConnectLinkInput',
  {
    workspace_name: opt(displayName('Workspace of the connector; left out with workspace_id and connector_id: the workspace default.')),
    workspace_id: opt(uuid('Workspace of the connector, by its id; refused beside workspace_name.')),
    create_workspace: opt(bool('true: a new workspace name creates a workspace.')),
    kinds: opt(list(str('Kind: slug or title.'), 'Kinds to choose from; left out: all.', { minItems: 1, maxItems: 50 })),
    connector_id: opt(uuid('Connector whose credentials are replaced, instead of workspace and kinds.')),
    allow_other_account: opt(bool('true: the new credentials may belong to another account. Only with connector_id.')),
    end_user: obj(endUser, 'End user that the link is made for.'),
    name: opt(displayName('Name of the new connector, unique in the workspace; left out: the page asks.')),
    defaults: opt(open('Configuration values to fill in, by slug of the kind: { "shopify": { "shop": "acme" } }.')),
    locked: opt(open('Configuration values that the end user sees and cannot change, by slug of the kind.')),
    redirect_url: opt(address('Address that the page leads back to. Its origin has to be in FERRULE_CONNECT_REDIRECTS.')),
    allowed_origin: opt(
      wellFormed(str('Origin of the page that opens the link. It has to be in FERRULE_CONNECT_ORIGINS.', { maxLength: 300 })),
    ),
    expires_in: opt(
      int('Seconds until the link expires.', {
        minimum: connectLinkSeconds.least,
        maximum: connectLinkSeconds.most,
        default: connectLinkSeconds.usual,
      }),
    ),
    sandbox: opt(bool('true: the connector calls the stand-in of the vendor.')),
  },
  'A new link',
)
/** A new link. */
export type ConnectLinkInput = Wire<typeof connectLinkInput>

export const connectLinkQuery = query({
  status: opt(oneOf('Only links of this status.', ...connectLinkStatuses)),
  end_user_id: opt(str('Only links of this end user.', { minLength: 1, maxLength: 256 })),
  ...pageQuery,
})
/** What the list of links is limited to. */
export type ConnectLinkQuery = Wire<typeof connectLinkQuery>

export const connectLinkState = record(
  'ConnectLinkState',
  {
    status: oneOf(statusText, ...connectLinkStatuses),
    connector_id: orNull(uuid('Connector that was authorized; verify it from a server by GET /api/v1/connect/links/{link_id}')),
  },
  'Status of a link',
)
/** Status of a link for the page that opened it. */
export type ConnectLinkState = Wire<typeof connectLinkState>
