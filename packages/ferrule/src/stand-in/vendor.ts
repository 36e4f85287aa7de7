/** Plays a vendor from the recordings of a kind: what it answers to a request. It stores nothing, so a write changes no later answer. */
import type { ConnectorDefinition } from '../definition/connector.ts'
import { describedSlot, type Operation } from '../definition/entity.ts'
import { isObject } from '../definition/object.ts'
import { findListPath, getAt, listWithin, parsePath, withAt } from '../engine/json/paths.ts'
import type { ErrorCode } from '../errors.ts'
import { compareRequests, matchesTarget } from '../kind-recordings/compare-requests.ts'
import { findLines, readLines, writeLines } from '../kind-recordings/lines.ts'
import type { Exchange, RecordedAnswer, Recording, Recordings } from '../kind-recordings/recording.ts'
import { listSecretQuery } from '../kind-recordings/replay-connection.ts'
import { writeJson } from '../values/json/json.ts'
import { decodePart, escapePattern } from '../values/texts.ts'
import { readSent, type SentRequest } from './requests.ts'

/** What statuses mean, for vendors that say it by codes. */
const meanings: Readonly<Record<number, ErrorCode>> = {
  401: 'upstream_auth_failed',
  403: 'upstream_permission_denied',
  404: 'record_not_found',
  409: 'upstream_conflict',
  422: 'upstream_invalid_request',
  429: 'upstream_rate_limited',
}

class Failures {
  readonly #definition: ConnectorDefinition
  readonly #recorded: readonly RecordedAnswer[]

  constructor(definition: ConnectorDefinition, recordings: readonly Recording[]) {
    this.#definition = definition
    this.#recorded = recordings.flatMap(({ exchanges }) => exchanges.map(({ answer }) => answer)).filter(({ status }) => status >= 400)
  }

  /** Builds a refusal. @param message where no recording has this status */
  build(status: number, message: string): RecordedAnswer {
    const recorded = this.#recorded.find((answer) => answer.status === status)
    return recorded ?? { status, headers: { 'content-type': 'application/json' }, body: this.#buildBody(status, message) }
  }

  #buildBody(status: number, message: string): unknown {
    const { problem, errors } = this.#definition
    const isPath = (path: string): boolean => !path.startsWith('header:')
    const code = errors.find(({ is, codes }) => is === meanings[status] && codes !== undefined)?.codes?.[0]
    const [at = 'message'] = problem.message.filter(isPath)
    const said = withAt(undefined, parsePath(at), message)
    const coded =
      problem.code === undefined || code === undefined || !isPath(problem.code) ? said : withAt(said, parsePath(problem.code), code)
    const { failed } = problem
    return failed?.is === undefined ? coded : withAt(coded, parsePath(failed.at), failed.is)
  }
}

/** An operation that a request can be of, with the values of its path. */
interface Candidate {
  readonly entity: string
  readonly action: string
  readonly operation: Operation
  readonly slots: Readonly<Record<string, string>>
}

const isSuccess = ({ status }: RecordedAnswer): boolean => status < 300

/** Makes an expression of a text with slots, such as a path. Values are bounded: two slots in one part would else cost time squared. */
export const toPattern = (path: string): RegExp =>
  new RegExp(
    `^${path
      .split(/(\{\w+\})/)
      .map((part) => (part.startsWith('{') ? `(?<${part.slice(1, -1)}>[^/]{1,500})` : escapePattern(part)))
      .join('')}$`,
  )

/** Returns the pages of the nearest of some recordings: that whose first fitting request differs least. What was asked before it is left out. */
function findNearest(recordings: readonly Recording[], request: SentRequest, secret: ReadonlySet<string>): readonly Exchange[] | undefined {
  let nearest: { readonly pages: readonly Exchange[]; readonly count: number } | undefined
  for (const { exchanges } of recordings) {
    const first = exchanges.find((each) => matchesTarget(each.request, request))
    if (first === undefined) continue
    const count = compareRequests(first.request, request, secret).length
    if (nearest === undefined || count < nearest.count) nearest = { pages: exchanges.slice(exchanges.indexOf(first)), count }
  }
  return nearest?.pages
}

/** Puts the rows of lines beside their text, where those of JSON are. */
function withRowsOfLines(definition: ConnectorDefinition, recording: Recording): Recording {
  const lines = findLines(definition, recording.entity, recording.action)
  if (lines === undefined) return recording
  const read = ({ request, answer }: Exchange): Exchange =>
    answer.text === undefined ? { request, answer } : { request, answer: { ...answer, body: readLines(lines, answer.text) } }
  return { ...recording, exchanges: recording.exchanges.map(read) }
}

/** The vendor of a kind. */
export class RecordedVendor {
  readonly failures: Failures
  readonly #definition: ConnectorDefinition
  readonly #recordings: readonly Recording[]
  readonly #patterns = new Map<Operation, RegExp>()
  readonly #rows = new Map<string, readonly unknown[]>()
  /** Names of the query that carry credentials. */
  readonly #secret: ReadonlySet<string>
  /** The prefix of the recordings. */
  readonly #prefix: string
  /** The prefix of the kind's other address; undefined if it has none. */
  readonly #other: RegExp | undefined

  constructor(definition: ConnectorDefinition, { recordings, configuration }: Recordings) {
    this.#definition = definition
    this.#recordings = recordings.map((each) => withRowsOfLines(definition, each))
    this.failures = new Failures(definition, recordings)
    this.#secret = listSecretQuery(definition)
    const { other } = definition.origins
    const isOther = other !== undefined && configuration[other.configuration] !== undefined
    const prefix = (isOther ? other.prefix : (definition.prefix ?? '')).replaceAll(/\{(\w+)\}/g, (slot, name: string) =>
      String(configuration[name] ?? slot),
    )
    this.#prefix = prefix
    this.#other = other === undefined ? undefined : new RegExp(toPattern(other.prefix).source.replace(/\$$/, '(?=/)'))
    for (const operation of Object.values(definition.entities).flatMap((entity) => this.#listOperations(entity)))
      this.#patterns.set(operation, toPattern(prefix + operation.call.slice(operation.call.indexOf(' ') + 1)))
  }

  #listOperations(entity: ConnectorDefinition['entities'][string]): readonly Operation[] {
    return [entity.list, entity.get, entity.create, entity.update, entity.delete].filter((each) => each !== undefined)
  }

  /** Answers a request. What goes to the kind's other address gets the same answers. */
  answer(sent: SentRequest): RecordedAnswer {
    const request = this.#other === undefined ? sent : { ...sent, url: new URL(sent.url) }
    if (this.#other !== undefined) request.url.pathname = sent.url.pathname.replace(this.#other, () => this.#prefix)
    const exact = this.#findExact(request)
    if (exact !== undefined) return exact
    const [candidate] = this.#findCandidates(request)
    if (candidate === undefined) return this.failures.build(404, 'The sandbox knows no such path.')
    if (candidate.action === 'list') return this.#answerList(candidate, request)
    return candidate.action === 'get' ? this.#answerGet(candidate, request) : this.#answerWrite(candidate, request)
  }

  /** Finds the answer of the same request; one that succeeds comes first, because the other ones can be had on demand. */
  #findExact(request: SentRequest): RecordedAnswer | undefined {
    const found = this.#recordings.flatMap(({ entity, action, exchanges }) => {
      const document = this.#findOperation(entity, action)?.graphql
      if (document !== undefined && readSent(request, 'query') !== document) return []
      return exchanges.filter((each) => compareRequests(each.request, request, this.#secret).length === 0)
    })
    return (found.find(({ answer }) => isSuccess(answer)) ?? found[0])?.answer
  }

  #findOperation(entity: string, action: string): Operation | undefined {
    const actions = this.#definition.entities[entity]
    const isKnown = action === 'list' || action === 'get' || action === 'create' || action === 'update' || action === 'delete'
    return isKnown ? actions?.[action] : undefined
  }

  /** Finds the operations that a request can be of, those with recordings first. */
  #findCandidates(request: SentRequest): readonly Candidate[] {
    const found = Object.entries(this.#definition.entities).flatMap(([entity]) =>
      (['list', 'get', 'create', 'update', 'delete'] as const).flatMap((action): Candidate[] => {
        const operation = this.#findOperation(entity, action)
        if (operation === undefined || !operation.call.startsWith(`${request.method} `)) return []
        const match = this.#patterns.get(operation)?.exec(request.url.pathname)
        if (!match || !this.#fits(operation, request)) return []
        const slots = Object.entries(match.groups ?? {}).map(([name, value]) => [name, decodePart(value)] as const)
        return [{ entity, action, operation, slots: Object.fromEntries(slots) }]
      }),
    )
    return found.toSorted((one, other) => this.#successes(other).length - this.#successes(one).length)
  }

  /** Returns whether documents, fixed values and texts of an operation are those of a request. */
  #fits({ graphql, constant = {}, text = {}, send = {} }: Operation, request: SentRequest): boolean {
    if (graphql !== undefined && readSent(request, 'query') !== graphql) return false
    const areSame = Object.entries(constant).every(([path, value]) =>
      typeof value === 'object'
        ? writeJson(getAt(request.json, parsePath(path)) ?? value) === writeJson(value)
        : (readSent(request, path) ?? String(value)) === String(value),
    )
    // What the vendor describes differs by account, so only the text before and after it is known.
    const begins = ([name, { start = '' }]: readonly [string, { readonly start?: string }]): boolean => {
      const [head = '', ...rest] = start.split(describedSlot)
      const sent = readSent(request, send[name]?.to ?? name)
      return sent === undefined || (sent.startsWith(head) && rest.every((part) => sent.includes(part)))
    }
    return areSame && Object.entries(text).every(begins)
  }

  #successes({ entity, action }: Pick<Candidate, 'entity' | 'action'>): readonly Recording[] {
    return this.#recordings.filter(
      (each) =>
        each.entity === entity &&
        each.action === action &&
        each.error === undefined &&
        each.exchanges.some(({ answer }) => isSuccess(answer)),
    )
  }

  /** Lists the rows that recordings show of an entity. */
  #listRows(entity: string): readonly unknown[] {
    const known = this.#rows.get(entity)
    if (known !== undefined) return known
    const rows = (['list', 'get'] as const).flatMap((action) => {
      const at = parsePath(this.#findOperation(entity, action)?.at ?? '')
      const answers = this.#successes({ entity, action }).flatMap(({ exchanges }) =>
        exchanges.flatMap(({ answer }) => (listWithin(answer.body, at) ?? []).map(([found]) => found)),
      )
      return answers.flat().filter(isObject)
    })
    this.#rows.set(entity, rows)
    return rows
  }

  #answerList(candidate: Candidate, request: SentRequest): RecordedAnswer {
    const all = this.#successes(candidate)
    const nearest = findNearest(all, request, this.#secret)
    const pages = (nearest ?? all[0]?.exchanges ?? []).filter(({ answer }) => isSuccess(answer))
    const last = pages.at(-1)
    if (last === undefined) return this.failures.build(404, `The recordings have no ${candidate.entity} list.`)
    // Records of another parent are not those of this one.
    if (nearest === undefined) return this.#withoutRows(last.answer, candidate.operation)
    return this.#choosePage(pages, candidate.operation, request) ?? this.#withoutRows(last.answer, candidate.operation)
  }

  /** Chooses the page of a walk. Pages that the caller counts are cut again, since its size can be another one. */
  #choosePage(pages: readonly Exchange[], operation: Operation, request: SentRequest): RecordedAnswer | undefined {
    const [first] = pages
    const way = this.#definition.pages[operation.page ?? '']
    if (first === undefined || way === undefined || !('position' in way) || way.send === undefined) return first?.answer
    const { send, position } = way
    const sent = readSent(request, send)
    if (position === 'rows' || position === 'pages')
      return this.#cutPage(pages, operation, { request, sent: Number(sent ?? Number.NaN), way })
    if (sent === undefined || sent === '') return first.answer
    const isHere = ({ request: written }: Exchange): boolean =>
      (written.query.find(([name]) => name === send)?.[1] ??
        String(getAt(written.body, parsePath(send)) ?? getAt(written.body, parsePath(`variables.${send}`)))) === sent
    return pages.find(isHere)?.answer
  }

  #cutPage(
    pages: readonly Exchange[],
    operation: Operation,
    { request, sent, way }: { request: SentRequest; sent: number; way: { position: string; first?: 0 | 1; size?: { send: string } } },
  ): RecordedAnswer | undefined {
    const [first] = pages
    const last = pages.at(-1)
    if (first === undefined || last === undefined) return undefined
    const at = findListPath(parsePath(operation.at))
    const rows = pages.map(({ answer }) => getAt(answer.body, at)).flatMap((each) => (Array.isArray(each) ? each : []))
    const size = Math.max(1, Number(readSent(request, way.size?.send ?? '') ?? Number.NaN) || rows.length)
    const begin = way.first ?? 1
    const start = Number.isNaN(sent) ? 0 : way.position === 'rows' ? sent : (sent - begin) * size
    const isLast = start + size >= rows.length
    return this.#withRows(isLast ? this.#withEnd(last.answer, operation) : first.answer, operation, rows.slice(start, start + size))
  }

  /** Makes an empty list: what counts records of the recorded one would say that some are missing. */
  #withoutRows(recorded: RecordedAnswer, operation: Operation): RecordedAnswer {
    const { body: ended, ...answer } = this.#withRows(this.#withEnd(recorded, operation), operation, [])
    if (!isObject(ended)) return { ...answer, body: ended }
    const body = Object.entries(ended).map(([name, value]) => [name, typeof value === 'number' && /total|count/i.test(name) ? 0 : value])
    return { ...answer, body: Object.fromEntries(body) }
  }

  /** Ends a list behind its last recorded page, although the vendor has more. */
  #withEnd(answer: RecordedAnswer, { page = '' }: Operation): RecordedAnswer {
    const way = this.#definition.pages[page]
    if (way?.shape !== 'next') return answer
    const { position, more = '', total } = way
    let { body } = answer
    for (const [path, value] of [
      [position, null],
      [more.replace('!', ''), more.startsWith('!')],
      [total ?? '', null],
    ] as const)
      if (path !== '' && getAt(body, parsePath(path)) !== undefined) body = withAt(body, parsePath(path), value)
    return { ...answer, body }
  }

  #withRows(answer: RecordedAnswer, { at, format }: Operation, rows: readonly unknown[]): RecordedAnswer {
    const { link: _link, ...headers } = answer.headers
    const { text = '' } = answer
    if (format !== undefined)
      return { ...answer, headers: rows.length === 0 ? headers : answer.headers, text: writeLines(format, rows, text) }
    return {
      ...answer,
      headers: rows.length === 0 ? headers : answer.headers,
      body: withAt(answer.body, findListPath(parsePath(at)), [...rows]),
    }
  }

  /** Finds the row that the parameters of a call name; undefined: none; null: the call names no record. */
  #findRow({ entity, operation, slots }: Candidate, request: SentRequest): unknown {
    const { record = {}, from = {}, key = [] } = this.#definition.entities[entity] ?? {}
    const names = Object.keys(operation.params).filter(
      (name) => record[name] !== undefined && (Object.hasOwn(slots, name) || key.includes(name)),
    )
    const wanted = names.flatMap((name): [string, string][] => {
      const value = slots[name] ?? readSent(request, operation.send?.[name]?.to ?? name)
      return value === undefined ? [] : [[from[name]?.rename ?? from[name]?.copy ?? name, value]]
    })
    if (wanted.length === 0) return null
    return this.#listRows(entity).find((row) => wanted.every(([path, value]) => String(getAt(row, parsePath(path))) === value))
  }

  #answerGet(candidate: Candidate, request: SentRequest): RecordedAnswer {
    const row = this.#findRow(candidate, request)
    const recorded = findNearest(this.#successes(candidate), request, this.#secret)?.[0]?.answer ?? this.#findAny(candidate)
    if (row === null && recorded !== undefined) return recorded
    if (row === undefined || row === null) return this.failures.build(404, `The recordings have no such record of ${candidate.entity}.`)
    const body = withAt(recorded?.body, parsePath(candidate.operation.at), row)
    return { status: 200, headers: { 'content-type': 'application/json', ...recorded?.headers }, body }
  }

  /** Finds the first answer that succeeded of an operation, whatever was asked. */
  #findAny(candidate: Candidate): RecordedAnswer | undefined {
    return this.#successes(candidate)[0]?.exchanges.find(({ answer }) => isSuccess(answer))?.answer
  }

  /** Answers a write as it was recorded, with the values that were sent. */
  #answerWrite(candidate: Candidate, request: SentRequest): RecordedAnswer {
    const { entity, action, operation } = candidate
    const row = this.#findRow(candidate, request)
    if (row === undefined) return this.failures.build(404, `The recordings have no such record of ${entity}.`)
    const recorded = findNearest(this.#successes(candidate), request, this.#secret)?.find(({ answer }) => isSuccess(answer))
    const answer = recorded?.answer ?? this.#findAny(candidate)
    if (answer === undefined) return this.failures.build(404, `The recordings have no ${entity} ${action}.`)
    const at = parsePath(operation.at)
    const record = getAt(answer.body, at)
    if (!isObject(record) || action === 'delete') return answer
    const sent = Object.keys(operation.params).flatMap((name) => {
      const value = readSent(request, operation.send?.[name]?.to ?? name)
      return typeof record[name] === 'string' && value !== undefined ? [[name, value] as const] : []
    })
    const known = isObject(row) && operation.answers !== 'part' ? row : {}
    return { ...answer, body: withAt(answer.body, at, { ...record, ...known, ...Object.fromEntries(sent) }) }
  }
}
