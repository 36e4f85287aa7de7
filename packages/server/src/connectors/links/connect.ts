/** What a connect page asks for: its content, the return from a vendor, and the choice of accounts (docs/decisions/connect-links.md). */
import type { Kind } from 'ferrule/definition'
import { type CredentialValues, describeReadable, findConsent, readConsentReturn, type Secret } from 'ferrule/engine'
import { asFerruleError, fail, readSlug, toSchema } from 'ferrule/internal'
import { type ConnectAccounts, type ConnectDone, type ConnectPage, connectAccountsInput, connectConnectorInput } from 'ferrule/wire'
import type { Parts, VendorCalls } from '../../main/parts.ts'
import { viewOrganization } from '../../values/access.ts'
import { iso } from '../../values/ids.ts'
import { failField, readBody } from '../../values/read.ts'
import type { Connectors, ServedKind } from '../connector-types.ts'
import { getConnectorStatus } from '../draft.ts'
import { findConnectLink } from '../sql/links.ts'
import { keepOAuthClient, listOAuthClients } from '../sql/oauth-clients.ts'
import { type ConnectAttemptRow, findAttemptByState, findLastAttempt, stepAttempt } from '../sql/visits.ts'
import { buildCallbackUrl, buildReturnUrl } from './addresses.ts'
import {
  type AuthorizationParts,
  authorizeConnector,
  beginAuthorization,
  beginConsent,
  connectToVendor,
  findLinkAccounts,
  listAccounts,
  type ProvenAttempt,
  requireKind,
  storeConsent,
} from './authorization.ts'
import type { ChoiceVisit, ConnectPages, ConsentReturn } from './connect-types.ts'
import { openConsent, openOAuthClient, openVerifier, sealConsent } from './consent-secrets.ts'
import { getLinkStatus, readLinkContent, requireOpen, toEndUser } from './link-record.ts'
import { buildConfiguration, findTarget, type LinkValues, readPageValues } from './link-values.ts'
import { digestSecret, findAnyLink, isSecret, openSession, requireVisit, type Visit } from './visits.ts'

/** Builds the page's methods. @param connectors reads stored connectors, to compare accounts */
export function createConnectPages(parts: Parts, connectors: Pick<Connectors, 'readAccess'>): ConnectPages {
  const own = { ...parts, connectors }
  return {
    open: async (body) => {
      const { cookie, ...visit } = await openSession(parts, body)
      return { page: await buildConnectPage(parts, visit), cookie }
    },
    read: async (given) => {
      const visit = await requireVisit(parts, given)
      const now = parts.source.clock()
      if (getLinkStatus(visit.link, now) !== 'used') requireOpen(visit.link, now)
      return buildConnectPage(parts, visit)
    },
    authorize: async (given, body) => {
      const visit = await requireVisit(parts, given)
      const wanted = readBody(connectConnectorInput, body)
      const kind = await requireKind(parts, visit, wanted.kind)
      const configuration = await buildConfiguration(parts, visit, { kind, given: wanted.configuration })
      await beginAuthorization(parts, visit)
      const { credentials, name } = wanted
      return authorizeConnector(own, visit, { kind, configuration, name, credentials })
    },
    begin: async (given, body) => beginConsent(parts, await requireVisit(parts, given), body),
    takeReturn: (given) => parts.unfinished.add(takeReturn(own, given)),
    listAccounts: (visit) => listChoices(parts, visit),
    choose: (given, body) => chooseAccounts(own, given, body),
    readStatus: async (linkId, origin) => {
      const link = await findAnyLink(parts, linkId)
      if (link === undefined || link.allowed_origin === null || link.allowed_origin !== origin) throw fail('connect_link_not_found', {})
      return { status: getLinkStatus(link, parts.source.clock()), connector_id: link.connector_id }
    },
  }
}

/** Most accounts of one connector; definitions bound the field too. */
const mostAccounts = 100

/** Returns how many accounts may be chosen: one where the configuration takes one id. */
const countMost = ({ definition }: Kind): number =>
  definition.configuration[findConsent(definition)?.accounts?.configuration ?? '']?.type === 'string' ? 1 : mostAccounts

interface Choosing extends ProvenAttempt {
  readonly values: Secret<CredentialValues>
}

const refuse = (reason: string) => fail('connect_return_refused', { reason })

/** Finds the attempt of this session and this browser that waits for a choice. @throws FerruleError `connect_return_refused` */
async function requireChoosing(parts: Parts, { link, session }: Visit, { readCookie }: ChoiceVisit): Promise<Choosing> {
  const { db } = parts.database
  const attempt = await findLastAttempt(db, session)
  if (attempt === undefined || attempt.status !== 'choosing') throw refuse('no authorization of this page waits for a choice')
  if (attempt.expires_at <= parts.source.clock()) throw refuse('the time for a choice is over')
  const cookie = readCookie(attempt.id)
  const oauthClient = await keepOAuthClient(db, link.organization_id, attempt.oauth_client_id)
  if (cookie === undefined || oauthClient === undefined || !isSecret('attempt', cookie, attempt.cookie_digest))
    throw refuse('it was begun in another browser')
  const values = openConsent(parts, { attempt, cookie, oauthClient })
  if (values === undefined) throw refuse('its credentials cannot be opened')
  return { attempt, link, kind: await parts.kinds.get(attempt), cookie, values }
}

/** Lists what may be chosen: the accounts of the consent, or of them those that the link fixes. */
async function list(parts: VendorCalls & Pick<Parts, 'settings' | 'sandboxOrigins'>, { link, kind, attempt, values }: Choosing) {
  const connection = await connectToVendor(parts, { link, kind }, { configuration: attempt.configuration, values })
  const accounts = await listAccounts(parts, link, connection)
  const fixed = findLinkAccounts({ link, kind })
  return { fixed, accounts: fixed === undefined ? accounts : accounts.filter(({ id }) => fixed.includes(id)) }
}

/** Lists the accounts of a consent. @throws FerruleError see `ConnectPages.listAccounts` */
async function listChoices(parts: Parts, given: ChoiceVisit): Promise<ConnectAccounts> {
  const choosing = await requireChoosing(parts, await requireVisit(parts, given), given)
  const { attempt } = choosing
  const { accounts, fixed } = await list(parts, choosing)
  const shown = { accounts: [...accounts], fixed: fixed !== undefined, most: countMost(choosing.kind) }
  return { attempt_id: attempt.id, kind: readSlug(attempt.kind), ...shown, expires_at: iso(attempt.expires_at) }
}

/** Refuses a choice of other accounts than those offered, and of less than the link fixes. @throws FerruleError `validation_failed` */
function requireOffered(chosen: readonly string[], { accounts, fixed }: Awaited<ReturnType<typeof list>>): void {
  const known = new Set(accounts.map(({ id }) => id))
  const foreign = chosen.findIndex((id) => !known.has(id))
  const message = fixed === undefined ? 'is no account of this consent' : 'is no account of this consent that the link allows'
  if (foreign >= 0) throw failField(`/ids/${foreign}`, message, 'enum')
  const missing = fixed?.filter((id) => !chosen.includes(id)) ?? []
  if (missing.length > 0) throw failField('/ids', `must have ${missing.join(', ')}, which the link fixes`, 'locked')
}

/** Chooses accounts. Only those of the consent itself count. @throws FerruleError see `ConnectPages.choose` */
async function chooseAccounts(parts: AuthorizationParts, given: ChoiceVisit, body: unknown): Promise<ConnectDone> {
  const visit = await requireVisit(parts, given)
  const { attempt_id, ids, name } = readBody(connectAccountsInput, body)
  const choosing = await requireChoosing(parts, visit, given)
  if (choosing.attempt.id !== attempt_id.toLowerCase()) throw refuse('a later authorization replaced it')
  await beginAuthorization(parts, visit)
  const chosen = [...new Set(ids)]
  const most = countMost(choosing.kind)
  if (chosen.length > most) throw failField('/ids', `must have at most ${most}`, 'maxItems')
  requireOffered(chosen, await list(parts, choosing))
  return storeConsent(parts, choosing, { values: choosing.values, from: 'choosing', accounts: chosen, name })
}

/** The same answer for an unknown state, another browser and another kind: a stranger learns nothing. */
const refuseStranger = () => fail('connect_return_refused', { reason: 'it belongs to no authorization that this browser began' })

/** Finds the attempt of a return. The state and the cookie of this browser have to be right before anything else is done. */
async function proveReturn(parts: Parts, given: ConsentReturn, state: string | undefined): Promise<ProvenAttempt> {
  const { db } = parts.database
  const attempt = state === undefined ? undefined : await findAttemptByState(db, digestSecret('state', state))
  const cookie = attempt === undefined ? undefined : given.readCookie(attempt.id)
  if (attempt === undefined || attempt.kind !== given.kind) throw refuseStranger()
  if (cookie === undefined || !isSecret('attempt', cookie, attempt.cookie_digest)) throw refuseStranger()
  const link = await findConnectLink(db, viewOrganization(attempt.organization_id), attempt.link_id)
  if (link === undefined) throw refuseStranger()
  return { attempt, link, kind: await parts.kinds.get(attempt), cookie }
}

/** Keeps why an attempt failed, for the page of its session. */
async function failAttempt(
  parts: Pick<Parts, 'database' | 'source' | 'onBackgroundError'>,
  attempt: ConnectAttemptRow,
  { from, thrown }: { from: 'started' | 'exchanging'; thrown: unknown },
) {
  const { code, message, hint, retryable } = asFerruleError(thrown)
  if (code === 'internal_error') parts.onBackgroundError(thrown)
  const failure = JSON.stringify({ code, message, hint, retryable })
  await stepAttempt(parts.database.db, attempt, { from, to: 'failed', now: parts.source.clock(), failure })
}

function failWithoutCode(vendor: string, refused: string | undefined) {
  if (refused === undefined) return fail('connect_return_refused', { reason: `${vendor} sent no code` })
  const reason = refused === 'access_denied' ? `${vendor} says that the access was denied` : `${vendor} answered ${refused}`
  const hint = 'Start the authorization again, and agree on the page of the vendor. Its administrator may have to do it.'
  return fail('connect_return_refused', { reason }, { hint })
}

interface Returned {
  readonly code: string
  readonly query: URLSearchParams
}

/** Exchanges the code, with one request that nothing repeats. */
async function exchange(parts: Parts, { attempt, link, kind, cookie }: ProvenAttempt, { code, query }: Returned) {
  const row = await keepOAuthClient(parts.database.db, link.organization_id, attempt.oauth_client_id)
  if (row === undefined) throw fail('oauth_credentials_not_found', { vendor: kind.definition.title })
  const connection = await connectToVendor(parts, { link, kind }, { configuration: attempt.configuration })
  const redirectUrl = buildCallbackUrl(parts.settings, kind.definition.kind)
  const verifier = openVerifier(parts, { attempt, cookie })
  const consented = { oauthClient: openOAuthClient(parts, row), code, query, redirectUrl, ...(verifier === undefined ? {} : { verifier }) }
  return parts.admission.admit({ organizationId: link.organization_id }, () => parts.engine.exchangeConsent(connection, consented))
}

/** Exchanges the code and stores the connector, or keeps the credentials while accounts are chosen. */
async function carryOut(parts: AuthorizationParts, proven: ProvenAttempt, returned: Returned): Promise<void> {
  const { attempt, link, kind, cookie } = proven
  const { definition } = kind
  const values = await exchange(parts, proven, returned)
  // The credentials of a connector keep its configuration, so nothing is chosen for them.
  if (findConsent(definition)?.accounts === undefined || link.target_connector_id !== null) {
    await storeConsent(parts, proven, { values, from: 'exchanging' })
    return
  }
  const connection = await connectToVendor(parts, proven, { configuration: attempt.configuration, values })
  // The page lists the accounts again, so a failure of this list decides nothing.
  const accounts = await listAccounts(parts, link, connection).catch(() => undefined)
  if (accounts?.length === 0) throw failWithoutAccounts(definition.title)
  const missing = (findLinkAccounts(proven) ?? []).filter((fixed) => accounts?.every(({ id }) => id !== fixed))
  if (missing.length > 0) throw failWithoutFixed(definition.title, missing.join(', '))
  const sealed = sealConsent(parts, { attempt, cookie, definition }, values)
  await stepAttempt(parts.database.db, attempt, { from: 'exchanging', to: 'choosing', now: parts.source.clock(), sealed })
}

const failWithoutAccounts = (vendor: string) =>
  fail(
    'connect_return_refused',
    { reason: `no account was ticked at ${vendor}` },
    { hint: 'Start the authorization again, and tick at least one account. Nothing was created.' },
  )

const failWithoutFixed = (vendor: string, missing: string) =>
  fail(
    'connect_return_refused',
    { reason: `the link is for an account that was not ticked at ${vendor}` },
    { hint: `Start the authorization again, and tick ${missing}. Nothing was created.` },
  )

/** Finds the kind of a return. The state names the organization of a kind that is an organization's own. */
async function findReturnedKind({ kinds, database: { db } }: Parts, { kind, query }: ConsentReturn): Promise<Kind> {
  if (readSlug(kind) === kind) return kinds.served.getKind(kind)
  const attempt = await findAttemptByState(db, digestSecret('state', query.get('state') ?? ''))
  if (attempt === undefined || attempt.kind !== kind) throw refuseStranger()
  return kinds.get(attempt)
}

/** Takes a return. The step from `started` is one statement, so of two nodes, and of a repeated return, one exchanges the code. */
async function takeReturn(parts: AuthorizationParts, given: ConsentReturn): ReturnType<ConnectPages['takeReturn']> {
  const { definition } = await findReturnedKind(parts, given)
  const returned = readConsentReturn(definition, given.query)
  const proven = await proveReturn(parts, given, returned.state)
  const { attempt, link } = proven
  const now = parts.source.clock()
  const next = { linkId: link.id, attemptId: attempt.id }
  if (!('code' in returned)) {
    const thrown = failWithoutCode(definition.title, 'refused' in returned ? returned.refused : undefined)
    await failAttempt(parts, attempt, { from: 'started', thrown })
    return next
  }
  if (!(await stepAttempt(parts.database.db, attempt, { from: 'started', to: 'exchanging', now }))) return next
  try {
    requireOpen(link, now)
    await carryOut(parts, proven, { code: returned.code, query: given.query })
  } catch (thrown) {
    await failAttempt(parts, attempt, { from: 'exchanging', thrown })
  }
  return next
}

type PageKind = ConnectPage['kinds'][number]

interface KindParts {
  readonly kind: ServedKind
  readonly values: LinkValues
  /** True: the organization has an OAuth client at the vendor, so its consent page can be used. */
  readonly hasOAuthClient: boolean
}

/** Lists the ways to authorize. Consent goes first. Without the operator's OAuth client, the scheme of a consent page is left out. */
function listSchemes({ definition }: Kind, hasOAuthClient: boolean): PageKind['schemes'] {
  const consent = findConsent(definition)
  const forms = Object.entries(definition.credentials).filter(([name]) => name !== consent?.name)
  const shown = forms.map(([name, { title, fields }]) => ({ name, title, consent: false, who: null, schema: toSchema(fields) }))
  if (consent === undefined || !hasOAuthClient) return shown
  return [{ name: consent.name, title: consent.title, consent: true, who: consent.who, schema: null }, ...shown]
}

/**
 * Prints what an entity is, for the owner of an account: its sentence, without how a call lists the records. A call reads the records of one
 * order; the connector reads those of each.
 */
const printReadable = ({ about }: { readonly about: string }): string =>
  about.replace(/(?:[;:]|, (?:as|by|without) ).*$/, '').replaceAll(' one ', ' each ')

/** Builds a kind. Locked values are shown, and not asked for. */
function toPageKind({ kind, values, hasOAuthClient }: KindParts): PageKind {
  const { definition } = kind
  const readable = describeReadable(definition)
  const asked = Object.entries(definition.configuration).filter(([name]) => !values.isWhole && !Object.hasOwn(values.locked, name))
  return {
    slug: readSlug(definition.kind),
    title: definition.title,
    about: definition.about,
    documentation: definition.documentation,
    reviewed: kind.own === undefined,
    hosts: [...(kind.own?.hosts ?? [])],
    readable: readable.map(printReadable),
    changeable: readable.filter(({ isChangeable }) => isChangeable).map(printReadable),
    schemes: listSchemes(kind, hasOAuthClient),
    configuration: toSchema(Object.fromEntries(asked)),
    accounts_field: findConsent(definition)?.accounts?.configuration ?? null,
    defaults: { ...values.defaults },
    locked: Object.entries(values.locked).map(([name, value]) => ({
      name,
      title: definition.configuration[name]?.description ?? name,
      value: typeof value === 'string' ? value : Array.isArray(value) ? value.join(', ') : JSON.stringify(value),
    })),
  }
}

const toAttempt = (row: ConnectAttemptRow): NonNullable<ConnectPage['attempt']> => ({
  id: row.id,
  kind: readSlug(row.kind),
  status: row.status,
  failure: row.failure === null ? null : JSON.parse(row.failure), // JSON that this service wrote
  expires_at: iso(row.expires_at),
})

/** Builds the addresses that a page leads to. */
const buildLeaving = ({ link }: Pick<Visit, 'link'>) => ({
  return_url: link.connector_id === null ? null : buildReturnUrl(link.redirect_url, { link_id: link.id, connector_id: link.connector_id }),
  cancel_url: buildReturnUrl(link.redirect_url, {
    link_id: link.id,
    error: 'access_denied',
    error_description: 'The end user gave up.',
  }),
})

/** Builds the page. Every row is read with the organization of the link. */
async function buildConnectPage(parts: Pick<Parts, 'database' | 'source' | 'kinds'>, visit: Visit): Promise<ConnectPage> {
  const { link, session } = visit
  const { db } = parts.database
  const target = await findTarget(parts, visit)
  const attempt = await findLastAttempt(db, session)
  const oauthClients = (await listOAuthClients(db, link.organization_id)).map(({ kind }) => kind)
  const { organization_id } = link
  const kinds = await Promise.all(readLinkContent(link).kinds.map((kind) => parts.kinds.get({ organization_id, kind })))
  return {
    id: link.id,
    status: getLinkStatus(link, parts.source.clock()),
    organization_name: link.organization_name,
    end_user: toEndUser(link),
    sandbox: Boolean(link.sandbox),
    name: target?.name ?? link.name,
    connector:
      target === undefined ? null : { id: target.id, name: target.name, kind: readSlug(target.kind), status: getConnectorStatus(target) },
    allow_other_account: Boolean(link.allow_other_account),
    kinds: kinds.map((kind) => {
      const { kind: slug } = kind.definition
      return toPageKind({ kind, values: readPageValues(visit, slug, target), hasOAuthClient: oauthClients.includes(slug) })
    }),
    attempt: attempt === undefined ? null : toAttempt(attempt),
    connector_id: link.connector_id,
    allowed_origin: link.allowed_origin,
    ...buildLeaving(visit),
    expires_at: iso(link.expires_at),
  }
}
