import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzipSync, gzip, gzipSync } from 'node:zlib'
import { bytesOf, json, type Reply } from '../http.ts'
import { rowTypeOf } from './cells.ts'
import { type Failure, failure } from './failures.ts'
import type { Statement } from './statements.ts'
import type { SnowflakeSwitches } from './switches.ts'
import type { StatementResult } from './tables.ts'

const pack = promisify(gzip)
const base = '/api/v2/statements'

const statusPath = (handle: string): string => `${base}/${handle}`

/** Returns a refusal before there is a statement. */
export const refused = ({ status, code, message }: Pick<Failure, 'status' | 'code' | 'message'>): Reply => json(status, { code, message })

/** Builds the answer for a statement that still runs. */
export function running({ handle }: Pick<Statement, 'handle'>, status = 202): Reply {
  const message = 'Asynchronous execution in progress. Use provided query id to perform query monitoring and management.'
  return json(status, { code: '333334', message, statementHandle: handle, statementStatusUrl: statusPath(handle) })
}

/** Builds the answer for a statement that failed, was canceled or timed out. */
export function failedReply({ handle, createdOn }: Pick<Statement, 'handle' | 'createdOn'>, failed: Failure): Reply {
  const { status, code, message, sqlState, early } = failed
  const link = status === 408 ? { statementStatusUrl: statusPath(handle) } : {}
  return json(status, { code, message, sqlState, statementHandle: handle, ...link, ...(early ? {} : { createdOn }) })
}

/** Builds the answer for a statement that this request canceled. */
export function canceled({ handle }: Pick<Statement, 'handle'>): Reply {
  const message = 'SQL execution canceled'
  return json(200, { code: '000604', sqlState: '57014', message, statementHandle: handle, statementStatusUrl: statusPath(handle) })
}

const linkForms: Readonly<Record<string, (link: { readonly handle: string; readonly rel: string; readonly partition: number }) => string>> =
  {
    normal: ({ handle, rel, partition }) => `<${statusPath(handle)}?requestId=${randomUUID()}&partition=${partition}>; rel="${rel}"`,
    inside: ({ handle, rel, partition }) => `<${statusPath(handle)}?requestId=${randomUUID()}&partition=${partition}; rel="${rel}">`,
    fetch: ({ handle, rel, partition }) =>
      `</api/statements/${handle}/fetch?requestId=${randomUUID()}&partition=${partition}>;rel="${rel}"`,
    shuffled: ({ handle, rel, partition }) => `<${statusPath(handle)}?partition=${partition}&requestId=${randomUUID()}>;  rel=${rel}`,
  }

function linkHeader(
  handle: string,
  at: { readonly partition: number; readonly count: number },
  form: string,
): Readonly<Record<string, string>> {
  const write = linkForms[form]
  if (!write) return {}
  const last = at.count - 1
  const rels: readonly (readonly [string, number])[] = [
    ['first', 0],
    ...(at.partition < last ? [['next', at.partition + 1] as const] : []),
    ...(at.partition > 0 ? [['prev', at.partition - 1] as const] : []),
    ['last', last],
  ]
  return { link: rels.map(([rel, partition]) => write({ handle, rel, partition })).join(',') }
}

function metaOf({ columns, rows }: StatementResult): object {
  const partitionInfo = rows.partitions.map(({ rows: rowCount, uncompressedSize, content }) => ({
    rowCount,
    uncompressedSize,
    ...(typeof content === 'string' ? {} : { compressedSize: content.length }),
  }))
  return { numRows: rows.rows, format: 'jsonv2', rowType: columns.map(rowTypeOf), partitionInfo }
}

/** What happens to the rows of a part: the last one is lost, or comes twice. */
export type RowsFault = 'short-part' | 'long-part'

function spoilRows(data: string, fault: RowsFault | undefined): string {
  if (fault === undefined) return data
  const rows: unknown[] = JSON.parse(data)
  return JSON.stringify(fault === 'short-part' ? rows.slice(0, -1) : [...rows, ...rows.slice(-1)])
}

interface Sending {
  readonly switches: SnowflakeSwitches
  /** The client takes gzip. */
  readonly packed: boolean
  /** Code and message of a fault instead of the success code. */
  readonly code?: { readonly code: string; readonly message: string }
  readonly rowsFault?: RowsFault | undefined
}

const success = { code: '090001', message: 'Statement executed successfully.' }
const tooLarge = { code: '391908', message: 'The result set is too large.' }
const smallestPacked = 1024

async function sent(text: string, headers: Readonly<Record<string, string>>, packed: boolean): Promise<Reply> {
  const type = { 'content-type': 'application/json', ...headers }
  if (!packed || text.length < smallestPacked) return { status: 200, headers: type, body: text }
  return { status: 200, headers: { ...type, 'content-encoding': 'gzip' }, body: bytesOf(await pack(text, { level: 1 })) }
}

/** Returns a result with its partition 0. */
export function resultSet(statement: Statement, result: StatementResult, { switches, packed, code, rowsFault }: Sending): Promise<Reply> {
  const { handle, requestId, createdOn } = statement
  const { stats, statementHandles, rows } = result
  const told = code ?? (rows.cut ? tooLarge : success)
  const head = { resultSetMetaData: metaOf(result) }
  const tail = {
    ...told,
    sqlState: '00000',
    statementHandle: handle,
    statementStatusUrl: `${statusPath(handle)}?requestId=${requestId}`,
    ...(switches.requestIdInBody ? { requestId } : {}),
    createdOn,
    stats,
    statementHandles,
  }
  const [first] = rows.partitions
  const data = spoilRows(typeof first?.content === 'string' ? first.content : '[]', rowsFault)
  const text = `${JSON.stringify(head).slice(0, -1)},"data":${data},${JSON.stringify(tail).slice(1)}`
  return sent(text, linkHeader(handle, { partition: 0, count: rows.partitions.length }, switches.linkForm), packed)
}

function spoilPacked(packed: Uint8Array, fault: RowsFault): Uint8Array {
  const { data } = JSON.parse(gunzipSync(packed).toString())
  return gzipSync(`{"data":${spoilRows(JSON.stringify(data), fault)}}`)
}

/** Returns a later partition: rows only, always compressed. */
export function partitionReply(
  { handle }: Pick<Statement, 'handle'>,
  { rows }: StatementResult,
  { partition, linkForm, rowsFault }: { readonly partition: number; readonly linkForm: string; readonly rowsFault?: RowsFault | undefined },
): Reply | undefined {
  const kept = rows.partitions[partition]?.content
  if (kept === undefined || typeof kept === 'string') return undefined
  const content = rowsFault === undefined ? kept : spoilPacked(kept, rowsFault)
  const links = linkHeader(handle, { partition, count: rows.partitions.length }, linkForm)
  return { status: 200, headers: { 'content-type': 'application/json', 'content-encoding': 'gzip', ...links }, body: bytesOf(content) }
}

/** Returns an answer without a body. */
export const bare = (status: number): Reply => ({ status, headers: {}, body: '' })

/** The edge's answer for an account that does not exist. */
export const unknownAccount: Reply = {
  status: 404,
  headers: { 'content-type': 'text/html' },
  body: '<html><head><title>404 Not Found</title></head><body><h1>404 Not Found</h1></body></html>',
}

const byStatus: Readonly<Record<number, Failure>> = {
  400: failure('malformed'),
  401: failure('invalidPat'),
  408: failure('timedOut'),
  422: failure('internal'),
  429: failure('tooMany'),
}

/** Returns a refusal of a status that a fault asks for. */
export function refusalOf(status: number, message?: string): Reply {
  const usual = byStatus[status]
  if (usual) return refused({ ...usual, message: message ?? usual.message })
  return status < 500 ? bare(status) : refused({ status, code: '000603', message: message ?? 'Internal server error.' })
}
