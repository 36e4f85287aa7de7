import { consentChoices as choices, createCodes } from '../consent.ts'
import { createInside, createSwitchControl, type StandInOptions, type VendorSandbox } from '../control.ts'
import { at, wordsOf } from '../data.ts'
import { openStandIn, type StandIn } from '../exchange.ts'
import {
  findRoute,
  hostOf,
  isObject,
  json,
  type ListeningServer,
  parseJson,
  type ReceivedRequest,
  type Reply,
  type RoutePattern,
} from '../http.ts'
import { createBucket, createCounter } from '../limits.ts'
import { Random } from '../random.ts'
import { listAnswered } from './answered.ts'
import { type Answer, badRequest, type JsonRecord, ok, Refusal, usualErrors, usualRefusal } from './answers.ts'
import { getCall, listCalls } from './calls.ts'
import { interactionOf, listExtensive, listTranscripts } from './extensive.ts'
import { factsOf, type GongWorldFacts } from './facts.ts'
import { type DateRange, dateRangeOf, filterOf, idsIn, openPage } from './lists.ts'
import { createMedia, type MediaKind } from './media.ts'
import { createOAuth } from './oauth.ts'
import { managerOf } from './people.ts'
import { getUser, listFolderContent, listFolders, listScorecards, listTrackers, listUsers, listWorkspaces } from './settings.ts'
import { type ApiCall, type Consented, type GongState, homeOf } from './state.ts'
import { factory, type GongSwitches } from './switches.ts'
import { addDays, companyTime, companyZoneLabel, day, midnight, parseMoment, utcTime } from './time.ts'
import { type Customer, createTokens, sandboxCredentials } from './tokens.ts'
import { type CallEdit, createWorld, otherWorld, type World } from './world.ts'

/** What can be asked of, and done to, the stand-in of Gong: its API, its OAuth and its media. */
export interface GongSandbox extends VendorSandbox<GongSwitches, GongWorldFacts> {
  /** Changes a call from now on: hides it, renames it, erases it. @throws RangeError for an unknown call */
  editCall(callId: string, change: CallEdit): void
  /** Returns bytes of a file, to compare a download with. @throws RangeError for an unknown call */
  mediaBytes(callId: string, kind: MediaKind, range?: { readonly offset: number; readonly length: number }): Uint8Array
}

interface GongOptions extends Omit<StandInOptions, 'port'> {
  readonly ports: { readonly api: number; readonly oauth: number; readonly media: number }
  /** How many calls are known at most. */
  readonly calls: number
  readonly mediaBytes: number
}

const editTypes = new Map(Object.entries({ id: 'string', isPrivate: 'boolean', title: 'string', erased: 'boolean' }))

const isEdit = (body: unknown): body is CallEdit & { readonly id: string } =>
  isObject(body) && 'id' in body && Object.entries(body).every(([name, value]) => typeof value === editTypes.get(name))

function editCall({ world, selections }: GongState, id: string, change: CallEdit): boolean {
  const call = world.callPositions.get(id)
  if (call === undefined) return false
  world.edit(call, change)
  selections.clear()
  return true
}

function changeCall(state: GongState, body: unknown): Reply {
  if (!isEdit(body)) return json(400, { error: 'An edit has id, and isPrivate, title or erased' })
  const { id, ...change } = body
  return editCall(state, id, change) ? json(200, { id, ...change }) : json(404, { error: `There is no call ${id}` })
}

function createState({ clock, seed, calls, faults, limits, mediaBytes }: GongOptions): GongState {
  const world = createWorld(seed, clock(), calls)
  const secret = `sandbox ${seed}`
  const origins = { api: '', oauth: '', media: '' }
  const media = createMedia({ world, secret, clock, largeBytes: mediaBytes, origin: () => origins.media })
  const switches = createSwitchControl({ factory, start: { limits }, choices, addresses: ['apiBaseUrl'] })
  const quota = { bucket: createBucket(clock), today: createCounter(day) }
  const given = { tokens: createTokens(secret, clock), codes: createCodes<Consented>(clock) }
  return { world, clock, secret, origins, media, faults, switches, quota, ...given, selections: new Map() }
}

function createGongInside(state: GongState) {
  const { clock, faults, switches, world } = state
  const facts = factsOf(world, clock())
  const reset = () => {
    state.tokens.reset()
    state.codes.reset()
    state.quota.bucket.reset()
    state.quota.today.reset()
    world.restore()
    state.selections.clear()
  }
  const further = [{ method: 'POST', path: '/_sandbox/calls', handle: (body: unknown) => changeCall(state, body) }]
  return createInside({ clock, faults, switches, world: () => facts, reset, further })
}

/** Opens the three servers of the vendor. @throws the listen error of Node; RangeError for a clock before 2024 */
export async function startGong(options: GongOptions) {
  const state = createState(options)
  const { journal, control, visible, world } = createGongInside(state)
  const opened: ListeningServer[] = []
  const open = async (name: keyof GongState['origins'], answers: Pick<StandIn, 'answer' | 'refuse' | 'control'>) => {
    const address = { host: options.host, port: options.ports[name] }
    const server = await openStandIn({ name, faults: options.faults, journal, ...answers }, address)
    opened.push(server)
    state.origins[name] = server.origin
  }
  const close = async () => {
    await Promise.all(opened.map((server) => server.close()))
  }
  try {
    await open('api', { ...createApi(state), control })
    await open('oauth', createOAuth(state))
    await open('media', state.media)
  } catch (error) {
    await close()
    throw error
  }
  const sandbox: GongSandbox = {
    ...visible,
    world: world(),
    editCall(id, change) {
      if (!editCall(state, id, change)) throw new RangeError(`There is no call ${id}`)
    },
    mediaBytes(callId, kind, range) {
      const call = state.world.callPositions.get(callId)
      if (call === undefined) throw new RangeError(`There is no call ${callId}`)
      const source = state.media.source(call, kind)
      return source.read(range?.offset ?? 0, range?.length ?? source.size)
    },
  }
  return { origins: state.origins, sandbox, close }
}

interface Route extends RoutePattern {
  /** What a bearer token must allow. */
  readonly scope: string
  readonly handle: (call: ApiCall) => Answer
}

/** The endpoints; literal paths stand before slots. */
const routes: readonly Route[] = [
  { method: 'GET', path: '/v2/users', scope: 'api:users:read', handle: listUsers },
  { method: 'GET', path: '/v2/users/{id}', scope: 'api:users:read', handle: getUser },
  { method: 'GET', path: '/v2/calls', scope: 'api:calls:read:basic', handle: listCalls },
  { method: 'POST', path: '/v2/calls/extensive', scope: 'api:calls:read:extensive', handle: listExtensive },
  { method: 'POST', path: '/v2/calls/transcript', scope: 'api:calls:read:transcript', handle: listTranscripts },
  { method: 'GET', path: '/v2/calls/{id}', scope: 'api:calls:read:basic', handle: getCall },
  { method: 'GET', path: '/v2/workspaces', scope: 'api:workspaces:read', handle: listWorkspaces },
  {
    method: 'POST',
    path: '/v2/stats/activity/aggregate',
    scope: 'api:stats:user-actions',
    handle: (call) => answerStatistic(call, activityStatistic),
  },
  {
    method: 'POST',
    path: '/v2/stats/activity/day-by-day',
    scope: 'api:stats:user-actions:detailed',
    handle: (call) => answerStatistic(call, dailyStatistic),
  },
  {
    method: 'POST',
    path: '/v2/stats/interaction',
    scope: 'api:stats:interaction',
    handle: (call) => answerStatistic(call, interactionStatistic),
  },
  { method: 'POST', path: '/v2/stats/activity/scorecards', scope: 'api:stats:scorecards', handle: listAnswered },
  { method: 'GET', path: '/v2/settings/scorecards', scope: 'api:settings:scorecards:read', handle: listScorecards },
  { method: 'GET', path: '/v2/settings/trackers', scope: 'api:settings:trackers:read', handle: listTrackers },
  { method: 'GET', path: '/v2/library/folders', scope: 'api:library:read', handle: listFolders },
  { method: 'GET', path: '/v2/library/folder-content', scope: 'api:library:read', handle: listFolderContent },
  { method: 'GET', path: '/v2/coaching', scope: 'api:coaching:read', handle: listCoaching },
]

/** Whose data a caller reads, and whether it may use a scope: an access key may do everything, a token what its scopes say. */
interface Caller {
  readonly customer: Customer
  allows(scope: string): boolean
}

const deniable = ['/v2/users', '/v2/workspaces', '/v2/coaching']

function tokenCaller(state: GongState, token: string, request: ReceivedRequest): Caller {
  const { scopes, customer } = state.tokens.check(token)
  const home = new URL(homeOf(state, customer)).hostname
  if (state.switches.current().customerHostOnly && hostOf(request)?.replace(/:\d+$/, '') !== home) throw usualRefusal(401)
  return { customer, allows: (scope) => scopes.includes(scope) }
}

function callerOf(state: GongState, request: ReceivedRequest): Caller {
  const [scheme = '', value = ''] = (request.headers.authorization ?? '').split(' ')
  if (scheme.toLowerCase() === 'bearer') return tokenCaller(state, value, request)
  if (scheme.toLowerCase() !== 'basic') throw new Refusal(401, 'Authentication is required')
  const { accessKey, accessKeySecret } = sandboxCredentials
  const right = Buffer.from(value, 'base64').toString() === `${accessKey}:${accessKeySecret}`
  if (!right) throw new Refusal(401, 'Invalid access key or access key secret')
  return { customer: 'sandbox', allows: () => true }
}

/** Counts a request; refused ones are not counted. */
function spendQuota({ quota, clock, switches }: GongState): void {
  const { limits, ratePerSecond, dailyLimit } = switches.current()
  if (!limits) return
  const now = clock()
  const rate = { size: ratePerSecond, leak: Math.max(ratePerSecond, 1) }
  const refuse = (seconds: number) => usualRefusal(429, { 'retry-after': String(Math.max(1, Math.ceil(seconds))) })
  if (quota.today.at(now) >= dailyLimit) throw refuse((quota.today.end(now) - now) / 1000)
  if (!quota.bucket.spend(rate)) throw refuse(quota.bucket.wait(rate))
  quota.today.add()
}

function bodyOf(request: ReceivedRequest): JsonRecord {
  if (request.method !== 'POST') return {}
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') throw usualRefusal(415)
  const body = parseJson(request.body)
  if (!isObject(body)) throw badRequest('the body is not a JSON object')
  return body
}

/** Checks scopes; a missing one is refused with 401, not 403. */
function checkScopes({ allows }: Caller, scopes: readonly string[]): void {
  const missing = scopes.find((scope) => !allows(scope))
  if (missing !== undefined) throw new Refusal(401, `You don't have permission to use '${missing}' in your app.`)
}

function decide(state: GongState, request: ReceivedRequest): Answer {
  const caller = callerOf(state, request)
  spendQuota(state)
  const { method, path, query } = request
  const match = findRoute(routes, method, path)
  if (match.found === 'nothing') throw new Refusal(404, 'Not found')
  if (match.found === 'path') throw usualRefusal(405, { allow: match.methods.join(', ') })
  if (state.switches.current().accessDenied && deniable.includes(match.route.path)) throw usualRefusal(403)
  checkScopes(caller, [match.route.scope])
  const take: ApiCall['take'] = (kind) => state.faults.takePage(kind, 'api', path)
  const own = caller.customer === 'other' ? { ...state, world: otherWorld(state.world) } : state
  const answer = match.route.handle({ state: own, path, query, slots: match.slots, body: bodyOf(request), take })
  checkScopes(caller, answer.needs ?? [])
  return answer
}

function answerOrRefusal(act: () => Answer): Answer {
  try {
    return act()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/** Returns how the API origin answers, and how it refuses when a fault asks for it. */
function createApi(state: GongState) {
  const random = new Random(state.world.seed, 'request ids')
  const reply = ({ status, value, headers, rewrite }: Answer): Reply => {
    const requestId = random.base36(random.int(18, 20))
    const made = json(status, { requestId, ...value }, { 'x-traceid': requestId, 'x-gong-service-version': 'sandbox', ...headers })
    return rewrite && typeof made.body === 'string' ? { ...made, body: rewrite(made.body) } : made
  }
  return {
    answer: (request: ReceivedRequest) => reply(answerOrRefusal(() => decide(state, request))),
    refuse: (status: number, message = usualErrors[status] ?? 'Error') => reply(new Refusal(status, message)),
  }
}

/** The fifteen figures of a user's activity, in the vendor's order. */
const activityNames = [
  ...wordsOf('callsAsHost, callsGaveFeedback, callsRequestedFeedback, callsReceivedFeedback, ownCallsListenedTo, othersCallsListenedTo'),
  ...wordsOf('callsSharedInternally, callsSharedExternally, callsScorecardsFilled, callsScorecardsReceived, callsAttended'),
  ...wordsOf('callsCommentsGiven, callsCommentsReceived, callsMarkedAsFeedbackGiven, callsMarkedAsFeedbackReceived'),
]

/** What can happen with a call, and how probable it is; host and manager are counted together. */
const activityChances: readonly { readonly probability: number; readonly host?: string; readonly manager?: string }[] = [
  { probability: 0.2, host: 'callsReceivedFeedback', manager: 'callsGaveFeedback' },
  { probability: 0.05, host: 'callsRequestedFeedback' },
  { probability: 0.3, host: 'ownCallsListenedTo' },
  { probability: 0.35, manager: 'othersCallsListenedTo' },
  { probability: 0.15, host: 'callsSharedInternally' },
  { probability: 0.08, host: 'callsSharedExternally' },
  { probability: 0.1, host: 'callsScorecardsReceived', manager: 'callsScorecardsFilled' },
  { probability: 0.2, host: 'callsCommentsReceived', manager: 'callsCommentsGiven' },
  { probability: 0.07, host: 'callsMarkedAsFeedbackReceived', manager: 'callsMarkedAsFeedbackGiven' },
]

/** That a call counts for a user (by position) in a figure. */
interface ActivityEvent {
  readonly user: number
  readonly name: string
}

/** Everything that one call counts for; all of it on the day of the call. */
function eventsOf(world: World, call: number): readonly ActivityEvent[] {
  const random = world.random('activity', call)
  const { host, colleagues } = world.traits(call)
  const manager = managerOf(host)
  const happened = activityChances.filter(({ probability }) => random.chance(probability))
  return [
    { user: host, name: 'callsAsHost' },
    ...[host, ...colleagues].map((user) => ({ user, name: 'callsAttended' })),
    ...happened.flatMap((chance) => [
      ...(chance.host ? [{ user: host, name: chance.host }] : []),
      ...(chance.manager && manager !== undefined ? [{ user: manager, name: chance.manager }] : []),
    ]),
  ]
}

/** Positions of the calls that started in a span (epoch milliseconds, the end excluded). */
const callsBetween = (world: World, from: number, to: number): readonly number[] =>
  world.allCalls().filter((call) => at(world.calls, call).started >= from && at(world.calls, call).started < to)

/** A call that counts for a user, and the figure. */
type CallEvent = ActivityEvent & { readonly call: number }

interface Statistic {
  readonly key: string
  /** Text of the 404 when nobody has anything; left out: an empty list. */
  readonly nothing?: string
  /** Longest period in days; the vendor states none, the sandbox bounds its own answer. */
  readonly longest?: number
  /** Whether the answer says its period and time zone. */
  readonly envelope: boolean
  /** Whom a call counts for. */
  events(world: World, call: number): readonly ActivityEvent[]
  /** Returns what is said of a user. */
  tell(world: World, entries: readonly CallEvent[], range: DateRange): JsonRecord
}

function dailyRows(world: World, entries: readonly CallEvent[], range: DateRange): readonly JsonRecord[] {
  const rows: JsonRecord[] = []
  for (let date = range.fromDate; date < range.toDate; date = addDays(date, 1)) {
    const [from, to] = [midnight(date) ?? 0, midnight(addDays(date, 1)) ?? 0]
    const today = entries.filter(({ call }) => at(world.calls, call).started >= from && at(world.calls, call).started < to)
    const idsFor = (name: string) => today.filter((entry) => entry.name === name).map(({ call }) => at(world.calls, call).id)
    rows.push({ ...Object.fromEntries(activityNames.map((name) => [name, idsFor(name)])), fromDate: utcTime(from), toDate: utcTime(to) })
  }
  return rows
}

function averages(world: World, entries: readonly CallEvent[]): readonly { name: string; value: number }[] {
  const all = entries.map(({ call }) => interactionOf(world, call))
  const names = ['Talk Ratio', 'Longest Monologue', 'Longest Customer Story', 'Interactivity', 'Patience']
  const mean = (index: number) => all.reduce((sum, stats) => sum + (stats[index]?.value ?? 0), 0) / all.length
  const rows = names.map((name, index) => ({ name, value: Number(mean(index).toFixed(4)) }))
  return [...rows, { name: 'Question Rate', value: Number((mean(3) * 2).toFixed(2)) }]
}

const activityStatistic: Statistic = {
  key: 'usersAggregateActivityStats',
  envelope: true,
  events: eventsOf,
  tell(_, entries) {
    const count = (name: string) => entries.filter((entry) => entry.name === name).length
    return { userAggregateActivityStats: Object.fromEntries(activityNames.map((name) => [name, count(name)])) }
  },
}

/** Ids of the calls, one element per day of the period; its dates are in UTC. */
const dailyStatistic: Statistic = {
  key: 'usersDetailedActivities',
  longest: 366,
  envelope: false,
  events: eventsOf,
  tell: (world, entries, range) => ({ userDailyActivityStats: dailyRows(world, entries, range) }),
}

/** Averages over the calls that a user held with Whisper on. */
const interactionStatistic: Statistic = {
  key: 'peopleInteractionStats',
  nothing: 'No stats found for the specified period',
  envelope: true,
  events(world, call) {
    const { whisper, host } = world.traits(call)
    return whisper ? [{ user: host, name: 'callsAsHost' }] : []
  },
  tell: (world, entries) => ({ personInteractionStats: averages(world, entries) }),
}

/** Answers one statistic: ascending by user id, users without activity left out. */
function answerStatistic(call: ApiCall, statistic: Statistic): Answer {
  const { world, switches } = call.state
  const filter = filterOf(call)
  const range = dateRangeOf(call, filter)
  const userIds = idsIn(filter, 'userIds')
  const { longest = Number.POSITIVE_INFINITY, nothing } = statistic
  if (range.to - range.from > (longest + 1) * day) throw badRequest(`the period must not be longer than ${longest} days`)
  const strict = !switches.current().emptyStatsOk
  const wanted = userIds && new Set(userIds.map((id) => world.userPositions.get(id)))
  if (strict && wanted?.has(undefined)) throw new Refusal(404, 'User not found')
  const entries = callsBetween(world, range.from, range.to).flatMap((position) =>
    statistic.events(world, position).map((event) => ({ ...event, call: position })),
  )
  const byUser = Map.groupBy(entries, ({ user }) => user)
  const active = [...byUser.keys()].filter((user) => wanted?.has(user) ?? true).sort((left, right) => left - right)
  if (strict && active.length === 0 && nothing !== undefined) throw new Refusal(404, nothing)
  const cursorRow = (user: number) => ({ id: at(world.users, user).id })
  const page = openPage(call, { filter: { range, userIds }, rows: active, cursorRow })
  const records = page.shown.map((user) => {
    const { id, emailAddress } = at(world.users, user)
    return { userId: id, userEmailAddress: emailAddress, ...statistic.tell(world, byUser.get(user) ?? [], range) }
  })
  const times = { fromDateTime: companyTime(range.from), toDateTime: companyTime(range.to), timeZone: companyZoneLabel }
  return ok({ records: page.records(), ...(statistic.envelope ? times : {}), [statistic.key]: records })
}

const metricNames: readonly (readonly [string, number])[] = [
  ['callsListenedTo', 0.35],
  ['callsManagerAttended', 0.15],
  ['callsWithFeedback', 0.2],
  ['callsManagerCommentedOn', 0.2],
  ['callsWithScorecardFilled', 0.1],
]

function describeManager(world: World, index: number): JsonRecord {
  const { id, emailAddress, firstName, lastName, title } = at(world.users, index)
  return { id, emailAddress, firstName, lastName, title }
}

/** Per metric the ids of the calls of a report that the manager did something with. */
function coachingMetricsOf(world: World, calls: readonly number[]): JsonRecord {
  const chosen = (name: string, probability: number) =>
    calls.filter((call) => world.random('coaching', name, call).chance(probability)).map((call) => at(world.calls, call).id)
  return Object.fromEntries(metricNames.map(([name, probability]) => [name, chosen(name, probability)]))
}

const requiredOfCoaching = ['workspace-id', 'manager-id', 'from', 'to']

/** GET /v2/coaching: a manager and the direct reports; nobody for a user who leads nobody. */
function listCoaching(call: ApiCall): Answer {
  const { world } = call.state
  const missing = requiredOfCoaching.filter((name) => !call.query.get(name))
  if (missing.length > 0) throw badRequest(`${missing.join(', ')} is required`)
  const [workspaceId, managerId = '', fromText = '', toText = ''] = requiredOfCoaching.map((name) => call.query.get(name) ?? '')
  const [from, to] = [parseMoment(fromText), parseMoment(toText)]
  if (from === undefined || to === undefined) throw badRequest('from and to must be ISO-8601 date-times with an offset')
  const workspace = world.workspaces.findIndex((entry) => entry.id === workspaceId)
  const manager = world.userPositions.get(managerId)
  const reports = world.users.map((_, index) => index).filter((index) => manager !== undefined && managerOf(index) === manager)
  if (workspace < 0 || manager === undefined || reports.length === 0) return ok({ coachingData: [] })
  const calls = callsBetween(world, from, to).filter((position) => world.traits(position).workspace === workspace)
  const directReportsMetrics = reports.map((report) => {
    const own = calls.filter((position) => world.traits(position).host === report)
    return { report: describeManager(world, report), metrics: coachingMetricsOf(world, own) }
  })
  return ok({ coachingData: [{ manager: describeManager(world, manager), directReportsMetrics }] })
}
