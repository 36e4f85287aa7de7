/**
 * What the connect page and the service send each other. The page reads the link id from its address and the secret from the fragment. Every
 * request but the first names the link in the header `Connect-Link`, because a browser can have several links open. Errors are problems.
 */
import { bool, int, list, oneOf, open, opt, orNull, str, time } from '../../definition/index.ts'
import { connectorStatuses } from '../connectors.ts'
import { displayName } from '../names.ts'
import { errorCode } from '../problem.ts'
import { body, jsonSchema, jsonSchemaOrNull, part, record, recordOrNull, uuid, type Wire } from '../schemas.ts'
import { connectLinkStatuses } from './links.ts'

/** Header with the link id of a page's request. */
export const connectLinkHeader = 'connect-link'

/** Paths below the address of the service. The callback leads back to `/connect/{link_id}?attempt={attempt_id}`. */
export const connectPaths = {
  page: '/connect/{link_id}',
  session: '/connect/api/session',
  connector: '/connect/api/connector',
  consent: '/connect/api/consent',
  accounts: '/connect/api/accounts',
  status: '/connect/api/links/{link_id}/status',
  callback: '/connect/callback/{kind}',
} as const

/** `POST /connect/api/session`: opens a session with the secret of the address, and answers `ConnectPage`. Also without the header. */
export const connectSessionInput = body(
  'ConnectSessionInput',
  { id: uuid('Link id'), secret: str('Fragment of the address, without #', { minLength: 1, maxLength: 200 }) },
  'Link and secret',
)
/** Link and secret. */
export type ConnectSessionInput = Wire<typeof connectSessionInput>

const scheme = part(
  {
    name: str('Name of the scheme'),
    title: str('Title'),
    consent: bool("true: the end user agrees on the vendor's own page; send POST /connect/api/consent"),
    who: orNull(str('Who can consent, as a sentence; null without consent')),
    schema: jsonSchemaOrNull('Credential fields of a form; null with consent'),
  },
  'A way to authorize',
)

const shownValue = part(
  { name: str('Name of the field'), title: str('Title'), value: str('Value as text') },
  'A value that cannot be changed',
)

const kind = part(
  {
    slug: str('Slug'),
    title: str('Title'),
    about: str('One sentence about the vendor'),
    documentation: str("Address of the vendor's documentation"),
    reviewed: bool('false: the organization of the link wrote the kind, and nobody else has looked at it'),
    hosts: list(str('Host'), 'Hosts that credentials, consents and calls go to, if nobody has reviewed the kind; empty otherwise'),
    readable: list(str('Title'), 'What the connector can read'),
    changeable: list(str('Title'), 'Those of them that it can change too'),
    schemes: list(scheme, 'Ways to authorize, the simplest for the end user first'),
    configuration: jsonSchema('Configuration fields to ask for, without locked ones'),
    accounts_field: orNull(
      str('Configuration field that the choice of accounts after the consent fills; do not ask for it before a consent'),
    ),
    defaults: open('Values to fill in'),
    locked: list(shownValue, 'Values to show; do not send them'),
  },
  'A kind',
)

/** A failed authorization, as a problem without the members of HTTP. */
const failure = part(
  {
    code: errorCode,
    message: str('The error in one sentence'),
    hint: str('What to do next'),
    retryable: bool('true: the same can succeed later'),
  },
  'Why the authorization failed',
)

const attempt = part(
  {
    id: uuid('Attempt id, as in the address after the return'),
    kind: str('Slug of the kind'),
    status: oneOf(
      "started: waiting for the return from the vendor's page; exchanging; choosing: accounts are to be chosen; done; failed",
      'started',
      'exchanging',
      'choosing',
      'done',
      'failed',
    ),
    failure: recordOrNull(failure),
    expires_at: time('Time after which it cannot be continued'),
  },
  'The last authorization by consent of this session',
)

export const connectPage = record(
  'ConnectPage',
  {
    id: uuid('Link id'),
    status: oneOf('As of the link', ...connectLinkStatuses),
    organization_name: str('Organization that gets the access'),
    end_user: part({ id: str('Id'), name: orNull(str('Name')), email: orNull(str('Email address')) }, 'End user'),
    sandbox: bool('true: nothing is real'),
    name: orNull(str('Name of the connector, which cannot be changed; null: the end user may give one')),
    connector: recordOrNull(
      part(
        { id: uuid('Id'), name: str('Name'), kind: str('Slug of the kind'), status: oneOf('Status', ...connectorStatuses) },
        'Connector whose credentials are replaced',
      ),
    ),
    allow_other_account: bool('true: the new credentials may belong to another account'),
    kinds: list(kind, 'Kinds to choose from'),
    attempt: recordOrNull(attempt),
    connector_id: orNull(uuid('Connector that was authorized; null until then')),
    return_url: orNull(str('Address to lead to after success; null: the link has none, or is not used yet')),
    allowed_origin: orNull(str('Origin of the page that may have opened this one; it may be told the outcome; null: the link names none')),
    cancel_url: orNull(str('Address to lead to when the end user gives up; null: the link has none')),
    expires_at: time('Time of expiry of the link'),
  },
  'What the connect page shows',
)
/** Answer of `POST` and `GET /connect/api/session`: all that the page shows. */
export type ConnectPage = Wire<typeof connectPage>

/** `POST /connect/api/connector`: checks credentials at the vendor, then creates the connector or replaces its credentials. */
export const connectConnectorInput = body(
  'ConnectConnectorInput',
  {
    kind: str('Slug of the kind', { maxLength: 100 }),
    credentials: open('Credential fields of one scheme'),
    configuration: opt(open('Configuration values, without locked ones')),
    name: opt(displayName('Name of the connector; left out: the title of the kind')),
  },
  'Credentials of a connector',
)
/** Credentials of a connector. */
export type ConnectConnectorInput = Wire<typeof connectConnectorInput>

export const connectDone = record(
  'ConnectDone',
  {
    connector_id: uuid('Connector'),
    return_url: orNull(str('Address to lead to; null: the link has none, so say that the page can be closed')),
  },
  'An authorized connector',
)
/** Answer of an authorization. The link is used up. */
export type ConnectDone = Wire<typeof connectDone>

export const connectConsentInput = body(
  'ConnectConsentInput',
  {
    kind: str('Slug of the kind', { maxLength: 100 }),
    configuration: opt(open('Configuration values, without locked ones and without the accounts field')),
    name: opt(displayName('Name of the connector; left out: the title of the kind')),
  },
  'A consent',
)
/** `POST /connect/api/consent`: begins a consent. The answer sets the cookie of the attempt. */
export type ConnectConsentInput = Wire<typeof connectConsentInput>

export const connectConsent = record(
  'ConnectConsent',
  {
    consent_url: str("Address of the vendor's page; lead the whole page there"),
    attempt_id: uuid('Attempt id'),
    expires_at: time('Time until which the return is accepted'),
  },
  'A begun consent',
)
/** Answer of a begun consent. */
export type ConnectConsent = Wire<typeof connectConsent>

export const connectAccounts = record(
  'ConnectAccounts',
  {
    attempt_id: uuid('Attempt id'),
    kind: str('Slug of the kind'),
    accounts: list(
      part({ id: str('Id'), name: str('Name at the vendor') }, 'An account'),
      'Accounts that the end user ticked at the vendor; of a link that fixes accounts, only those',
    ),
    fixed: bool('true: the link fixes the accounts, so all of the list have to be chosen'),
    most: int('Most accounts of one connector'),
    expires_at: time('Time until which a choice is accepted'),
  },
  'Accounts to choose from',
)
/** `GET /connect/api/accounts`: accounts of the attempt that waits for a choice. */
export type ConnectAccounts = Wire<typeof connectAccounts>

/** `POST /connect/api/accounts`: chooses accounts, which makes one connector. Answers `ConnectDone`. */
export const connectAccountsInput = body(
  'ConnectAccountsInput',
  {
    attempt_id: uuid('Attempt id'),
    ids: list(str('Id', { maxLength: 100 }), 'Chosen accounts', { minItems: 1, maxItems: 1_000 }),
    name: opt(displayName('Name of the connector; left out: the name of the consent, else the title of the kind')),
  },
  'Chosen accounts',
)
/** Chosen accounts. */
export type ConnectAccountsInput = Wire<typeof connectAccountsInput>

/** What the connect page posts to the window that opened it, to the link's `allowed_origin` only. */

/** Event that a message reports. Leaving: for the page of a vendor, which can cut the two windows apart. */
export type ConnectEvent = 'opened' | 'leaving' | 'connected' | 'cancelled'

/** A message of the connect page. */
export interface ConnectMessage {
  readonly type: 'ferrule.connect'
  readonly link_id: string
  readonly event: ConnectEvent
  /** Connector that was authorized; null with other events. */
  readonly connector_id: string | null
}
