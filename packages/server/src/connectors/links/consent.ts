/** Begins consents on a vendor's page, and stores what they bring. */
import type { Kind } from 'ferrule/definition'
import { buildConsentUrl, type Connection, type CredentialValues, checkConfiguration, findConsent, Secret } from 'ferrule/engine'
import { fail } from 'ferrule/internal'
import { type ConnectDone, connectConsentInput } from 'ferrule/wire'
import type { Parts, VendorCalls } from '../../main/parts.ts'
import { iso, newId, newSecret } from '../../values/ids.ts'
import { readBody } from '../../values/read.ts'
import { buildConnection, toUnstoredSource } from '../access.ts'
import type { ServedKind } from '../connector-types.ts'
import { findVendorApplication, type VendorApplicationRow } from '../sql/vendor-applications.ts'
import { type ConnectAttemptRow, insertConnectAttempt, stepAttempt } from '../sql/visits.ts'
import { buildCallbackUrl } from './addresses.ts'
import { type AuthorizationParts, authorizeConnector, beginAuthorization, requireKind } from './authorization.ts'
import type { ConnectPages } from './connect-types.ts'
import { digestToken, openApplication, sealVerifier, toGivenCredentials } from './consent-secrets.ts'
import { readLinkContent } from './link-record.ts'
import { buildConfiguration, findFixedAccounts, readLinkValues } from './link-values.ts'
import { newDigestedSecret, type Visit } from './visits.ts'

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

/** Refuses an application whose secret was entered for other hosts than those of the kind's newest version. */
function requireSameHosts({ definition: { title }, own }: ServedKind, { hosts }: VendorApplicationRow): void {
  const known: readonly string[] = JSON.parse(hosts ?? '[]') // JSON that this service wrote
  const foreign = own?.hosts.filter((host) => !known.includes(host)) ?? []
  if (foreign.length === 0) return
  const hint = `The kind leads to ${foreign.join(', ')} now. Store the application again with PUT /api/v1/oauth/credentials.`
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
  const application = found === undefined ? undefined : await findVendorApplication(parts.database.db, ref)
  if (application === undefined) throw fail('oauth_credentials_not_found', { vendor: definition.title })
  requireSameHosts(kind, application)
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
    vendor_application_id: application.id,
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
    application: openApplication(parts, application),
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

/** Credentials of a consent that are to be stored. */
export interface Consented {
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
function chooseAccounts(proven: ProvenAttempt, accounts: readonly string[] | undefined): Readonly<Record<string, unknown>> {
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
      configuration: { ...parseConfiguration(attempt.configuration), ...chooseAccounts(proven, accounts) },
      name: name ?? attempt.name ?? undefined,
      credentials: toGivenCredentials(values),
      consent: {
        vendorApplicationId: attempt.vendor_application_id,
        fields: findConsent(definition)?.applicationFields ?? [],
        digest: digestToken(definition, link.organization_id, values),
      },
      complete: async (db) => {
        const step = { from, to: 'done', now: parts.source.clock() } as const
        if (!(await stepAttempt(db, attempt, step))) throw fail('connect_return_refused', { reason: 'the authorization has ended' })
      },
    },
  )
}
