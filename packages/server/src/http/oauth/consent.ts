/** The pages where an operator signs in and agrees. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { FerruleError } from 'ferrule'
import { fail, isObject } from 'ferrule/internal'
import { defaultMcpScopes, type McpScope, mcpScopes } from 'ferrule/wire'
import type { InteractionResults, Provider } from 'oidc-provider'
import type { Platform } from '../../main/platform-types.ts'
import type { OAuth } from '../../tenancy/oauth/oauth.ts'
import type { ProvenClient } from '../../tenancy/tokens/token-types.ts'
import { everyonesWorkspace } from '../../tenancy/workspaces/workspace-keeper.ts'
import type { Principal } from '../../values/access.ts'
import type { OAuthLimits } from '../address-limits.ts'
import { type SentPage, sendPage } from '../html/frame.ts'
import type { Services } from '../route.ts'
import { operator } from './adapter.ts'
import { cleanClientName } from './clients.ts'
import { buildConsentPage, buildErrorPage, buildReturnPage, buildSignInPage, type ConsentParts, type PageParts } from './pages.ts'

/** Largest number of ticked boxes of one name that are read. */
const mostBoxes = 200

interface ConsentForm {
  readonly token: string
  readonly action: 'sign_in' | 'allow' | 'deny'
  readonly clientId: string
  readonly clientSecret: string
  readonly organizationId: string
  readonly workspaceNames: readonly string[]
  /** Connectors are ticked, but all are asked for: nobody knows which was meant. */
  readonly isContradictory: boolean
  /** undefined: all connectors of the workspaces. */
  readonly connectorIds: readonly string[] | undefined
  readonly write: boolean
}

const actions = ['sign_in', 'allow'] as const

/** Reads a form. What is missing is empty: the checks behind the pages refuse it. @param body the text of the form */
function readConsentForm(body: unknown): ConsentForm {
  const given = new URLSearchParams(typeof body === 'string' ? body : '')
  const read = (name: string): string => given.get(name)?.trim() ?? ''
  const readAll = (name: string): string[] => given.getAll(name).slice(0, mostBoxes)
  const other = read('other_workspace')
  const ticked = readAll('connector')
  return {
    token: read('form_token'),
    action: actions.find((action) => action === read('action')) ?? 'deny',
    clientId: read('client_id'),
    clientSecret: given.get('client_secret') ?? '',
    organizationId: read('organization'),
    workspaceNames: [...readAll('workspace'), ...(other === '' ? [] : [other])],
    isContradictory: read('reach') !== 'some' && ticked.length > 0,
    connectorIds: read('reach') === 'some' || ticked.length > 0 ? ticked : undefined,
    write: read('write') === 'yes',
  }
}

/** Workspaces and connectors of a page: the most that the service lists at once. */
const pageSize = 100

type Choices = Pick<ConsentParts, 'organizations' | 'workspaces' | 'connectors' | 'allConnectors' | 'isCut'>

/** Enters the chosen organization, else the first one. @returns undefined when the application does not reach it any longer */
async function enter({ oauth }: Platform, who: ProvenClient, organizationId: string | undefined): Promise<Principal | undefined> {
  if (organizationId === undefined) return undefined
  try {
    return await oauth.enter(who, organizationId)
  } catch (thrown) {
    if (thrown instanceof FerruleError && ['organization_forbidden', 'token_expired'].includes(thrown.code)) return undefined
    throw thrown
  }
}

/**
 * Builds the choices, with what the form has chosen so far.
 * @returns undefined when the application reaches no such organization
 */
async function buildChoices(
  platform: Platform,
  who: ProvenClient,
  form: Partial<ConsentForm> & Pick<ConsentForm, 'organizationId'>,
): Promise<Choices | undefined> {
  const reached = await platform.oauth.listOrganizations(who)
  const organization = form.organizationId === '' ? reached[0] : reached.find(({ id }) => id === form.organizationId)
  const principal = await enter(platform, who, organization?.id)
  if (principal === undefined) return undefined
  const workspaces = await platform.workspaces.list(principal, { limit: pageSize })
  const connectors = await platform.connectors.list(principal, { limit: pageSize })
  const names = form.workspaceNames ?? [everyonesWorkspace]
  return {
    organizations: reached.map(({ id, name }) => ({ value: id, label: name, isChosen: id === organization?.id })),
    workspaces: workspaces.data.map(({ name }) => ({ value: name, label: name, isChosen: names.includes(name) })),
    connectors: connectors.data.map(({ id, name, connector_type, workspace_name }) => ({
      value: id,
      label: `${name} (${connector_type}, workspace ${workspace_name})`,
      isChosen: form.connectorIds?.includes(id) === true,
    })),
    allConnectors: form.connectorIds === undefined,
    isCut: workspaces.next !== null,
  }
}

/** Time for an authorization, in milliseconds; that of the library's record. */
const authorizationMs = 600_000
/** A registration is kept for as long as the longest grant, in milliseconds. */
const usedRegistrationMs = 366 * 24 * 60 * 60 * 1_000

interface PageRequest {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** An authorization that waits for its operator. */
interface WaitingAuthorization {
  readonly id: string
  readonly clientId: string
  /** Where the policy of a page lets its form lead. */
  readonly formSource: string
  readonly scopes: readonly McpScope[]
  readonly parts: PageParts
}

/** Why a sign-in was refused, and what stays in its form. */
interface RefusedSignIn {
  readonly status: number
  readonly problem: string
  readonly clientId?: string
}

const readText = (value: unknown): string => (typeof value === 'string' ? value : '')
const expiredPage = (): SentPage => ({
  status: 400,
  text: buildErrorPage('This sign-in has expired, or it was started in another browser.'),
})

/** Shows pages and carries out their forms. */
export class Consent {
  readonly #services: Services
  readonly #limits: OAuthLimits
  readonly #load: () => Promise<Provider>

  constructor(services: Services, limits: OAuthLimits, load: () => Promise<Provider>) {
    this.#services = services
    this.#limits = limits
    this.#load = load
  }

  get #oauth(): OAuth {
    return this.#services.platform.oauth
  }

  async show(page: PageRequest): Promise<FastifyReply> {
    const waiting = await this.#find(page)
    if (waiting === undefined) return sendPage(page.reply, expiredPage())
    const who = await this.#findSignIn(waiting)
    if (who === undefined) return this.#sendSignIn(page.reply, waiting)
    const { organization } = isObject(page.request.query) ? page.request.query : {}
    return this.#sendConsent(page.reply, { waiting, who, form: { organizationId: readText(organization) } })
  }

  async submit(page: PageRequest): Promise<FastifyReply> {
    const waiting = await this.#find(page)
    const form = readConsentForm(page.request.body)
    if (waiting === undefined || !isSame(form.token, waiting.parts.formToken)) return sendPage(page.reply, expiredPage())
    if (form.action === 'deny') return this.#deny(page, waiting)
    if (form.action === 'sign_in') return this.#signIn(page, waiting, form)
    const who = await this.#findSignIn(waiting)
    if (who === undefined) return this.#sendSignIn(page.reply, waiting)
    return this.#allow(page, { waiting, who, form })
  }

  /** Finds the authorization of the address, which the cookie of this browser has to name too. */
  async #find({ request, reply }: PageRequest): Promise<WaitingAuthorization | undefined> {
    const provider = await this.#load()
    const details = await provider.interactionDetails(request.raw, reply.raw).catch((thrown: unknown) => {
      if (thrown instanceof Error && thrown.name === 'SessionNotFound') return undefined
      throw thrown
    })
    const { id } = isObject(request.params) ? request.params : {}
    if (details === undefined || details.uid !== id) return undefined
    const { client_id, redirect_uri, scope } = details.params
    const [clientId, redirect] = [readText(client_id), new URL(readText(redirect_uri))]
    const words = readText(scope).split(' ')
    const parts: PageParts = {
      clientName: cleanClientName(details.prompt.details['client_name'], clientId),
      redirectHost: nameRedirect(redirect),
      documentHost: URL.canParse(clientId) ? new URL(clientId).host : undefined,
      formToken: this.#sign(details.uid),
    }
    return {
      id: details.uid,
      clientId,
      formSource: findFormSource(redirect),
      scopes: mcpScopes.filter((each) => words.includes(each)),
      parts,
    }
  }

  #sign(id: string): string {
    const [key = ''] = this.#oauth.cookieKeys()
    return createHmac('sha256', key).update(`form ${id}`).digest('base64url')
  }

  async #findSignIn({ id }: WaitingAuthorization): Promise<ProvenClient | undefined> {
    const content = (await this.#oauth.find({ type: 'SignIn', id }))?.content
    if (!isObject(content)) return undefined
    return { applicationId: readText(content['applicationId']), secretMark: readText(content['secretMark']) }
  }

  #sendSignIn(reply: FastifyReply, { parts, formSource }: WaitingAuthorization, refused?: RefusedSignIn) {
    const text = buildSignInPage({ ...parts, problem: refused?.problem }, refused?.clientId ?? '')
    return sendPage(reply, { status: refused?.status ?? 200, text, formSource })
  }

  async #signIn(
    { request, reply }: PageRequest,
    waiting: WaitingAuthorization,
    { clientId, clientSecret }: ConsentForm,
  ): Promise<FastifyReply> {
    const wait = this.#limits.count('signIn', request.ip)
    if (wait !== undefined) {
      reply.header('retry-after', String(wait))
      return this.#sendSignIn(reply, waiting, {
        status: 429,
        clientId,
        problem: 'There were too many attempts. Wait a minute, then try again.',
      })
    }
    try {
      const who = await this.#oauth.signIn({ clientId, clientSecret })
      await this.#oauth.save({ type: 'SignIn', id: waiting.id }, { content: who, lifeMs: authorizationMs })
    } catch (thrown) {
      if (!(thrown instanceof FerruleError) || thrown.code !== 'invalid_client') throw thrown
      return this.#sendSignIn(reply, waiting, { status: 403, clientId, problem: 'Client id or client secret is wrong.' })
    }
    return reply.header('cache-control', 'no-store').redirect(waiting.id, 303) // relative: the path of a proxy stays
  }

  async #sendConsent(reply: FastifyReply, given: Agreeing, problem?: string): Promise<FastifyReply> {
    const { waiting, who } = given
    const choices = await buildChoices(this.#services.platform, who, given.form)
    if (choices === undefined)
      return this.#sendSignIn(reply, waiting, { status: 403, problem: 'This application reaches no such organization. Sign in again.' })
    const text = buildConsentPage({ ...waiting.parts, ...choices, isWriteChosen: given.form.write === true, problem })
    return sendPage(reply, { status: problem === undefined ? 200 : 400, text, formSource: waiting.formSource })
  }

  async #allow(page: PageRequest, given: Agreeing & { readonly form: ConsentForm }): Promise<FastifyReply> {
    const { waiting, who, form } = given
    try {
      const problem = findFormProblem(form)
      if (problem !== undefined) return await this.#sendConsent(page.reply, given, problem)
      const principal = await this.#oauth.enter(who, form.organizationId)
      const { clientId, parts } = waiting
      const scopes = waiting.scopes.filter((scope) => defaultMcpScopes.includes(scope) || form.write)
      const { workspaceNames, connectorIds } = form
      const grant = await this.#oauth.grant(principal, { clientId, clientName: parts.clientName, workspaceNames, connectorIds, scopes })
      await this.#oauth.remove({ type: 'SignIn', id: waiting.id })
      await this.#oauth.extend({ type: 'Client', id: clientId }, usedRegistrationMs)
      return await this.#finish(page, waiting, {
        login: { accountId: operator, remember: false },
        consent: { grantId: grant.id },
        select_account: {},
      })
    } catch (thrown) {
      return this.#refuse(page, given, thrown)
    }
  }

  /** Shows what was wrong with a form; other errors are the service's. */
  #refuse(page: PageRequest, given: Agreeing, thrown: unknown): Promise<FastifyReply> | FastifyReply {
    if (!(thrown instanceof FerruleError)) throw thrown
    if (thrown.code === 'validation_failed')
      return this.#sendConsent(page.reply, given, 'A workspace or connector does not exist, or a connector is in another workspace.')
    if (['organization_forbidden', 'token_expired'].includes(thrown.code))
      return this.#sendSignIn(page.reply, given.waiting, { status: 403, problem: 'This application no longer has access. Sign in again.' })
    throw thrown
  }

  async #deny(page: PageRequest, waiting: WaitingAuthorization): Promise<FastifyReply> {
    await this.#oauth.remove({ type: 'SignIn', id: waiting.id })
    return this.#finish(page, waiting, { error: 'access_denied', error_description: 'the operator did not agree' })
  }

  async #finish({ request, reply }: PageRequest, { formSource }: WaitingAuthorization, result: InteractionResults): Promise<FastifyReply> {
    const provider = await this.#load()
    const next = await provider.interactionResult(request.raw, reply.raw, result, { mergeWithLastSubmission: false })
    if (next === undefined) throw fail('internal_error', {})
    if (formSource !== '') return reply.header('cache-control', 'no-store').redirect(next, 303)
    return sendPage(reply.header('refresh', `0; url=${next}`), { status: 200, text: buildReturnPage(next) })
  }
}

const isWeb = ({ protocol }: URL): boolean => protocol === 'https:' || protocol === 'http:'

/** Names the receiver of a code for a page. */
const nameRedirect = (redirect: URL): string => {
  const { protocol, host } = redirect
  if (isWeb(redirect)) return host
  return host === '' ? protocol : `${protocol}//${host}`
}

/** Finds what a policy calls the receiver of a code. It has no form for an IPv6 address: such a page's form stays, and a refresh leads on. */
function findFormSource(redirect: URL): string {
  if (!isWeb(redirect)) return redirect.protocol
  return redirect.hostname.startsWith('[') ? '' : redirect.origin
}

/** Returns what is missing in a form; undefined: nothing. */
function findFormProblem({ workspaceNames, connectorIds, isContradictory }: ConsentForm): string | undefined {
  if (workspaceNames.length === 0) return 'Choose at least one workspace.'
  if (isContradictory) return 'You ticked connectors and chose all of them. Choose one or the other.'
  return connectorIds?.length === 0 ? 'Choose at least one connector, or all of them.' : undefined
}

/** Who agrees, and what was filled in so far. */
interface Agreeing {
  readonly waiting: WaitingAuthorization
  readonly who: ProvenClient
  readonly form: Partial<ConsentForm> & Pick<ConsentForm, 'organizationId'>
}

function isSame(given: string, expected: string): boolean {
  const [one, two] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === two.length && timingSafeEqual(one, two)
}
