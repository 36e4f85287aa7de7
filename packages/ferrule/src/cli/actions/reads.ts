/**
 * Commands that read what the service has: `find`, `aggregate` and `describe`; `changes` and `consumers` of copies, with a cursor in a file or kept by
 * the service; and events of the organization, by polling.
 */

import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { Consumers } from '../../client/resources/consumers.ts'
import { Events } from '../../client/resources/webhooks.ts'
import { searchEverything } from '../../client/search-everything.ts'
import { formatWebhookSecret, signWebhook } from '../../client/webhook-signature.ts'
import { relatedName } from '../../definition/check-references.ts'
import { dropAbsent, isObject } from '../../definition/object.ts'
import type { KindDocument, Schema } from '../../document/kind-document.ts'
import { isRequired, makeParams, readProperties, readTypes } from '../../document/read-schema.ts'
import { FerruleError } from '../../errors.ts'
import { listAggregateNames, parseGroups, parseMeasures } from '../../values/aggregate-text.ts'
import { writeJson } from '../../values/json/json.ts'
import type { EntityDocument } from '../../wire/definitions.ts'
import type { EventQuery, PlatformEvent } from '../../wire/events.ts'
import type { ChangesPage, ConnectorChangesPage } from '../../wire/feed/changes.ts'
import type { SearchResult } from '../../wire/overview/search.ts'
import { type CommandContext, readFlag, readList, readNumber, readText } from '../context.ts'
import { addResumption, failUsage, Interrupted, readCause, readErrorCode } from '../failure.ts'
import { describeMembers } from '../known-fields.ts'
import type { Sink } from '../output/output.ts'
import { replaceFile } from '../replace-file.ts'
import { callOptions, openSession } from '../session.ts'
import { findAction, findEntity, readKind } from '../target/kinds.ts'
import { findConnector, openHosted } from '../target/target.ts'
import { readAnswer, readRows, walkSearch, writeWalk } from '../walk.ts'
import { noteUnsynced, parseOption, readConditions, readFilter, readInclude, readSort, searchOptions, showIncluded } from './execute.ts'
import { readEventTypes } from './webhooks.ts'

/** Columns of a table; other formats have everything. */
const foundColumns = 'title,connector.name,entity,key,time'
const related = 'related'

async function readIds(context: CommandContext): Promise<readonly string[]> {
  const ids: string[] = []
  for (const name of readList(context.options, 'connector'))
    ids.push(await (await openHosted(name, context)).hosted.id(callOptions(context)))
  return ids
}

/** Says what a reader of the rows does not see. */
function noteRest(context: CommandContext, { meta, left_out }: SearchResult): void {
  const { note } = context
  if (meta.near) note('Nothing has the words as they were written: these are near.')
  for (const { kind, connector, entities, message } of left_out)
    note(`Not searched: ${entities.join(', ')} of ${connector?.name ?? kind}. ${message}`)
  for (const { kind, entities, message } of meta.not_included ?? []) note(`Not included: ${entities.join(', ')} of ${kind}. ${message}`)
  noteUnsynced(context, meta.related)
  if (meta.cursor !== null) note(`There are more: continue with --cursor ${meta.cursor}, or read all with --all.`)
}

/** Finds records of all connectors. */
export async function find(given: CommandContext): Promise<void> {
  const { args, options } = given
  const include = readInclude(given)
  const context = include === undefined ? given : { ...given, output: showIncluded(given.output, related) }
  const [text, filter] = [args.join(' ').trim(), await readFilter(context)]
  if (text === '' && filter === undefined) throw failUsage('Nothing is looked for.', 'Write words: ferrule find "acme renewal"')
  const [limit, cursor] = [readNumber(options, 'limit', 1), readText(options, 'cursor')]
  const lists = { kinds: readList(options, 'kind'), entities: readList(options, 'entity'), connectors: await readIds(context) }
  const narrowing = Object.fromEntries(Object.entries(lists).filter(([, values]) => values.length > 0))
  const search = dropAbsent({ text: text || undefined, filter, include, ...narrowing, limit, cursor })
  const session = await openSession(context)
  const load = (body: object): Promise<SearchResult> => searchEverything(session, body, callOptions(context))
  if (readFlag(options, 'all')) return writeWalk(walkSearch(load, search), context)
  const answer = await load(search)
  await context.output.page({ ...answer }, answer.data, include === undefined ? foundColumns : `${foundColumns},${related}`)
  noteRest(context, answer)
}

function readGrouping(context: CommandContext) {
  const { options } = context
  const groups = parseOption('--group-by', () => parseGroups(readList(options, 'groupBy')))
  return { groups, measures: parseOption('--measure', () => parseMeasures(readList(options, 'measure'))), include: readInclude(context) }
}

/** Describes the rows that a command line asks for. */
export function describeGroups(context: CommandContext): object {
  const { groups, measures, include } = readGrouping(context)
  return describeMembers(...listAggregateNames(groups, measures), ...(include === undefined ? [] : [relatedName]))
}

/** Says what a reader of the rows does not see. */
function noteRestOfGroups(context: CommandContext, meta: Readonly<Record<string, unknown>>): void {
  const { note } = context
  const { changed, skipped, cursor, related } = meta
  noteUnsynced(context, related)
  for (const [name, count] of isObject(skipped) ? Object.entries(skipped) : [])
    note(`Not counted in ${name}: ${count === 1 ? '1 value that is' : `${count} values that are`} no number or no time.`)
  if (changed === true) note('The copy has changed since the first page: groups can be missing or come twice.')
  if (typeof cursor === 'string') note(`There are more: continue with --cursor ${cursor}, or raise --limit, up to 10000.`)
}

/** Counts and groups. */
export async function aggregate(context: CommandContext): Promise<void> {
  const { args, options, output } = context
  const [connector = '', entity = ''] = args
  const { groups, measures, include } = readGrouping(context)
  const params = dropAbsent({
    filter: await readFilter(context),
    group_by: groups,
    measures,
    include,
    having: readConditions(context, 'having'),
    sort: readSort(context),
    limit: readNumber(options, 'limit', 1),
    cursor: readText(options, 'cursor'),
  })
  const { hosted } = await openHosted(connector, context)
  const answer = readAnswer(await hosted.aggregate(entity, params, searchOptions(context)))
  const shown = include === undefined ? output : showIncluded(output, relatedName)
  await shown.page(answer, readRows(answer) ?? [])
  if (isObject(answer.meta)) noteRestOfGroups(context, answer.meta)
}

const describeFields = (schema: Schema | null) =>
  readProperties(schema).map(([name, field]) => ({
    name,
    type: readTypes(field).join(' or ') || 'any',
    required: isRequired(schema, name),
    about: typeof field['description'] === 'string' ? field['description'] : '',
  }))

const quoteForShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Builds the same call for the command, for TypeScript and for HTTP. */
export function buildExamples(kind: KindDocument, entity: string, action: EntityDocument['actions'][number]) {
  const params = makeParams(action.params)
  const hasParams = Object.keys(params).length > 0
  const words = action.action === 'download' ? `download ${kind.kind} ${entity}` : `execute ${kind.kind} ${entity} ${action.action}`
  const body = { entity, action: action.action, ...(hasParams ? { params } : {}) }
  return {
    command: `ferrule ${words}${hasParams ? ` --params ${quoteForShell(writeJson(params))}` : ''}`,
    typescript: `await connect('${kind.kind}', options).${entity}.${action.action}(${hasParams ? writeJson(params) : ''})`,
    http: `POST /api/v1/integrations/connectors/{connector_id}/execute ${writeJson(body)}`,
  }
}

const summarize = ({ entity, description, actions, searchable }: EntityDocument) => ({
  entity,
  actions: actions.map(({ action }) => action).join(', '),
  searchable: searchable !== null,
  description,
})

/** Writes one part of a description on a terminal: a title and a table. */
async function writePart({ output }: CommandContext, title: string, rows: readonly unknown[]): Promise<void> {
  if (rows.length === 0) return
  await output.sink.write(`\n${title}\n`)
  await output.rows([rows])
}

async function describeEntity(kind: KindDocument, entity: EntityDocument, context: CommandContext): Promise<void> {
  const { output } = context
  const { actions, record, searchable } = entity
  if (output.options.format !== 'table' || output.options.jq !== undefined) return output.value({ kind: kind.kind, ...entity })
  await output.sink.write(`${kind.title}: ${entity.entity}. ${entity.description}\n`)
  await writePart(
    context,
    'Actions',
    actions.map(({ action, description }) => ({ action, description })),
  )
  await writePart(context, 'Fields of a record', describeFields(record))
  await writePart(context, 'Searchable fields', describeFields(searchable))
}

async function describeAction(kind: KindDocument, context: CommandContext): Promise<void> {
  const [, entity = '', name = ''] = context.args
  const { output } = context
  const action = findAction(kind, entity, name)
  const examples = buildExamples(kind, entity, action)
  if (output.options.format !== 'table' || output.options.jq !== undefined)
    return output.value({ kind: kind.kind, entity, ...action, examples })
  await output.sink.write(`${kind.title}: ${name} of ${entity}. ${action.description}\n`)
  await writePart(context, 'Parameters', describeFields(action.params))
  await writePart(
    context,
    'Example',
    Object.entries(examples).map(([way, call]) => ({ way, call })),
  )
}

/** Describes a kind, an entity or an action. */
export async function describe(context: CommandContext): Promise<void> {
  const [name = '', entity, action] = context.args
  const kind = await readKind(name, context)
  if (entity === undefined) return void (await context.output.list([kind.entities.map(summarize)]))
  if (action === undefined) return describeEntity(kind, findEntity(kind, entity), context)
  await describeAction(kind, context)
}

const consumerColumns = 'name,status,unread_bytes,unread_since,moved_at'

async function openConsumers(context: CommandContext) {
  const transport = await openSession(context)
  const { id, name } = await findConnector(transport, context.args[0] ?? '', context)
  return { id, name, consumers: new Consumers(transport) }
}

/** Lists the consumers of a connector. */
export async function listConsumers(context: CommandContext): Promise<void> {
  const { id, consumers } = await openConsumers(context)
  await context.output.list([await consumers.list(id, callOptions(context))], consumerColumns)
}

/** Deletes a consumer. */
export async function deleteConsumer(context: CommandContext): Promise<void> {
  const [, given = ''] = context.args
  const { id, name, consumers } = await openConsumers(context)
  await context.ask.confirm(`Delete the consumer ${given} of ${name} with its cursor`, readFlag(context.options, 'yes'))
  await context.output.value(await consumers.delete(id, given, callOptions(context)))
}

const changesOfPage = 1_000
/** Mode of a new cursor file: a cursor is no secret. */
const cursorFileMode = 0o644

/** Reads the cursor of a file; undefined when there is no such file. @throws FerruleError `validation_failed` */
async function readCursorFile(path: string): Promise<string | undefined> {
  try {
    const text = (await readFile(path, 'utf8')).trim()
    if (text !== '') return text
  } catch (thrown) {
    const code = readErrorCode(thrown)
    if (code === 'ENOENT') return undefined
    throw failUsage(`The file ${path} cannot be read (${code ?? String(thrown)}).`, 'Check the path and its permissions.')
  }
  throw failUsage(`The file ${path} has no cursor.`, 'Delete it, and run the command again: all records come first.')
}

const saveCursorFile = (path: string, cursor: string): Promise<void> =>
  replaceFile(path, `${cursor}\n`, cursorFileMode).catch((thrown: unknown) => {
    const reason = readErrorCode(thrown) ?? String(thrown)
    throw failUsage(`The file ${path} cannot be written (${reason}).`, 'Check the path and its permissions. The entries were printed.')
  })

/** What a command that ends early can continue with. */
interface Standing {
  /** Cursor behind what was printed, or the given one; undefined at the beginning, and where a file or the service keeps it. */
  after: string | undefined
}

/** Says how to continue. A cursor whose changes are lost cannot continue. */
function addPosition(thrown: unknown, { after }: Standing, signal: AbortSignal): unknown {
  if (after === undefined || (thrown instanceof FerruleError && thrown.code === 'changes_expired')) return thrown
  return addResumption(thrown, `Continue with: --after ${after}`, signal)
}

/** Yields entries, and keeps the cursor when they were printed. While nothing changes, the cursor stays. */
async function* takePages(pages: AsyncIterable<ChangesPage | ConnectorChangesPage>, sink: Sink, keep: (cursor: string) => Promise<void>) {
  let isFirst = true
  for await (const { data, next } of pages) {
    yield data
    if (sink.isClosed) return
    if (isFirst || data.length > 0) await keep(next)
    isFirst = false
  }
}

/** Reads where to begin: what keeps the cursor is a file, or the service. @throws FerruleError for both */
async function readBeginning({ options }: CommandContext) {
  const [file, after, consumer] = [readText(options, 'cursorFile'), readText(options, 'after'), readText(options, 'consumer')]
  if (consumer !== undefined && (file !== undefined || after !== undefined))
    throw failUsage('The service keeps the cursor of a consumer.', 'Leave --cursor-file and --after out.')
  return { file, consumer, after: (file === undefined ? undefined : await readCursorFile(file)) ?? after }
}

/** Prints changes to the newest one; with `--follow` until a signal comes. */
export async function printChanges(context: CommandContext): Promise<void> {
  const { args, options, output, signal } = context
  const [connector = '', entity] = args
  const { file, consumer, after } = await readBeginning(context)
  const { hosted } = await openHosted(connector, context)
  const params = { after, limit: changesOfPage, follow: readFlag(options, 'follow') }
  const standing: Standing = { after: undefined }
  const keep = async (cursor: string): Promise<void> => {
    if (file !== undefined) return saveCursorFile(file, cursor)
    if (consumer === undefined) standing.after = cursor
  }
  const isOfConnector = entity === undefined || consumer !== undefined
  const entities = entity === undefined ? undefined : [entity]
  const pages = isOfConnector
    ? hosted.allChangePages({ ...params, consumer, entities }, callOptions(context))
    : hosted.changePages(entity, params, callOptions(context))
  try {
    // Not `list`: with --jq it prints at the end only.
    await output.rows(takePages(pages, output.sink, keep), `changed_at,${isOfConnector ? 'entity,' : ''}type,key,cause,fields`)
    output.noteUnseen()
  } catch (thrown) {
    throw addPosition(thrown, standing, signal)
  }
}

const eventsPollMs = 2_000
/** Time for an answer of the local program, in milliseconds: that of the service. */
const forwardMs = 20_000

interface EventReading {
  readonly events: Events
  readonly query: Pick<EventQuery, 'type'>
  /** True: it waits for more events at the end. */
  readonly isEndless: boolean
}

/** Yields events page by page. `standing` moves on when the page was taken. */
async function* walkEvents({ events, query, isEndless }: EventReading, standing: Standing, context: CommandContext) {
  for (;;) {
    const from = standing.after === undefined ? {} : { after: standing.after }
    const { data, after, has_more } = await events.list({ ...query, ...from, limit: 100 }, callOptions(context))
    yield data
    standing.after = after ?? undefined
    if (has_more) continue
    if (!isEndless) return
    await wait(eventsPollMs, undefined, { signal: context.signal })
  }
}

/** Prints events; with `--follow` until a signal comes. */
export async function printEvents(context: CommandContext): Promise<void> {
  const { options, output, signal } = context
  const given = readText(options, 'type')
  const { listedEventTypes } = await import('../../wire/events.ts')
  const [type] = readEventTypes(given === undefined ? [] : [given], listedEventTypes)
  const standing: Standing = { after: readText(options, 'after') }
  const isEndless = readFlag(options, 'follow')
  const reading = { events: new Events(await openSession(context)), query: type === undefined ? {} : { type }, isEndless }
  const batches = walkEvents(reading, standing, context)
  const columns = 'timestamp,type,data.connector_id,id'
  if (!isEndless) return output.list(batches, columns)
  try {
    await output.rows(batches, columns)
  } catch (thrown) {
    throw addPosition(thrown, standing, signal)
  }
}

function readForwardAddress({ options }: CommandContext): string {
  const given = readText(options, 'forwardTo')
  const url = given === undefined ? null : URL.parse(given)
  if (url !== null && ['http:', 'https:'].includes(url.protocol)) return url.href
  const message = given === undefined ? 'The address of your program is missing.' : `${given} is no address of a program.`
  throw failUsage(message, 'Write --forward-to with an address such as http://localhost:3000/hook.')
}

/** Sends an event to the local program once. A program that is down is a row too. */
async function forwardEvent(event: PlatformEvent, { url, secret }: { readonly url: string; readonly secret: string }, signal: AbortSignal) {
  const { id, type } = event
  const body = JSON.stringify(event)
  try {
    const headers = await signWebhook({ id, body }, [secret], Date.now())
    const limit = AbortSignal.any([signal, AbortSignal.timeout(forwardMs)])
    const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: limit })
    await answer.body?.cancel()
    return { id, type, status: answer.status, error: null }
  } catch (thrown) {
    signal.throwIfAborted()
    return { id, type, status: null, error: readCause(thrown) }
  }
}

/** Sends events from now on to a local program, until a signal comes. */
export async function listen(context: CommandContext): Promise<void> {
  const { options, output, note, signal } = context
  if (readFlag(options, 'quiet')) throw failUsage('--quiet would hide the secret.', 'Leave --quiet out.')
  const target = { url: readForwardAddress(context), secret: formatWebhookSecret(randomBytes(32)) }
  const events = new Events(await openSession(context))
  const standing: Standing = { after: undefined }
  for await (const _ of walkEvents({ events, query: {}, isEndless: false }, standing, context));
  note(`Secret: ${target.secret}`)
  note(`Events from now on go to ${target.url}. Ctrl+C ends it.`)
  try {
    for await (const page of walkEvents({ events, query: {}, isEndless: true }, standing, context))
      for (const event of page) {
        const row = await forwardEvent(event, target, signal)
        await output.report([row], ({ id, type, status, error }) => [`${type} ${id}: ${status ?? error}`])
      }
  } catch (thrown) {
    if (!(signal.reason instanceof Interrupted)) throw thrown
  }
}
