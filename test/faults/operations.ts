/** What a storm asks for: lists, records and files of the sandbox, with the right answer of each. */
import type { OriginName, RecordedRequest, Sandbox } from '../../packages/sandbox/src/index.ts'
import type { Json } from '../http/support.ts'
import { type Answered, ask } from './client.ts'
import type { Call } from './doors.ts'
import type { NodeClient } from './node.ts'

/** An endpoint of the vendor that an operation reaches. */
export interface Endpoint {
  readonly on: OriginName
  readonly path: string
}

/** A connector that all operations of its vendor share. */
export interface Shared {
  readonly kind: 'gong' | 'tiktok-marketing' | 'snowflake'
  readonly connectorId: string
  readonly credentials: Readonly<Record<string, string>>
}

interface Prepared {
  readonly shared: Shared
  readonly name: string
  readonly call: Call
  readonly endpoints: readonly Endpoint[]
}

/** An operation that answers JSON. */
export interface RecordOperation extends Prepared {
  /** The data as JSON, or the code of the problem that it always ends with. */
  readonly right: { readonly data: string } | { readonly code: string }
  /** What of an answer is the same at any time. */
  readonly lasting: (data: Json) => unknown
}

/** A download; its range is drawn again each time. */
export interface FileOperation extends Prepared {
  readonly file: Buffer
}

/** A write, which is another one each time: it is told by a number. */
export interface WriteOperation extends Prepared {
  readonly callOf: (number: number) => Call
}

/** One entry of the menu. */
export type Operation = RecordOperation | FileOperation | WriteOperation

const window = { fromDateTime: '2025-03-01T00:00:00Z', toDateTime: '2025-03-03T00:00:00Z' }
const days = { fromDate: '2025-03-01', toDate: '2025-03-08' }

const list = (entity: string, params: Readonly<Record<string, unknown>> = {}): Call => ({ entity, action: 'list', params })

function menu({ gong: { world } }: Sandbox): readonly Call[] {
  const callIds = [world.callId, world.unicodeCallId, world.privateCallId]
  const [workspaceId = ''] = world.workspaceIds
  const get = (entity: string, id: string): Call => ({ entity, action: 'get', params: { id } })
  return [
    list('users'),
    list('calls', window),
    list('workspaces'),
    list('calls_extensive', { filter: { callIds }, contentSelector: { exposedFields: { parties: true } } }),
    list('call_transcripts', { filter: { callIds } }),
    list('stats_activity_aggregate', { filter: days }),
    list('stats_interaction', { filter: days }),
    list('stats_activity_scorecards', { filter: { ...window, toDateTime: '2025-03-20T00:00:00Z' } }),
    list('settings_scorecards'),
    list('settings_trackers', { workspaceId }),
    list('library_folders', { workspaceId }),
    list('library_folder_content', { folderId: world.folderId }),
    list('coaching', { 'workspace-id': workspaceId, 'manager-id': world.managerId, from: window.fromDateTime, to: window.toDateTime }),
    get('users', world.userId),
    get('calls', world.callId),
    get('calls', world.privateCallId),
    get('calls', world.unknownCallId),
  ]
}

/** Lists whose records are the same at any time: addresses of files end after a while, and are new in each answer. */
function advertisingMenu({ tiktok: { world } }: Sandbox): readonly Call[] {
  const report = {
    service_type: 'AUCTION',
    report_type: 'BASIC',
    data_level: 'AUCTION_CAMPAIGN',
    dimensions: '["campaign_id","stat_time_day"]',
    metrics: '["spend","likes","ctr"]',
    start_date: '2025-03-01',
    end_date: '2025-03-07',
  }
  return [
    list('advertisers'),
    list('campaigns'),
    list('ad_groups', { page_size: 5 }),
    list('ads', { page_size: 20 }),
    list('ads', { page_size: 20, page: 2 }),
    list('ads', { page: 3 }),
    list('ads', { advertiser_id: world.deniedAdvertiserId }),
    list('audiences'),
    list('catalogs', { bc_id: world.businessCenterId }),
    list('campaigns_reports_daily', report),
  ]
}

/** Statements whose rows are the same at any time. */
function warehouseMenu(): readonly Call[] {
  const select = (statement: string, action = 'list'): Call => ({ entity: 'record', action, params: { statement } })
  return [
    list('databases'),
    list('schemas'),
    list('views'),
    list('warehouses'),
    select('SELECT * FROM SALES.ORDERS ORDER BY ORDER_ID'),
    select('SELECT COUNT(*), SUM(AMOUNT) FROM ORDERS', 'get'),
    select('SELECT * FROM EVERY_TYPE ORDER BY ID'),
    select('SELECT * FROM NOWHERE'),
  ]
}

/** Inserts of rows with a number. */
const inserts = (number: number): Call => ({
  entity: 'record',
  action: 'create',
  params: { statement: `INSERT INTO SCRATCH.COUNTERS (N, NOTE) VALUES (${number}, 'storm')`, timeout: 1 },
})

/** Where operations are run, and the vendor's journal of it. */
interface Bench {
  readonly client: NodeClient
  readonly shared: Shared
  readonly journal: { requests(): readonly RecordedRequest[]; clear(): void }
}

const run = ({ client, shared, journal }: Bench, call: Call) => {
  journal.clear()
  return ask({ ...client.execute(shared.connectorId), body: call })
}

const endpointsOf = ({ journal }: Bench): Endpoint[] => journal.requests().map(({ origin, path }) => ({ on: origin, path }))

/**
 * Repeats a call without a fault while it is too slow: this installation has short timeouts, and a busy machine exceeds them at first.
 * @returns the last answer
 */
export async function askUnhurried(send: () => Promise<Answered>, attempts = 30): Promise<Answered> {
  const answer = await send()
  return answer.status === 504 && attempts > 1 ? askUnhurried(send, attempts - 1) : answer
}

/** Runs an operation once without faults: its data are the right ones, and the vendor's journal shows where it went. */
async function record(bench: Bench, call: Call, { name = `${call.entity} ${call.action}`, lasting = same } = {}): Promise<RecordOperation> {
  const { status, json } = await askUnhurried(() => run(bench, call))
  if (status >= 500) throw new Error(`${call.entity} ${call.action} fails without a fault: ${json.message}`)
  const right = status === 200 ? { data: JSON.stringify(lasting(json.data)) } : { code: String(json.code) }
  return { name, call, right, lasting, endpoints: endpointsOf(bench), shared: bench.shared }
}

const same = (data: Json): unknown => data
/** Rows of a result; its ids are new each time. */
const rowsOf = (data: Json): unknown => data.data

/** Does the same for a file, whose bytes the sandbox has. */
async function file(bench: Bench, sandbox: Sandbox, [kind, callId]: readonly ['audio' | 'video', string]): Promise<FileOperation> {
  const entity = `call_${kind}`
  const params = { filter: { callIds: [callId] }, contentSelector: { exposedFields: { media: true } } }
  const call = { entity, action: 'download', params }
  await askUnhurried(() => run(bench, call))
  const bytes = Buffer.from(sandbox.gong.mediaBytes(callId, kind))
  return { name: `${entity} download`, call, file: bytes, endpoints: endpointsOf(bench), shared: bench.shared }
}

/** Operations of Gong: lists, records and files. */
async function conversations(sandbox: Sandbox, bench: Bench): Promise<readonly Operation[]> {
  const operations: Operation[] = []
  for (const call of menu(sandbox)) operations.push(await record(bench, call))
  const users = await askUnhurried(() => run(bench, list('users')))
  operations.push(await record(bench, list('users', users.json.meta.next_params), { name: 'users list, page 2' }))
  const { callId, audioOnlyCallId, largeCallId, unicodeCallId } = sandbox.gong.world
  for (const id of [callId, audioOnlyCallId, largeCallId, unicodeCallId]) operations.push(await file(bench, sandbox, ['audio', id]))
  for (const id of [callId, largeCallId]) operations.push(await file(bench, sandbox, ['video', id]))
  return operations
}

/** Operations of the warehouse: statements, parts of a result, and writes. */
async function warehouse(bench: Bench): Promise<readonly Operation[]> {
  const operations: Operation[] = []
  for (const call of warehouseMenu()) operations.push(await record(bench, call, { lasting: rowsOf }))
  const parts: Call = { entity: 'record', action: 'list', params: { statement: 'SELECT * FROM SALES.ORDERS ORDER BY 1' } }
  const first = await askUnhurried(() => run(bench, parts))
  const statementHandle = first.json.meta.statement_handle
  for (const partition of [0, 1, 3]) {
    const call = { entity: 'result_partitions', action: 'get', params: { statementHandle, partition } }
    operations.push(await record(bench, call, { name: `part ${partition}`, lasting: rowsOf }))
  }
  const endpoints = [{ on: 'snowflake' as const, path: '/api/v2/statements' }]
  const write = { name: 'record create', call: inserts(0), callOf: inserts, endpoints, shared: bench.shared }
  return [...operations, ...Array.from({ length: 8 }, () => write)]
}

/** Prepares the operations of every vendor, each on the connector that is given for it. */
export async function prepareOperations(
  sandbox: Sandbox,
  client: NodeClient,
  connectors: readonly Shared[],
): Promise<readonly Operation[]> {
  const operations: Operation[] = []
  for (const shared of connectors) {
    if (shared.kind === 'gong') operations.push(...(await conversations(sandbox, { client, shared, journal: sandbox.gong })))
    else if (shared.kind === 'snowflake') operations.push(...(await warehouse({ client, shared, journal: sandbox.snowflake })))
    else for (const call of advertisingMenu(sandbox)) operations.push(await record({ client, shared, journal: sandbox.tiktok }, call))
  }
  return operations
}
