/** The kinds whose syncs are compared with the stand-ins, their connections, and the changes in their worlds. */
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import type { Kind } from '../../packages/ferrule/src/definition/connector.ts'
import type { EditableKind, Fault, Sandbox, TiktokKind } from '../../packages/sandbox/src/index.ts'
import { shopifyCredentials } from '../../packages/sandbox/src/index.ts'
import type { Random } from '../../packages/sandbox/src/random.ts'
import { listStored, planWalks } from '../../packages/server/src/copies/sync/walk/plan.ts'

/** Kinds with a copy. */
export const syncedKinds = { gong: kinds.gong, shopify: kinds.shopify, 'tiktok-marketing': kinds['tiktok-marketing'] } satisfies Record<
  string,
  Kind
>
/** A kind with a copy. */
export type SyncedKind = keyof typeof syncedKinds

/** One connector of a stand-in. */
export interface TruthCase {
  readonly kind: SyncedKind
  readonly credentials: Readonly<Record<string, string>>
  readonly configuration: Readonly<Record<string, unknown>>
  /** Entities that are synced. */
  readonly wanted: readonly string[]
}

/** Lists all entities of a kind with a copy. */
export const allOf = (kind: SyncedKind): readonly string[] =>
  planWalks(syncedKinds[kind].definition, () => true).flatMap((tree) => listStored(tree).map(({ entity }) => entity))

const advertisers = { main: '7398164205713920517', second: '7398164205713920643', empty: '7405523318871106569' } as const

/** The complete worlds. */
export const wholeCases: readonly TruthCase[] = [
  { kind: 'gong', credentials: { access_key: 'sandbox', access_key_secret: 'sandbox-secret' }, configuration: {}, wanted: allOf('gong') },
  {
    kind: 'shopify',
    credentials: { api_key: shopifyCredentials.recentOrdersToken },
    configuration: { shop: shopifyCredentials.shop },
    wanted: allOf('shopify').filter(
      (entity) => !['metafield_customers', 'metafield_product_variants', 'metafield_product_images'].includes(entity),
    ),
  },
  {
    kind: 'tiktok-marketing',
    credentials: { access_token: 'sandbox-token' },
    configuration: { advertiser_id: Object.values(advertisers), start_date: '2026-06-01' },
    wanted: allOf('tiktok-marketing'),
  },
]

const few: Readonly<Record<SyncedKind, readonly string[]>> = {
  gong: ['calls', 'call_transcripts', 'calls_extensive', 'stats_activity_scorecards', 'settings_scorecards'],
  shopify: [
    'abandoned_checkouts',
    'shop',
    'locations',
    'price_rules',
    'discount_codes',
    'custom_collections',
    'smart_collections',
    'collects',
    'draft_orders',
    'order_refunds',
    'fulfillments',
    'countries',
    'metafield_shops',
    'metafield_locations',
  ],
  'tiktok-marketing': allOf('tiktok-marketing'),
}

/** Small parts of the worlds. */
export const smallCases: readonly TruthCase[] = wholeCases.map((each) => ({
  ...each,
  wanted: few[each.kind],
  configuration:
    each.kind === 'tiktok-marketing'
      ? { advertiser_id: [advertisers.second, advertisers.empty], start_date: '2026-07-01' }
      : each.configuration,
}))

/** Returns the origin of a kind's stand-in. */
export const originOf = ({ origins }: Sandbox, kind: SyncedKind) => origins[kind]

/** Ids of changeable records, by the stand-in's name for them. */
export type Changeable = ReadonlyMap<string, readonly string[]>

/** Makes one change: another title, a private call, a deletion, or a restored record. */
export function disturb(sandbox: Sandbox, kind: SyncedKind, { random, ids }: { random: Random; ids: Changeable }): void {
  const changeable = [...ids].filter(([, known]) => known.length > 0)
  if (changeable.length === 0) return
  const [name, known] = random.pick(changeable)
  // Changes some records repeatedly, so they are deleted and restored.
  const id = random.chance(0.5) ? random.pick(known.slice(-12)) : random.pick(known)
  const text = `Changed ${random.int(1, 1_000_000)}`
  // The first half stays; otherwise nothing would be left below deleted records.
  const canGo = known.indexOf(id) >= known.length / 2
  const erased = canGo && random.chance(0.5) ? { erased: random.chance(0.6) } : {}
  if (kind === 'gong') {
    sandbox.gong.editCall(id, { title: text, ...erased, ...(random.chance(0.3) ? { isPrivate: random.chance(0.5) } : {}) })
    return
  }
  if (kind === 'shopify') {
    const field = textFields.shopify[name]
    if (field !== undefined) sandbox.shopify.edit(name as EditableKind, Number(id), { fields: { [field]: text }, ...erased }) // keys of the table
    return
  }
  const field = textFields['tiktok-marketing'][name]
  if (field !== undefined) sandbox.tiktok.edit(name as TiktokKind, id, { fields: { [field]: text }, ...erased }) // keys of the table
}

/** What the stand-ins can change, with a string field of it. */
const textFields: Readonly<Record<Exclude<SyncedKind, 'gong'>, Readonly<Record<string, string>>>> = {
  shopify: {
    orders: 'note',
    checkouts: 'note',
    price_rules: 'title',
    discount_codes: 'code',
    collections: 'title',
    draft_orders: 'note',
    locations: 'address1',
    metafields_shop: 'description',
    products: 'title',
    customers: 'note',
  },
  'tiktok-marketing': {
    campaigns: 'campaign_name',
    ad_groups: 'adgroup_name',
    ads: 'ad_name',
    audiences: 'name',
    images: 'file_name',
    videos: 'file_name',
  },
}

const on = { gong: 'api', shopify: 'shopify', 'tiktok-marketing': 'tiktok' } as const
const statuses = [429, 500, 502, 503, 504]
const codes = [40002, 40067, 40100, 40133, 50000, 50002, 60001, 61000]

/** Draws a fault for some of the next calls. None delays the service for long. */
export function drawSyncFault(random: Random, kind: SyncedKind): Fault {
  const aim = { on: on[kind], times: random.pick([1, 1, 1, 2, 4]) }
  const faults: readonly (() => Fault)[] = [
    () => ({ ...aim, kind: 'status', status: random.pick(statuses), retryAfter: 0 }),
    () => ({ ...aim, kind: 'status', status: random.pick([400, 401, 403, 404]) }),
    () => ({
      ...aim,
      kind: random.pick(['html-502', 'html-503', 'reset', 'malformed-json', 'truncated-json', 'empty-body', 'wrong-shape']),
    }),
    () => ({ ...aim, kind: 'cut', after: random.int(0, 3_000) }),
    () => ({ ...aim, kind: 'delay', ms: random.int(1, 60) }),
    () => ({ ...aim, kind: random.pick(['same-cursor', 'expired-cursor']) }),
    () => (kind === 'gong' ? { ...aim, kind: 'private-page' } : { ...aim, kind: 'status', status: 429, retryAfter: 0 }),
    () => (kind === 'tiktok-marketing' ? { ...aim, kind: 'code', code: random.pick(codes) } : { ...aim, kind: 'reset' }),
  ]
  return random.pick(faults)()
}
