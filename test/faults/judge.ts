/** What an operation may end with under faults: the right data, or a documented problem. Everything else is a violation. */
import { type ErrorCode, errorTable } from '../../packages/ferrule/src/errors.ts'
import type { Answered } from './client.ts'
import type { DrawnRange } from './draw.ts'
import type { FileOperation, Operation, RecordOperation } from './operations.ts'

/** How a request ended for its client. */
export type Ending =
  | { readonly how: 'answered'; readonly answer: Answered }
  /** The client went away. */
  | { readonly how: 'left' }
  /** The service broke the connection. */
  | { readonly how: 'broken'; readonly error: unknown }
  /** Nothing came in the time in which something must come. */
  | { readonly how: 'hung' }

/** What was asked for, and by whom. */
export interface Asking {
  readonly operation: Operation
  /** Of a download. */
  readonly range: DrawnRange | undefined
  /** Texts that must not appear in a problem. */
  readonly secrets: readonly string[]
}

/** A name to count the ending under, and what is wrong with it. */
export interface Judgement {
  readonly outcome: string
  readonly violation?: string
}

/** What a vendor's faults may be told as. */
const told: ReadonlySet<string> = new Set<ErrorCode>([
  'upstream_auth_failed',
  'upstream_permission_denied',
  'upstream_invalid_request',
  'upstream_conflict',
  'upstream_unsupported',
  'upstream_rate_limited',
  'upstream_error',
  'upstream_unreachable',
  'upstream_timeout',
  'upstream_answer_invalid',
  'record_not_found',
  'result_too_large',
  'statement_failed',
  'statement_timeout',
  'upstream_result_too_large',
])

const isCode = (code: unknown): code is ErrorCode => typeof code === 'string' && Object.hasOwn(errorTable, code)

/** Finds what is wrong with a problem as such; undefined when it is right. */
function flawOf({ status, headers, json, text }: Answered, secrets: readonly string[]): string | undefined {
  const { code, fault, retryable, hint, retry_after_seconds: wait } = json
  if (headers['content-type'] !== 'application/problem+json; charset=utf-8') return 'its media type is wrong'
  if (!isCode(code) || errorTable[code].status !== status || errorTable[code].fault !== fault) return 'it is not of the table of errors'
  if (typeof retryable !== 'boolean' || typeof hint !== 'string' || hint === '') return 'it says not what to do'
  if (json.request_id !== headers['x-request-id'] || headers['retry-after'] !== (wait === undefined ? undefined : String(wait)))
    return 'its headers and its body differ'
  if (wait !== undefined && !Number.isSafeInteger(wait)) return 'its wait is not in whole seconds'
  return secrets.some((secret) => text.includes(secret)) ? 'it shows a secret' : undefined
}

function isRightProblem({ operation, range }: Asking, code: string): boolean {
  if ('callOf' in operation) return told.has(code) || code === 'outcome_unknown'
  if ('file' in operation) return told.has(code) || code === 'private_call' || (code === 'range_not_satisfiable' && range !== undefined)
  if ('code' in operation.right && operation.right.code === code) return true
  return told.has(code) || (code === 'invalid_cursor' && operation.call.params?.['cursor'] !== undefined)
}

/** A page of private calls has no records, says how many were left out, and leads on. */
const isPrivatePage = ({ data, meta }: Answered['json']): boolean =>
  Array.isArray(data) && data.length === 0 && meta.private_calls_excluded > 0 && meta.next_params !== null

/** A success of the advertising vendor that is not whole (20001) and has no list: no records, and a warning that says so. */
const isUnlistedPage = ({ data, meta }: Answered['json']): boolean =>
  Array.isArray(data) && data.length === 0 && meta.warnings?.some((warning: string) => warning.includes('answered without a list'))

/** A statement that takes longer than its call may: the record of its status. */
const isStatus = ({ data }: Answered['json']): boolean =>
  data?.code === '333334' && data.data === null && typeof data.statementHandle === 'string'

function judgeRecord({ right, lasting }: RecordOperation, { json }: Answered): Judgement {
  if ('data' in right && JSON.stringify(lasting(json.data)) === right.data) return { outcome: 'right data' }
  if (isStatus(json)) return { outcome: 'still running' }
  if (isPrivatePage(json)) return { outcome: 'private page' }
  if (isUnlistedPage(json)) return { outcome: 'unlisted page' }
  return { outcome: 'wrong data', violation: JSON.stringify(json).slice(0, 500) }
}

/** Judges the row when everything has come to rest. */
function judgeWrite({ json }: Answered): Judgement {
  if (isStatus(json)) return { outcome: 'still running' }
  if (json.data?.code === '090001' && JSON.stringify(json.data.data) === '[["1"]]') return { outcome: 'written' }
  return { outcome: 'no answer to a write', violation: JSON.stringify(json).slice(0, 500) }
}

function judgeFile({ file }: FileOperation, range: DrawnRange | undefined, { status, headers, bytes }: Answered): Judgement {
  const expected = range?.header === undefined ? { status: 200, bytes: file } : { status: 206, bytes: range.bytes }
  const start = expected.bytes === undefined ? -1 : expected.bytes.byteOffset - file.byteOffset
  const shown = status === 206 ? `bytes ${start}-${start + bytes.length - 1}/${file.length}` : undefined
  if (expected.bytes?.equals(bytes) && status === expected.status && headers['content-range'] === shown) return { outcome: 'right bytes' }
  return { outcome: 'wrong bytes', violation: `${status} with ${bytes.length} bytes, ${headers['content-range']} for ${range?.header}` }
}

function judgeAnswer(asking: Asking, answer: Answered): Judgement {
  const { operation, range, secrets } = asking
  if (answer.status < 300) {
    if ('file' in operation) return judgeFile(operation, range, answer)
    return 'callOf' in operation ? judgeWrite(answer) : judgeRecord(operation, answer)
  }
  const code = String(answer.json.code)
  const flaw = flawOf(answer, secrets) ?? (isRightProblem(asking, code) ? undefined : 'it is no answer to this')
  return flaw === undefined ? { outcome: code } : { outcome: code, violation: `${flaw}: ${answer.text}` }
}

/** Judges how one call ended. */
export function judge(asking: Asking, ending: Ending): Judgement {
  const { operation } = asking
  const named = ({ outcome, violation }: Judgement): Judgement =>
    violation === undefined ? { outcome } : { outcome, violation: `${operation.name}: ${outcome}: ${violation}` }
  if (ending.how === 'left') return { outcome: 'the client left' }
  if (ending.how === 'hung') return named({ outcome: 'hung', violation: 'nothing came' })
  if (ending.how === 'answered') return named(judgeAnswer(asking, ending.answer))
  // A transfer that the vendor cuts must not look whole; JSON is sent only once it is whole.
  return named('file' in operation ? { outcome: 'transfer broken' } : { outcome: 'broken', violation: String(ending.error) })
}
