/**
 * Makes recordings of calls: what was sent and answered, without secrets and without names of people. The answer can come from a file instead of the
 * vendor.
 */
import type { Kind } from '../definition/connector.ts'
import { findLiveOperation } from '../definition/entity.ts'
import { isObject } from '../definition/object.ts'
import { listSlots } from '../definition/templates.ts'
import { createEngine } from '../engine/call/execute.ts'
import type { Connection } from '../engine/connection.ts'
import { Http, type HttpAnswer, type HttpRequest, type HttpSender, readHeader } from '../engine/http/http.ts'
import { findLineFormat, type RowLines } from '../engine/json/raw-rows.ts'
import { asFerruleError, fail } from '../errors.ts'
import { maxAttempts } from '../retry.ts'
import { formatJson, tryReadJson, writeJson } from '../values/json/json.ts'
import { Identities } from './identities.ts'
import { listLeaks } from './leaks.ts'
import { findLines, readLines, writeLines } from './lines.ts'
import { readRecordings } from './read-recordings.ts'
import type { Recording } from './recording.ts'
import { createSecretRemover, type Replaced, Replacer } from './replacer.ts'
import { catchRequest, replay, type Walked, walkCall } from './replay.ts'
import { createReplayConnection, listSecretHeaders, listSecretQuery } from './replay-connection.ts'
import { listKindWords } from './text-sorts.ts'

type Values = Readonly<Record<string, unknown>>

/** A call that was made. */
export interface MadeCall {
  readonly entity: string
  readonly action: string
  readonly params: Values
  readonly walked: Walked
  readonly sent: readonly { readonly request: HttpRequest; readonly answer: HttpAnswer }[]
}

/** Sends requests, and keeps those of operations with their answers. Those that exchange tokens are not kept. */
class Recorder implements HttpSender {
  readonly sent: { readonly request: HttpRequest; readonly answer: HttpAnswer }[] = []
  readonly #http: HttpSender

  constructor(http: HttpSender) {
    this.#http = http
  }

  async send(request: HttpRequest): Promise<HttpAnswer> {
    const answer = await this.#http.send(request)
    const before = this.sent.at(-1)?.request
    // Only the last of several attempts counts.
    if (before !== undefined && before.method === request.method && before.url.href === request.url.href && before.body === request.body)
      this.sent.pop()
    if (request.traced !== undefined) this.sent.push({ request, answer })
    return answer
  }

  open: HttpSender['open'] = (request) => this.#http.open(request)

  close(): Promise<void> {
    return this.#http.close()
  }
}

/** How a call is made. */
export interface CallOptions {
  readonly mostPages: number
  /** What answers; the vendor if omitted. */
  readonly from?: HttpSender | undefined
  readonly signal: AbortSignal
  readonly deadlineMs?: number | undefined
}

/** Makes a call, and keeps what is sent and answered. */
export async function makeCall(
  connection: Connection,
  { entity, action, params }: Pick<MadeCall, 'entity' | 'action' | 'params'>,
  { mostPages, from = new Http(), ...options }: CallOptions,
): Promise<MadeCall> {
  const http = new Recorder(from)
  const engine = createEngine({ http })
  try {
    const walked = await walkCall(engine, connection, { call: { ...options, entity, action, params }, mostPages })
    return { entity, action, params, walked, sent: http.sent }
  } finally {
    await engine.close()
  }
}

/** Headers of answers that a kind can read: positions, totals, limits. */
const kept = /^(?:link|location|etag|retry-after)$|page|cursor|total|count|limit|remaining|reset|next|offset|continuation/
const isJson = (type: unknown): boolean => type === undefined || /[/+]json\b/.test(String(type))
/** Returns whether nobody reads the body of an answer: of a redirect its address counts. */
const isUnread = ({ status, text }: HttpAnswer): boolean => status === 204 || (status >= 300 && status < 400) || text === ''

const group = (pairs: Iterable<readonly [string, string]>): Values =>
  Object.fromEntries(
    [...Map.groupBy(pairs, ([name]) => name)].map(([name, values]) => [
      name,
      values.length === 1 ? values[0]?.[1] : values.map(([, value]) => value),
    ]),
  )

const readText = ({ text, bytes }: HttpAnswer): string => bytes?.toString() ?? text

/** Reads the body of an answer; undefined for a text that is neither JSON nor such lines. */
const readAnswer = (answer: HttpAnswer, lines: RowLines | undefined): unknown =>
  lines !== undefined && answer.status < 300 && findLineFormat(lines, readHeader(answer, 'content-type')) !== undefined
    ? readLines(lines, readText(answer))
    : tryReadJson(readText(answer))

class Builder {
  readonly #kind: Kind
  readonly #replacer: Replacer

  constructor(kind: Kind, replacer: Replacer) {
    this.#kind = kind
    this.#replacer = replacer
  }

  /** Learns what answers and parameters hold. */
  learn({ params, sent, ...of }: MadeCall): void {
    this.#replacer.learn(params)
    const lines = findLines(this.#kind.definition, of.entity, of.action)
    for (const { answer } of sent) {
      for (const value of Object.values(this.#readHeaders(answer)).flat()) this.#replacer.learnHeader(value)
      this.#replacer.learn(readAnswer(answer, lines))
    }
  }

  #readHeaders({ headers }: HttpAnswer): Readonly<Record<string, string | string[]>> {
    const secret = listSecretHeaders(this.#kind.definition)
    return Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) =>
        value !== undefined && kept.test(name) && !secret.has(name) && name !== 'content-length' ? [[name, value]] : [],
      ),
    )
  }

  #writeAnswer(answer: HttpAnswer, lines: RowLines | undefined): Values {
    const body = readAnswer(answer, lines)
    if (body === undefined) return {}
    const written = this.#replacer.write(body, 'answer')
    const format = findLineFormat(lines, readHeader(answer, 'content-type'))
    return format !== undefined && Array.isArray(written) ? { text: writeLines(format, written, readText(answer)) } : { body: written }
  }

  write({ request, answer }: MadeCall['sent'][number], of: Pick<MadeCall, 'entity' | 'action'>): Values {
    const lines = findLines(this.#kind.definition, of.entity, of.action)
    const headers = this.#replacer.write(this.#readHeaders(answer), 'answer.headers')
    return {
      request: this.#writeRequest(request, of),
      answer: {
        ...(answer.status === 200 ? {} : { status: answer.status }),
        ...(isObject(headers) && Object.keys(headers).length > 0 ? { headers } : {}),
        ...this.#writeAnswer(answer, lines),
      },
    }
  }

  #writeRequest({ method, url, body, headers }: HttpRequest, of: Pick<MadeCall, 'entity' | 'action'>): unknown {
    const secret = listSecretQuery(this.#kind.definition)
    const query = this.#replacer.write(group([...url.searchParams].filter(([name]) => !secret.has(name))), 'query')
    const call = `${method} ${this.#replacer.writePath(url.pathname)}`
    const json = headers['content-type'] === 'application/json' && body !== undefined ? this.#writeBody(tryReadJson(body)) : undefined
    const form = body !== undefined && json === undefined ? this.#replacer.write(group(new URLSearchParams(body)), 'form') : undefined
    const own = this.#replacer.write(this.#listOwnHeaders(headers, of), 'headers')
    const rest = {
      ...(isObject(own) && Object.keys(own).length > 0 ? { headers: own } : {}),
      ...(isObject(query) && Object.keys(query).length > 0 ? { query } : {}),
      ...(json === undefined ? {} : { body: json }),
      ...(form === undefined ? {} : { form }),
    }
    return Object.keys(rest).length === 0 ? call : { call, ...rest }
  }

  /** Lists the headers that the call makes of its parameters: requests of other values have other answers. */
  #listOwnHeaders(headers: Readonly<Record<string, string>>, { entity, action }: Pick<MadeCall, 'entity' | 'action'>): Values {
    const { headers: own = {} } = findLiveOperation(this.#kind.definition.entities, entity, action) ?? {}
    const made = Object.entries(own).filter(([, template]) => listSlots(template).length > 0)
    return Object.fromEntries(made.flatMap(([name]) => (headers[name] === undefined ? [] : [[name, headers[name]]])))
  }

  #writeBody(body: unknown): unknown {
    const { query, ...rest }: Values = isObject(body) && isObject(body['variables']) ? body : { query: undefined }
    return this.#replacer.write(query === undefined ? body : rest, 'body')
  }

  writeParams = (params: Values): Values => {
    const written = this.#replacer.write(params, 'params')
    return isObject(written) ? written : {}
  }
}

/** What a recording is made with. */
export interface RecordingOptions {
  /** What it shows, where there are several of one call. */
  readonly name?: string | undefined
  /** Page of the vendor that shows the answer; undefined for an answer of its service. */
  readonly page?: string | undefined
  /** What stands for whom in the other recordings of the file; what this one invents is added. */
  readonly identities?: Identities | undefined
  /** Configuration of the file, which stands for that of the call; undefined for a file that does not exist. */
  readonly configuration: Values | undefined
  /** All values of credentials that were used, by the names of their fields. */
  readonly secrets: readonly (readonly [name: string, value: string])[]
}

/** A recording, as the file has it. */
export interface BuiltRecording {
  readonly entry: Values
  readonly configuration: Values
  readonly replaced: readonly Replaced[]
  /** Why it cannot be saved. */
  readonly problems: readonly string[]
}

/** Chooses values of the configuration that stand for those of the call. Fixed choices stay. */
function replaceConfiguration({ kind, configuration }: Connection, wanted: Values = {}): Values {
  const invented = createReplayConnection(kind, wanted).configuration
  return Object.fromEntries(
    Object.entries(configuration).map(([name, value]) => {
      const field = kind.definition.configuration[name]
      const isFixed = typeof value !== 'string' || field?.enum !== undefined || field?.default === value
      return [name, wanted[name] ?? (isFixed ? value : (invented[name] ?? value))]
    }),
  )
}

function listLacking({ kind }: Connection, configuration: Values, inFile: Values | undefined): string[] {
  if (inFile === undefined) return []
  const known = createReplayConnection(kind, inFile).configuration
  const lacking = Object.keys(configuration).filter((name) => known[name] !== configuration[name])
  return lacking.map((name) => `the file needs "config": {${writeJson(name)}: ${writeJson(configuration[name])}}`)
}

async function readEntry(
  kind: string,
  entry: Values,
): Promise<{ readonly recording: Recording | undefined; readonly problems: readonly string[] }> {
  const { file, mistakes } = await readRecordings(writeJson({ kind, recordings: [entry] }), { name: 'the recording' })
  return { recording: file?.recordings[0], problems: mistakes.map(({ path, message }) => `${path} ${message}`.trim()) }
}

async function addData(connection: Connection, entry: Values): Promise<{ readonly entry: Values; readonly problems: readonly string[] }> {
  const { recording, problems } = await readEntry(connection.kind.definition.kind, entry)
  if (recording === undefined) return { entry, problems }
  const done = await replay(connection, recording)
  const error = done.error === undefined ? undefined : asFerruleError(done.error)
  const end = recording.error === undefined ? error?.message : (error?.code ?? 'data')
  const failed = error?.code === recording.error ? [] : [`its replay ends with ${end}`]
  const data = done.data === undefined ? {} : { data: done.data }
  return { entry: { ...entry, ...data }, problems: [...done.problems, ...failed, ...listLeaks({ ...recording, ...data })] }
}

/**
 * Makes a recording of a call. Secrets, tokens, addresses, names and prose are replaced, and the result is replayed: it has problems where it
 * does not do what the call did.
 */
export async function buildRecording(connection: Connection, made: MadeCall, options: RecordingOptions): Promise<BuiltRecording> {
  const { kind } = connection
  const { entity, action, params, walked, sent } = made
  const configuration = replaceConfiguration(connection, options.configuration)
  const replaying = createReplayConnection(kind, configuration)
  const target = await catchRequest(replaying, { entity, action, params })
  const replacer = new Replacer({
    secrets: options.secrets,
    known: Object.entries(connection.configuration).flatMap(([name, from]) => {
      const to = configuration[name]
      return typeof from === 'string' && typeof to === 'string' && from !== to ? [[from, to] as const] : []
    }),
    origins: new Map(sent.map(({ request }) => [request.url.origin, target.url.origin])),
    kindWords: listKindWords(kind.definition),
    identities: options.identities ?? new Identities(undefined, ''),
    messageWords: kind.definition.errors.flatMap(({ contains }) => contains ?? []),
  })
  const lines = findLines(kind.definition, entity, action)
  const of = { entity, action }
  const builder = new Builder(kind, replacer)
  builder.learn(made)
  const code = walked.error === undefined ? undefined : asFerruleError(walked.error).code
  const given = builder.writeParams(params)
  const bare: Values = {
    ...{
      call: `${entity}.${action}`,
      ...(options.name === undefined ? {} : { name: options.name }),
      ...(options.page === undefined ? { source: 'live' } : { source: 'document', from: options.page }),
    },
    ...(Object.keys(given).length === 0 ? {} : { params: given }),
    exchanges: sent.map((one) => builder.write(one, of)),
    ...(code === undefined ? {} : { error: code }),
    ...(walked.hasMore && code === undefined ? { more: true } : {}),
  }
  const { entry, problems } = await addData(replaying, bare)
  const text = writeJson(entry)
  const leaks = createSecretRemover(options.secrets)(text) === text ? [] : ['a value of the credentials is still in it']
  const unread = sent.filter(
    ({ answer }) => !isUnread(answer) && !isJson(answer.headers['content-type']) && !Array.isArray(readAnswer(answer, lines)),
  )
  return {
    ...{ entry, configuration, replaced: replacer.replaced },
    problems: [
      ...problems,
      ...listLacking(connection, configuration, options.configuration),
      ...leaks,
      ...unread.map(() => 'an answer is no JSON, and its text cannot be searched for secrets'),
    ],
  }
}

/** An answer, and the request that it belongs to. A pasted answer belongs to any. */
interface Pasted {
  readonly request?: { readonly method: string; readonly url: URL; readonly headers: Readonly<Record<string, string>> }
  readonly answer: HttpAnswer
}

const readPairs = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (Array.isArray(value) ? value : []).filter(isObject).map(({ name, value: text }) => [String(name).toLowerCase(), String(text)]),
  )

/** Reads an entry of a HAR file; nothing for one without an answer. */
function readLogEntry({ request, response }: Readonly<Record<string, unknown>>): readonly Pasted[] {
  if (!isObject(request) || !isObject(response) || !URL.canParse(String(request['url']))) return []
  const { text = '', encoding } = isObject(response['content']) ? response['content'] : {}
  const body = encoding === 'base64' ? Buffer.from(String(text), 'base64').toString() : String(text)
  return [
    {
      request: { method: String(request['method']), url: new URL(String(request['url'])), headers: readPairs(request['headers']) },
      answer: { status: Number(response['status']), headers: readPairs(response['headers']), text: body },
    },
  ]
}

/** Writes a query in one order. @param secret names that carry credentials, which differ */
const writeQuery = (url: URL, secret: ReadonlySet<string>): string =>
  [...url.searchParams]
    .filter(([name]) => !secret.has(name))
    .map((pair) => pair.join('='))
    .toSorted()
    .join('&')

/** Most requests of a file that an error names. */
const mostNamed = 5
/** Longest value of a query that an error shows: a longer one can be a credential. */
const longestShown = 12

function nameRequest({ method, url }: { readonly method: string; readonly url: URL }): string {
  const query = [...url.searchParams].map(([name, value]) => `${name}=${value.length > longestShown ? '…' : value}`).join('&')
  return `${method} ${url.pathname}${query === '' ? '' : `?${query}`}`
}

/** A file that answers. */
export class PastedVendor implements HttpSender {
  /** True: the file says which requests its answers belong to. */
  readonly isHar: boolean
  readonly #left: Pasted[]
  readonly #all: readonly Pasted[]
  readonly #secretQuery: ReadonlySet<string>
  #last: { readonly request: string; readonly answer: HttpAnswer; times: number } | undefined

  /**
   * @param text a HAR file, or the body of one answer
   * @param secretQuery names of the query that carry credentials
   */
  constructor(text: string, secretQuery: ReadonlySet<string> = new Set()) {
    this.#secretQuery = secretQuery
    const value = tryReadJson(text)
    const log = isObject(value) && isObject(value['log']) ? value['log']['entries'] : undefined
    this.isHar = Array.isArray(log)
    const headers = value === undefined ? {} : { 'content-type': 'application/json' }
    const one: Pasted = { answer: { status: 200, headers, text } }
    this.#all = Array.isArray(log) ? log.filter(isObject).flatMap(readLogEntry) : [one]
    this.#left = [...this.#all]
  }

  /** Finds the address of the vendor: that of the first request with this method and path. */
  findOrigin({ method, url }: HttpRequest): string | undefined {
    return this.#all.find(({ request }) => request?.method === method && request.url.pathname === url.pathname)?.request?.url.origin
  }

  /** Lists values of headers and of the query that carry credentials: no recording may hold them. */
  listSecrets(headers: ReadonlySet<string>): readonly (readonly [name: string, value: string])[] {
    return this.#all.flatMap(({ request }) => {
      if (request === undefined) return []
      const sent = Object.entries(request.headers).filter(([name]) => headers.has(name) || /^(?:authorization|cookie)$/.test(name))
      const asked = [...request.url.searchParams].filter(([name]) => this.#secretQuery.has(name))
      const parts = sent.flatMap(([name, value]) =>
        [...value.matchAll(name === 'cookie' ? /=([^;]+)/g : /(\S+)$/g)].map(([, part = '']): [string, string] => [name, part]),
      )
      return [...sent, ...parts, ...asked].filter(([, value]) => value.length >= 8)
    })
  }

  async send({ method, url, body }: HttpRequest): Promise<HttpAnswer> {
    const fits = ({ request }: Pasted): boolean =>
      request === undefined ||
      (request.method === method &&
        request.url.pathname === url.pathname &&
        writeQuery(request.url, this.#secretQuery) === writeQuery(url, this.#secretQuery))
    const sent = writeJson([method, url.href, body ?? null])
    const index = this.#left.findIndex(fits)
    const [found] = index < 0 ? [] : this.#left.splice(index, 1)
    if (found !== undefined) this.#last = { request: sent, answer: found.answer, times: 0 }
    // A further attempt of a call gets the same answer; another page does not.
    if (this.#last?.request === sent && this.#last.times < maxAttempts) {
      this.#last.times += 1
      return this.#last.answer
    }
    const others = this.#left.flatMap((each) => (each.request === undefined ? [] : nameRequest(each.request))).slice(0, mostNamed)
    const instead = others.length === 0 ? '' : `, but to ${others.join(', ')}`
    throw fail(
      'validation_failed',
      { reason: `the file has no answer to ${nameRequest({ method, url })}${instead}` },
      { hint: 'Give the parameters of a call that the file has, or make the call in the browser and save the file again.' },
    )
  }

  open(): never {
    throw fail('validation_failed', { reason: 'a file has no downloads' })
  }

  async close(): Promise<void> {}
}

const fileIndent = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`)

const writeEmptyFile = (kind: string, configuration: Values): string => {
  const config = Object.keys(configuration).length === 0 ? '' : ` "config": ${writeJson(configuration)},\n`
  return `{\n "kind": ${writeJson(kind)},\n${config} "recordings": [\n ]\n}\n`
}

/** Adds a recording at the end. @param given the file's text, which was read without mistakes; undefined for a new file */
export async function addRecording(
  given: string | undefined,
  { kind, configuration, entry }: { readonly kind: string; readonly configuration: Values; readonly entry: Values },
): Promise<string> {
  const { findNodeAtLocation, parseTree } = await import('jsonc-parser')
  const text = given ?? writeEmptyFile(kind, configuration)
  const root = parseTree(text)
  const list = root === undefined ? undefined : findNodeAtLocation(root, ['recordings'])
  if (list === undefined) return text
  const last = list.children?.at(-1)
  const at = last === undefined ? list.offset + 1 : last.offset + last.length
  const added = `${last === undefined ? '' : ','}\n  ${fileIndent(formatJson(entry), '  ')}`
  return text.slice(0, at) + added + text.slice(at)
}
