/** What a storm asks for: lists, records and files of the sandbox, with the right answer of each. */
import type { OriginName, Sandbox } from '../../src/sandbox/index.ts'
import { ask } from './client.ts'
import type { Call } from './doors.ts'
import type { NodeClient } from './node.ts'

/** A place of the vendor that an operation reaches. */
export interface Place {
  readonly on: OriginName
  readonly path: string
}

interface Prepared {
  readonly name: string
  readonly call: Call
  readonly places: readonly Place[]
}

/** An operation that answers JSON. */
export interface RecordOperation extends Prepared {
  /** The data as JSON, or the code of the problem that it always ends with. */
  readonly right: { readonly data: string } | { readonly code: string }
}

/** A download; its range is drawn anew each time. */
export interface FileOperation extends Prepared {
  readonly file: Buffer
}

/** One entry of the menu. */
export type Operation = RecordOperation | FileOperation

const window = { fromDateTime: '2025-03-01T00:00:00Z', toDateTime: '2025-03-03T00:00:00Z' }
const days = { fromDate: '2025-03-01', toDate: '2025-03-08' }

function menu({ gong: { world } }: Sandbox): readonly Call[] {
  const callIds = [world.callId, world.unicodeCallId, world.privateCallId]
  const [workspaceId = ''] = world.workspaceIds
  const list = (entity: string, params: Readonly<Record<string, unknown>> = {}): Call => ({ entity, action: 'list', params })
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

/** Runs each operation once without faults: its data are the right ones, and the vendor's journal tells where it went. */
export async function prepareOperations(sandbox: Sandbox, client: NodeClient, connectorId: string): Promise<readonly Operation[]> {
  const at = client.execute(connectorId)
  const met = (): Place[] => sandbox.gong.requests().map(({ origin, path }) => ({ on: origin, path }))
  const run = async (call: Call) => {
    sandbox.gong.clear()
    return ask({ ...at, body: call })
  }
  const record = async (call: Call): Promise<RecordOperation> => {
    const { status, json } = await run(call)
    if (status >= 500) throw new Error(`${call.entity} ${call.action} fails without a fault: ${json.message}`)
    const right = status === 200 ? { data: JSON.stringify(json.data) } : { code: String(json.code) }
    return { name: `${call.entity} ${call.action}`, call, right, places: met() }
  }
  const file = async (entity: 'call_audio' | 'call_video', callId: string): Promise<FileOperation> => {
    const call = {
      entity,
      action: 'download',
      params: { filter: { callIds: [callId] }, contentSelector: { exposedFields: { media: true } } },
    }
    await run(call)
    const bytes = sandbox.gong.mediaBytes(callId, entity === 'call_audio' ? 'audio' : 'video')
    return { name: `${entity} download`, call, file: Buffer.from(bytes), places: met() }
  }
  const operations: Operation[] = []
  for (const call of menu(sandbox)) operations.push(await record(call))
  const users = await run({ entity: 'users', action: 'list' })
  operations.push({
    ...(await record({ entity: 'users', action: 'list', params: users.json.meta.next_params })),
    name: 'users list, page 2',
  })
  const { callId, audioOnlyCallId, largeCallId, unicodeCallId } = sandbox.gong.world
  for (const id of [callId, audioOnlyCallId, largeCallId, unicodeCallId]) operations.push(await file('call_audio', id))
  for (const id of [callId, largeCallId]) operations.push(await file('call_video', id))
  return operations
}
