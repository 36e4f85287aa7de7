/** What the documents leave open, and what it was filled with: the other half of the contract. `packages/ferrule/src/connectors/<kind>/README.md` gives the reasons. */

type Json = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const object = (value: unknown): Json => (isObject(value) ? value : {})

/** `{ 'integer': 'id', 'string?': 'name city' }` → `{ id: 'integer', name: 'string?', city: 'string?' }` */
const fields = (types: Readonly<Record<string, string>>): Json =>
  Object.fromEntries(Object.entries(types).flatMap(([type, names]) => names.split(' ').map((name) => [name, type])))

/** Ids that are required. */
const ids = (...names: string[]): Json => Object.fromEntries(names.map((name) => [name, { type: 'integer', required: true }]))
const optional = (type: string, ...names: string[]): Json => Object.fromEntries(names.map((name) => [name, { type, required: false }]))
const limit: Json = { limit: { type: 'integer', required: false, minimum: 1, maximum: 250 } }
const windows = optional('string', 'created_at_min', 'created_at_max', 'updated_at_min', 'updated_at_max')

/** One entity: parts that the documents do not show. A text names the place where they show the same elsewhere. */
interface Filled {
  readonly record?: Json | readonly [entity: string, nested: string]
  readonly searchable?: Json
  /** Fields inside an object, or inside the elements of an array, that the documents show in part or name without types. */
  readonly nested?: Readonly<Record<string, Json | readonly [entity: string, nested: string]>>
  readonly params?: Readonly<Record<string, Json>>
}

const shopify: Readonly<Record<string, Filled>> = {
  abandoned_checkouts: {
    record: fields({
      'string?':
        'name source abandoned_checkout_url source_name presentment_currency sms_marketing_phone total_discounts total_line_items_price ' +
        'total_price total_tax subtotal_price total_duties admin_graphql_api_id',
      'array?': 'discount_codes tax_lines',
      'boolean?': 'buyer_accepts_sms_marketing',
      'object|any': 'billing_address shipping_address customer',
    }),
    searchable: fields({ integer: 'id', string: 'token email phone name currency total_price created_at updated_at completed_at' }),
    // The documents break off amid the line: the rest is that of every line item.
    nested: { 'line_items[]': ['orders', 'line_items[]'] },
  },
  locations: {
    record: fields({
      integer: 'id',
      'string?':
        'name address1 address2 city zip province country phone country_code country_name province_code admin_graphql_api_id ' +
        'localized_country_name localized_province_name created_at updated_at',
      'boolean?': 'legacy active',
    }),
    searchable: fields({
      integer: 'id',
      string: 'name address1 city province country country_code phone created_at updated_at',
      boolean: 'active',
    }),
    params: { list: limit, get: ids('location_id') },
  },
  inventory_levels: {
    record: fields({ integer: 'inventory_item_id', 'integer?': 'location_id available', 'string?': 'updated_at admin_graphql_api_id' }),
    searchable: fields({ integer: 'inventory_item_id location_id available', string: 'updated_at' }),
    params: { list: { ...ids('location_id'), ...limit } },
  },
  fulfillments: {
    record: ['orders', 'fulfillments[]'],
    searchable: fields({
      integer: 'id order_id location_id',
      string: 'status shipment_status tracking_company tracking_number created_at updated_at',
    }),
    params: {
      list: { ...ids('order_id'), ...limit, ...optional('integer', 'since_id'), ...windows },
      get: ids('order_id', 'fulfillment_id'),
    },
  },
  order_refunds: {
    record: ['orders', 'refunds[]'],
    params: { list: { ...ids('order_id'), ...limit }, get: ids('order_id', 'refund_id') },
  },
  fulfillment_orders: {
    record: fields({
      integer: 'id',
      'integer?': 'shop_id order_id assigned_location_id',
      'string?': 'request_status status fulfill_at fulfill_by created_at updated_at',
      'array?': 'supported_actions line_items fulfillment_holds merchant_requests',
      'object?': 'destination international_duties delivery_method assigned_location',
    }),
    searchable: fields({ integer: 'id order_id shop_id assigned_location_id', string: 'status request_status created_at updated_at' }),
    params: { list: ids('order_id'), get: ids('fulfillment_order_id') },
  },
  customer_address: {
    record: ['customers', 'addresses[]'],
    params: { list: { ...ids('customer_id'), ...limit }, get: ids('customer_id', 'address_id') },
  },
  metafield_product_images: {
    params: {
      list: { ...ids('product_id', 'image_id'), ...limit, ...optional('integer', 'since_id'), ...optional('string', 'namespace', 'key') },
    },
  },
}

/** Lists that the vendor answers at once: nothing to follow. */
const onePage: ReadonlySet<string> = new Set(['product_images', 'transactions', 'countries', 'fulfillment_orders'])
/** The parameter by which a next page is followed is not shown: the vendor's own, and the URL as it was returned. */
const following = optional('string', 'page_info', 'next_page_url')

const texts = 'spend cpc cpm impressions clicks ctr reach cost_per_1000_reached frequency'
const numbers =
  'video_play_actions video_watched_2s video_watched_6s average_video_play average_video_play_per_user video_views_p25 video_views_p50 ' +
  'video_views_p75 video_views_p100 profile_visits likes comments shares follows clicks_on_music_disc real_time_app_install ' +
  'real_time_app_install_cost app_install'
const advertiserTexts = `stat_time_day cash_spend voucher_spend ${texts}`

const tiktok: Readonly<Record<string, Filled>> = {
  advertisers_reports_daily: {
    record: fields({ 'integer?': 'advertiser_id', 'string?': advertiserTexts, 'number?': numbers }),
    searchable: fields({ integer: 'advertiser_id', string: advertiserTexts, number: numbers }),
  },
  campaigns_reports_daily: {
    record: fields({ 'integer?': 'campaign_id', 'string?': `stat_time_day campaign_name ${texts}`, 'number?': numbers }),
  },
  promoted_post_ads: {
    nested: {
      item_info: fields({ string: 'item_id auth_code text status item_type' }),
      user_info: fields({ string: 'platform_name identity_id identity_type' }),
      auth_info: fields({ string: 'invite_start_time auth_start_time auth_end_time ad_auth_status' }),
      video_info: fields({ number: 'duration', string: 'preview_url poster_url', integer: 'height width size' }),
    },
  },
}

const kinds: Readonly<Record<string, Readonly<Record<string, Filled>>>> = { shopify, 'tiktok-marketing': tiktok }

function filledActions(name: string, actions: Json, params: Filled['params']): Json {
  return Object.fromEntries(
    Object.entries(actions).map(([action, stated]) => {
      const paged = object(object(stated)['result'])['shape'] === 'next-page-url-list' && !onePage.has(name)
      return [
        action,
        { ...object(stated), params: { ...object(object(stated)['params']), ...params?.[action], ...(paged ? following : {}) } },
      ]
    }),
  )
}

/** Fields inside an object: what was filled in, and over it what the documents say. They can name the fields without their types. */
function nestedFields(at: string, filledIn: Json, shown: unknown): Json {
  if (Array.isArray(shown) && shown.map(String).sort().join() !== Object.keys(filledIn).sort().join())
    throw new Error(`${at} holds ${shown.join(', ')}`)
  return { ...filledIn, ...object(shown) }
}

/** The documents' entities of a kind with what they leave open. Throws when they show a part after all. */
export function withNotShown(kind: string, entities: Json): Json {
  const elsewhere = ([entity, nested]: readonly [string, string]): Json => object(object(object(entities[entity])['nested'])[nested])
  const partOf = (part: Json | readonly [string, string] | undefined): Json =>
    part === undefined ? {} : Array.isArray(part) ? elsewhere([String(part[0]), String(part[1])]) : object(part)
  return Object.fromEntries(
    Object.entries(entities).map(([name, stated]) => {
      const filled = kinds[kind]?.[name] ?? {}
      const want = object(stated)
      if (filled.record !== undefined && want['recordNotShown'] !== true && want['recordPartlyShown'] !== true)
        throw new Error(`${kind}.${name} is shown`)
      const nested = Object.entries(filled.nested ?? {}).map(([path, part]) => [
        path,
        nestedFields(`${name} ${path}`, partOf(part), object(want['nested'])[path]),
      ])
      return [
        name,
        {
          ...want,
          record: { ...object(want['record']), ...partOf(filled.record) },
          searchable: { ...object(want['searchable']), ...filled.searchable },
          nested: { ...object(want['nested']), ...Object.fromEntries(nested) },
          actions: filledActions(name, object(want['actions']), filled.params),
        },
      ]
    }),
  )
}
