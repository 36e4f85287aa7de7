/** Routes of the connect page. They need no token: the secret of the link opens a session, and its cookie proves every later request. */
import type { FastifyInstance } from 'fastify'
import { FerruleError } from 'ferrule'
import { fail } from 'ferrule/internal'
import { connectLinkHeader, connectPaths } from 'ferrule/wire'
import { requireOwnAddress } from '../../connectors/links/addresses.ts'
import type { ChoiceVisit, ConnectPages, IssuedCookie } from '../../connectors/links/connect-types.ts'
import type { Settings } from '../../main/settings/settings.ts'
import { AddressLimits } from '../address-limits.ts'
import { nameCookie, printCookie, readCookie } from '../cookies.ts'
import { buildPage, buildPageHeaders, pageType } from '../html/frame.ts'
import { html } from '../html/html.ts'
import { type Registration, register } from '../register.ts'
import { type Answer, type Exchange, type OpenRoute, type Services, slot } from '../route.ts'

type CookieUse = 'session' | 'attempt'

/** A vendor's redirect is cross-site: a browser sends `Lax` with it, and `Strict` never. Everything else comes from our own page. */
const sameSite: Readonly<Record<CookieUse, 'Strict' | 'Lax'>> = { session: 'Strict', attempt: 'Lax' }

/** Form of ids in the names of cookies. */
const idForm = /^[0-9a-f-]{36}$/

/** Reads and prints the cookies of one service. */
class ConnectCookies {
  readonly #settings: Settings

  constructor(settings: Settings) {
    this.#settings = settings
  }

  #name(use: CookieUse, id: string): string {
    return nameCookie(new URL(requireOwnAddress(this.#settings)), `ferrule_connect_${use}`, id)
  }

  /** Reads the cookie of a link or attempt. @param header value of `Cookie` */
  read(header: string | undefined, use: CookieUse, id: string): string | undefined {
    return header === undefined || !idForm.test(id) ? undefined : readCookie(header, this.#name(use, id))
  }

  /** Prints `Set-Cookie`. On this machine the cookie is for these pages only; a `__Host-` cookie cannot be. */
  print(use: CookieUse, id: string, { value, maxAgeSeconds }: IssuedCookie): string {
    const { protocol, pathname } = new URL(requireOwnAddress(this.#settings))
    const isSecure = protocol === 'https:'
    const path = isSecure ? '/' : `${pathname.replace(/\/+$/, '')}/connect`
    return printCookie(this.#name(use, id), value, { isSecure, path, sameSite: sameSite[use], maxAgeSeconds })
  }
}

/** Builds the page of a refused return: nothing of the request is shown. @throws every error that is no refusal */
function buildReturnRefusal(thrown: unknown): Answer {
  if (!(thrown instanceof FerruleError) || !['connect_return_refused', 'connector_type_not_found'].includes(thrown.code)) throw thrown
  const said = html`<h1>Not connected</h1><p class="problem">This page was not opened by an authorization of this browser, or the authorization is too old.</p>
<p>Nothing was changed. Open the link again and start the authorization again, in the same browser and with cookies allowed.</p>`
  return {
    content: buildPage('Not connected', said),
    type: pageType,
    status: 400,
    headers: { ...buildPageHeaders(), 'referrer-policy': 'no-referrer' },
  }
}

/** Requests of an address per minute on one node. The page that opens a link asks for its status every few seconds. */
const perMinute = { session: 60, authorize: 20, read: 120, callback: 60, status: 300 } as const
type LimitedUse = keyof typeof perMinute

/** A request without a token. */
type Request = Exchange<undefined>

const failForeign = (reason: string) => fail('connect_session_missing', { reason }, { hint: 'Use the page of the link.' })

/** Refuses requests of other pages: each browser says where a request comes from. @throws FerruleError `connect_session_missing` */
function requireOwnPage(exchange: Request, settings: Settings): void {
  const { origin } = new URL(requireOwnAddress(settings))
  const [site, given] = [exchange.header('sec-fetch-site'), exchange.header('origin')]
  const isOwn = (site === undefined || site === 'same-origin') && (given === undefined || given === origin)
  if (!isOwn) throw failForeign('the request does not come from the page of this service')
}

/** Refuses a request that changes something without an Origin, which every browser sends with it. */
function requireOrigin(exchange: Request): void {
  if (exchange.header('origin') === undefined) throw failForeign('the request has no Origin, so it does not come from a page')
}

const toQuery = ({ query }: Request): URLSearchParams => {
  const built = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) for (const each of [value].flat()) built.append(name, String(each))
  return built
}

class ConnectAnswers {
  readonly #settings: Settings
  readonly #pages: ConnectPages
  readonly #limits: AddressLimits<LimitedUse>
  readonly #cookies: ConnectCookies

  constructor(services: Services) {
    this.#settings = services.settings
    this.#pages = services.platform.connectPages
    this.#limits = new AddressLimits<LimitedUse>(perMinute, services.steady)
    this.#cookies = new ConnectCookies(services.settings)
  }

  /** Counts a request of an address. @throws FerruleError `rate_limited` */
  enter(exchange: Request, name: LimitedUse): void {
    exchange.setHeader('referrer-policy', 'no-referrer')
    const seconds = this.#limits.count(name, exchange.address)
    if (seconds !== undefined) throw fail('rate_limited', { limit: perMinute[name] }, { retryAfterMs: seconds * 1_000 })
  }

  /** Lets in a request of the page itself. */
  enterPage(exchange: Request, { method, counted }: { readonly method: string; readonly counted: LimitedUse }): void {
    this.enter(exchange, counted)
    if (method === 'POST') requireOrigin(exchange)
    requireOwnPage(exchange, this.#settings)
  }

  #readAttempt(exchange: Request): ChoiceVisit['readCookie'] {
    return (id) => this.#cookies.read(exchange.header('cookie'), 'attempt', id)
  }

  #visit(exchange: Request): ChoiceVisit {
    const linkId = (exchange.header(connectLinkHeader) ?? '').toLowerCase()
    const session = this.#cookies.read(exchange.header('cookie'), 'session', linkId)
    return { linkId, session, readCookie: this.#readAttempt(exchange) }
  }

  async open(exchange: Request): Promise<Answer> {
    const { page, cookie } = await this.#pages.open(exchange.body)
    exchange.setHeader('set-cookie', this.#cookies.print('session', page.id, cookie))
    return { json: page }
  }

  async read(exchange: Request): Promise<Answer> {
    return { json: await this.#pages.read(this.#visit(exchange)) }
  }

  async authorize(exchange: Request): Promise<Answer> {
    return { json: await this.#pages.authorize(this.#visit(exchange), exchange.body) }
  }

  async begin(exchange: Request): Promise<Answer> {
    const { consent, cookie } = await this.#pages.begin(this.#visit(exchange), exchange.body)
    exchange.setHeader('set-cookie', this.#cookies.print('attempt', consent.attempt_id, cookie))
    return { json: consent }
  }

  async listAccounts(exchange: Request): Promise<Answer> {
    return { json: await this.#pages.listAccounts(this.#visit(exchange)) }
  }

  async choose(exchange: Request): Promise<Answer> {
    return { json: await this.#pages.choose(this.#visit(exchange), exchange.body) }
  }

  /** Takes a return from a vendor's page, and leads the browser back to the page of the link, without any secret. */
  async takeReturn(exchange: Request): Promise<Answer> {
    this.enter(exchange, 'callback')
    const given = { kind: slot(exchange.params, 'kind'), query: toQuery(exchange), readCookie: this.#readAttempt(exchange) }
    try {
      const { linkId, attemptId } = await this.#pages.takeReturn(given)
      const path = connectPaths.page.replace('{link_id}', linkId)
      return { redirect: `${requireOwnAddress(this.#settings)}${path}?attempt=${attemptId}`, status: 303 }
    } catch (thrown) {
      return buildReturnRefusal(thrown)
    }
  }

  /** Reports the status to the page that opened the link, and to no other origin. */
  async readStatus(exchange: Request): Promise<Answer> {
    this.enter(exchange, 'status')
    const origin = exchange.header('origin')
    exchange.addVary('Origin')
    const state = await this.#pages.readStatus(slot(exchange.params, 'link_id'), origin)
    exchange.setHeader('access-control-allow-origin', origin ?? '')
    return { json: state }
  }
}

/** Builds the routes of one server. */
export function buildConnectRoutes(services: Services): readonly OpenRoute[] {
  const answers = new ConnectAnswers(services)
  const { session, connector, consent, accounts, callback, status } = connectPaths
  const pageRoute = (
    method: 'GET' | 'POST',
    { path, counted }: { readonly path: string; readonly counted: LimitedUse },
    answer: (exchange: Request) => Promise<Answer>,
  ): OpenRoute => ({
    method,
    path,
    auth: 'none',
    answer: (exchange) => {
      answers.enterPage(exchange, { method, counted })
      return answer(exchange)
    },
  })
  return [
    pageRoute('POST', { path: session, counted: 'session' }, (exchange) => answers.open(exchange)),
    pageRoute('GET', { path: session, counted: 'read' }, (exchange) => answers.read(exchange)),
    pageRoute('POST', { path: connector, counted: 'authorize' }, (exchange) => answers.authorize(exchange)),
    pageRoute('POST', { path: consent, counted: 'authorize' }, (exchange) => answers.begin(exchange)),
    pageRoute('GET', { path: accounts, counted: 'read' }, (exchange) => answers.listAccounts(exchange)),
    pageRoute('POST', { path: accounts, counted: 'authorize' }, (exchange) => answers.choose(exchange)),
    { method: 'GET', path: callback, auth: 'none', answer: (exchange) => answers.takeReturn(exchange) },
    { method: 'GET', path: status, auth: 'none', answer: (exchange) => answers.readStatus(exchange) },
  ]
}

/** Interval of trying again to end tokens, in milliseconds. */
const revokeMs = 5 * 60_000

/** Mounts the routes. */
export function mountConnect(app: FastifyInstance, registration: Registration): void {
  const { services } = registration
  for (const route of buildConnectRoutes(services)) register(app, route, registration)
  const timer = setInterval(() => services.platform.consentRevocations.start(), revokeMs).unref()
  app.addHook('onClose', async () => clearInterval(timer))
}
