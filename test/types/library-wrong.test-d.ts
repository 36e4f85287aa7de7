/** Wrong uses of the library: each is a compile error. Compiled by the type check, never run. */
import { connect } from '../../packages/ferrule/src/index.ts'

const credentials = { access_key: 'a', access_key_secret: 'b' }
const gong = connect('gong', { credentials })
const selected = { exposedFields: { media: true } } as const

// @ts-expect-error an entity that there is not
await gong.execute('deals', 'list')
// @ts-expect-error an entity that there is not, although its parameters would be right elsewhere
await gong.execute('deals', 'get', { id: '1' })
// @ts-expect-error an action that the entity does not offer
await gong.execute('calls', 'create', {})
// @ts-expect-error an action that the entity does not offer: workspaces can only be listed
await gong.execute('workspaces', 'get', { id: '1' })
// @ts-expect-error an action that there is not
await gong.execute('calls', 'lst')
// @ts-expect-error search is offered by the hosted platform only
await gong.execute('calls', 'context_store_search', { query: {} })

// @ts-expect-error a parameter that the action does not have
await gong.execute('calls', 'list', { from: '2026-01-01' })
// @ts-expect-error limit is not a parameter of the vendor's lists
await gong.execute('calls', 'list', { limit: 10 })
// @ts-expect-error a rate that there is not
connect('gong', { credentials: { access_key: 'a', access_key_secret: 'b' }, limits: { perMinute: 60 } })
// @ts-expect-error a store answers with a promise
connect('gong', { credentials: { access_key: 'a', access_key_secret: 'b' }, limits: { perDay: 1, store: { take: () => 0 } } })
// @ts-expect-error workspaces take no parameters
await gong.execute('workspaces', 'list', { cursor: 'x' })
// @ts-expect-error the parameters of a get are required
await gong.execute('calls', 'get')
// @ts-expect-error the id is required
await gong.execute('calls', 'get', {})
// @ts-expect-error the id is a text
await gong.execute('calls', 'get', { id: 1 })
// @ts-expect-error a timestamp is a string or a Date
await gong.execute('calls', 'list', { fromDateTime: Date.now() })
// @ts-expect-error what is required is not null
await gong.execute('calls', 'get', { id: null })
// @ts-expect-error null counts as absent at the top only
await gong.execute('stats_interaction', 'list', { filter: { fromDate: '2026-01-01', toDate: '2026-02-01', userIds: null } })
// @ts-expect-error an optional parameter is left out, not undefined
await gong.execute('calls', 'list', { cursor: undefined })

// @ts-expect-error the statistics need a filter
await gong.execute('stats_interaction', 'list')
// @ts-expect-error the filter needs both days
await gong.execute('stats_interaction', 'list', { filter: { toDate: '2026-02-01' } })
// @ts-expect-error statistics take days, not timestamps
await gong.execute('stats_interaction', 'list', { filter: { fromDateTime: '2026-01-01T00:00:00Z', toDate: '2026-02-01' } })
// @ts-expect-error the filter is required, though it may be empty
await gong.execute('calls_extensive', 'list', {})
// @ts-expect-error ids of calls are texts
await gong.execute('calls_extensive', 'list', { filter: { callIds: [1] } })
// @ts-expect-error one id is an array of one
await gong.execute('call_transcripts', 'list', { filter: { callIds: '1' } })
// @ts-expect-error the only context is Extended
await gong.execute('calls_extensive', 'list', { filter: {}, contentSelector: { context: 'Basic' } })
// @ts-expect-error a timing that there is not
await gong.execute('calls_extensive', 'list', { filter: {}, contentSelector: { contextTiming: ['Later'] } })
// @ts-expect-error a block that there is not
await gong.execute('calls_extensive', 'list', { filter: {}, contentSelector: { exposedFields: { summary: true } } })
// @ts-expect-error hyphens are part of these names
await gong.execute('coaching', 'list', { workspace_id: '1', manager_id: '2', from: '2026-01-01', to: '2026-02-01' })

// @ts-expect-error a download must ask for the media
await gong.execute('call_audio', 'download', { filter: { callIds: ['1'] } })
// @ts-expect-error media must be true
await gong.execute('call_audio', 'download', { filter: { callIds: ['1'] }, contentSelector: { exposedFields: { media: false } } })
// @ts-expect-error a range is a text
await gong.execute('call_audio', 'download', { filter: { callIds: ['1'] }, contentSelector: selected, range_header: [0, 1023] })
// @ts-expect-error files cannot be listed
await gong.execute('call_audio', 'list', {})
// @ts-expect-error an option that there is not; the name says its unit
await gong.execute('calls', 'list', {}, { deadline: 5 })
// @ts-expect-error a call has no page budget, only a walk has
await gong.execute('calls', 'list', {}, { maxPages: 5 })

// @ts-expect-error an entity that there is not
await gong.deals.list()
// @ts-expect-error an action that the entity does not offer
await gong.workspaces.get({ id: '1' })
// @ts-expect-error search is offered by the hosted platform only
await gong.calls.context_store_search({ query: {} })
// @ts-expect-error a parameter that the action does not have
await gong.calls.list({ from: '2026-01-01' })
// @ts-expect-error the id is required
await gong.users.get()
// @ts-expect-error there is nothing to walk in a file
gong.records('call_audio')
// @ts-expect-error a file has no pages
gong.call_audio.pages()
// @ts-expect-error the workspace is required
gong.records('library_folders')
// @ts-expect-error a get has no pages
gong.pages('calls', { id: '1' })
// @ts-expect-error a record has documented fields only
for await (const call of gong.calls.records()) call.length_in_minutes
// @ts-expect-error null must be thought of
for await (const content of gong.library_folder_content.records({ folderId: '1' })) content.started.slice(0, 10)
// @ts-expect-error the last page has no cursor
for await (const page of gong.calls.pages()) page.meta.cursor.length
// @ts-expect-error workspaces have one page and no cursor
for await (const page of gong.workspaces.pages()) page.meta.cursor
// @ts-expect-error a page may be empty
for await (const page of gong.calls.pages()) page.data[0].id

// @ts-expect-error a kind that there is not
connect('salesforce', { credentials })
// @ts-expect-error configuration without credentials
connect('gong', { config: { private_calls: 'include' } })
// @ts-expect-error options of both modes
connect('gong', { credentials, url: 'https://ferrule.example.com' })
// @ts-expect-error an option of the service that there is not
connect('gong', { url: 'https://ferrule.example.com', workspaceName: 'default' })
// @ts-expect-error credentials of no scheme
connect('gong', { credentials: { api_key: 'a' } })
// @ts-expect-error the secret is missing
connect('gong', { credentials: { access_key: 'a' } })
// @ts-expect-error fields of two schemes
connect('gong', { credentials: { access_key: 'a', access_key_secret: 'b', refresh_token: 'c' } })
// @ts-expect-error a refresh token is needed beside the access token
connect('gong', { credentials: { access_token: 'a' } })
// @ts-expect-error a secret is a text
connect('gong', { credentials: { access_key: 'a', access_key_secret: 1 } })
// @ts-expect-error a value that the configuration does not know
connect('gong', { credentials, config: { private_calls: 'show' } })
// @ts-expect-error a configuration field that there is not
connect('gong', { credentials, config: { privateCalls: 'include' } })
// @ts-expect-error an origin is a text, or an object with api
connect('gong', { credentials, origin: 8080 })
// @ts-expect-error an origin for media alone
connect('gong', { credentials, origin: { media: 'http://127.0.0.1:8081' } })
// @ts-expect-error an origin that there is not
connect('gong', { credentials, origin: { api: 'http://127.0.0.1:8080', token: 'http://127.0.0.1:8081' } })
// @ts-expect-error renewed credentials are an object
connect('gong', { credentials, onCredentials: (next: string) => console.log(next) })
// @ts-expect-error limits are on or off
connect('gong', { credentials, limits: 10 })
// @ts-expect-error an option that there is not
connect('gong', { credentials, baseUrl: 'http://127.0.0.1:8080' })
