/**
 * Wrong uses of searches by a connector of the service: each is a compile error, whose first line holds what stands beside its mark.
 * Compiled by the type check, never run.
 */
import type { FilterOf, HostedConnector, Kinds, SortOf } from '../../packages/ferrule/src/index.ts'

declare const gong: HostedConnector<Kinds['gong']>
declare const shopify: HostedConnector<Kinds['shopify']>
declare const tiktok: HostedConnector<Kinds['tiktok-marketing']>
declare const snowflake: HostedConnector<Kinds['snowflake']>
type Calls = Kinds['gong']['entities']['calls']

// @ts-expect-error 'startd' is no searchable field of calls
await gong.calls.search({ filter: { gte: { startd: '2026-01-01' } } })
// @ts-expect-error 'startd' is no searchable field of calls
await gong.calls.search({ filter: { eq: { startd: null } } })
// @ts-expect-error 'titel' is no searchable field of calls
await gong.calls.search({ filter: { and: [{ eq: { title: 'x' } }, { fuzzy: { titel: 'pricing' } }] } })
// @ts-expect-error 'titel' is no searchable field of calls
await gong.calls.search({ filter: { or: [{ eq: { title: 'x' } }, { not: { like: { titel: 'x' } } }] } })
// @ts-expect-error 'titel' is no searchable field of calls
await gong.calls.search({ filter: { eq: { title: 'x' }, not: { eq: { titel: 'x' } } } })
// @ts-expect-error 'title.length' is no searchable field of calls
await gong.calls.search({ filter: { gt: { 'title.length': 5 } } })
// @ts-expect-error 'metData.title' is no searchable field of calls_extensive
await gong.calls_extensive.search({ filter: { eq: { 'metData.title': 'x' } } })
// @ts-expect-error 'id[]' is no searchable field of calls_extensive
await gong.calls_extensive.search({ filter: { eq: { 'id[]': 1 } } })
// @ts-expect-error 'item_info.txt' is no searchable field of promoted_post_ads
await tiktok.promoted_post_ads.search({ filter: { eq: { 'item_info.txt': 'x' } } })
// @ts-expect-error 'item_info.text.words' is no searchable field of promoted_post_ads
await tiktok.promoted_post_ads.search({ filter: { eq: { 'item_info.text.words': 'x' } } })
// @ts-expect-error 'questions.text' is no searchable field of settings_scorecards
await gong.settings_scorecards.search({ filter: { keyword: { 'questions.text': 'x' } } })
// @ts-expect-error 'questions[].text' is no searchable field of settings_scorecards
await gong.settings_scorecards.search({ filter: { keyword: { 'questions[].text': 'x' } } })
// @ts-expect-error 'questionTxt' is no searchable field of settings_scorecards
await gong.settings_scorecards.search({ filter: { any: { questions: { eq: { questionTxt: 'x' } } } } })
// @ts-expect-error 'order_count' is no searchable field of customers
await shopify.customers.search({ filter: { gt: { order_count: 1 } } })
// @ts-expect-error 'address.city' is no searchable field of customers
await shopify.customers.search({ filter: { eq: { 'address.city': 'Lyon' } } })

// @ts-expect-error 'equals' is no operator of a filter
await gong.calls.search({ filter: { equals: { title: 'x' } } })
// @ts-expect-error 'title' is no operator of a filter
await gong.calls.search({ filter: { title: 'x' } })
// @ts-expect-error 'nor' is no operator of a filter
await gong.calls.search({ filter: { and: [{ nor: [] }] } })
// @ts-expect-error 'isPrivate' is true or false, which gt cannot compare; use eq
await gong.calls.search({ filter: { gt: { isPrivate: false } } })
// @ts-expect-error 'isPrivate' is true or false, which fuzzy cannot compare; use eq
await gong.calls.search({ filter: { fuzzy: { isPrivate: 'true' } } })
// @ts-expect-error 'active' is true or false, which like cannot compare; use eq
await shopify.locations.search({ filter: { like: { active: 't%' } } })
// @ts-expect-error 'metaData' is an object and has no order; use a path into it
await gong.calls_extensive.search({ filter: { lt: { metaData: 5 } } })
// @ts-expect-error 'item_info' is an object, which in cannot compare; use eq, or a path into it
await tiktok.promoted_post_ads.search({ filter: { in: { item_info: [{}] } } })
// @ts-expect-error 'title' is no list, which contains needs
await gong.calls.search({ filter: { contains: { title: 'x' } } })
// @ts-expect-error 'duration' is no list, which any needs
await gong.calls.search({ filter: { any: { duration: { eq: { x: 1 } } } } })
// @ts-expect-error 'item_info' is no list, which any needs
await tiktok.promoted_post_ads.search({ filter: { any: { item_info: { eq: { text: 'x' } } } } })
// @ts-expect-error 'emailAliases' lists plain values; use contains
await gong.users.search({ filter: { any: { emailAliases: { eq: { x: 'a@example.com' } } } } })

// @ts-expect-error Type '"long"' is not assignable to type 'number | bigint | `${number}`
await gong.calls.search({ filter: { eq: { duration: 'long' } } })
// @ts-expect-error Type 'boolean' is not assignable to type 'string | number | bigint | Date
await gong.calls.search({ filter: { gte: { started: true } } })
// @ts-expect-error Type 'null' is not assignable to type 'string | number | bigint | Date
await gong.calls.search({ filter: { gte: { started: null } } })
// @ts-expect-error Type 'string' is not assignable to type 'boolean
await gong.calls.search({ filter: { eq: { isPrivate: 'yes' } } })
// @ts-expect-error Type 'number' is not assignable to type 'string
await gong.calls.search({ filter: { fuzzy: { title: 5 } } })
// @ts-expect-error Type 'string' is not assignable to type 'readonly (string | number | bigint | Date | null)[]
await gong.calls.search({ filter: { in: { title: 'x' } } })
// @ts-expect-error Type 'true' is not assignable to type 'string | number | bigint | Date | null
await gong.calls.search({ filter: { in: { title: ['x', true] } } })

// @ts-expect-error 'startd' is no searchable field of calls
await gong.calls.search({ fields: ['id', 'startd'] })
// @ts-expect-error 'item_info.txt' is no searchable field of promoted_post_ads
await tiktok.promoted_post_ads.search({ fields: ['item_info.text', 'item_info.txt'] })
// @ts-expect-error 'item_info.txt' is no searchable field of promoted_post_ads
await tiktok.promoted_post_ads.search({ fields: [['item_info', 'txt']] })
// @ts-expect-error fields must be known to the compiler; declare the list as const
await gong.calls.search({ fields: Object.keys({}) })
// @ts-expect-error Property 'title' does not exist on type '{ id: string; }'
for await (const row of gong.calls.search.records({ fields: ['id'] })) row.title
// @ts-expect-error 'row.title' is possibly 'null'
for await (const row of gong.calls.search.records()) row.title.length
// @ts-expect-error Property 'length_in_minutes' does not exist on type
for await (const row of gong.calls.search.records()) row.length_in_minutes

// @ts-expect-error 'startd' is no searchable field of calls
await gong.calls.search({ sort: [{ startd: 'desc' }] })
// @ts-expect-error an entry of a sort names one field; the next field is the next entry
await gong.calls.search({ sort: [{ started: 'desc', title: 'asc' }] })
// @ts-expect-error Type '"down"' is not assignable to type
await gong.calls.search({ sort: [{ started: 'down' }] })
// @ts-expect-error Type '"asc"' is not assignable to type '"desc"
await gong.calls.search({ sort: [{ _relevance: 'asc' }] })
// @ts-expect-error 'metaData' is no single value, so nothing can be sorted by it
await gong.calls_extensive.search({ sort: [{ metaData: 'asc' }] })
// @ts-expect-error 'metaData.title' is a path into a field, and only whole fields can be sorted by
await gong.calls_extensive.search({ sort: [{ 'metaData.title': 'asc' }] })

// @ts-expect-error 'fliter' is no parameter of a search
await gong.calls.search({ fliter: { eq: { title: 'x' } } })
// @ts-expect-error 'query' is no parameter of a search
await gong.calls.search({ query: { filter: {} }, limit: 5 })
// @ts-expect-error 'cursor' is no parameter of a walk
gong.calls.search.records({ cursor: 'x' })
// @ts-expect-error 'limit' is no parameter of an export
await gong.calls.export({ limit: 5 })
// @ts-expect-error Type '"xlsx"' is not assignable to type '"csv" | "ndjson" | "parquet"
await gong.calls.export({ format: 'xlsx' })
// @ts-expect-error Type 'string' is not assignable to type 'number
await gong.calls.search({ limit: '5' })
// @ts-expect-error 'max_age' does not exist in type 'SearchOptions'
await gong.calls.search({}, { max_age: 5 })
// @ts-expect-error 'maxPages' does not exist in type 'SearchOptions'
await gong.calls.search({}, { maxPages: 5 })

// @ts-expect-error 'titel' is no searchable field of calls
await gong.calls.context_store_search({ query: { filter: { eq: { titel: 'x' } } } })
// @ts-expect-error 'where' is no part of a query, which has filter, text and sort
await gong.calls.context_store_search({ query: { where: {} } })
// @ts-expect-error 'limt' is no parameter of context_store_search
await gong.calls.context_store_search({ query: {}, limt: 5 })
// @ts-expect-error Type 'string' is not assignable to type 'CheckFilter
await gong.calls.context_store_search({ query: { filter: 'title = x' } })
// @ts-expect-error 'titel' does not exist in type
await gong.execute('calls', 'context_store_search', { query: { filter: { eq: { titel: 'x' } } } })
// @ts-expect-error Property 'search' does not exist on type
await gong.workspaces.search()
// @ts-expect-error Property 'search' does not exist on type
await snowflake.record.search()
// @ts-expect-error Argument of type '"context_store_search"' is not assignable to parameter of type
await gong.execute('workspaces', 'context_store_search', { query: {} })
// @ts-expect-error 'titel' does not exist in type
export const filter: FilterOf<Calls> = { eq: { titel: 'x' } }
// @ts-expect-error 'startd' does not exist in type
export const sort: SortOf<Calls> = [{ startd: 'desc' }]

// @ts-expect-error 'directon' is no searchable field of calls
await gong.calls.aggregate({ group_by: ['directon'] })
// @ts-expect-error 'startd' is no searchable field of calls
await gong.calls.aggregate({ group_by: [{ field: 'startd', by: 'month' }] })
// @ts-expect-error 'duration' is no time, which by needs
await gong.calls.aggregate({ group_by: [{ field: 'duration', by: 'month' }] })
// @ts-expect-error 'zone' is no part of a group
await gong.calls.aggregate({ group_by: [{ field: 'started', by: 'month', zone: 'Europe/Berlin' }] })
// @ts-expect-error 'metaData' is an object and has no single value; use a path into it
await gong.calls_extensive.aggregate({ group_by: ['metaData'] })
// @ts-expect-error 'isPrivate' is true or false, which sum cannot measure
await gong.calls.aggregate({ measures: { total: { sum: 'isPrivate' } } })
// @ts-expect-error 'durations' is no searchable field of calls
await gong.calls.aggregate({ measures: { total: { sum: 'durations' } } })
// @ts-expect-error 'total' is no function of a measure
await gong.calls.aggregate({ measures: { total: { total: 'duration' } } })
// @ts-expect-error 'sum' is no measure; use count, or an object such as { sum: 'duration' }
await gong.calls.aggregate({ measures: { total: 'sum' } })
// @ts-expect-error 'cals' is no searchable field of the measures
await gong.calls.aggregate({ measures: { calls: 'count' }, having: { gt: { cals: 1 } } })
// @ts-expect-error 'cals' is no group and no measure
await gong.calls.aggregate({ measures: { calls: 'count' }, sort: [{ cals: 'desc' }] })
// @ts-expect-error 'groupBy' is no parameter of an aggregate
await gong.calls.aggregate({ groupBy: ['direction'] })
