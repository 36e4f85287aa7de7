import {
  formOf,
  type Person,
  refusalPage,
  registeredTarget,
  sendReturn,
  signedIn,
  signInAgain,
  signInLink,
  signInPage,
  withOpenerPolicy,
} from '../consent.ts'
import { seal, unseal } from '../data.ts'
import { isObject, type ReceivedRequest, type Reply, sendBack } from '../http.ts'
import { buttons, html, pageReply } from '../pages.ts'
import type { GongState } from './state.ts'
import { allScopes, type Customer, sandboxCredentials } from './tokens.ts'

const vendor = 'Gong'

/** Somebody with an account at the vendor. */
interface Colleague extends Person {
  readonly customer: Customer
  readonly company: string
  readonly isTechnicalAdministrator: boolean
}

const people: readonly Colleague[] = [
  {
    email: sandboxCredentials.administrator,
    about: 'technical administrator of Sandbox Company',
    company: 'Sandbox Company',
    customer: 'sandbox',
    isTechnicalAdministrator: true,
  },
  {
    email: sandboxCredentials.member,
    about: 'works at Sandbox Company, is no administrator',
    company: 'Sandbox Company',
    customer: 'sandbox',
    isTechnicalAdministrator: false,
  },
  {
    email: sandboxCredentials.otherAdministrator,
    about: 'technical administrator of another customer, Other Company',
    company: 'Other Company',
    customer: 'other',
    isTechnicalAdministrator: true,
  },
]

/** What an application asks for. */
interface AuthorizationRequest {
  readonly redirectUri: string
  readonly target: URL
  readonly scopes: readonly string[]
  readonly state: string | null
}

/** Returns the scopes of a text; all of the vendor's for an empty one. */
export function scopesOf(text: string): readonly string[] {
  const wanted = text.split(' ').filter((scope) => scope !== '')
  return wanted.length > 0 ? wanted : allScopes
}

/** Reads what is asked for; a text says what is wrong with it. */
function readAsked(state: GongState, query: URLSearchParams): AuthorizationRequest | string {
  const switches = state.switches.current()
  if (query.get('client_id') !== sandboxCredentials.clientId) return 'The client_id is unknown.'
  const redirectUri = query.get('redirect_uri') ?? ''
  const target = registeredTarget(redirectUri, 'gong', switches)
  if (!target) return 'The redirect_uri is not registered for this app.'
  const scope = query.get('scope') ?? ''
  if (scope.trim() === '') return 'The scope is missing.'
  const scopes = scopesOf(scope)
  const foreign = scopes.find((wanted) => !scopesOf(switches.scopes).includes(wanted))
  if (foreign !== undefined) return `The scope ${foreign} is not one of this app.`
  return { redirectUri, target, scopes, state: query.get('state') }
}

function allow(state: GongState, { customer }: Colleague, asked: AuthorizationRequest): Reply {
  const switches = state.switches.current()
  const code = state.codes.issue({ scopes: asked.scopes, customer, redirectUri: asked.redirectUri }, switches)
  return sendReturn(asked.target, { answer: { code }, state: asked.state }, switches)
}

function notAdministratorPage({ email }: Person, request: ReceivedRequest): Reply {
  const body = html`<p class="problem" role="alert">Only a technical administrator can connect an app. <strong>${email}</strong> is not one.</p>
<p>Ask a technical administrator of your company.</p>
<p>${signInLink(request)}</p>`
  return pageReply({ vendor, status: 403, title: 'You cannot authorize this app', body })
}

function consentPage(state: GongState, { email, company }: Colleague, asked: AuthorizationRequest): Reply {
  const body = html`<p>Signed in as <strong>${email}</strong>, of ${company}.</p>
<h2>The app asks for these permissions</h2>
<ul>${asked.scopes.map((scope) => html`<li><code>${scope}</code></li>`)}</ul>
<p class="soft">Afterwards the browser goes to ${asked.target.host}.</p>
<form method="post">
<input type="hidden" name="ticket" value="${seal(state.secret, { email })}">
${buttons({ allow: 'Allow', deny: 'Deny' })}
</form>`
  return pageReply({ vendor, title: 'Sandbox app wants to access Gong', body })
}

function show(state: GongState, asked: AuthorizationRequest, request: ReceivedRequest): Reply {
  const { consent, account } = state.switches.current()
  if (consent !== 'at once') return signInPage({ vendor, people, email: account })
  const person = people.find(({ email }) => email === account)
  if (!person?.isTechnicalAdministrator) return notAdministratorPage({ about: '', email: account }, request)
  return allow(state, person, asked)
}

function submit(state: GongState, asked: AuthorizationRequest, request: ReceivedRequest): Reply {
  const form = formOf(request)
  const ticket = unseal(state.secret, form.get('ticket') ?? '')
  const known = people.find(({ email }) => isObject(ticket) && ticket['email'] === email)
  if (known && form.get('action') === 'allow') return allow(state, known, asked)
  if (known && form.get('action') === 'deny') return sendBack(asked.target, { error: 'access_denied', state: asked.state })
  const person = signedIn(people, form)
  if (!person) return signInAgain({ vendor, people }, form)
  return person.isTechnicalAdministrator ? consentPage(state, person, asked) : notAdministratorPage(person, request)
}

/** Answers the consent page: GET shows it, POST takes its forms. */
export function authorize(state: GongState, request: ReceivedRequest): Reply {
  const answer = (): Reply => {
    const asked = readAsked(state, request.query)
    if (typeof asked === 'string') return refusalPage(vendor, asked)
    if (request.query.get('response_type') !== 'code') {
      return sendBack(asked.target, { error: 'unsupported_response_type', state: asked.state })
    }
    return request.method === 'POST' ? submit(state, asked, request) : show(state, asked, request)
  }
  return withOpenerPolicy(answer(), state.switches.current())
}
