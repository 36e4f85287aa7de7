/** Tests a kind against its recordings, without a network. All findings come at once. */

import { findSyncedOperation } from '../definition/check-sync.ts'
import type { ConnectorDefinition, Kind } from '../definition/connector.ts'
import { type EntityDefinition, isWriting, listLiveActions, liveActions, type Operation } from '../definition/entity.ts'
import { type Field, type Fields, isExactInteger } from '../definition/fields.ts'
import { isObject } from '../definition/object.ts'
import type { Since } from '../definition/sync.ts'
import { findOperation } from '../engine/call/operation.ts'
import type { Connection } from '../engine/connection.ts'
import type { HttpRequest } from '../engine/http/http.ts'
import { copyJson, getAt, parsePath, setAt } from '../engine/json/paths.ts'
import { buildStart, buildTimeReader, parseTime, toParamPath } from '../engine/json/vendor-times.ts'
import { asFerruleError, FerruleError } from '../errors.ts'
import type { Mistake } from '../kind-file/mistakes.ts'
import { writeJson } from '../values/json/json.ts'
import { findNearNames } from '../values/near-names.ts'
import { listMissing, show } from './compare-requests.ts'
import { type Finding, FindingList, type TestedFiles } from './findings.ts'
import { credentialForms, listLeaks } from './leaks.ts'
import { type ReadRecordings, readRecordings } from './read-recordings.ts'
import type { Recording, Recordings } from './recording.ts'
import { catchRequest, loseAnswer, type Replay, replay } from './replay.ts'
import { createReplayConnection, listSecretHeaders, listSecretQuery } from './replay-connection.ts'

// Checks recordings that somebody uploads with a kind: other people would see their secrets in the sandbox.

/** Names whose values are credentials at every vendor. */
const secretName =
  /^(?:access|refresh|id|bearer|auth|session)_?token$|^(?:client_?)?secret$|^(?:pass(?:word|wd|phrase)|(?:api|private|secret)_?key)$/i
/** What `kind try` writes instead of a credential, or something as short. */
const invented = /^(?:recorded-[\w-]+|token-\d+|9+\d*|x+\d*|[^\s]{0,11})$/

function* listSecretMembers(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const inner of value) yield* listSecretMembers(inner)
  else if (isObject(value))
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === 'string' && secretName.test(name) && !invented.test(inner)) yield name
      yield* listSecretMembers(inner)
    }
}

function listSecrets(recording: Recording, definition: ConnectorDefinition): readonly string[] {
  const [headers, query] = [listSecretHeaders(definition), listSecretQuery(definition)]
  const names = new Set(listSecretMembers([recording.params, recording.data, recording.exchanges]))
  for (const { request, answer } of recording.exchanges) {
    for (const name of [...Object.keys(request.headers), ...Object.keys(answer.headers)]) if (headers.has(name)) names.add(name)
    for (const [name] of request.query) if (query.has(name)) names.add(name)
    for (const [name, value] of request.form ?? []) if (secretName.test(name) && !invented.test(value)) names.add(name)
  }
  return [
    ...listLeaks(recording),
    ...[...names].map((name) => `${name} carries a credential, which no recording holds: leave it out, or write token-1 instead`),
  ]
}

/** Finds credentials anywhere in the text: in samples that nothing uses, in names, in the configuration. */
function findInText(text: string): readonly string[] {
  return credentialForms.flatMap(([name, form]) => (form.test(text) ? [`the file holds ${name}, or a text that looks like one`] : []))
}

/**
 * Checks the text of recordings that are uploaded with a kind. Recordings with anything that looks like a secret are refused; no message
 * quotes one.
 * @param options `name`: name of the file, for mistakes; `definition`: the kind
 */
export async function checkUploadedRecordings(
  text: string,
  { name, definition }: { readonly name: string; readonly definition: ConnectorDefinition },
): Promise<ReadRecordings> {
  const { file, mistakes } = await readRecordings(text, { name })
  if (file === undefined) return { file, mistakes }
  const said = file.recordings.flatMap((recording) =>
    listSecrets(recording, definition).map((message): Mistake => ({ file: name, ...recording.at, path: '', message })),
  )
  const start = { file: name, line: 1, column: 1, path: '' }
  const found = [
    ...(file.kind === definition.kind
      ? []
      : [{ ...start, path: 'kind', message: `these are recordings of ${file.kind}, and the kind is ${definition.kind}` }]),
    ...(said.length > 0 ? said : findInText(text).map((message): Mistake => ({ ...start, message }))),
  ]
  return { file: found.length === 0 ? file : undefined, mistakes: found }
}

const isWhole = (value: unknown): boolean => typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))

const types: Readonly<Record<string, (value: unknown, field: Field) => boolean>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number' || typeof value === 'bigint',
  integer: (value, field) => isWhole(value) || (isExactInteger(field) && typeof value === 'bigint'),
  object: isObject,
  array: Array.isArray,
  null: (value) => value === null,
}

const day = /^\d{4}-\d{2}-\d{2}$/
const decimal = /^-?\d+(?:\.\d+)?$/

/** Returns what a text must be and is not; undefined if it fits. */
function findWrongForm(field: Field, value: string): string | undefined {
  if (field.format === 'date-time' && Number.isNaN(parseTime(value, field))) return 'a date-time'
  if (field.format === 'date' && !day.test(value)) return 'a date'
  return field['x-compare'] === 'decimal' && !decimal.test(value) ? 'a decimal number' : undefined
}

/** Lists what does not fit a field: the path, what is there, and what the kind says. */
function listValueProblems(field: Field, value: unknown, at: string): string[] {
  const named = [field.type ?? []].flat()
  if (value === null && named.length > 0 && !named.includes('null'))
    return [`${at} is null or missing, and the kind says that it is always there: a ? behind its type allows it`]
  if (named.length > 0 && !named.some((type) => types[type]?.(value, field) ?? true))
    return [`${at} is ${show(value)}, and the kind says ${named.join(' or ')}`]
  if (typeof value === 'string') {
    const form = findWrongForm(field, value)
    return form === undefined ? [] : [`${at} is ${show(value)}, and the kind says ${form}`]
  }
  const { items, properties } = field
  if (Array.isArray(value))
    return items === undefined ? [] : value.flatMap((one, index) => listValueProblems(items, one, `${at}[${index}]`))
  return isObject(value) && properties !== undefined ? listTypeProblems(properties, value, `${at}.`) : []
}

const listTypeProblems = (fields: Fields, record: Readonly<Record<string, unknown>>, at = ''): string[] =>
  Object.entries(fields).flatMap(([name, field]) => listValueProblems(field, record[name] ?? null, `${at}${name}`))

/** Notes which fields records have, and which of them the kind does not know. */
class SeenFields {
  readonly #filled = new Set<string>()
  readonly #unknown = new Set<string>()

  add(fields: Fields, record: Readonly<Record<string, unknown>>, at = ''): void {
    for (const [name, value] of Object.entries(record)) {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (field === undefined) this.#unknown.add(`${at}${name}`)
      else if (value !== null) this.#addKnown(field, value, `${at}${name}`)
    }
  }

  #addKnown(field: Field, value: unknown, at: string): void {
    this.#filled.add(at)
    const { properties, items } = field
    if (Array.isArray(value)) for (const one of value) this.#addKnown(items ?? {}, one, at)
    else if (properties !== undefined && isObject(value)) this.add(properties, value, `${at}.`)
  }

  get unknown(): readonly string[] {
    return [...this.#unknown].toSorted()
  }

  /** Lists fields of the kind that no record has, by their paths. Below a field that is missing no more is said. */
  listMissing(fields: Fields, at = ''): readonly string[] {
    return Object.entries(fields).flatMap(([name, field]) => {
      const path = `${at}${name}`
      if (!this.#filled.has(path)) return [path]
      return this.listMissing(field.properties ?? field.items?.properties ?? {}, `${path}.`)
    })
  }
}

const describeError = (error: unknown): string =>
  error instanceof FerruleError
    ? `${error.code}: ${error.message} ${error.errors.map(({ message }) => message).join(' ')}`.trim()
    : String(error)

/** Lists the records of a replay. */
export const listRecords = ({ data }: Pick<Replay, 'data'>): readonly Values[] => (Array.isArray(data) ? data : [data]).filter(isObject)

const readKeyPart = (record: Values, path: string, params: Values): unknown =>
  path.startsWith('param.') ? getAt(params, parsePath(path.slice('param.'.length))) : getAt(record, parsePath(path))

/** Lists records without a key, and keys that stand twice. */
export function listKeyProblems({ key }: Pick<EntityDefinition, 'key'>, records: readonly Values[], params: Values): string[] {
  const seen = new Set<string>()
  return records.flatMap((record, index) => {
    const parts = key.map((path) => readKeyPart(record, path, params))
    const missing = key.filter((_path, part) => (parts[part] ?? null) === null)
    if (missing.length > 0) return [`record ${index + 1} has no ${missing.join(' and no ')}, which is the key`]
    const text = writeJson(parts)
    if (key.length > 0 && seen.has(text))
      return [`the key ${show(parts.length === 1 ? parts[0] : parts)} stands twice: record ${index + 1} has it again`]
    seen.add(text)
    return []
  })
}

const listTypes = ({ record = {} }: EntityDefinition, action: string, records: readonly Values[]): string[] =>
  records.flatMap((each, index) => listTypeProblems(record, each, action === 'list' ? `[${index}].` : ''))

function listEndProblems({ error: expected, action, hasMore, data }: Recording, done: Replay): string[] {
  const code = done.error instanceof FerruleError ? done.error.code : undefined
  if (expected !== undefined)
    return code === expected
      ? []
      : [`ends with ${done.error === undefined ? 'data' : describeError(done.error)}, and ${expected} is written`]
  if (done.error !== undefined) return [`fails with ${describeError(done.error)}`]
  const isCut = hasMore && !done.hasMore && action === 'list'
  return [
    ...(isCut ? ['the walk ends with the last recorded page, and more is written'] : []),
    ...done.doubts.map((doubt) => `the walk ends although there may be more: ${doubt}`),
    ...(data === undefined ? [] : listMissing(data, done.data, 'data')),
  ]
}

const needsData = (connection: Connection, { entity, action, data, error }: Recording): boolean =>
  data === undefined && error === undefined && connection.kind.definition.entities[entity]?.[action as 'list']?.answers !== 'nothing'

/** Repeats a write whose answer is lost: it is sent once, or again with the key by which the vendor knows it. */
async function checkLostAnswer(connection: Connection, recording: Recording, findings: FindingList): Promise<void> {
  const { entity, action } = recording
  const { once } = findOperation(connection.kind, entity, action).operation
  const { sent, error } = await loseAnswer(connection, recording)
  if (once === undefined) {
    if (sent.length !== 1) findings.fail(recording, `a write whose answer is lost is sent ${sent.length} times`)
    const isUnknown = error instanceof FerruleError && error.code === 'outcome_unknown'
    if (!isUnknown) findings.fail(recording, `a write whose answer is lost ends with ${describeError(error)}, and not with outcome_unknown`)
    return
  }
  const keys = new Set(sent.map(({ headers }) => headers[once]))
  if (keys.size !== 1 || keys.has(undefined)) findings.fail(recording, `a repeated write has another ${once}`)
}

/** Tests a recording. @returns what it brought */
async function checkCall(connection: Connection, recording: Recording, findings: FindingList): Promise<Replay | undefined> {
  const { entity: name, action, params } = recording
  const { entity, operation } = findOperation(connection.kind, name, action)
  if (action === 'download') {
    findings.fail(recording, 'a download has a file and no record: leave it out')
    return undefined
  }
  const done = await replay(connection, recording)
  findings.fail(recording, ...done.problems, ...listEndProblems(recording, done))
  if (recording.error !== undefined || done.error !== undefined) return undefined
  if (needsData(connection, recording)) findings.fail(recording, 'lacks data: what the call returns')
  if (recording.meta !== undefined) findings.fail(recording, ...listMissing(recording.meta, done.meta, 'meta'))
  const records = listRecords(done)
  const { answers = 'record' } = operation
  // A part of a record need not have its key.
  if (answers === 'record') findings.fail(recording, ...listKeyProblems(entity, records, params), ...listTypes(entity, action, records))
  if (isWriting(findOperation(connection.kind, name, action).action)) await checkLostAnswer(connection, recording, findings)
  return done
}

type Values = Readonly<Record<string, unknown>>

interface WalkedList {
  readonly params: Values
  readonly records: readonly Values[]
}

const writeRequest = ({ method, url, body = '' }: HttpRequest): string => `${method} ${url.href} ${body}`

async function listRequestProblems(
  connection: Connection,
  { name, definition, since }: { readonly name: string; readonly definition: EntityDefinition; readonly since: Since },
  { params, times }: { readonly params: Values; readonly times: readonly number[] },
): Promise<string[]> {
  const ask = async (time: number): Promise<string> => {
    const given: Record<string, unknown> = copyJson(params)
    setAt(given, toParamPath(definition, since.param), buildStart(since, new Date(time).toISOString()))
    return writeRequest(await catchRequest(connection, { entity: name, action: 'list', params: given }))
  }
  try {
    const [first, last] = [await ask(Math.min(...times)), await ask(Math.max(...times))]
    return first === last ? [`a sync cannot move: ${since.param} does not change the request`] : []
  } catch (thrown) {
    if (!(thrown instanceof FerruleError)) throw thrown
    return [`a sync cannot ask for changes: ${thrown.message} ${thrown.errors.map(({ message }) => message).join(' ')}`.trim()]
  }
}

/** Lists why the sync of an entity would not move. */
async function listSinceProblems(
  connection: Connection,
  { name, definition }: { readonly name: string; readonly definition: EntityDefinition },
  lists: readonly WalkedList[],
): Promise<string[]> {
  const { since, newest } = definition.sync ?? {}
  const field = since?.field ?? newest
  if (field === undefined || findSyncedOperation(definition) !== definition.list) return []
  const records = lists.flatMap((list) => list.records)
  const read = buildTimeReader(definition, field)
  const times = records.map(read)
  const unread = times.filter(Number.isNaN).length
  if (unread > 0) return [`a sync cannot move: ${unread} of ${times.length} records have no ${field} that is a time`]
  const day = 86_400_000
  const [first] = times
  const [list] = lists
  if (since === undefined || first === undefined || list === undefined) return []
  const same = times.every((time) => time === first)
  return listRequestProblems(
    connection,
    { name, definition, since },
    { params: list.params, times: same ? [first, first + 2 * day] : times },
  )
}

/** What a test says. */
export interface TestReport {
  /** In the order of the files. */
  readonly findings: readonly Finding[]
  readonly calls: number
  readonly requests: number
  /** Calls whose answers are the vendor's own. */
  readonly live: number
}

interface Walked {
  readonly lists: WalkedList[]
  readonly fields: SeenFields
  isSeen: boolean
  mostPages: number
}

/** Returns whether a recording names an operation of the kind; says so if not. */
function isKnown({ definition }: Kind, recording: Recording, findings: FindingList): boolean {
  const entity = Object.hasOwn(definition.entities, recording.entity) ? definition.entities[recording.entity] : undefined
  const known = entity === undefined ? Object.keys(definition.entities) : listLiveActions(entity)
  if (entity !== undefined && known.some((action) => action === recording.action)) return true
  const wrong = entity === undefined ? recording.entity : recording.action
  const [near] = findNearNames(wrong, known)
  const more = near === undefined ? `; known: ${known.join(', ')}` : `; did you mean ${near}?`
  findings.fail(recording, `${recording.entity}.${recording.action} is not an operation of the kind${more}`)
  return false
}

/** Refuses names that carry the credentials of this kind. */
function checkSecrets({ definition }: Kind, recording: Recording, findings: FindingList): void {
  const headers = listSecretHeaders(definition)
  const query = listSecretQuery(definition)
  for (const { request, answer } of recording.exchanges) {
    const named = [...Object.keys(request.headers), ...Object.keys(answer.headers)].filter((name) => headers.has(name))
    const asked = request.query.map(([name]) => name).filter((name) => query.has(name))
    for (const name of new Set([...named, ...asked]))
      findings.fail(recording, `${name} carries credentials, which no recording holds: leave it out`)
  }
  findings.fail(recording, ...listLeaks(recording))
}

interface Tested {
  readonly name: string
  readonly own: readonly Recording[]
  readonly walked: Walked
}

function checkList({ name, own, walked }: Tested, { onePage }: Operation, findings: FindingList): void {
  const list = { entity: name, action: 'list' }
  const [first] = own
  const isSaid = onePage !== undefined || own.some((recording) => recording.onePage !== undefined)
  if (first === undefined) findings.addOfKind('failure', list, 'is not recorded: a list has a recording with two pages')
  else if (walked.mostPages < 2 && !isSaid) findings.fail(first, 'has one page: record two, or say in one_page why there is no second one')
  else if (own.every(({ hasMore, error }) => hasMore || error !== undefined))
    findings.addOfKind('note', list, 'no recording shows the end of this list')
}

function checkCoverage(tested: Tested, { definition }: Kind, findings: FindingList): void {
  const { name, own } = tested
  for (const action of liveActions) {
    const operation = definition.entities[name]?.[action]
    const ofAction = own.filter((recording) => recording.action === action)
    if (operation === undefined || action === 'download') continue
    if (action === 'list') checkList({ ...tested, own: ofAction }, operation, findings)
    else if (ofAction.length === 0) findings.addOfKind('note', { entity: name, action }, 'is not recorded')
  }
}

function checkFields({ name, walked: { fields, isSeen } }: Tested, { definition }: Kind, findings: FindingList): void {
  const { record, list } = definition.entities[name] ?? {}
  if (!isSeen || record === undefined) return
  const wanting = list?.where?.filter(({ exists, not }) => exists && not).map(({ field }) => field) ?? []
  const { unknown } = fields
  const missing = fields.listMissing(record).filter((field) => !wanting.includes(field))
  if (unknown.length > 0)
    findings.addOfKind('note', { entity: name }, `records have fields that the kind does not name: ${unknown.join(', ')}`)
  if (missing.length > 0)
    findings.addOfKind('note', { entity: name }, `no recorded record has a value in these fields: ${missing.join(', ')}`)
}

async function checkRecordings(connection: Connection, { own, walked }: Tested, findings: FindingList): Promise<void> {
  for (const recording of own) {
    const done = await checkCall(connection, recording, findings)
    const entity = connection.kind.definition.entities[recording.entity]
    if (done === undefined || entity === undefined) continue
    const records = listRecords(done)
    for (const record of records) walked.fields.add(entity.record ?? {}, record)
    walked.isSeen ||= records.length > 0
    if (recording.action === 'list') walked.lists.push({ params: recording.params, records })
    walked.mostPages = Math.max(walked.mostPages, done.pages)
  }
}

async function checkEntity(connection: Connection, tested: Tested, findings: FindingList): Promise<void> {
  const { kind } = connection
  await checkRecordings(connection, tested, findings)
  checkCoverage(tested, kind, findings)
  checkFields(tested, kind, findings)
  const definition = kind.definition.entities[tested.name]
  if (definition === undefined || tested.walked.lists.length === 0) return
  for (const problem of await listSinceProblems(connection, { name: tested.name, definition }, tested.walked.lists))
    findings.addOfKind('failure', { entity: tested.name, action: 'list' }, problem)
}

/** Makes the connection of a test. @returns undefined for a configuration that the kind does not take, which is a finding */
function connect(kind: Kind, { configuration, recordings }: Recordings, findings: FindingList): Connection | undefined {
  try {
    return createReplayConnection(kind, configuration)
  } catch (thrown) {
    const { message, errors } = asFerruleError(thrown)
    const [first] = recordings
    if (first !== undefined) findings.fail(first, `config: ${[message, ...errors.map((each) => each.message)].join(' ')}`)
    return undefined
  }
}

/** Tests a kind. @param files names of the files, for findings */
export async function testKind(kind: Kind, given: Recordings, files: TestedFiles): Promise<TestReport> {
  const findings = new FindingList(files)
  const { recordings } = given
  const known = recordings.filter((recording) => isKnown(kind, recording, findings))
  for (const recording of recordings) checkSecrets(kind, recording, findings)
  const [first] = recordings
  const { kind: slug } = kind.definition
  if (given.kind !== slug && first !== undefined) findings.fail(first, `these are recordings of ${given.kind}, and the kind is ${slug}`)
  const connection = connect(kind, given, findings)
  for (const name of connection === undefined ? [] : Object.keys(kind.definition.entities)) {
    const own = known.filter((recording) => recording.entity === name)
    const walked: Walked = { lists: [], fields: new SeenFields(), isSeen: false, mostPages: 0 }
    if (connection !== undefined) await checkEntity(connection, { name, own, walked }, findings)
  }
  const place = ({ file, line, column }: Finding): string => `${file}:${String(line).padStart(7, '0')}:${String(column).padStart(7, '0')}`
  return {
    findings: findings.all.toSorted((one, other) => place(one).localeCompare(place(other))),
    calls: recordings.length,
    requests: recordings.reduce((sum, { exchanges }) => sum + exchanges.length, 0),
    live: recordings.filter(({ source }) => source === 'live').length,
  }
}
