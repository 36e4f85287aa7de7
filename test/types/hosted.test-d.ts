/** What the compiler knows of searches by a connector of the service. Compiled by the type check, never run. */
import type {
  Download,
  ExportDownload,
  FilterOf,
  HostedConnector,
  Kinds,
  LocalConnector,
  RecordOf,
  RowOf,
  SortOf,
} from '../../packages/ferrule/src/index.ts'
import { type Same, yes } from './same.ts'

declare const gong: HostedConnector<Kinds['gong']>
declare const shopify: HostedConnector<Kinds['shopify']>
declare const tiktok: HostedConnector<Kinds['tiktok-marketing']>
declare const snowflake: HostedConnector<Kinds['snowflake']>
type Gong = Kinds['gong']['entities']

// Everything of a local connector, with the same types
const takesLocal = async (local: LocalConnector<Kinds['gong']>) => (await local.calls.list()).data
yes<Same<Awaited<ReturnType<typeof takesLocal>>, RecordOf<Gong['calls']>[]>>()
await takesLocal(gong)
const listed = await gong.execute('calls', 'list', { fromDateTime: '2026-01-01T00:00:00Z' })
yes<Same<typeof listed, Awaited<ReturnType<LocalConnector<Kinds['gong']>['calls']['list']>>>>()
for await (const call of gong.records('calls')) yes<Same<typeof call, RecordOf<Gong['calls']>>>()
for await (const row of snowflake.record.rows({ statement: 'select 1' })) yes<Same<typeof row, readonly (string | null)[]>>()
const audio = await gong.call_audio.download({ filter: { callIds: ['1'] }, contentSelector: { exposedFields: { media: true } } })
yes<Same<typeof audio, Download>>()
yes<Same<ReturnType<typeof gong.id>, Promise<string>>>()
await gong.check()
await using closed = gong
yes<Same<ReturnType<typeof closed.close>, Promise<void>>>()

// A search without parameters, and its answer
const all = await gong.calls.search()
yes<Same<typeof all.data, RowOf<Gong['calls']>[]>>()
yes<Same<typeof all.meta.cursor, string | null>>()
yes<Same<typeof all.meta.has_more, boolean>>()
yes<Same<typeof all.meta.unknown_paths, readonly string[] | undefined>>()
yes<Same<typeof all.meta.relevance_left_out, boolean | undefined>>()
yes<Same<typeof all.context_store.synced_at, string | null>>()
yes<Same<typeof all.context_store.complete, boolean>>()
const empty = await gong.calls.search({})
yes<Same<typeof empty, typeof all>>()

// Rows: types as documented, null where the record can be null or has no such field
type Call = RowOf<Gong['calls']>
yes<Same<Call['id'], string>>()
yes<Same<Call['title'], string | null>>()
yes<Same<Call['duration'], number | null>>()
yes<Same<Call['isPrivate'], boolean>>()
yes<Same<RowOf<Gong['calls_extensive']>['id'], number | bigint | null>>()
yes<Same<RowOf<Gong['calls_extensive']>['parties'], Record<string, unknown>[] | null>>()
yes<Same<RowOf<Gong['calls_extensive']>['metaData'], Record<string, unknown>>>()
yes<Same<RowOf<Kinds['shopify']['entities']['customers']>['id'], number | bigint>>()
yes<Same<RowOf<Kinds['shopify']['entities']['customers']>['total_spent'], string | null>>()
yes<Same<RowOf<Kinds['tiktok-marketing']['entities']['advertisers']>['balance'], number>>()

// Rows by fields: exactly these, nested as in the record
const some = await gong.calls.search({ fields: ['id', 'started'] })
yes<Same<(typeof some.data)[number], { id: string; started: string }>>()
const none = await gong.calls.search({ fields: [] })
yes<Same<typeof none, typeof all>>()
const nested = await tiktok.promoted_post_ads.search({ fields: ['item_info.text', 'item_info.item_id'] })
yes<Same<(typeof nested.data)[number], { item_info: { text?: string; item_id?: string } | null }>>()
const names = await tiktok.promoted_post_ads.search({ fields: [['item_info', 'text']] })
yes<Same<(typeof names.data)[number], { item_info: { text?: string } | null }>>()
const questions = await gong.settings_scorecards.search({ fields: ['questions.questionText'] })
yes<Same<(typeof questions.data)[number], { questions: { questionText?: string }[] }>>()
const marked = await gong.settings_scorecards.search({ fields: ['questions[].questionText', 'scorecardId'] })
yes<Same<(typeof marked.data)[number], { questions: { questionText?: string }[]; scorecardId: string }>>()
const open = await gong.calls_extensive.search({ fields: ['metaData.title', 'parties'] })
yes<Same<(typeof open.data)[number], { metaData: Record<string, unknown>; parties: Record<string, unknown>[] | null }>>()
const fields = ['id', 'title'] as const
const listedFields = await gong.calls.search({ fields })
yes<Same<(typeof listedFields.data)[number], { id: string; title: string | null }>>()

// Operators by the type of the field
await gong.calls.search({ filter: { eq: { title: 'Pricing' }, neq: { direction: 'Inbound' }, in: { language: ['eng', null] } } })
await gong.calls.search({ filter: { like: { title: '%pricing%' }, fuzzy: { title: 'pricng' }, keyword: { title: 'price cost' } } })
await gong.calls.search({ filter: { gt: { duration: 60 }, gte: { duration: '60.5' }, lt: { duration: 600n }, lte: { title: 'b' } } })
await gong.calls.search({ filter: { gte: { started: '2026-01' }, lt: { started: new Date(0) } } })
await gong.calls.search({ filter: { eq: { isPrivate: true }, neq: { isPrivate: null }, in: { isPrivate: [true, false] } } })
await gong.calls.search({ filter: { eq: { title: null } } })
await gong.calls.search({ text: 'pricng acme', sort: [{ _relevance: 'desc' }] })
await shopify.customers.search({ filter: { gt: { total_spent: 100 }, eq: { id: 9007199254740993n }, in: { orders_count: [1, 2] } } })
await shopify.locations.search({ filter: { eq: { active: true } }, sort: [{ active: 'desc' }, { id: 'asc' }] })
await gong.users.search({ filter: { contains: { emailAliases: 'a@example.com' }, eq: { emailAliases: [] } } })
await gong.users.search({ filter: { any: { spokenLanguages: { eq: { language: 'en', primary: true } } } } })

// Paths: checked where the shape is declared, free below open objects
await tiktok.promoted_post_ads.search({ filter: { eq: { 'item_info.item_id': '1' }, gt: { 'video_info.duration': 10 } } })
await gong.settings_scorecards.search({ filter: { fuzzy: { 'questions.questionText': 'pricing' } } })
await gong.settings_scorecards.search({ filter: { any: { questions: { eq: { questionText: 'Pricing?' } } } } })
await gong.calls_extensive.search({ filter: { eq: { 'metaData.title': 'x', 'metaData.custom.deep': 5, 'parties[].emailAddress': 'x' } } })
await gong.calls_extensive.search({
  filter: { any: { parties: { and: [{ eq: { name: 'x' } }, { not: { eq: { affiliation: 'Internal' } } }] } } },
})
await gong.calls_extensive.search({ filter: { contains: { 'context.objects': { objectId: '1' } }, keyword: { metaData: 'pricing' } } })
await gong.call_transcripts.search({ filter: { keyword: { transcript: 'pricing' }, gte: { started: '2026-03-01' } } })

// Conditions of conditions
await gong.calls.search({ filter: { not: { eq: { title: 'x' } }, and: [{ eq: { scope: 'External' } }], or: [] } })
await gong.calls.search({ filter: { or: [{ eq: { title: 'x' } }, { and: [{ not: { like: { title: 'y' } } }] }] } })
await gong.calls.search({ filter: 'title fuzzy "pricng" and started >= 2026-01-01' })

// Values that are built elsewhere
const filter: FilterOf<Gong['calls_extensive']> = { eq: { 'metaData.title': 'x' }, any: { parties: { eq: { name: 'x' } } } }
const sort: SortOf<Gong['calls_extensive']> = [{ startdatetime: 'desc' }, { _relevance: 'desc' }]
await gong.calls_extensive.search({ filter, sort })
const conditions: FilterOf<Gong['calls']>[] = [{ eq: { id: '1' } }]
await gong.calls.search({ filter: { or: conditions } })

// Order, pages, options
await gong.calls.search({ sort: [{ started: 'desc' }, { title: 'asc' }, { _relevance: 'desc' }], limit: 20, cursor: all.meta.cursor })
await gong.calls.search({}, { maxAge: 600, allowPartial: true, deadlineMs: 5_000, signal: AbortSignal.timeout(1_000) })

// Walks
const records = gong.calls.search.records({ filter: { eq: { scope: 'External' } }, fields: ['id'] }, { maxAge: 600, maxPages: 5 })
yes<Same<typeof records, AsyncGenerator<{ id: string }, void, undefined>>>()
for await (const page of gong.calls.search.pages({ limit: 100 })) yes<Same<typeof page, typeof all>>()
for await (const row of gong.users.search.records()) yes<Same<typeof row, RowOf<Gong['users']>>>()

// The parameters of the service
const wire = await gong.calls.context_store_search({ query: { filter: { eq: { title: 'x' } }, sort: [{ id: 'asc' }] }, fields: ['id'] })
yes<Same<(typeof wire.data)[number], { id: string }>>()
const wireAll = await gong.calls.context_store_search({ query: {}, limit: 5, cursor: null }, { allowPartial: true })
yes<Same<typeof wireAll, typeof all>>()
const executed = await gong.execute('calls', 'context_store_search', { query: { filter: { gt: { duration: 5 } } } }, { maxAge: 60 })
yes<Same<(typeof executed.data)[number], Partial<Call>>>()
yes<Same<typeof executed.meta, typeof all.meta>>()

// Exports
const csv = await gong.calls.export({
  format: 'csv',
  filter: { eq: { scope: 'External' } },
  sort: [{ id: 'asc' }],
  fields: ['id', 'title'],
})
yes<Same<typeof csv, ExportDownload>>()
yes<Same<typeof csv.context_store.synced_at, string | null>>()
yes<Same<ReturnType<typeof shopify.customers.export>, Promise<ExportDownload>>>()

// Parameters that depend on a choice, and lists that are made elsewhere
declare const word: string | undefined
const chosen = await gong.calls.search({ filter: word === undefined ? {} : { fuzzy: { title: word } }, fields: ['id'] })
yes<Same<(typeof chosen.data)[number], { id: string }>>()
await gong.calls.search({ filter: word === undefined ? { gt: { duration: 5 } } : `title fuzzy "${word}"` })
await gong.calls.search({ ...(word === undefined ? {} : { cursor: word }), limit: 5 })
await gong.calls.search({ filter: { and: [...(word === undefined ? [] : [{ fuzzy: { title: word } }]), { eq: { scope: 'External' } }] } })
const ids = ['1', '2']
const params = { filter: { in: { id: ids } }, limit: 10 }
yes<Same<Awaited<ReturnType<typeof gong.calls.search<typeof params>>>, typeof all>>()
await gong.calls.search(params)

// Changes: each entity has entries of its own type
for await (const change of gong.calls.changes()) if (change.type === 'added') yes<Same<typeof change.record, RowOf<Gong['calls']>>>()
for await (const change of gong.changes()) {
  if (change.type === 'present' && change.entity === 'calls') yes<Same<typeof change.record, RowOf<Gong['calls']>>>()
  if (change.type === 'changed' && change.entity === 'users') yes<Same<typeof change.record, RowOf<Gong['users']>>>()
}
for await (const { entity } of gong.changes({ entities: ['calls', 'users'] })) yes<Same<typeof entity, 'calls' | 'users'>>()

// Aggregates: rows have the groups and the measures by their names
const counted = await gong.calls.aggregate()
yes<Same<(typeof counted.data)[number]['count'], number>>()
yes<Same<typeof counted.meta.groups, number>>()
yes<Same<typeof counted.context_store.complete, boolean>>()
const held = await gong.calls.aggregate({
  filter: 'started >= 2026-03-01',
  group_by: ['direction', { field: 'started', by: 'month', time_zone: 'Europe/Berlin', as: 'month' }, { field: 'duration', ranges: [60] }],
  measures: {
    calls: 'count',
    people: { distinct: 'primaryUserId' },
    seconds: { sum: 'duration' },
    late: { percentile: 'duration', at: 0.95 },
    last: { max: 'started' },
  },
  having: { gte: { calls: 10 } },
  sort: [{ calls: 'desc' }, { month: 'asc' }],
  limit: 100,
})
type Held = (typeof held.data)[number]
yes<Same<Held['direction'], string | null>>()
yes<Same<Held['month'], string | null>>()
yes<Same<Held['duration'], { readonly from: number | bigint | null; readonly to: number | bigint | null } | null>>()
yes<Same<Held['calls'], number>>()
yes<Same<Held['people'], number>>()
yes<Same<Held['seconds'], number | bigint | null>>()
yes<Same<Held['late'], number | bigint | null>>()
yes<Same<Held['last'], string | null>>()
await gong.entity('calls').aggregate({ group_by: ['isPrivate'], having: 'count > 3' })
const spent = await shopify.customers.aggregate({ group_by: ['currency'], measures: { spent: { sum: 'total_spent' } } })
yes<Same<(typeof spent.data)[number]['spent'], string | null>>()
const named = await gong.calls.aggregate({ group_by: ['primaryUserId'], include: { primaryUserId: ['firstName'] } })
yes<Same<(typeof named.data)[number]['_related']['primaryUserId'], Readonly<Record<string, unknown>> | null>>()
