/**
 * Authorizes a connector: checks credentials at the vendor, stores them, and uses the link up, all of it or nothing. Begins consents on a vendor's
 * page, and stores what they bring.
 */
import { FerruleError } from 'ferrule'
import type { Kind } from 'ferrule/definition'
import {
  buildConsentUrl,
  type Connection,
  type CredentialValues,
  checkConfiguration,
  findConsent,
  isSameAccount,
  Secret,
} from 'ferrule/engine'
import { asFerruleError, fail, moveProblem, readSlug } from 'ferrule/internal'
import { type ConnectDone, connectConsentInput } from 'ferrule/wire'
import type { Db } from '../../db/database.ts'
import type { Parts, Stored, VendorCalls } from '../../main/parts.ts'
import { type Principal, viewOrganization } from '../../values/access.ts'
import { iso, newId, newSecret } from '../../values/ids.ts'
import { failField, readBody } from '../../values/read.ts'
import { buildConnection, toUnstoredSource } from '../access.ts'
import { changeConnector } from '../changes.ts'
import type { Connectors, ServedKind } from '../connector-types.ts'
import { storeNewConnector } from '../creation.ts'
import { type ConsentOrigin, type StoringTrial, writeAccount } from '../credential-trial.ts'
import { findAccount, hasConnectorNamed } from '../sql/connectors.ts'
import { countAttempt, findConnectLink, useConnectLink } from '../sql/links.ts'
import { findOAuthClient, type OAuthClientRow } from '../sql/oauth-clients.ts'
import { type ConnectAttemptRow, insertConnectAttempt, stepAttempt } from '../sql/visits.ts'
import { buildCallbackUrl, buildReturnUrl } from './addresses.ts'
import type { ConnectPages } from './connect-types.ts'
import { digestToken, openOAuthClient, sealVerifier, toGivenCredentials } from './consent-secrets.ts'
import { readLinkContent, requireOpen } from './link-record.ts'
import { buildConfiguration, findFixedAccounts, readLinkValues, requireLocked } from './link-values.ts'
import { newDigestedSecret, type Visit } from './visits.ts'

/** Most authorizations that one link begins: nobody can try stolen keys on it. */
const mostAttempts = 50
/** Names that are tried for a connector without one. */
const triedNames = 100

/** Services of authorizations. */
export interface AuthorizationParts extends Parts {
  readonly connectors: Pick<Connectors, 'readAccess'>
}

/** Credentials that are to be stored. */
export interface Authorized {
  readonly kind: Kind
  readonly configuration: Readonly<Record<string, unknown>>
  readonly name: string | undefined
  readonly credentials: Readonly<Record<string, unknown>>
  readonly consent?: ConsentOrigin
  /** Runs in the transaction that stores the connector. */
  readonly complete?: (db: Db) => Promise<void>
}

type LinkVisit = Pick<Visit, 'link'>

/** Finds the kind of a request. @throws FerruleError `validation_failed` when the link does not offer it */
export async function requireKind(parts: Pick<Parts, 'kinds'>, { link }: LinkVisit, slug: string): Promise<ServedKind> {
  const { kinds } = readLinkContent(link)
  const kind = kinds.find((each) => readSlug(each) === slug)
  if (kind !== undefined) return parts.kinds.get({ organization_id: link.organization_id, kind })
  throw failField('/kind', `must be one of: ${kinds.map(readSlug).join(', ')}`, 'enum')
}

/** Counts an authorization of an open link. @throws FerruleError `connect_link_closed` */
export async function beginAuthorization({ database: { db }, source }: Stored, { link }: LinkVisit): Promise<void> {
  const now = source.clock()
  requireOpen(link, now)
  if (!(await countAttempt(db, { organizationId: link.organization_id, id: link.id }, { now, most: mostAttempts })))
    throw fail('connect_link_closed', { reason: `it was tried ${mostAttempts} times, or ended meanwhile` })
}

/** Builds who creates the connector: the maker of the link, within its workspace, with no right beside this. */
const buildPrincipal = ({ link }: LinkVisit): Principal => ({
  kind: 'scoped',
  applicationId: link.application_id,
  ...viewOrganization(link.organization_id),
  workspaceIds: [link.workspace_id],
  scopes: new Set(['connectors:read', 'connectors:write']),
  token: { id: null, expiresAt: link.expires_at, secretMark: null },
})

/** Names the connector: as the link says, as the page says, else by the title of the kind and a number. */
async function chooseName({ database: { db } }: Pick<Parts, 'database'>, { link }: LinkVisit, { name, kind }: Authorized): Promise<string> {
  const given = link.name ?? name
  if (given !== undefined && given !== null) return given
  const workspace = { id: link.workspace_id, organization_id: link.organization_id }
  const { title } = kind.definition
  for (let number = 1; number <= triedNames; number += 1) {
    const tried = number === 1 ? title : `${title} ${number}`
    if (!(await hasConnectorNamed(db, workspace, tried))) return tried
  }
  return title
}

/** Moves problems of the configuration to the member that the page sends. */
function toPageError(thrown: unknown): unknown {
  if (!(thrown instanceof FerruleError)) return thrown
  const errors = thrown.errors.map((each) => moveProblem(each, each.field.replace('/replication_config', '/configuration')))
  const { message, hint, status, retryable, retryAfterMs, upstream } = thrown
  const { cause } = thrown
  return new FerruleError(thrown.code, { message, hint }, { errors, status, retryable, cause, retryAfterMs, upstream })
}

/** Reads the account behind credentials, as JSON. @returns undefined when nothing proves it */
const readAccount = ({ admission, engine }: Parts, { organization_id: organizationId }: LinkVisit['link'], connection: Connection) =>
  admission.admit({ organizationId }, async (bounds) => writeAccount(await engine.readAccount(connection, bounds)))

/** Reads the account behind the stored credentials: as it was once read, else with the credentials themselves. */
async function findStoredAccount(parts: AuthorizationParts, { link }: LinkVisit): Promise<string | undefined> {
  const id = link.target_connector_id ?? ''
  const view = viewOrganization(link.organization_id)
  const stored = await findAccount(parts.database.db, link.organization_id, id)
  if (stored !== null) return stored
  try {
    return await readAccount(parts, link, (await parts.connectors.readAccess(view, id)).connection)
  } catch (thrown) {
    asFerruleError(thrown)
    return undefined // a vendor that refuses the old credentials proves nothing
  }
}

const mismatches = {
  different: 'they reach another account',
  unproven: 'nothing proves it, because the account behind the earlier credentials, or behind the new ones, cannot be read',
} as const

/** Refuses credentials of another account. @throws FerruleError `connect_account_mismatch` */
async function requireSameAccount(parts: AuthorizationParts, visit: LinkVisit, after: string | undefined): Promise<void> {
  const before = await findStoredAccount(parts, visit)
  const found = after === undefined ? 'unproven' : isSameAccount(before === undefined ? undefined : JSON.parse(before), JSON.parse(after))
  if (found !== 'same') throw fail('connect_account_mismatch', { reason: mismatches[found] })
}

/** Checks new credentials of a connector, which must reach the account of its earlier ones. */
async function checkSameAccount(parts: AuthorizationParts, visit: LinkVisit, connection: Connection): Promise<string | undefined> {
  const organizationId = visit.link.organization_id
  const account = await readAccount(parts, visit.link, connection).catch(() => undefined)
  // Another account is refused in these words, although the vendor might refuse the configuration of this one first.
  if (account !== undefined) await requireSameAccount(parts, visit, account)
  await parts.admission.admit({ organizationId }, (bounds) => parts.engine.check(connection, bounds))
  if (account === undefined) await requireSameAccount(parts, visit, account)
  return account
}

/** Builds the trial: a live check, the account, and what happens in the transaction that stores the credentials. */
function buildTrial(parts: AuthorizationParts, visit: LinkVisit, authorized: Authorized): StoringTrial {
  const { link } = visit
  const isFree = link.target_connector_id === null || Boolean(link.allow_other_account)
  return {
    check: isFree ? undefined : (connection) => checkSameAccount(parts, visit, connection),
    forceHint: 'Nothing was stored.',
    isWhole: true,
    consent: authorized.consent,
    complete: async (db, connectorId) => {
      const ref = { organizationId: link.organization_id, id: link.id }
      if (!(await useConnectLink(db, ref, { now: parts.source.clock(), connectorId })))
        throw fail('connect_link_closed', { reason: 'it ended while the credentials were checked' })
      await authorized.complete?.(db)
    },
  }
}

async function replaceCredentials(parts: AuthorizationParts, visit: LinkVisit, authorized: Authorized): Promise<string> {
  const requested = { principal: buildPrincipal(visit), id: visit.link.target_connector_id ?? '' }
  const change = { credentials: { given: { ...authorized.credentials }, trial: buildTrial(parts, visit, authorized), isChecked: true } }
  return (await changeConnector(parts, requested, change)).id
}

async function createConnector(parts: AuthorizationParts, visit: LinkVisit, authorized: Authorized): Promise<string> {
  const { link } = visit
  const { kind, credentials, configuration } = authorized
  requireLocked(kind, readLinkValues(readLinkContent(link), kind.definition.kind), configuration)
  const body = {
    workspace_name: link.workspace_name,
    name: await chooseName(parts, visit, authorized),
    connector_type: kind.definition.kind,
    credentials,
    replication_config: configuration,
    environment: { sandbox: Boolean(link.sandbox) },
  }
  const request = { principal: buildPrincipal(visit), body, trial: buildTrial(parts, visit, authorized) }
  return (await storeNewConnector(parts, request)).id
}

/** Says what happened to a link that another request used up meanwhile: that one took the name, too. */
async function toLinkError(parts: AuthorizationParts, { link }: LinkVisit, thrown: unknown): Promise<unknown> {
  if (asFerruleError(thrown).code !== 'connector_name_conflict') return toPageError(thrown)
  const now = await findConnectLink(parts.database.db, viewOrganization(link.organization_id), link.id)
  if (now !== undefined) requireOpen(now, parts.source.clock())
  return thrown
}

/**
 * Checks credentials and stores them. A failure stores nothing, and leaves link and connector as they were.
 * @throws FerruleError `connect_link_closed`, `connect_account_mismatch`, `validation_failed`, what a creation throws, the error of the check
 */
export async function authorizeConnector(parts: AuthorizationParts, visit: LinkVisit, authorized: Authorized): Promise<ConnectDone> {
  const { link } = visit
  const store = link.target_connector_id === null ? createConnector : replaceCredentials
  try {
    const connectorId = await parts.unfinished.add(store(parts, visit, authorized))
    return { connector_id: connectorId, return_url: buildReturnUrl(link.redirect_url, { link_id: link.id, connector_id: connectorId }) }
  } catch (thrown) {
    throw await toLinkError(parts, visit, thrown)
  }
}

/** Time for an authorization on the vendor's page and a choice after it, in milliseconds. */
const attemptMs = 15 * 60 * 1_000

/** An attempt whose browser proved itself. */
export interface ProvenAttempt extends Pick<Visit, 'link'> {
  readonly attempt: ConnectAttemptRow
  readonly kind: Kind
  /** Value of the cookie; it decrypts what the attempt keeps. */
  readonly cookie: string
}

// JSON that this service wrote.
const parseConfiguration = (text: string): Record<string, unknown> => JSON.parse(text)

/** Builds a connection to the vendor of a consent. @param values credentials; left out before there are any */
export const connectToVendor = (
  parts: Pick<Parts, 'settings' | 'sandboxOrigins'>,
  { link, kind }: Pick<ProvenAttempt, 'link' | 'kind'>,
  { configuration, values = new Secret({}) }: { readonly configuration: string; readonly values?: Secret<CredentialValues> },
): Promise<Connection> =>
  buildConnection(
    parts,
    { kind, sandbox: Boolean(link.sandbox) },
    { configuration: parseConfiguration(configuration), credentials: toUnstoredSource(values) },
  )

/** Lists the accounts of a consent. */
export const listAccounts = async ({ admission, engine }: VendorCalls, link: Visit['link'], connection: Connection) =>
  (await admission.admit({ organizationId: link.organization_id }, (bounds) => engine.listConsentAccounts(connection, bounds))) ?? []

/** Refuses an OAuth client whose secret was entered for other hosts than those of the kind's newest version. */
function requireSameHosts({ definition: { title }, own }: ServedKind, { hosts }: OAuthClientRow): void {
  const known: readonly string[] = JSON.parse(hosts ?? '[]') // JSON that this service wrote
  const foreign = own?.hosts.filter((host) => !known.includes(host)) ?? []
  if (foreign.length === 0) return
  const hint = `The kind leads to ${foreign.join(', ')} now. Store the OAuth client again with PUT /api/v1/oauth/credentials.`
  throw fail('oauth_credentials_not_found', { vendor: title }, { hint })
}

/** Begins a consent. @throws FerruleError see `ConnectPages.begin` */
export async function beginConsent(parts: Parts, visit: Visit, sent: unknown): ReturnType<ConnectPages['begin']> {
  const { link, session } = visit
  const body = readBody(connectConsentInput, sent)
  const kind = await requireKind(parts, visit, body.kind)
  const { definition } = kind
  const ref = { organizationId: link.organization_id, kind: definition.kind }
  const found = findConsent(definition)
  const oauthClient = found === undefined ? undefined : await findOAuthClient(parts.database.db, ref)
  if (oauthClient === undefined) throw fail('oauth_credentials_not_found', { vendor: definition.title })
  requireSameHosts(kind, oauthClient)
  const given = await buildConfiguration(parts, visit, { kind, given: body.configuration })
  // Some addresses and scopes are made of it, and a vendor that is asked in vain would waste the end user's time.
  const configuration = JSON.stringify(checkConfiguration(definition, given, '/configuration'))
  await beginAuthorization(parts, visit)
  const state = newDigestedSecret('state', parts.source.randomBytes)
  const cookie = newDigestedSecret('attempt', parts.source.randomBytes)
  const verifier = found?.hasVerifier ? new Secret(newSecret(parts.source.randomBytes)) : undefined
  const now = parts.source.clock()
  const row: ConnectAttemptRow = {
    id: newId(parts.source),
    organization_id: link.organization_id,
    link_id: link.id,
    session_digest: session.digest,
    kind: definition.kind,
    oauth_client_id: oauthClient.id,
    state_digest: state.digest,
    cookie_digest: cookie.digest,
    configuration,
    name: body.name ?? null,
    status: 'started',
    sealed: verifier === undefined ? null : sealVerifier(parts, { attempt: link, cookie: cookie.secret }, verifier),
    failure: null,
    created_at: now,
    expires_at: now + attemptMs,
  }
  const { origin } = await connectToVendor(parts, { link, kind }, { configuration })
  const url = buildConsentUrl({
    definition,
    oauthClient: openOAuthClient(parts, oauthClient),
    state: state.secret,
    ...(verifier === undefined ? {} : { verifier }),
    redirectUrl: buildCallbackUrl(parts.settings, definition.kind),
    configuration: JSON.parse(configuration),
    origins: origin,
  })
  await insertConnectAttempt(parts.database.db, row)
  const consent = { consent_url: url, attempt_id: row.id, expires_at: iso(row.expires_at) }
  return { consent, cookie: { value: cookie.secret, maxAgeSeconds: attemptMs / 1_000 } }
}

interface Consented {
  readonly values: Secret<CredentialValues>
  /** Step that the attempt stands at. */
  readonly from: 'exchanging' | 'choosing'
  /** Chosen accounts; left out when there is no choice. */
  readonly accounts?: readonly string[]
  readonly name?: string | undefined
}

/** Returns the accounts that a link fixes; undefined: the end user chooses among those of the consent. */
export const findLinkAccounts = ({ link, kind }: Pick<ProvenAttempt, 'link' | 'kind'>): readonly string[] | undefined =>
  findFixedAccounts(kind, readLinkValues(readLinkContent(link), kind.definition.kind))

/** Puts the chosen accounts into the configuration: one as a value, several as a list. Those that the link fixes are there already. */
function putChosenAccounts(proven: ProvenAttempt, accounts: readonly string[] | undefined): Readonly<Record<string, unknown>> {
  const field = findConsent(proven.kind.definition)?.accounts?.configuration
  if (field === undefined || accounts === undefined || findLinkAccounts(proven) !== undefined) return {}
  return { [field]: accounts.length === 1 ? accounts[0] : accounts }
}

/** Checks and stores the credentials of a consent. @throws FerruleError as `authorizeConnector`, `connect_return_refused` */
export function storeConsent(
  parts: AuthorizationParts,
  proven: ProvenAttempt,
  { values, from, accounts, name }: Consented,
): Promise<ConnectDone> {
  const { attempt, link, kind } = proven
  const { definition } = kind
  return authorizeConnector(
    parts,
    { link },
    {
      kind,
      configuration: { ...parseConfiguration(attempt.configuration), ...putChosenAccounts(proven, accounts) },
      name: name ?? attempt.name ?? undefined,
      credentials: toGivenCredentials(values),
      consent: {
        oauthClientId: attempt.oauth_client_id,
        fields: findConsent(definition)?.oauthClientFields ?? [],
        digest: digestToken(definition, link.organization_id, values),
      },
      complete: async (db) => {
        const step = { from, to: 'done', now: parts.source.clock() } as const
        if (!(await stepAttempt(db, attempt, step))) throw fail('connect_return_refused', { reason: 'the authorization has ended' })
      },
    },
  )
}
