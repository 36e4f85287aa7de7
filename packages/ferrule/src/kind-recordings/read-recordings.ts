/** Reads recordings. All mistakes come at once, each with its place. */

import type { Node, ParseError } from 'jsonc-parser'
import { dropAbsent, refusedNames } from '../definition/object.ts'
import { errorTable } from '../error-table.ts'
import { Findings, TreeChecker } from '../kind-file/check-tree.ts'
import type { Mistake, Place } from '../kind-file/mistakes.ts'
import { either, flag, type KeyGroup, key, keys, list, longest, map, scalar, text, value, word } from '../kind-file/shape.ts'
import type { Entry, Note, Tree } from '../kind-file/tree.ts'
import { deepestJson } from '../values/json/json.ts'
import { findNearNames } from '../values/near-names.ts'
import type { Exchange, Pairs, RecordedAnswer, RecordedRequest, Recording, Recordings } from './recording.ts'

const most = { bytes: 4 * 1024 * 1024, recordings: 500, exchanges: 100, values: 500_000, samples: 500 }

const sentence = text(undefined, longest.sentence)
const pairs = map('name', either(scalar, list(scalar)))
const headers = map('header', text())

const recordings: KeyGroup = {
  title: 'a file of recordings',
  keys: [
    key('$schema', text(), 'Schema of this file, for editors', { example: '"$schema": "./node_modules/ferrule/recordings.schema.json"' }),
    key('kind', text('slug'), 'Name of the kind', { example: '"kind": "github"', required: true }),
    key('config', map('name', scalar), 'Values of the configuration, for all calls', {
      example: '"config": {"subdomain": "acme"}',
      without: 'invented ones',
    }),
    key('samples', map('word', value, most.samples), 'Values that stand several times in the file; {"$use": "issue"} takes one in', {
      example: '"samples": {"issue": {"id": 1, "title": "Broken"}}',
    }),
    key('recordings', list(keys('recording')), 'The recorded calls', { example: '"recordings": []', required: true }),
  ],
}

const recording: KeyGroup = {
  title: 'a recording',
  keys: [
    key('call', text('operation'), 'An entity and an action', { example: '"call": "issues.list"', required: true }),
    key('name', sentence, 'What it shows, if there are several of one call', { example: '"name": "an empty repository"' }),
    key('source', word('live', 'document'), "live: an answer of the vendor's service; document: an answer of its documents", {
      example: '"source": "document"',
      required: true,
    }),
    key('from', text('https'), "The vendor's page, for documents", { example: '"from": "https://docs.example.com/issues"' }),
    key('params', map('name', value), 'Parameters of the call', { example: '"params": {"owner": "octo", "repo": "hello"}' }),
    key(
      'exchanges',
      list(keys('exchange')),
      'Requests in the order in which they are sent, each with its answer; a list has all its pages',
      {
        example: '"exchanges": [{"request": "GET /user", "answer": {"body": {"id": 1}}}]',
        required: true,
      },
    ),
    key('data', value, 'The record, or the records of all pages; fields that need no comparison can be left out', {
      example: '"data": [{"id": 1, "title": "Broken"}]',
    }),
    key('meta', map('name', value), 'Members of the meta of the first page', { example: '"meta": {"total_records": 3}' }),
    key('error', word(...Object.keys(errorTable)), 'Code of the error that the call ends with', { example: '"error": "record_not_found"' }),
    key('more', flag, 'True: the vendor has more pages than these', { example: '"more": true' }),
    key('one_page', sentence, 'Why a list has one page here', { example: '"one_page": "The vendor returns all labels at once."' }),
  ],
}

const exchange: KeyGroup = {
  title: 'an exchange',
  keys: [
    key('request', either(text('request'), keys('request')), 'Method and path with the query, or a request in full', {
      example: '"request": "GET /repos/octo/hello/issues?per_page=100"',
      required: true,
    }),
    key('answer', keys('answer'), 'What the vendor answers', { example: '"answer": {"body": []}', required: true }),
  ],
}

const request: KeyGroup = {
  title: 'a request in full',
  keys: [
    key('call', text('request'), 'Method and path, perhaps with a query; {any} stands for any characters, here and in all values', {
      example: '"call": "POST /v3/search"',
      required: true,
    }),
    key('query', pairs, 'Values of the query as people read them, beside those of the address', {
      example: '"query": {"jql": "project = \\"A\\""}',
    }),
    key('headers', headers, 'Headers that must be there; never credentials', { example: '"headers": {"if-match": "*"}' }),
    key('body', value, 'Body as JSON; that of GraphQL can leave out the document', { example: '"body": {"title": "Broken"}' }),
    key('form', pairs, 'Body as a form', { example: '"form": {"metadata[a]": "b"}' }),
  ],
}

const answer: KeyGroup = {
  title: 'an answer',
  keys: [
    key('status', { is: 'number', least: 100 }, 'Status', { example: '"status": 404', without: '200' }),
    key('headers', map('header', either(text(), list(text()))), 'Headers; content-type is application/json if omitted', {
      example: '"headers": {"link": "<https://api.example.com/issues?page=2>; rel=\\"next\\""}',
    }),
    key('body', value, 'Body as JSON', { example: '"body": {"data": []}' }),
    key('text', text(undefined, 1_000_000), 'Body that is no JSON', { example: '"text": "Not found"' }),
  ],
}

/** All groups of keys by name. `recordings` is the whole file. */
export const recordingGroups: Readonly<Record<string, KeyGroup>> = { recordings, recording, exchange, request, answer }

/** The name under which a value takes a sample in. */
const takesIn = '$use'

class TooLarge extends Error {}

/** Sentences for mistakes of JSON, by the names that the parser gives them. */
const syntax: Readonly<Record<string, string>> = {
  InvalidCommentToken: 'JSON has no comments',
  CommaExpected: 'a comma is missing before this',
  ColonExpected: 'a colon is missing before this',
  CloseBraceExpected: 'a } is missing before this',
  CloseBracketExpected: 'a ] is missing before this',
  PropertyNameExpected: 'a name in double quotes is missing; the comma before it may be one too many',
  ValueExpected: 'a value is missing; the comma before it may be one too many',
  UnexpectedEndOfString: 'the quotation mark is not closed in its line',
  InvalidSymbol: 'this is no value of JSON: texts need double quotes',
  EndOfFileExpected: 'the file goes on behind its value',
}

function createPlaceFinder(text: string): (offset: number) => Place {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
  }
}

class Reader {
  readonly #text: string
  readonly #place: (offset: number) => Place
  readonly #note: Note
  readonly #samples = new Map<string, Tree>()
  #values = 0

  constructor(text: string, note: Note) {
    this.#text = text
    this.#place = createPlaceFinder(text)
    this.#note = note
  }

  /** Reads a value. @throws TooLarge */
  read(node: Node, depth = 0): Tree {
    const at = this.#place(node.offset)
    if (depth > deepestJson) throw new TooLarge(`is nested more than ${deepestJson} levels deep`)
    this.#count(1)
    if (node.type === 'array') return { is: 'list', at, items: (node.children ?? []).map((item) => this.read(item, depth + 1)) }
    return node.type === 'object' ? this.#readMap(node, at, depth) : this.#readScalar(node, at)
  }

  #count(values: number): void {
    this.#values += values
    if (this.#values > most.values) throw new TooLarge(`has more than ${most.values} values after its samples are taken in`)
  }

  #readScalar({ offset, length, value }: Node, at: Place): Tree {
    const source = this.#text.slice(offset, offset + length)
    if (typeof value === 'string') return { is: 'scalar', at, value, text: value }
    if (value === null) return { is: 'scalar', at, value, text: '' }
    const isLong = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
    return { is: 'scalar', at, value: isLong ? BigInt(source) : value, text: source }
  }

  #readMap(node: Node, at: Place, depth: number): Tree {
    const entries: Entry[] = []
    for (const { children = [] } of node.children ?? []) {
      const [name, inner] = children
      if (name === undefined || inner === undefined) continue
      const [key, place] = [String(name.value), this.#place(name.offset)]
      if (refusedNames.has(key)) this.#note(place, { message: `${key} cannot be a name: JavaScript uses it itself` })
      else if (entries.some((entry) => entry.key === key)) this.#note(place, { message: `"${key}" stands twice in the same object` })
      else
        entries.push({ key, at: place, value: depth === 0 && key === 'samples' ? this.#readSamples(inner) : this.read(inner, depth + 1) })
    }
    const [used] = entries.filter(({ key }) => key === takesIn)
    return used === undefined ? { is: 'map', at, entries } : this.#takeIn(used, entries, at)
  }

  /** Reads the samples in their order, so that each can take in those before it, and none itself. */
  #readSamples(node: Node): Tree {
    if (node.type !== 'object') return this.read(node, 1)
    const entries = (node.children ?? []).flatMap(({ children: [name, inner] = [] }): Entry[] => {
      if (name === undefined || inner === undefined) return []
      const [key, at] = [String(name.value), this.#place(name.offset)]
      if (this.#samples.has(key)) this.#note(at, { message: `"${key}" stands twice in the same object` })
      const value = this.read(inner, 2)
      this.#samples.set(key, value)
      return [{ key, at, value }]
    })
    return { is: 'map', at: this.#place(node.offset), entries }
  }

  /** Replaces an object by the sample that it names. Its other members replace those of the sample. */
  #takeIn({ at: place, value }: Entry, entries: readonly Entry[], at: Place): Tree {
    const name = value.is === 'scalar' ? value.text : ''
    const sample = this.#samples.get(name)
    const own = entries.filter(({ key }) => key !== takesIn)
    if (sample === undefined) {
      const [near] = findNearNames(name, [...this.#samples.keys()])
      const said = {
        message: `${name === '' ? 'this' : name} is not a sample that stands above`,
        example: '"samples": {"issue": {"id": 1}}',
      }
      this.#note(place, near === undefined ? said : { ...said, near })
    } else if (sample.is !== 'map' && own.length > 0) this.#note(place, { message: `${name} is no object, so it takes no further members` })
    else if (sample.is !== 'map') return this.#copy(sample)
    const names = new Set(own.map(({ key }) => key))
    const taken = sample?.is === 'map' ? sample.entries.filter(({ key }) => !names.has(key)) : []
    return this.#copy({ is: 'map', at, entries: [...taken, ...own] })
  }

  /** Counts the values that a sample brings again. */
  #copy(tree: Tree): Tree {
    const inner = tree.is === 'list' ? tree.items : tree.is === 'map' ? tree.entries.map(({ value }) => value) : []
    this.#count(1)
    for (const each of inner) this.#copy(each)
    return tree
  }
}

/** Reads a text into a tree. @returns undefined if there is nothing to check further */
async function readRecordingTree(text: string, note: Note): Promise<Tree | undefined> {
  const start: Place = { line: 1, column: 1 }
  if (Buffer.byteLength(text) > most.bytes) {
    note(start, { message: `the file is larger than ${most.bytes / 1024 / 1024} MB: record fewer or smaller pages` })
    return undefined
  }
  const { parseTree, printParseErrorCode } = await import('jsonc-parser')
  const errors: ParseError[] = []
  try {
    const root = parseTree(text, errors, { disallowComments: true })
    const [first] = errors
    if (first !== undefined || root === undefined) {
      const code = first === undefined ? 'ValueExpected' : printParseErrorCode(first.error)
      note(createPlaceFinder(text)(first?.offset ?? 0), {
        message: syntax[code] ?? `this is not JSON: ${code}`,
        example: '{"kind": "acme"}',
      })
      return undefined
    }
    return new Reader(text, note).read(root)
  } catch (thrown) {
    if (!(thrown instanceof TooLarge) && !(thrown instanceof RangeError)) throw thrown
    note(start, { message: thrown instanceof TooLarge ? `the file ${thrown.message}` : 'the file is nested too deep' })
    return undefined
  }
}

type Scalar = string | number | bigint | boolean
type FilePairs = Readonly<Record<string, Scalar | readonly Scalar[]>>

interface FileRequest {
  readonly call: string
  readonly query?: FilePairs
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly form?: FilePairs
}
interface FileExchange {
  readonly request: string | FileRequest
  readonly answer: {
    readonly status?: number
    readonly headers?: Readonly<Record<string, string | readonly string[]>>
    readonly body?: unknown
    readonly text?: string
  }
}
interface FileRecording extends Pick<Recording, 'name' | 'source' | 'from' | 'data' | 'meta' | 'error'> {
  readonly call: string
  readonly params?: Recording['params']
  readonly exchanges: readonly FileExchange[]
  readonly one_page?: string
  readonly more?: boolean
}
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

function buildRequest(given: string | FileRequest): RecordedRequest {
  const { call, query, headers, body, form }: FileRequest = typeof given === 'string' ? { call: given } : given
  const [, method = '', path = '', search = ''] = /^(\S+) ([^?]*)\??(.*)$/.exec(call) ?? []
  return {
    ...{ method, path, query: [...new URLSearchParams(search), ...listPairs(query)], headers: lower(headers) },
    ...dropAbsent({ body, form: form && listPairs(form) }),
  }
}

function buildAnswer({ status = 200, headers, body, text }: FileExchange['answer']): RecordedAnswer {
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  return { status, headers: { ...type, ...lower(headers) }, ...dropAbsent({ body, text }) }
}

const buildExchange = ({ request, answer }: FileExchange): Exchange => ({ request: buildRequest(request), answer: buildAnswer(answer) })

function buildRecording(given: FileRecording, index: number, found: Findings): Recording {
  const [entity = '', action = ''] = given.call.split('.')
  const { name, source, from, params = {}, exchanges, data, meta, error, one_page: onePage, more: hasMore = false } = given
  return {
    ...{ entity, action, source, params, exchanges: exchanges.map(buildExchange) },
    ...dropAbsent({ name, from, data, meta, error, onePage }),
    ...{ hasMore, at: found.findPlace(['recordings', String(index)]) },
  }
}

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

/** Reads the text of a file of recordings. @param options `name`: name of the file, for mistakes */
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
