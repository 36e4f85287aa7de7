import {
  type ConsentRequest,
  createCodes,
  createConsentPage,
  findTicketHolder,
  type Person,
  registeredTarget,
  sendReturn,
  signInLink,
} from '../consent.ts'
import {
  createInside,
  createSwitchControl,
  notCounting,
  recordRoute,
  type StandInOptions,
  type SwitchControl,
  type VendorSandbox,
} from '../control.ts'
import { at, type DatedEdit, mergedEdit, type RecordEdit, seal, unseal } from '../data.ts'
import { openStandIn } from '../exchange.ts'
import type { FaultSupply } from '../faults.ts'
import { findRoute, headerOf, hostOf, isObject, type ReceivedRequest, type Reply } from '../http.ts'
import { createRates, type Rate } from '../limits.ts'
import { boxes, buttons, html, type Markup, pageReply, problemText } from '../pages.ts'
import { hexOf, Random } from '../random.ts'
import { type Account, accounts, appId, deniedAccount, emptyAccount, mainAccount, secondAccount } from './accounts.ts'
import {
  Failure,
  inEnvelope,
  invalid,
  listIn,
  missing,
  neededListIn,
  neededTextIn,
  type PageSizes,
  pageIn,
  plainText,
  type Success,
  textIn,
} from './answers.ts'
import { advertiserRecord, rareAdvertiserFields } from './assets.ts'
import { factsOf, type TiktokWorldFacts } from './facts.ts'
import {
  accountIn,
  accountOf,
  answerPage,
  assetRows,
  type Call,
  catalogRows,
  cutPage,
  fileRows,
  findSpot,
  shapeIn,
  structureRows,
} from './lists.ts'
import { type Access, type CodeStore, checkApp, createTokens, openRoutes, scopes, type TokenStore, tiktokCredentials } from './oauth.ts'
import { leavesAdsOut, reportQueryIn, reportRows, writtenRow } from './reports.ts'
import { appRate, choices, factory, type TiktokSwitches } from './switches.ts'
import { hour, isoStamp } from './time.ts'
import { editableKinds, editKey, type Kind, type Structural } from './world.ts'

const version = '/open_api/v1.3'
const sandboxHost = 'sandbox-ads.tiktok.com'
/** Of each endpoint in the vendor's sandbox environment. */
const sandboxRate: Rate = { perSecond: 1, perMinute: 30, perDay: 1000 }
const unlimited = Number.POSITIVE_INFINITY

function environmentOf(request: ReceivedRequest, { environment }: TiktokSwitches): string {
  if (environment !== 'host') return environment
  return hostOf(request) === sandboxHost ? 'sandbox' : 'production'
}

/** Returns the vendor's request id: the time at UTC+8, then 20 hexadecimal digits. */
function requestId(random: Random, now: number): string {
  const time = isoStamp(now + 8 * hour).replaceAll(/\D/g, '')
  return `${time}${hexOf(20, random.int(0, 0xffff_ffff)).toUpperCase()}`
}

function spendRate(state: TiktokState, environment: string, path: string): void {
  const switches = state.switches.current()
  if (!switches.limits) return
  const sandboxed = environment === 'sandbox'
  const broken = state.rates.spend(sandboxed ? `sandbox ${path}` : 'app', sandboxed ? sandboxRate : appRate(switches))
  if (broken === 'perSecond') throw new Failure(40100)
  if (broken) throw new Failure(40100, `Due to too many requests, requests from App ${appId} are temporarily restricted.`)
}

function spendOn(state: TiktokState, path: string): Call['spend'] {
  return ({ id }) => {
    const { limits, advertiserQps } = state.switches.current()
    const rate = { perSecond: advertiserQps, perMinute: unlimited, perDay: unlimited }
    if (!limits || !state.rates.spend(`advertiser ${id} ${path}`, rate)) return
    const counted = `QPS (${advertiserQps + 1}) reaches QPS limit ${advertiserQps}`
    throw new Failure(40133, `Advertiser (${id})'s ${counted} for current path, request is temporarily restricted.`)
  }
}

/** Checks token, environment, rate and scope, in this order. */
function accessTo(state: TiktokState, route: Route, request: ReceivedRequest): Access {
  const switches = state.switches.current()
  const access = state.tokens.check(headerOf(request, 'access-token'))
  const environment = environmentOf(request, switches)
  if (access.environment !== environment) throw new Failure(40105)
  spendRate(state, environment, route.path)
  if (environment === 'sandbox' && !route.inSandbox) throw new Failure(40008)
  const wanted = switches.scopes.split(/[\s,]+/).filter((scope) => scope !== '')
  const granted = wanted.length > 0 ? wanted.map(Number) : access.scopes
  if (route.scope === undefined || granted.includes(route.scope)) return access
  throw new Failure(40001, `Permission error: The access token lacks the required scope for endpoint '${route.path}'`)
}

function callOf(state: TiktokState, request: ReceivedRequest, access: Access): Call {
  const switches = state.switches.current()
  const { seed, edits } = state
  return {
    view: { seed, now: state.clock(), hugeIds: switches.hugeIds, edits },
    access,
    switches,
    query: request.query,
    take: (kind) => state.faults.takePage(kind, 'tiktok', request.path),
    spend: spendOn(state, request.path),
  }
}

/** Refuses what a fault or a switch wants refused before anything is looked at. */
function spoil(state: TiktokState, path: string): void {
  const fault = state.faults.takeCode('tiktok', path)
  if (fault) throw new Failure(fault.code, fault.message)
  const { errorCode, errorMessage } = state.switches.current()
  if (errorCode !== 0) throw new Failure(errorCode, errorMessage || undefined)
}

function answerRoute(state: TiktokState, request: ReceivedRequest, path: string): Success | Reply {
  const open = findRoute(openRoutes, request.method, path)
  const match = findRoute(routes, request.method, path)
  if (match.found === 'nothing' && open.found === 'nothing') return plainText(404, '404 page not found')
  if (match.found !== 'route' && open.found !== 'route') return plainText(405, '405 method not allowed')
  spoil(state, request.path)
  if (open.found === 'route') return open.route.handle(request, state)
  return match.found === 'route' ? match.route.handle(callOf(state, request, accessTo(state, match.route, request))) : { data: {} }
}

/** Returns how the API, the token endpoint and the consent page answer, and how they refuse when a fault asks for a status. */
function createApi(state: TiktokState) {
  const random = new Random(state.seed, 'tiktok request ids')
  const consent = createTiktokConsent(state)
  const sent = (answer: Success | Failure, status = 200): Reply => {
    const id = requestId(random, state.clock())
    const reply = inEnvelope(answer, id, status)
    const trace = `00-${id.slice(-16).toLowerCase()}${id.slice(-16).toLowerCase()}-01`
    return { ...reply, headers: { ...reply.headers, 'x-tt-logid': id, 'x-tt-trace-id': trace } }
  }
  return {
    answer(request: ReceivedRequest): Reply {
      if (request.path === consentPath)
        return ['GET', 'POST'].includes(request.method) ? consent(request) : plainText(405, '405 method not allowed')
      if (!request.path.startsWith(`${version}/`)) return plainText(404, '404 page not found')
      try {
        const answer = answerRoute(state, request, request.path.slice(version.length))
        return 'data' in answer ? sent(answer) : answer
      } catch (error) {
        if (error instanceof Failure) return sent(error)
        throw error
      }
    },
    refuse(status: number, message?: string): Reply {
      if (status === 404) return plainText(404, message ?? '404 page not found')
      if (status === 405) return plainText(405, message ?? '405 method not allowed')
      return sent(new Failure(status < 500 ? 40000 : 50000, message), status)
    },
  }
}

interface Route {
  readonly method: string
  /** Below the version; ends with a slash. */
  readonly path: string
  /** The scope that the token needs; undefined for none. */
  readonly scope: number | undefined
  /** Whether the vendor's sandbox environment has it. */
  readonly inSandbox: boolean
  readonly handle: (call: Call) => Success
}

const structureSizes: PageSizes = { usual: 10, largest: 1000 }
const audienceSizes: PageSizes = { usual: 10, largest: 100 }
const fileSizes: PageSizes = { usual: 20, largest: 100 }
const postSizes: PageSizes = { usual: 20, largest: 50 }
const mostAdvertisers = 100
const mostReported = 5

const structure =
  (kind: Structural): Route['handle'] =>
  (call) =>
    answerPage(call, structureSizes, () => structureRows(call.view, { kind, account: accountIn(call) }, call.query))

const assets =
  (kind: Kind, sizes: PageSizes): Route['handle'] =>
  (call) =>
    answerPage(call, sizes, () => assetRows(call.view, accountIn(call), kind))

const files =
  (kind: Kind): Route['handle'] =>
  (call) =>
    answerPage(call, fileSizes, () => fileRows(call.view, accountIn(call), { kind, query: call.query }))

function catalogs(call: Call): Success {
  const { view, query } = call
  return answerPage(call, structureSizes, () => catalogRows(view, neededTextIn(query, 'bc_id'), textIn(query, 'catalog_id')))
}

const accountsOf = (call: Call, ids: readonly string[]): readonly Account[] => ids.map((id) => accountOf(call, id, 'advertiser_ids'))

/** The accounts that are asked for by id; one that may not be read fails the call. There are no pages. */
function advertisers(call: Call): Success {
  const ids = neededListIn(call.query, 'advertiser_ids')
  if (ids.length > mostAdvertisers) throw new Failure(40011, `advertiser_ids: Longer than maximum length ${mostAdvertisers}.`)
  const shape = shapeIn(call.query)
  const further = call.query.has('fields') ? rareAdvertiserFields : {}
  return { data: {}, list: accountsOf(call, [...new Set(ids)]).map((account) => shape({ ...advertiserRecord(account), ...further })) }
}

function reportAccounts(call: Call): readonly Account[] {
  const ids = listIn(call.query, 'advertiser_ids')
  if (!ids) return [accountIn(call)]
  if (ids.length > mostReported) throw invalid('advertiser_ids', `Longer than maximum length ${mostReported}.`)
  return accountsOf(call, ids)
}

function report(call: Call): Success {
  const page = pageIn(call.query, structureSizes)
  const { cellBudget, adsThrottle, timeoutDays, timeoutCode, withdrawn } = call.switches
  const query = reportQueryIn(call.query, withdrawn.split(','))
  if (call.access.environment === 'sandbox' && query.level === 'advertiser')
    throw new Failure(40009, 'data_level AUCTION_ADVERTISER is not supported for sandbox accounts.')
  const found = reportAccounts(call)
  if (timeoutDays > 0 && query.span.to - query.span.from + 1 > timeoutDays) throw new Failure(timeoutCode)
  const rows = reportRows(call.view, found, query)
  if (cellBudget > 0 && rows.length * Math.max(query.metrics.length, 1) > cellBudget)
    throw new Failure(40067, 'The query is too large. Please narrow the date range or reduce the metrics.')
  const warned = adsThrottle && found.some((account) => leavesAdsOut(account, query))
  const headers = warned ? { 'x-tt-ads-throttle': 'The number of ads exceeds 20000, only the newest 20000 ads are returned.' } : {}
  return { ...cutPage(call, page, { size: rows.length, record: (index) => writtenRow(call.view, at(rows, index), query) }), headers }
}

function user(): Success {
  const data = { core_user_id: '7019283746556677889', display_name: 'Sandbox User', email: 's***@*******', create_time: 1_673_222_400 }
  return { data }
}

function grantedAdvertisers({ query, access }: Call): Success {
  for (const name of ['app_id', 'secret']) if (textIn(query, name) === undefined) throw missing(name)
  checkApp(query.get('app_id'), query.get('secret'))
  const granted = accounts.filter(({ id }) => access.advertiserIds.includes(id))
  return { data: { list: granted.map(({ id, name }) => ({ advertiser_id: id, advertiser_name: name })) } }
}

const get = { method: 'GET', inSandbox: true } as const
const live = { method: 'GET', inSandbox: false } as const

const routes: readonly Route[] = [
  { ...get, path: '/advertiser/info/', scope: scopes.advertiser, handle: advertisers },
  { ...get, path: '/campaign/get/', scope: scopes.campaigns, handle: structure('campaigns') },
  { ...get, path: '/adgroup/get/', scope: scopes.adGroups, handle: structure('ad_groups') },
  { ...get, path: '/ad/get/', scope: scopes.ads, handle: structure('ads') },
  { ...get, path: '/dmp/custom_audience/list/', scope: scopes.audiences, handle: assets('audiences', audienceSizes) },
  { ...get, path: '/file/image/ad/search/', scope: scopes.images, handle: files('images') },
  { ...live, path: '/file/video/ad/search/', scope: scopes.videos, handle: files('videos') },
  { ...live, path: '/tt_video/list/', scope: scopes.posts, handle: assets('posts', postSizes) },
  { ...live, path: '/catalog/get/', scope: scopes.catalogs, handle: catalogs },
  { ...get, path: '/report/integrated/get/', scope: scopes.reporting, handle: report },
  { ...get, path: '/user/info/', scope: undefined, handle: user },
  { ...live, path: '/oauth2/advertiser/get/', scope: undefined, handle: grantedAdvertisers },
]

/** What can be asked of, and done to, the stand-in of TikTok. Ids in `world` are those of the main account. */
export interface TiktokSandbox extends VendorSandbox<TiktokSwitches, TiktokWorldFacts> {
  /**
   * Changes an object from now on: other fields, or its deletion. Campaigns, ad groups and ads count as modified now.
   * @throws RangeError for an id that no object of the kind has
   */
  edit(kind: Kind, id: string, change: RecordEdit): void
}

function edit({ seed, clock, edits, switches }: TiktokState, of: { kind: Kind; id: string }, change: RecordEdit): boolean {
  const { hugeIds } = switches.current()
  const spot = findSpot({ seed, now: clock(), hugeIds, edits: new Map() }, of.kind, of.id)
  if (spot) edits.set(editKey(spot), mergedEdit(edits.get(editKey(spot)), change, clock()))
  return spot !== undefined
}

/** Opens the server of the vendor. @throws the listen error of Node */
export async function startTiktok({ host, port, limits, clock, seed, faults }: StandInOptions) {
  const switches = createSwitchControl({ factory, start: { limits }, choices, wrongNumber: notCounting })
  const given = { tokens: createTokens(), codes: createCodes<Access>(clock) }
  const state: TiktokState = { seed, clock, switches, faults, rates: createRates(clock), ...given, edits: new Map() }
  const start = clock()
  const reset = () => {
    state.rates.reset()
    state.tokens.reset()
    state.codes.reset()
    state.edits.clear()
  }
  const isId = (id: unknown) => typeof id === 'string'
  const further = [recordRoute(editableKinds, isId, (kind, id, change) => edit(state, { kind, id }, change))]
  const { journal, control, world, visible } = createInside({ clock, faults, switches, world: () => factsOf(seed, start), reset, further })
  const server = await openStandIn({ name: 'tiktok', faults, journal, ...createApi(state), control }, { host, port })
  const sandbox: TiktokSandbox = {
    ...visible,
    get world() {
      return world()
    },
    edit(kind, id, change) {
      if (!edit(state, { kind, id }, change)) throw new RangeError(`There is no object ${id} among ${kind}`)
    },
  }
  return { origins: { api: server.origin, oauth: server.origin }, sandbox, close: () => server.close() }
}

const consentPath = '/portal/auth'

const vendor = 'TikTok for Business'

interface ConsentUser extends Person {
  /** The ad accounts that the person can share. */
  readonly accounts: readonly Account[]
}

const consentPeople: readonly ConsentUser[] = [
  {
    email: tiktokCredentials.user,
    about: 'has three ad accounts',
    accounts: [mainAccount, secondAccount, emptyAccount],
  },
  { email: tiktokCredentials.otherUser, about: 'somebody else, has one other ad account', accounts: [deniedAccount] },
]

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

function readAsked(state: TiktokState, query: URLSearchParams): ConsentRequest | string {
  if (query.get('app_id') !== tiktokCredentials.appId) return 'The app_id is unknown.'
  const target = registeredTarget(query.get('redirect_uri') ?? '', 'tiktok-marketing', state.switches.current())
  return target ? { target, state: query.get('state') } : 'The redirect_uri is not registered for this app.'
}

function agree(state: TiktokState, access: Access, asked: ConsentRequest): Reply {
  const switches = state.switches.current()
  const code = state.codes.issue(access, switches)
  return sendReturn(asked.target, { answer: { auth_code: code, code }, state: asked.state }, switches)
}

/** Only a page that this sandbox made has a ticket; it carries what was chosen before. */
const ticketField = (ticket: string): Markup => html`<input type="hidden" name="ticket" value="${ticket}">`

function choicePage(user: ConsentUser, asked: ConsentRequest, ticket: string): Reply {
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
  const body = html`<p>Nothing was shared. You can close this window, or go back to the app.</p><p>${signInLink(request)}</p>`
  return pageReply({ vendor, title: 'Authorization cancelled', body })
}

function chosenIn(form: URLSearchParams, user: ConsentUser): Access {
  const ids = form.getAll('advertiser_id')
  const wanted = form.getAll('scope').map(Number)
  return {
    advertiserIds: user.accounts.map(({ id }) => id).filter((id) => ids.includes(id)),
    scopes: Object.values(scopes).filter((scope) => wanted.includes(scope)),
    environment: mainAccount.environment,
  }
}

const everythingOf = (user: ConsentUser): Access => ({
  advertiserIds: user.accounts.map(({ id }) => id),
  scopes: Object.values(scopes),
  environment: mainAccount.environment,
})

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
function takeChoice(state: TiktokState, form: URLSearchParams, asked: ConsentRequest): Reply | undefined {
  const ticket = unseal(String(state.seed), form.get('ticket') ?? '')
  const access = accessIn(ticket)
  if (access && form.get('action') === 'confirm') {
    const isRight = form.get('verification_code')?.trim() === tiktokCredentials.verificationCode
    return isRight ? agree(state, access, asked) : verificationPage(state, access, 'The verification code is wrong.')
  }
  const known = findTicketHolder(consentPeople, form, String(state.seed))
  return known && form.get('action') === 'continue' ? verificationPage(state, chosenIn(form, known)) : undefined
}

const createTiktokConsent = (state: TiktokState) =>
  createConsentPage<ConsentUser, ConsentRequest>({
    vendor,
    people: consentPeople,
    secret: String(state.seed),
    switches: state.switches.current,
    read: (query) => readAsked(state, query),
    agree: (user, asked) => agree(state, everythingOf(user), asked),
    ask: choicePage,
    take: (form, asked, request) => (form.get('action') === 'cancel' ? cancelledPage(request) : takeChoice(state, form, asked)),
  })

interface TiktokState {
  readonly seed: number
  readonly clock: () => number
  readonly switches: SwitchControl<TiktokSwitches>
  readonly faults: FaultSupply
  readonly rates: ReturnType<typeof createRates>
  readonly tokens: TokenStore
  readonly codes: CodeStore
  readonly edits: Map<string, DatedEdit>
}
