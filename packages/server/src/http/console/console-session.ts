/** Signs people in at the console and out of it (docs/decisions/console.md). */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { FerruleError } from 'ferrule'
import { OAuthLimits } from '../address-limits.ts'
import { buildPage, buildPageHeaders, pageType } from '../html/frame.ts'
import { buildSignInFields, type Html, type HtmlPart, html } from '../html/html.ts'
import type { Services } from '../route.ts'
import { type FindAddress, isFromOwnPage, type OwnAddress, printEndedSession, printSession, readSession } from './own-address.ts'

const explain = (problem: string | undefined): HtmlPart => (problem === undefined ? undefined : html`<p class="problem">${problem}</p>`)

interface SignInParts {
  /** Path of the service in front of `/console`. */
  readonly basePath: string
  /** Path that a sign-in leads to. */
  readonly returnPath: string
  /** Client id of a try that was refused; it stays in its field. */
  readonly clientId?: string
  readonly problem?: string | undefined
  /** A sentence about what happened before. */
  readonly note?: string | undefined
}

/** Builds the page where a person signs in. */
const buildConsoleSignIn = ({ basePath, returnPath, clientId = '', problem, note }: SignInParts): string =>
  buildPage(
    'Sign in · Ferrule',
    html`<h1>Sign in to Ferrule</h1>${note === undefined ? undefined : html`<p>${note}</p>`}${explain(problem)}
<form method="post" action="${basePath}/console/session"><input type="hidden" name="return" value="${returnPath}">
${buildSignInFields(clientId)}
<button class="main">Sign in</button>
</form>
<p class="note">Use an application of this service. The first one is printed when the service starts; <code>ferrule-server applications create</code> makes others.</p>
<p class="note">The session ends after 30 minutes without use, and after 12 hours.</p>`,
  )

/** Builds a page that says why there is no console, and what to do. */
export const buildConsoleRefusal = (title: string, paragraphs: readonly Html[]): string =>
  buildPage(`${title} · Ferrule`, html`<h1>${title}</h1>${paragraphs.map((each) => html`<p>${each}</p>`)}`)

/**
 * Builds a page that loads itself again. A browser sends a cookie of the strict kind only when the way to a page began on its own site, so
 * a link of another site needs this step.
 */
const buildConsoleAgain = (path: string): string =>
  buildPage(
    'Ferrule',
    html`<h1>Opening the console</h1><p><a href="${path}">Continue to the console</a></p>`,
    html`<meta http-equiv="refresh" content="0;url=${path}">`,
  )

/** Longest address that a sign-in returns to. */
const longestReturn = 2_000

/** Sends a plain page. */
export function sendPlain(reply: FastifyReply, status: number, { text, origin }: { readonly text: string; readonly origin?: string }) {
  return reply.code(status).headers(buildPageHeaders(origin)).type(pageType).send(text)
}

/** Returns a path below `/console` as it is, and the first page for everything else: nobody is led elsewhere. */
export const checkReturn = (path: string): string =>
  path.length <= longestReturn &&
  /^\/console(?:[/?][\x21-\x7e]*)?$/.test(path) &&
  !/\\|\/\/|\/\.\.?(?:[/?]|$)/.test(path.split('?', 1)[0] ?? '')
    ? path
    : '/console'

/** The sign-in of one process. */
export class ConsoleSignIn {
  readonly #services: Services
  readonly #findAddress: FindAddress
  readonly #limits: OAuthLimits

  constructor(services: Services, findAddress: FindAddress) {
    this.#services = services
    this.#findAddress = findAddress
    this.#limits = new OAuthLimits(services.steady)
  }

  /** Answers a request for the console without a living session. */
  show({ headers, url }: FastifyRequest, reply: FastifyReply): FastifyReply {
    const address = this.#findAddress(headers)
    if (address === undefined) return this.#refuseAddress(reply)
    const returnPath = checkReturn(url)
    if (['cross-site', 'same-site'].includes(String(headers['sec-fetch-site'])))
      return sendPlain(reply, 200, { text: buildConsoleAgain(`${address.basePath}${returnPath}`), origin: address.origin })
    const had = readSession(headers, address) !== undefined
    return this.#send(reply, address, { returnPath, ...(had ? { note: 'Your session has ended. Sign in again to continue.' } : {}) })
  }

  /** Returns whether a request brings a living session. */
  async isSignedIn({ headers }: FastifyRequest): Promise<boolean> {
    const address = this.#findAddress(headers)
    const id = address === undefined ? undefined : readSession(headers, address)
    return id !== undefined && (await this.#services.platform.consoleSessions.isAlive(id))
  }

  /** Carries out the form of the sign-in. */
  async start(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const address = this.#enter(request)
    if (address === undefined) return this.#refuseAddress(reply)
    const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '')
    const returnPath = checkReturn(form.get('return') ?? '')
    const clientId = form.get('client_id')?.trim() ?? ''
    const tried = { returnPath, clientId }
    const wait = this.#limits.count('signIn', request.ip)
    if (wait !== undefined) {
      reply.header('retry-after', String(wait))
      return this.#send(reply.code(429), address, { ...tried, problem: 'There were too many attempts. Wait a minute, then try again.' })
    }
    try {
      const given = { clientId, clientSecret: form.get('client_secret') ?? '' }
      const { id } = await this.#services.platform.consoleSessions.start(given)
      reply.header('set-cookie', printSession(address, id))
    } catch (thrown) {
      if (!(thrown instanceof FerruleError) || thrown.code !== 'invalid_client') throw thrown
      return this.#send(reply.code(403), address, { ...tried, problem: 'Client id or client secret is wrong.' })
    }
    return reply.redirect(`${address.basePath}${returnPath}`, 303)
  }

  /** Carries out the form of the sign-out. */
  async end(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const address = this.#enter(request)
    if (address === undefined) return this.#refuseAddress(reply)
    const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '')
    const id = readSession(request.headers, address)
    const isEverywhere = form.get('everywhere') === '1'
    if (id !== undefined) await this.#services.platform.consoleSessions.end(id, { isEverywhere })
    return reply.header('set-cookie', printEndedSession(address)).redirect(`${address.basePath}/console`, 303)
  }

  /** Finds the address of a form that a page of this service sent. */
  #enter({ headers }: FastifyRequest): OwnAddress | undefined {
    const address = this.#findAddress(headers)
    return address !== undefined && isFromOwnPage(headers, address) ? address : undefined
  }

  #send(reply: FastifyReply, { basePath, origin }: OwnAddress, parts: Omit<SignInParts, 'basePath'>): FastifyReply {
    return sendPlain(reply, reply.statusCode, { text: buildConsoleSignIn({ basePath, ...parts }), origin })
  }

  #refuseAddress(reply: FastifyReply): FastifyReply {
    const { publicUrl } = this.#services.settings
    const open =
      publicUrl === undefined
        ? html`Open it on the machine of the service, such as <code>http://localhost:8080/console</code>. Or set FERRULE_PUBLIC_URL to the https address of the service.`
        : html`Open <a href="${publicUrl}/console">${publicUrl}/console</a>. That address must be https, or name this machine.`
    const reason = html`This request did not come from a page of the service at its own address, so no session can be trusted there.`
    return sendPlain(reply, 403, { text: buildConsoleRefusal('No sign-in here', [reason, open]) })
  }
}
