import { type Asked, createConsentPage, findTicketHolder, type Person, registeredTarget, sendReturn, signInLink } from '../consent.ts'
import { seal, unseal } from '../data.ts'
import { isObject, type ReceivedRequest, type Reply } from '../http.ts'
import { boxes, buttons, html, type Markup, pageReply, problemText } from '../pages.ts'
import { type Account, accounts, deniedAccount, emptyAccount, mainAccount, secondAccount } from './accounts.ts'
import { type Access, scopes, tiktokCredentials } from './oauth.ts'
import type { TiktokState } from './state.ts'

/** The address of the consent page. */
export const consentPath = '/portal/auth'

const vendor = 'TikTok for Business'

/** Somebody with an account at the vendor. */
interface User extends Person {
  /** The ad accounts that the person can share. */
  readonly accounts: readonly Account[]
}

const people: readonly User[] = [
  {
    email: tiktokCredentials.user,
    about: 'has three ad accounts',
    accounts: [mainAccount, secondAccount, emptyAccount],
  },
  { email: tiktokCredentials.otherUser, about: 'somebody else, has one other ad account', accounts: [deniedAccount] },
]

/** Permissions as the page names them. */
const permissions: Readonly<Record<keyof typeof scopes, string>> = {
  advertiser: 'Ad account information',
  campaigns: 'Read campaigns',
  adGroups: 'Read ad groups',
  ads: 'Read ads',
  audiences: 'Read audiences',
  images: 'Read images',
  videos: 'Read videos',
  posts: 'Read authorized posts',
  catalogs: 'Read catalogs',
  reporting: 'Read reports',
}

/** Reads what is asked for; a text says what is wrong with it. */
function readAsked(state: TiktokState, query: URLSearchParams): Asked | string {
  if (query.get('app_id') !== tiktokCredentials.appId) return 'The app_id is unknown.'
  const target = registeredTarget(query.get('redirect_uri') ?? '', 'tiktok-marketing', state.switches.current())
  return target ? { target, state: query.get('state') } : 'The redirect_uri is not registered for this app.'
}

function agree(state: TiktokState, access: Access, asked: Asked): Reply {
  const switches = state.switches.current()
  const code = state.codes.issue(access, switches)
  return sendReturn(asked.target, { answer: { auth_code: code, code }, state: asked.state }, switches)
}

/** Only a page that this sandbox made has a ticket; it carries what was chosen before. */
function ticketField(ticket: string): Markup {
  return html`<input type="hidden" name="ticket" value="${ticket}">`
}

function choicePage(user: User, asked: Asked, ticket: string): Reply {
  const own = user.accounts.map(({ id, name }) => ({ value: id, label: `${name} (${id})`, isTicked: false }))
  const named = Object.entries(permissions).map(([name, label]) => ({ label, value: String(Reflect.get(scopes, name)), isTicked: true }))
  const body = html`<p>Signed in as <strong>${user.email}</strong>. Tick what <strong>Sandbox app</strong> may use.</p>
<form method="post">
${ticketField(ticket)}
${boxes('Ad accounts', 'advertiser_id', own)}
${boxes('Permissions', 'scope', named)}
<p class="soft">Afterwards the browser goes to ${asked.target.host}.</p>
${buttons({ continue: 'Continue', cancel: 'Cancel' })}
</form>`
  return pageReply({ vendor, title: 'Authorize Sandbox app', body })
}

function verificationPage(state: TiktokState, access: Access, problem?: string): Reply {
  const body = html`${problemText(problem)}<p>A code was sent to your email address. In the sandbox it is always <code>${tiktokCredentials.verificationCode}</code>.</p>
<form method="post">
${ticketField(seal(String(state.seed), access))}
<label>Verification code <input type="text" name="verification_code" inputmode="numeric" autocomplete="one-time-code" required></label>
${buttons({ confirm: 'Confirm', cancel: 'Cancel' })}
</form>`
  return pageReply({ vendor, status: problem === undefined ? 200 : 401, title: 'Verify that it is you', body })
}

/** Cancelling leads nowhere: the vendor documents no return. */
function cancelledPage(request: ReceivedRequest): Reply {
  const body = html`<p>Nothing was shared. You can close this window, or go back to the application.</p><p>${signInLink(request)}</p>`
  return pageReply({ vendor, title: 'Authorization cancelled', body })
}

/** Returns what was ticked, of what the person has. */
function chosenIn(form: URLSearchParams, user: User): Access {
  const ids = form.getAll('advertiser_id')
  const wanted = form.getAll('scope').map(Number)
  return {
    advertiserIds: user.accounts.map(({ id }) => id).filter((id) => ids.includes(id)),
    scopes: Object.values(scopes).filter((scope) => wanted.includes(scope)),
    environment: mainAccount.environment,
  }
}

function everythingOf(user: User): Access {
  return { advertiserIds: user.accounts.map(({ id }) => id), scopes: Object.values(scopes), environment: mainAccount.environment }
}

/** Returns what a ticket says was chosen; undefined for another ticket. */
function accessIn(ticket: unknown): Access | undefined {
  if (!isObject(ticket) || !Array.isArray(ticket['advertiserIds']) || !Array.isArray(ticket['scopes'])) return undefined
  const [ids, numbers] = [ticket['advertiserIds'], ticket['scopes']]
  return {
    advertiserIds: accounts.map(({ id }) => id).filter((id) => ids.includes(id)),
    scopes: Object.values(scopes).filter((scope) => numbers.includes(scope)),
    environment: mainAccount.environment,
  }
}

/** Takes the forms behind the sign-in: what was ticked, then the verification code. */
function take(state: TiktokState, form: URLSearchParams, asked: Asked): Reply | undefined {
  const ticket = unseal(String(state.seed), form.get('ticket') ?? '')
  const access = accessIn(ticket)
  if (access && form.get('action') === 'confirm') {
    const isRight = form.get('verification_code')?.trim() === tiktokCredentials.verificationCode
    return isRight ? agree(state, access, asked) : verificationPage(state, access, 'The verification code is wrong.')
  }
  const known = findTicketHolder(people, form, String(state.seed))
  return known && form.get('action') === 'continue' ? verificationPage(state, chosenIn(form, known)) : undefined
}

/** Returns what answers the consent page. */
export const createTiktokConsent = (state: TiktokState) =>
  createConsentPage<User, Asked>({
    vendor,
    people,
    secret: String(state.seed),
    switches: state.switches.current,
    read: (query) => readAsked(state, query),
    agree: (user, asked) => agree(state, everythingOf(user), asked),
    ask: choicePage,
    take: (form, asked, request) => (form.get('action') === 'cancel' ? cancelledPage(request) : take(state, form, asked)),
  })
