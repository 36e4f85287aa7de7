import { createInside, createSwitchControl, recordRoute, type StandInOptions, type SwitchControl, type VendorSandbox } from '../control.ts'
import { type DatedEdit, mergedEdit, type RecordEdit } from '../data.ts'
import { openStandIn } from '../exchange.ts'
import type { FaultSupply } from '../faults.ts'
import { findRoute, headerOf, hostOf, isObject, type ReceivedRequest, type Reply } from '../http.ts'
import { createBucket } from '../limits.ts'
import { hexOf, Random } from '../random.ts'
import { type Access, accessOf, answeringVersion, oldestVersion, shopifyCredentials } from './access.ts'
import { type Answer, inForm, missingScope, notFound, ok, Refusal, refusalOf, tooMany, unapproved, unauthorized } from './answers.ts'
import type { Call } from './call.ts'
import { imageWidth, variantWidth } from './catalog.ts'
import { factsOf, type ShopifyWorldFacts } from './facts.ts'
import { createShopifyOauth } from './oauth.ts'
import { receiptNumber } from './payments.ts'
import { type Route, routes } from './routes.ts'
import { shopId, storeHost } from './shop.ts'
import { bucketOf, rules, type ShopifySwitches } from './switches.ts'
import { createWebhooks, type ShopifyWebhooks } from './webhooks/webhooks.ts'
import { editKey, type IdKind, idIn, recordPosition } from './world.ts'

interface ShopifyState {
  readonly seed: number
  readonly clock: () => number
  readonly secret: string
  readonly switches: SwitchControl<ShopifySwitches>
  readonly faults: FaultSupply
  readonly oauth: ReturnType<typeof createShopifyOauth>
  readonly bucket: ReturnType<typeof createBucket>
  readonly webhooks: ReturnType<typeof createWebhooks>
  readonly edits: Map<string, DatedEdit>
  /** How often draft orders answered that they are not ready, by position. */
  readonly computing: Map<number, number>
  /** Stands for the store, see `perStore`. */
  readonly store: object
  /** Origin of the server, known once it listens. */
  readonly origin: { api: string }
}

const protectedPaths = ['/customers', '/orders', '/draft_orders', '/checkouts']
const deprecatedPaths = ['/products', '/variants', '/product_images']
const deprecationPage = 'https://shopify.dev/docs/apps/build/graphql/migrate/new-product-model'
const longestTarget = 8192

const stateRefusals: Readonly<Record<string, Refusal>> = {
  frozen: refusalOf(402),
  forbidden: new Refusal(403, 'Unavailable Shop'),
  locked: refusalOf(423),
  rejected: refusalOf(430),
  gone: notFound,
}

/** Returns the origin under which the store is asked; undefined for another store. */
function storeOrigin(state: ShopifyState, request: ReceivedRequest): string | undefined {
  const named = hostOf(request, '.myshopify.com')
  if (named === undefined) return state.origin.api
  return named === storeHost ? `https://${storeHost}` : undefined
}

interface ApiPath {
  readonly path: string
  /** Everything before it. */
  readonly prefix: string
  readonly version: string
}

function targetOf(path: string, now: number): ApiPath | undefined {
  const found = /^(\/admin(?:\/api\/([^/]+))?)(\/.+)\.json$/.exec(path)
  if (!found) return undefined
  const [, prefix = '', asked, rest = ''] = found
  const version = answeringVersion(asked, now)
  return version === undefined ? undefined : { path: rest, prefix, version }
}

function accepts(request: ReceivedRequest): boolean {
  const accepted = request.headers.accept
  return accepted === undefined || /(^|[,\s])(\*\/\*|application\/\*|application\/json|text\/json)/i.test(accepted)
}

const startsWithOne = (path: string, starts: readonly string[]): boolean =>
  starts.some((start) => path === start || path.startsWith(`${start}/`))

function accessIn({ oauth }: ShopifyState, request: ReceivedRequest, switches: ShopifySwitches): Access | undefined {
  const token = headerOf(request, 'x-shopify-access-token') ?? ''
  const access = accessOf(token) ?? oauth.accessOf(token)
  if (!access) return undefined
  const scopes = switches.scopes.split(/[\s,]+/).filter((scope) => scope !== '')
  return { scopes: scopes.length > 0 ? scopes : access.scopes, customerData: access.customerData && switches.customerData }
}

const computingIn =
  (state: ShopifyState): Call['computing'] =>
  (draft) => {
    const given = state.computing.get(draft) ?? 0
    if (given >= state.switches.current().draftPolls) return false
    state.computing.set(draft, given + 1)
    return true
  }

interface RoutedRequest {
  readonly request: ReceivedRequest
  readonly origin: string
  readonly access: Access
  readonly target: ApiPath
}

function callOf(state: ShopifyState, asked: RoutedRequest, slots: Readonly<Record<string, string>>): Call {
  const { request, origin, access, target } = asked
  const switches = state.switches.current()
  const { seed, edits, store } = state
  return {
    view: { seed, now: state.clock(), version: target.version, edits, store },
    switches,
    path: target.path,
    base: `${switches.linkOrigin.replace(/\/+$/, '') || origin}${target.prefix}`,
    query: request.query,
    slots,
    scopes: new Set(access.scopes),
    secret: state.secret,
    take: (kind) => state.faults.takePage(kind, 'shopify', request.path),
    computing: computingIn(state),
  }
}

function checkAccess(route: Route, { access, target }: RoutedRequest): void {
  if (route.scope !== '' && !access.scopes.includes(route.scope)) throw missingScope(route.scope)
  if (!access.customerData && startsWithOne(target.path, protectedPaths)) throw unapproved
}

function run(state: ShopifyState, asked: RoutedRequest): Answer {
  const { request, target, access } = asked
  if (target.prefix === '/admin' && target.path === '/oauth/access_scopes')
    return ok({ access_scopes: access.scopes.map((handle) => ({ handle })) })
  const { method, query, body } = request
  const { scopes } = access
  const subscribed = state.webhooks.answer({ method, path: target.path, query, body, scopes, version: target.version, now: state.clock() })
  if (subscribed !== undefined) return subscribed
  const match = findRoute(routes, request.method === 'HEAD' ? 'GET' : request.method, target.path)
  if (match.found === 'nothing') throw notFound
  if (match.found === 'path') throw new Refusal(405, 'Method Not Allowed', { allow: match.methods.join(', ') })
  checkAccess(match.route, asked)
  if (!accepts(request)) throw new Refusal(406, 'Not Acceptable')
  return match.route.handle(callOf(state, asked, match.slots))
}

/** Returns what stands before the routes: store, state, token, limit, version; or the answer that the store gives to everything. */
function gate(state: ShopifyState, request: ReceivedRequest): Answer | RoutedRequest {
  const switches = state.switches.current()
  const origin = storeOrigin(state, request)
  if (origin === undefined) throw notFound
  if (switches.redirectTo) return { status: 301, body: '', headers: { location: switches.redirectTo } }
  const closed = stateRefusals[switches.shopState]
  if (closed) throw closed
  const access = accessIn(state, request, switches)
  if (!access) throw unauthorized
  const limits = bucketOf(switches)
  if (!state.bucket.spend(limits) && switches.limits) throw tooMany(limits.leak)
  if (request.path.length + String(request.query).length > longestTarget) throw new Refusal(414, 'Request-URI Too Long')
  const target = targetOf(request.path, state.clock())
  if (!target) throw notFound
  return { request, origin, access, target }
}

function answerOrRefusal<T>(act: () => T): T | Refusal {
  try {
    return act()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/** Ids that a switch makes too large for a JavaScript number: the usual one, and what is sent instead. */
type Aliases = readonly (readonly [usual: string, huge: string])[]

/** Returns how the API of the store answers; `aliases` are used while the switch `hugeIds` is on. */
function createApi(state: ShopifyState, aliases: () => Aliases) {
  const random = new Random(state.seed, 'shopify request ids')
  const headersFor = (version: string): Record<string, string> => {
    const { size } = bucketOf(state.switches.current())
    return {
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': requestId(random),
      'x-shopid': String(shopId(state)),
      'x-shopify-api-version': version,
      'x-shopify-shop-api-call-limit': `${Math.min(state.bucket.used(), size)}/${size}`,
    }
  }
  const reply = (answer: Answer, headers: Readonly<Record<string, string>>): Reply => {
    const { status, body, text, headers: further } = inForm(answer, state.switches.current().errorForm)
    const type = typeof body === 'string' ? { 'content-type': 'text/html; charset=utf-8' } : {}
    const sent = text ?? (typeof body === 'string' ? body : JSON.stringify(body))
    return { status, headers: { ...headers, ...type, ...further }, body: sent }
  }
  const answer = (received: ReceivedRequest): Reply => {
    const consented = storeOrigin(state, received) === undefined ? undefined : state.oauth.answer(received)
    if (consented !== undefined) return consented
    const pairs = state.switches.current().hugeIds ? aliases() : []
    const request = pairs.length > 0 ? withUsualIds(received, pairs) : received
    const asked = answerOrRefusal(() => gate(state, request))
    if ('status' in asked) return reply(asked, headersFor(oldestVersion(state.clock())))
    const made = reply(
      answerOrRefusal(() => run(state, asked)),
      { ...headersFor(asked.target.version), ...deprecation(state, asked.target) },
    )
    return typeof made.body === 'string' ? { ...made, body: withHugeIds(made.body, pairs) } : made
  }
  return {
    answer,
    refuse: (status: number, message?: string) =>
      reply(refusalOf(status, message, bucketOf(state.switches.current()).leak), headersFor(oldestVersion(state.clock()))),
    waitText: (seconds: number) => seconds.toFixed(1),
  }
}

function deprecation(state: ShopifyState, { path }: ApiPath): Readonly<Record<string, string>> {
  const told = state.switches.current().deprecations && startsWithOne(path, deprecatedPaths)
  return told ? { 'x-shopify-api-deprecated-reason': deprecationPage } : {}
}

function requestId(random: Random): string {
  const hex = hexOf(32, random.int(0, 0xffff_ffff))
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20)]
  return `${parts.join('-')}-${random.int(1_000_000_000, 1_999_999_999)}`
}

const withHugeIds = (text: string, aliases: Aliases): string => aliases.reduce((made, [usual, huge]) => made.replaceAll(usual, huge), text)

function withUsualIds(request: ReceivedRequest, aliases: Aliases): ReceivedRequest {
  const back = (text: string) => aliases.reduce((made, [usual, huge]) => made.replaceAll(huge, usual), text)
  return { ...request, path: back(request.path), query: new URLSearchParams(back(String(request.query))) }
}

const editable = [
  ...(['customers', 'orders', 'products', 'variants', 'inventory_items', 'locations', 'price_rules', 'discount_codes'] as const),
  ...(['collections', 'collects', 'draft_orders', 'checkouts', 'countries'] as const),
  ...(['metafields_shop', 'metafields_customer', 'metafields_product', 'images'] as const),
] satisfies readonly IdKind[]

/** A kind of record that can be changed later; custom and smart collections are both `collections`. */
export type EditableKind = (typeof editable)[number]

/** What can be asked of, and done to, the stand-in of Shopify. */
export interface ShopifySandbox extends VendorSandbox<ShopifySwitches, ShopifyWorldFacts> {
  /**
   * Changes a record from now on: other fields, or its end. It counts as updated now.
   * @throws RangeError for an id that no record of the kind has
   */
  edit(kind: EditableKind, id: number, change: RecordEdit): void
  readonly webhooks: ShopifyWebhooks
}

function edit({ seed, edits, clock, webhooks }: ShopifyState, of: { kind: EditableKind; id: number }, change: RecordEdit): boolean {
  const position = recordPosition(seed, of.kind, of.id)
  if (position === undefined) return false
  const key = editKey({ kind: of.kind, position })
  edits.set(key, mergedEdit(edits.get(key), change, clock()))
  webhooks.changed(of.kind, of.id, change.erased === true)
  const siblings = of.kind === 'variants' ? variantWidth : of.kind === 'images' ? imageWidth : undefined
  // The vendor reports the product when a part of it changes.
  if (siblings !== undefined) webhooks.changed('products', idIn({ seed }, 'products', Math.floor(position / siblings)), false)
  return true
}

/** Reads a record as the API answers it to a token with all scopes; undefined for a missing one. */
function readRecord(state: ShopifyState, path: string, key: string): unknown {
  const match = findRoute(routes, 'GET', path)
  const access = accessOf(shopifyCredentials.token)
  if (match.found !== 'route' || access === undefined) return undefined
  const target = { path, prefix: '/admin', version: oldestVersion(state.clock()) }
  const request = { method: 'GET', path, query: new URLSearchParams(), headers: {}, body: '' }
  const asked = { request, origin: state.origin.api, access, target }
  const { body } = answerOrRefusal(() => match.route.handle(callOf(state, asked, match.slots)))
  return isObject(body) ? body[key] : undefined
}

/** Opens the server of the vendor. The store is not built before it is asked for. @throws the listen error of Node */
export async function startShopify({ host, port, limits, clock, seed, faults }: StandInOptions) {
  const switches = createSwitchControl({ ...rules, start: { limits } })
  const made = { bucket: createBucket(clock), edits: new Map(), computing: new Map(), store: {}, origin: { api: '' } }
  const secret = `shopify sandbox ${seed}`
  const oauth = createShopifyOauth({ clock, secret, switches: () => switches.current() })
  const webhooks = createWebhooks({ clock, switches: () => switches.current(), read: (path, key) => readRecord(state, path, key) })
  const state: ShopifyState = { seed, clock, secret, switches, faults, oauth, webhooks, ...made }
  const now = clock()
  const facts = () => factsOf({ seed, now, version: oldestVersion(now), edits: new Map(), store: state.store })
  const reset = () => {
    state.bucket.reset()
    state.oauth.reset()
    state.webhooks.reset()
    state.edits.clear()
    state.computing.clear()
  }
  const isId = (id: unknown) => typeof id === 'number'
  const further = [recordRoute(editable, isId, (kind, id, change) => edit(state, { kind, id }, change)), ...webhooks.control]
  const { journal, control, world, visible } = createInside({ clock, faults, switches, world: facts, reset, further })
  const aliases = (): Aliases => [
    [String(world().newestCustomerId), '9007199254740993'],
    [String(receiptNumber), '18014398509481985'],
  ]
  const server = await openStandIn({ name: 'shopify', faults, journal, ...createApi(state, aliases), control }, { host, port })
  state.origin.api = server.origin
  const sandbox: ShopifySandbox = {
    ...visible,
    get world() {
      return world()
    },
    webhooks: webhooks.visible,
    edit(kind, id, change) {
      if (!edit(state, { kind, id }, change)) throw new RangeError(`There is no record ${id} among ${kind}`)
    },
  }
  return { origins: state.origin, sandbox, close: () => server.close() }
}
