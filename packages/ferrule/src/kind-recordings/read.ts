/** Reads recordings. All mistakes come at once, each with its place. */
import { Findings, TreeChecker } from '../kind-file/check-tree.ts'
import type { Mistake } from '../kind-file/mistakes.ts'
import type { Exchange, Pairs, RecordedAnswer, RecordedRequest, Recording, Recordings } from './recording.ts'
import { most, recordingGroups } from './table.ts'
import { readRecordingTree } from './tree.ts'

type Scalar = string | number | bigint | boolean
type FilePairs = Readonly<Record<string, Scalar | readonly Scalar[]>>

/** A request as the file has it. */
interface FileRequest {
  readonly call: string
  readonly query?: FilePairs
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly form?: FilePairs
}
/** An exchange as the file has it. */
interface FileExchange {
  readonly request: string | FileRequest
  readonly answer: {
    readonly status?: number
    readonly headers?: Readonly<Record<string, string | readonly string[]>>
    readonly body?: unknown
    readonly text?: string
  }
}
/** A recording as the file has it. */
interface FileRecording extends Pick<Recording, 'name' | 'source' | 'from' | 'data' | 'meta' | 'error'> {
  readonly call: string
  readonly params?: Recording['params']
  readonly exchanges: readonly FileExchange[]
  readonly one_page?: string
  readonly more?: boolean
}
/** A whole file. The table's checks prove its form. */
interface RecordingFile {
  readonly kind: string
  readonly config?: Readonly<Record<string, unknown>>
  readonly recordings: readonly FileRecording[]
}

/** What was read of a file. */
export interface ReadRecordings {
  /** Undefined if there are mistakes. */
  readonly file: Recordings | undefined
  /** In the order of the file. */
  readonly mistakes: readonly Mistake[]
}

/** Headers that carry credentials at every vendor. */
const secretHeaders: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie'])

const listPairs = (given: FilePairs = {}): Pairs =>
  Object.entries(given).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each): readonly [string, string] => [name, String(each)]),
  )

const lower = <T>(headers: Readonly<Record<string, T>> = {}): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** Keeps an optional member. */
const keep = <N extends string, T>(name: N, value: T | undefined): { readonly [K in N]?: T } =>
  (value === undefined ? {} : { [name]: value }) as { readonly [K in N]?: T } // the name is its only member

function buildRequest(given: string | FileRequest): RecordedRequest {
  const { call, query, headers, body, form }: FileRequest = typeof given === 'string' ? { call: given } : given
  const [, method = '', path = '', search = ''] = /^(\S+) ([^?]*)\??(.*)$/.exec(call) ?? []
  return {
    method,
    path,
    query: [...new URLSearchParams(search), ...listPairs(query)],
    headers: lower(headers),
    ...keep('body', body),
    ...keep('form', form === undefined ? undefined : listPairs(form)),
  }
}

function buildAnswer({ status = 200, headers, body, text }: FileExchange['answer']): RecordedAnswer {
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  return { status, headers: { ...type, ...lower(headers) }, ...keep('body', body), ...keep('text', text) }
}

const buildExchange = ({ request, answer }: FileExchange): Exchange => ({ request: buildRequest(request), answer: buildAnswer(answer) })

function buildRecording(given: FileRecording, index: number, found: Findings): Recording {
  const [entity = '', action = ''] = given.call.split('.')
  const { name, source, from, params = {}, exchanges, data, meta, error, one_page: onePage, more: hasMore = false } = given
  return {
    ...{ entity, action, source, params, exchanges: exchanges.map(buildExchange) },
    ...{ ...keep('name', name), ...keep('from', from), ...keep('data', data), ...keep('meta', meta) },
    ...{ ...keep('error', error), ...keep('onePage', onePage), hasMore, at: found.findPlace(['recordings', String(index)]) },
  }
}

/** Refuses headers that carry credentials. */
function checkHeaders(headers: Readonly<Record<string, unknown>> = {}, steps: readonly string[], found: Findings): void {
  for (const name of Object.keys(headers))
    if (secretHeaders.has(name.toLowerCase()))
      found.note([...steps, 'headers', name], { message: `${name} carries credentials, which no recording holds: leave it out` }, 'key')
}

function checkExchange({ request, answer }: FileExchange, steps: readonly string[], found: Findings): void {
  const full = typeof request === 'string' ? undefined : request
  checkHeaders(full?.headers, [...steps, 'request'], found)
  checkHeaders(answer.headers, [...steps, 'answer'], found)
  if (full?.body !== undefined && full.form !== undefined)
    found.note([...steps, 'request', 'form'], { message: 'a request has a body or a form, not both' }, 'key')
  if (answer.body !== undefined && answer.text !== undefined)
    found.note([...steps, 'answer', 'text'], { message: 'an answer has a body or a text, not both' }, 'key')
  const { status = 200 } = answer
  if (status > 599) found.note([...steps, 'answer', 'status'], { message: `${status} is no status of an answer`, example: '"status": 404' })
}

function checkRecording(given: FileRecording, steps: readonly string[], found: Findings): void {
  if (given.source === 'document' && given.from === undefined)
    found.note(steps, { message: 'lacks from: the page of the document', example: '"from": "https://docs.example.com/issues"' })
  if (given.error !== undefined && given.data !== undefined)
    found.note([...steps, 'error'], { message: 'a call ends with data or with an error, not both' }, 'key')
  const count = given.exchanges.length
  if (count === 0)
    found.note([...steps, 'exchanges'], {
      message: 'is empty',
      example: '"exchanges": [{"request": "GET /user", "answer": {"body": {"id": 1}}}]',
    })
  if (count > most.exchanges)
    found.note([...steps, 'exchanges'], { message: `has ${count} exchanges; at most ${most.exchanges} are allowed` })
  for (const [index, exchange] of given.exchanges.entries()) checkExchange(exchange, [...steps, 'exchanges', String(index)], found)
}

function checkFile({ recordings }: RecordingFile, found: Findings): void {
  if (recordings.length > most.recordings)
    found.note(['recordings'], { message: `has ${recordings.length} recordings; at most ${most.recordings} are allowed` })
  const names = new Set<string>()
  for (const [index, given] of recordings.entries()) {
    const steps = ['recordings', String(index)]
    checkRecording(given, steps, found)
    const name = `${given.call} ${given.name ?? ''}`
    const again = { message: `is the second recording of ${given.call} with this name`, example: '"name": "an empty list"' }
    if (names.has(name)) found.note([...steps, given.name === undefined ? 'call' : 'name'], again)
    names.add(name)
  }
}

const isFile = (_value: unknown, found: Findings): _value is RecordingFile => found.mistakes.length === 0

/**
 * Reads the text of a file of recordings.
 * @param options `name`: name of the file, for mistakes
 */
export async function readRecordings(text: string, { name }: { readonly name: string }): Promise<ReadRecordings> {
  const found = new Findings(name)
  const tree = await readRecordingTree(text, (at, said) => found.note([], said, at))
  const checked =
    tree === undefined ? undefined : new TreeChecker(found, recordingGroups).check(tree, { is: 'keys', group: 'recordings' }, [])
  if (isFile(checked, found)) checkFile(checked, found)
  const mistakes = found.mistakes.toSorted((one, other) => one.line - other.line || one.column - other.column)
  if (!isFile(checked, found)) return { file: undefined, mistakes }
  const recordings = checked.recordings.map((given, index) => buildRecording(given, index, found))
  return { file: { kind: checked.kind, configuration: checked.config ?? {}, recordings }, mistakes }
}
