/** What the compiler knows of a connector in the library. Compiled by the type check, never run. */
import {
  type ConfigurationOf,
  type CredentialsOf,
  connect,
  type Download,
  type KindName,
  type Kinds,
  listKinds,
  type MetaOf,
  type ParamsOf,
  type RateStore,
  type RateWish,
  type RecordOf,
} from '../../packages/ferrule/src/index.ts'
import { type Same, yes } from './same.ts'

const gong = connect('gong', { credentials: { access_key: 'a', access_key_secret: 'b' } })

// A list: parameters may be left out when none is required
const calls = await gong.execute('calls', 'list')
await gong.execute('calls', 'list', {})
await gong.execute('calls', 'list', { fromDateTime: '2026-01-01T00:00:00Z' })
await gong.execute('calls', 'list', undefined, { deadlineMs: 5_000, signal: AbortSignal.timeout(1_000) })
await gong.execute('workspaces', 'list', {})
const call = calls.data[0]
yes<Same<typeof call, RecordOf<Kinds['gong']['entities']['calls']> | undefined>>()
if (call === undefined) throw new Error('a type test is never run')
yes<Same<typeof call.id, string>>()
yes<Same<typeof call.duration, number | null>>()
yes<Same<typeof call.isPrivate, boolean>>()
yes<Same<typeof call.started, string>>()
yes<Same<typeof call.sdrDisposition, string | null>>()
yes<Same<typeof call.calendarEventId, string | null>>()

// Meta of the two list shapes
yes<Same<typeof calls.meta.cursor, string | null>>()
yes<Same<typeof calls.meta.total_records, number | null>>()
yes<Same<typeof calls.meta.current_page_number, number | null>>()
yes<Same<typeof calls.meta.private_calls_excluded, number | undefined>>()
yes<Same<typeof calls.meta.next_params, Partial<CallParams> | null>>()
yes<Same<Extract<keyof MetaOf<Kinds['gong']['entities']['workspaces']>, 'cursor'>, never>>()
const workspaces = await gong.execute('workspaces', 'list')
yes<Same<typeof workspaces.meta.next_params, Partial<Record<never, never>> | null>>()

// The next page of every list is asked for in the same way
if (calls.meta.next_params !== null) await gong.execute('calls', 'list', calls.meta.next_params)

// A get
const one = await gong.execute('users', 'get', { id: '1' })
yes<Same<typeof one.data.emailAliases, string[]>>()
yes<Same<typeof one.data.managerId, string | null>>()
yes<Same<typeof one.data.settings, Record<string, unknown>>>()
yes<Same<keyof typeof one.meta, never>>()

// Fields that the vendor may leave out are null then
const content = await gong.execute('library_folder_content', 'list', { folderId: '1' })
yes<Same<(typeof content.data)[number]['started'], string | null>>()
yes<Same<(typeof content.data)[number]['duration'], number | null>>()
yes<Same<(typeof content.data)[number]['title'], string>>()
const extensive = await gong.execute('calls_extensive', 'list', { filter: {}, contentSelector: { exposedFields: { parties: true } } })
yes<Same<(typeof extensive.data)[number]['parties'], Record<string, unknown>[] | null>>()
yes<Same<(typeof extensive.data)[number]['metaData'], Record<string, unknown>>>()

// Objects and arrays inside records
const days = await gong.execute('stats_activity_day_by_day', 'list', { filter: { fromDate: '2026-01-01', toDate: '2026-02-01' } })
yes<Same<(typeof days.data)[number]['userDailyActivityStats'][number]['callsAttended'], string[]>>()
const coaching = await gong.execute('coaching', 'list', { 'workspace-id': '1', 'manager-id': '2', from: '2026-01-01', to: '2026-02-01' })
yes<Same<(typeof coaching.data)[number]['coachingMetrics']['callsListened'], number>>()
const reviews = await gong.stats_activity_scorecards.list({
  filter: { fromDateTime: '2026-01-01T00:00:00Z', toDateTime: '2026-02-01T00:00:00Z' },
})
yes<Same<(typeof reviews.data)[number]['answers'][number]['score'], number | null>>()
yes<Same<(typeof reviews.data)[number]['answers'][number]['selectedOptions'], string[] | null>>()

// Own rates, and a store that counts for several processes
const credentials = { access_key: 'a', access_key_secret: 'b' }
const store: RateStore = { take: async ({ key, rates }) => (key === '' ? 0 : rates.length) }
yes<Same<Parameters<typeof store.take>, [RateWish]>>()
yes<Same<RateWish['rates'][number]['calls'], number>>()
connect('gong', { credentials, limits: { perSecond: 0.5, perDay: 1_000, store } })
connect('gong', { credentials, limits: false })

// Parameters by name
type CallParams = ParamsOf<Kinds['gong']['entities']['calls'], 'list'>
yes<
  Same<
    CallParams,
    { fromDateTime?: string | Date | null; toDateTime?: string | Date | null; workspaceId?: string | null; cursor?: string | null }
  >
>()
yes<Same<ParamsOf<Kinds['gong']['entities']['calls'], 'get'>, { id: string }>>()
type Statistics = ParamsOf<Kinds['gong']['entities']['stats_interaction'], 'list'>
yes<Same<Statistics, { filter: { fromDate: string | Date; toDate: string | Date; userIds?: string[] }; cursor?: string | null }>>()
type Audio = ParamsOf<Kinds['gong']['entities']['call_audio'], 'download'>
yes<Same<Audio['contentSelector'], { exposedFields: { media: true } }>>()
yes<Same<Audio['range_header'], string | null | undefined>>()

// A download
const file = await gong.execute('call_audio', 'download', {
  filter: { callIds: ['1'] },
  contentSelector: { exposedFields: { media: true } },
  range_header: 'bytes=0-1023',
})
yes<Same<typeof file, Download>>()
yes<Same<typeof file.stream, ReadableStream<Uint8Array>>>()
yes<Same<typeof file.status, 200 | 206>>()

// Entities as properties: the same types as by name
const byMethod = await gong.calls.list()
yes<Same<typeof byMethod, typeof calls>>()
const byGet = await gong.calls.get({ id: '1' })
yes<Same<typeof byGet.data, typeof call>>()
const byDownload = await gong.call_video.download({ filter: { callIds: ['1'] }, contentSelector: { exposedFields: { media: true } } })
yes<Same<typeof byDownload, Download>>()

// Walking all pages
for await (const page of gong.pages('calls', {}, { maxPages: 3 })) yes<Same<typeof page, typeof calls>>()
for await (const record of gong.records('calls')) yes<Same<typeof record, typeof call>>()
for await (const page of gong.calls.pages()) yes<Same<typeof page.meta.cursor, string | null>>()
for await (const record of gong.users.records({})) yes<Same<typeof record.active, boolean>>()
for await (const record of gong.records('library_folders', { workspaceId: '1' })) yes<Same<typeof record.parentFolderId, string | null>>()

// Credentials, configuration, origins, and what takes renewed credentials
type Credentials = CredentialsOf<Kinds['gong']>
yes<Same<Extract<Credentials, { access_key: string }>['access_key_secret'], string>>()
yes<Same<Extract<Credentials, { refresh_token: string }>['access_token'], string | undefined>>()
yes<Same<ConfigurationOf<Kinds['gong']>['private_calls'], 'exclude' | 'include' | undefined>>()
connect('gong', { credentials: { refresh_token: 'a', client_id: 'b', client_secret: 'c' } })
connect('gong', { credentials: { refresh_token: 'a' }, config: { private_calls: 'include' }, limits: false })
connect('gong', { credentials: { refresh_token: 'a' }, origin: 'http://127.0.0.1:8080' })
connect('gong', { credentials: { refresh_token: 'a' }, origin: { api: 'http://127.0.0.1:8080', media: 'http://127.0.0.1:8081' } })
connect('gong', {
  credentials: { refresh_token: 'a' },
  onCredentials: async (next) => {
    yes<Same<typeof next, Credentials>>()
    if (next.refresh_token !== undefined) yes<Same<typeof next.refresh_token, string>>()
  },
})

// The connector itself
yes<Same<KindName, 'gong' | 'shopify' | 'snowflake' | 'tiktok-marketing'>>()
const kinds = listKinds()
yes<Same<typeof kinds, KindName[]>>()
yes<Same<ReturnType<typeof gong.check>, Promise<void>>>()
{
  await using connector = connect('gong', { credentials: { refresh_token: 'a' } })
  yes<Same<typeof connector, typeof gong>>()
}
