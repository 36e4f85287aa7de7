/** The service as a source of tools: the same checks, limits and memory as over HTTP, without the way through HTTP. */
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { FerruleError } from 'ferrule'
import type { AgentConnector, AgentKind, AgentRequest, AgentSource, RequestLimits } from 'ferrule/agents'
import { type FileAnswer, JsonText, parseJson, RawJson, RawRows } from 'ferrule/engine'
import { isObject, readProblem } from 'ferrule/internal'
import { type ConnectorRecord, type ConnectorSummary, type ExecuteRequest, executeInput } from 'ferrule/wire'
import type { Hold } from '../../calls/admission.ts'
import { answerBody, type Executed, type ReplayedAnswer } from '../../calls/executed.ts'
import { executeOperation } from '../../calls/operations.ts'
import type { Principal } from '../../values/access.ts'
import { readBody } from '../../values/read.ts'
import type { Services } from '../route.ts'

/** Connectors of a page: the most that the service lists at once. */
const pageSize = 100

/** Who asks, and by which request. */
export interface SourceCaller {
  readonly principal: Principal
  /** Id of the HTTP request, for errors that are stored with a key. */
  readonly requestId: string
}

const toConnector = (record: ConnectorSummary | ConnectorRecord): AgentConnector => ({
  id: record.id,
  name: record.name,
  kind: record.connector_type,
  workspace: record.workspace_name,
  state: record.status,
  reason: record.status_reason,
})

/** Parses rows in batches, and lets other requests take their turn between two of them. */
async function parseRows(rows: RawRows): Promise<readonly unknown[]> {
  const all: unknown[] = []
  for (const batch of rows.batches()) {
    for (const row of batch) all.push(row)
    await setImmediate()
  }
  return all
}

/** Parses what is still JSON: tools cut values and not bytes. The rows of a statement stand inside of its record. */
async function readData(data: unknown): Promise<unknown> {
  if (isObject(data) && data['data'] instanceof RawJson) return { ...data, data: await readData(data['data']) }
  if (data instanceof JsonText) return parseJson(data.text)
  if (!(data instanceof RawJson)) return data
  try {
    return data instanceof RawRows ? await parseRows(data) : data.toJSON()
  } finally {
    data.release()
  }
}

/** Opens a file as the library does. Its place is given back when the transfer has ended. */
function toDownload(file: FileAnswer, hold: Hold) {
  hold((end) => file.body.once('close', end))
  return {
    ...{
      status: file.status,
      type: file.contentType,
      length: file.contentLength,
      range: file.contentRange,
      name: file.name,
      etag: file.etag,
    },
    stream: Readable.toWeb(file.body),
  }
}

/** Converts a stored answer of an earlier write with the same key. */
function readReplayed({ status, text }: ReplayedAnswer): unknown {
  const body = parseJson(text)
  if (status === 200) return body
  throw readProblem({ status, headers: new Headers() }, body)
}

async function toResult(outcome: Exclude<Executed, { readonly type: 'file' }> | ReplayedAnswer): Promise<unknown> {
  if (outcome.type === 'replayed') return readReplayed(outcome)
  const body = answerBody(outcome)
  return { ...body, data: await readData(body.data) }
}

/** Builds the body that the same call has over HTTP. */
const toBody = ({ entity, action, params, fields, maxAge }: AgentRequest): ExecuteRequest =>
  readBody(executeInput, {
    entity,
    action,
    params,
    ...(fields === undefined ? {} : { select_fields: [...fields] }),
    max_age: maxAge,
  })

async function execute(
  { platform, operations }: Services,
  { principal, requestId }: SourceCaller,
  { connector, given, limits }: { readonly connector: AgentConnector; readonly given: AgentRequest; readonly limits: RequestLimits },
): Promise<unknown> {
  const call = { connectorId: connector.id, request: toBody(given), idempotencyKey: given.idempotencyKey, requestId }
  return platform.admission.admit({ organizationId: principal.organizationId, ...limits }, async (bounds, hold) => {
    const outcome = await executeOperation(operations, principal, { ...call, ...bounds })
    return outcome.type === 'file' ? toDownload(outcome.file, hold) : toResult(outcome)
  })
}

const isMissing = (thrown: unknown): boolean => thrown instanceof FerruleError && thrown.code === 'connector_not_found'

/**
 * Makes the source of one request.
 * @param services what routes use
 * @param caller who asks
 */
export function createServiceSource(services: Services, caller: SourceCaller): AgentSource {
  const { platform } = services
  const { principal } = caller
  return {
    listConnectors: async ({ workspace, cursor }) => {
      const query = {
        limit: pageSize,
        workspace_name: workspace,
        cursor,
      }
      const { data, next } = await platform.connectors.list(principal, query)
      return { connectors: data.map(toConnector), next }
    },
    getConnector: async (id) => {
      try {
        return toConnector(await platform.connectors.get(principal, id))
      } catch (thrown) {
        if (isMissing(thrown)) return undefined
        throw thrown
      }
    },
    readFreshness: async ({ id }) =>
      (await platform.syncs.status(principal, id)).entities.map(({ entity, state, ready_for_search, records, synced_at }) => ({
        entity,
        state,
        records,
        searchable: ready_for_search,
        syncedAt: synced_at,
      })),
    readKind: async ({ kind }): Promise<AgentKind> => {
      const { definition, entities } = platform.catalogue.get(kind)
      return { kind: definition.connector_type, title: definition.name, description: definition.description, entities }
    },
    execute: (connector, given, limits) => execute(services, caller, { connector, given, limits }),
  }
}
