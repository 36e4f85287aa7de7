import { randomUUID } from 'node:crypto'
import { keepNewest, seal, unseal } from './data.ts'
import { isObject, type ReceivedRequest, type Reply, redirectTarget, sendBack } from './http.ts'
import { buttons, html, type PageVendor, pageReply, problemText } from './pages.ts'

/** What the consent pages of every vendor have in common. */

/** Switches of the consent pages, with the defaults. */
export const consentFactory = {
  /** `pages`: a person signs in and agrees; `at once`: the first request agrees for `account` to everything. */
  consent: 'pages',
  /** Who is filled in on the sign-in page, and who agrees at once: an email address. */
  account: '',
  /** How the browser returns: `normal`, `wrong state`, `no state`, `empty` (neither code nor error) or `refused`. */
  consentReturn: 'normal',
  /** A new code is `fresh`, `used` already, or that of an `other app`. One with 0 `codeSeconds` has expired. */
  codeState: 'fresh',
  /** Registered redirect addresses, separated by spaces; empty for `/connect/callback/{kind}` on any loopback host. */
  redirectUris: '',
  /** Every page and redirect sends `Cross-Origin-Opener-Policy: same-origin`. */
  openerPolicy: true,
}

/** The values that switches of the consent pages can have. */
export const consentChoices = {
  consent: ['pages', 'at once'],
  consentReturn: ['normal', 'wrong state', 'no state', 'empty', 'refused'],
  codeState: ['fresh', 'used', 'other app'],
}

/** What the switches of the consent pages are now. */
export type ConsentSwitches = Readonly<typeof consentFactory>

/** Somebody who can sign in. */
export interface Person {
  readonly email: string
  /** Who it is, for the sign-in page. */
  readonly about: string
  /** False for somebody who can sign in, and may not agree. */
  readonly mayAgree?: boolean
}

/** The password of everybody who can sign in. */
export const password = 'sandbox-password'

const isLoopback = (host: string): boolean => host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host)

/** Returns the address to which the browser returns; undefined when the app did not register it. */
export function registeredTarget(address: string, kind: string, { redirectUris }: ConsentSwitches): URL | undefined {
  const target = redirectTarget(address)
  const exact = redirectUris.split(/[\s,]+/).filter((one) => one !== '')
  if (!target || exact.length > 0) return exact.includes(address) ? target : undefined
  const isCallback = isLoopback(target.hostname) && target.pathname.endsWith(`/connect/callback/${kind}`)
  return isCallback && target.search === '' && target.hash === '' ? target : undefined
}

/** Sends the browser back with an answer, or with what the switch makes of it. */
export function sendReturn(
  target: URL,
  { answer, state }: { readonly answer: Readonly<Record<string, string>>; readonly state: string | null },
  { consentReturn }: ConsentSwitches,
): Reply {
  if (consentReturn === 'wrong state') return sendBack(target, { ...answer, state: 'sandbox-wrong-state' })
  if (consentReturn === 'no state') return sendBack(target, answer)
  if (consentReturn === 'empty') return sendBack(target, { state })
  return sendBack(target, { ...(consentReturn === 'refused' ? { error: 'access_denied' } : answer), state })
}

const withOpenerPolicy = (reply: Reply, { openerPolicy }: ConsentSwitches): Reply =>
  openerPolicy ? { ...reply, headers: { ...reply.headers, 'cross-origin-opener-policy': 'same-origin' } } : reply

const rememberedCodes = 1000

/** What a code stands for, or why it cannot be used: unknown, used and expired codes look alike. */
type Redeemed<T> = { readonly content: T } | { readonly problem: 'unusable' | 'other app' }

/** Returns the codes of a vendor; each stands for what its person agreed to. */
export function createCodes<T>(clock: () => number) {
  const codes = new Map<string, { readonly redeemed: Redeemed<T>; readonly expires: number }>()
  return {
    /** Returns a code that is good once; its state is that of the switch. */
    issue(content: T, { codeSeconds, codeState }: ConsentSwitches & { readonly codeSeconds: number }): string {
      const code = randomUUID().replaceAll('-', '')
      const redeemed: Redeemed<T> = codeState === 'other app' ? { problem: codeState } : { content }
      if (codeState !== 'used') codes.set(code, { redeemed, expires: clock() + codeSeconds * 1000 })
      keepNewest(codes, rememberedCodes)
      return code
    },
    redeem(code: string): Redeemed<T> {
      const known = codes.get(code)
      codes.delete(code)
      return known && clock() < known.expires ? known.redeemed : { problem: 'unusable' }
    },
    reset: () => codes.clear(),
  }
}

function signedIn<P extends Person>(people: readonly P[], form: URLSearchParams): P | undefined {
  const email = (form.get('email') ?? '').trim().toLowerCase()
  return form.get('password') === password ? people.find((person) => person.email === email) : undefined
}

/** Finds who signed in on an earlier page: its form carries a sealed ticket. */
export function findTicketHolder<P extends Person>(people: readonly P[], form: URLSearchParams, secret: string): P | undefined {
  const ticket = unseal(secret, form.get('ticket') ?? '')
  return people.find(({ email }) => isObject(ticket) && ticket['email'] === email)
}

/** Returns whether a request carries an app's id and secret as HTTP Basic. */
export function isBasicClient(
  { headers }: ReceivedRequest,
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
): boolean {
  const [scheme = '', value = ''] = (headers.authorization ?? '').split(' ')
  return scheme.toLowerCase() === 'basic' && Buffer.from(value, 'base64').toString() === `${clientId}:${clientSecret}`
}

/** Returns the page of a request that cannot be agreed to: the browser stays. */
export function refusalPage(vendor: PageVendor, problem: string): Reply {
  const body = html`${problemText(problem)}<p>Go back to the app. It has to be set up differently before it can ask again.</p>`
  return pageReply({ vendor, status: 400, title: 'This request cannot be authorized', body })
}

interface SignIn {
  readonly vendor: PageVendor
  readonly people: readonly Person[]
  /** The email address that is filled in. */
  readonly email: string
  /** Why the page comes again. */
  readonly problem?: string
}

function signInPage({ vendor, people, email, problem }: SignIn): Reply {
  const known = people.map((person) => html`<li><code>${person.email}</code>: ${person.about}</li>`)
  const body = html`${problemText(problem)}<form method="post">
<label>Email <input type="email" name="email" value="${email}" autocomplete="username" required></label>
<label>Password <input type="password" name="password" value="${password}" autocomplete="current-password" required></label>
${buttons({ sign_in: 'Sign in' })}
</form>
<h2>Who can sign in</h2>
<ul>${known}</ul>
<p class="soft">Everybody has the password <code>${password}</code>.</p>`
  return pageReply({ vendor, status: problem === undefined ? 200 : 401, title: 'Sign in', body })
}

const signInAgain = (page: Pick<SignIn, 'vendor' | 'people'>, form: URLSearchParams): Reply =>
  signInPage({ ...page, email: form.get('email') ?? '', problem: 'The email address or the password is wrong.' })

/** Returns the link to the sign-in page of the same request. */
export const signInLink = ({ query }: ReceivedRequest): ReturnType<typeof html> =>
  html`<a href="?${String(query)}">Sign in with another account</a>`

/** What an app asks for, as far as the pages of every vendor need it. */
export interface ConsentRequest {
  readonly target: URL
  readonly state: string | null
}

/** Returns the form in which a person agrees. */
export function agreeForm({ target }: ConsentRequest, ticket: string, labels: { readonly allow: string; readonly deny: string }) {
  return html`<p class="soft">Afterwards the browser goes to ${target.host}.</p>
<form method="post">
<input type="hidden" name="ticket" value="${ticket}">
${buttons(labels)}
</form>`
}

interface ConsentRules<P extends Person, A extends ConsentRequest> {
  readonly vendor: PageVendor
  readonly people: readonly P[]
  /** Seals the tickets of the pages. */
  readonly secret: string
  switches(): ConsentSwitches
  /** Reads what is asked for. A text says what is wrong with it, and the browser stays. */
  read(query: URLSearchParams): A | Reply | string
  /** Sends the browser back with what a person agreed to. */
  agree(person: P, asked: A): Reply
  /** Returns the page on which a person agrees. */
  ask(person: P, asked: A, ticket: string): Reply
  /** Returns the page of somebody who may not agree. Without it, everybody may. */
  refuse?(email: string, request: ReceivedRequest): Reply
  /** Takes the further forms of the page; left out: a form that allows or denies. Undefined for the form of the sign-in page. */
  take?(form: URLSearchParams, asked: A, request: ReceivedRequest): Reply | undefined
}

/** Returns what answers the consent page of a vendor: GET shows it, POST takes its forms. */
export function createConsentPage<P extends Person, A extends ConsentRequest>(
  rules: ConsentRules<P, A>,
): (request: ReceivedRequest) => Reply {
  const { vendor, people, secret, switches, refuse } = rules
  const takeDecision = (form: URLSearchParams, asked: A): Reply | undefined => {
    const known = findTicketHolder(people, form, secret)
    if (known && form.get('action') === 'allow') return rules.agree(known, asked)
    return known && form.get('action') === 'deny' ? sendBack(asked.target, { error: 'access_denied', state: asked.state }) : undefined
  }
  const take = rules.take ?? takeDecision
  const submit = (asked: A, request: ReceivedRequest): Reply => {
    const form = new URLSearchParams(request.body)
    const taken = take(form, asked, request)
    if (taken) return taken
    const person = signedIn(people, form)
    if (!person) return signInAgain({ vendor, people }, form)
    if (refuse && person.mayAgree === false) return refuse(person.email, request)
    return rules.ask(person, asked, seal(secret, { email: person.email }))
  }
  const show = (asked: A, request: ReceivedRequest): Reply => {
    const { consent, account } = switches()
    const person = people.find(({ email }) => email === account)
    if (consent === 'at once' && refuse && person?.mayAgree !== true) return refuse(account, request)
    return consent === 'at once' && person ? rules.agree(person, asked) : signInPage({ vendor, people, email: account })
  }
  const answer = (request: ReceivedRequest): Reply => {
    const asked = rules.read(request.query)
    if (typeof asked === 'string') return refusalPage(vendor, asked)
    if (!('target' in asked)) return asked
    return request.method === 'POST' ? submit(asked, request) : show(asked, request)
  }
  return (request) => withOpenerPolicy(answer(request), switches())
}
