/** Makes the table of errors of the long form. */
import type { ConnectorDefinition, ErrorRule } from '../definition/connector.ts'
import { type BuildScope, readSpan } from './build-scope.ts'
import type { FileErrorRow, FileErrors, Named } from './file.ts'
import { errorMeanings } from './words.ts'

/** What statuses mean everywhere, behind the rows of the file. A status 408, 425 or from 500 is `upstream_error` without a row. */
const everywhere: readonly ErrorRule[] = [
  { status: 401, is: 'upstream_auth_failed' },
  { status: 403, is: 'upstream_permission_denied' },
  { status: 404, is: 'record_not_found' },
  { status: 405, is: 'upstream_unsupported' },
  { status: 409, is: 'upstream_conflict' },
  { status: 410, is: 'record_not_found' },
  { status: 429, is: 'upstream_rate_limited', wait: { first: 1, longest: 300 } },
  { statuses: [400, 400], is: 'upstream_invalid_request' },
  { statuses: [402, 407], is: 'upstream_invalid_request' },
  { statuses: [411, 424], is: 'upstream_invalid_request' },
  { statuses: [426, 428], is: 'upstream_invalid_request' },
  { statuses: [430, 499], is: 'upstream_invalid_request' },
]

/** Reads a status as the rule has it: `403`, `5xx`, `400-499`. */
const readStatus = (text: string): Pick<ErrorRule, 'status' | 'statuses'> => {
  if (text === '') return {}
  const [lowest = '', highest] = text.replace(/^(\d)xx$/, '$100-$199').split('-')
  return highest === undefined ? { status: Number(lowest) } : { statuses: [Number(lowest), Number(highest)] }
}

/** Reads the short form of a condition: a status, `code` with a code, words of the message. */
export function readCondition(condition: string): FileErrorRow {
  const [, status = '', afterStatus = ''] = /^([1-5]xx|\d{3}(?:-\d{3})?)?(?: |$)?(.*)$/.exec(condition) ?? []
  const [, code, words = ''] = /^(?:code (\S+))?(?: |$)?(.*)$/.exec(afterStatus) ?? []
  return {
    is: '',
    ...(status === '' ? {} : { status }),
    ...(code === undefined ? {} : { code: code.split(',') }),
    ...(words === '' ? {} : { contains: words }),
  }
}

const isFull = (row: Named<string> | FileErrorRow): row is FileErrorRow => 'is' in row

const readRow = (row: Named<string> | FileErrorRow): FileErrorRow => {
  if (isFull(row)) return row
  const [[condition, is] = ['', '']] = Object.entries(row)
  return { ...readCondition(condition), is }
}

function buildRule(row: FileErrorRow): ErrorRule {
  const isGone = row.is === 'gone'
  const [first, longest = first] = (row.wait ?? []).map(readSpan)
  const actions = isGone ? ['get'] : row.for
  return {
    ...readStatus(row.status ?? ''),
    ...(actions === undefined ? {} : { actions }),
    ...(row.contains === undefined ? {} : { contains: row.contains }),
    ...(row.code === undefined ? {} : { codes: row.code }),
    is: errorMeanings[row.is] ?? 'upstream_error',
    ...(isGone ? { gone: true } : {}),
    ...(row.hint === undefined ? {} : { hint: row.hint }),
    ...(row.again === undefined ? {} : { retryable: row.again }),
    ...(first === undefined || longest === undefined ? {} : { wait: { first, longest } }),
  }
}

function checkRow({ found, file }: BuildScope, row: FileErrorRow, index: number): void {
  const steps = ['errors', 'rows', String(index)]
  if (row.status === undefined && row.code === undefined && row.contains === undefined)
    found.note(steps, { message: 'has no condition, so every failure would be this', example: '- 403 rate limit: rate_limited' })
  if (row.code !== undefined && file.errors?.code === undefined)
    found.note(steps, { message: "names a code, but errors.code does not say where the vendor's code is", example: 'code: error.code' })
  if (row.is === 'gone' && row.code === undefined && row.contains === undefined)
    found.note(steps, {
      message: "says gone by a status alone, which a missing right can have too: add the vendor's code or words",
      example: '- code resource_missing: gone',
    })
  if (row.is === 'gone' && row.for !== undefined && row.for.join() !== 'get')
    found.note([...steps, 'for'], { message: 'gone is for get only', example: 'for: [get]' })
  if ((row.wait?.length ?? 0) > 2)
    found.note([...steps, 'wait'], { message: 'wait has the first and the longest wait', example: 'wait: [1s, 5m]' })
}

/** Builds the table of errors, and where the answer of a failure says what. */
export function buildErrors(scope: BuildScope): Pick<ConnectorDefinition, 'problem' | 'errors'> {
  const errors: FileErrors = scope.file.errors ?? {}
  const rows = (errors.rows ?? []).map(readRow)
  for (const [index, row] of rows.entries()) checkRow(scope, row, index)
  const { failed } = errors
  const [[at, is] = ['', '']] = typeof failed === 'object' ? Object.entries(failed) : [[failed ?? '', undefined] as const]
  return {
    problem: {
      message: errors.message === undefined ? ['message', 'error.message', 'error', 'errors'] : [errors.message].flat(),
      ...(errors.request === undefined ? {} : { requestId: errors.request }),
      ...(errors.code === undefined ? {} : { code: errors.code }),
      ...(failed === undefined ? {} : { failed: { at, ...(typeof is === 'boolean' || typeof is === 'string' ? { is } : {}) } }),
      ...(errors.success === undefined ? {} : { success: errors.success }),
      ...(errors.partial === undefined ? {} : { partial: errors.partial }),
      ...(errors.warnings === undefined ? {} : { warnings: errors.warnings }),
    },
    errors: [...rows.map(buildRule), ...everywhere],
  }
}
