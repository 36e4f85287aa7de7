/** Tools that read the copies that the service keeps: `search` finds records, `aggregate` counts and groups, `changes` reports what changed. */

import { dropAbsent, isObject } from '../../definition/object.ts'
import { readProperties } from '../../document/read-schema.ts'
import { asFerruleError, fail, failValidation, moveProblems } from '../../errors.ts'
import { parseGroups, parseMeasures } from '../../values/aggregate-text.ts'
import { parseFilter } from '../../values/filter/parse.ts'
import { parseSort } from '../../values/filter/sort.ts'
import { listWritten } from '../../values/filter/syntax.ts'
import { parseInclude } from '../../values/include-text.ts'
import { readJson } from '../../values/json/json.ts'
import { findNearNames } from '../../values/near-names.ts'
import type { EntityDocument } from '../../wire/definitions.ts'
import type { SearchHit, SearchResult } from '../../wire/overview/search.ts'
import { writeLine } from '../answers/json.ts'
import { writeRows } from '../answers/rows.ts'
import { defineTool, type RunningCall, readString, readStrings, reads } from '../context.ts'
import { type Described, Explained, findEntity } from '../find-operation.ts'
import {
  aggregate as aggregateAction,
  answerRead,
  changes as changesAction,
  describeUnsynced,
  type LinesPosition,
  start,
} from '../reading.ts'
import type { AgentAnswer } from '../types.ts'
import { connectorRule, findDescribed } from './execute.ts'

function readSearchParams(running: RunningCall): Readonly<Record<string, unknown>> {
  const { limit, ...order } = readPage(running)
  const query = { filter: readFilter(running), text: readString(running, 'text'), ...order }
  return { query, limit, fields: readStrings(running, 'fields'), include: parseInclude(readStrings(running, 'include') ?? []) }
}

const searchReading: CopyReading = {
  tool: 'search',
  action: 'context_store_search',
  readParams: readSearchParams,
  example: (field) => ({ where: `${field} is not null`, fields: [field] }),
}

/** Returns whether a call means all connectors: it names none, and there is more than one, or no entity. */
async function isForAll(running: RunningCall): Promise<boolean> {
  const { context, limits } = running
  if (context.reach.source.searchAll === undefined || readString(running, 'connector') !== undefined) return false
  return readString(running, 'entity') === undefined || (await context.reach.listAll(limits)).length > 1
}

async function runSearch(running: RunningCall): Promise<AgentAnswer> {
  if (await isForAll(running)) return searchAll(running, readFilter(running))
  if (readString(running, 'entity') === undefined)
    throw failValidation([{ field: '/entity', message: 'is required', error_code: 'required' }])
  return readCopy(running, searchReading)
}

const where =
  'Conditions, for example: started >= 2026-01-01 and (title fuzzy "pricing" or direction in ("Inbound", "Outbound")) and not duration < 60. '
/** Words of operators that the example lacks. */
const otherWords = listWritten('words', 'text', 'element').filter((word) => !where.includes(` ${word} `))

/** Searches the copy. */
export const search = defineTool({
  name: 'search',
  description:
    'Search the synced copy of an entity, or without connector and entity all copies at once: fast, and with more operators than the system offers. ' +
    'describe lists the searchable fields. text, where and filter must all hold.',
  rules: {
    connector: { ...connectorRule, required: false },
    entity: { type: 'string', about: 'Searchable entity' },
    text: { type: 'string', about: 'Words, in any text field; forgives typing errors; best matches first' },
    where: {
      type: 'string',
      about: `${where}Also != <= ${otherWords.join(' ')}, is null, any list (…)`,
    },
    filter: { type: 'object', about: 'The same as JSON, for example {"gte":{"started":"2026-01-01"}}' },
    sort: { type: 'string', about: 'For example: started desc, title asc' },
    fields: { type: 'strings', about: 'Keep only these fields of each record' },
    include: { type: 'strings', about: 'Fields of related records, for example ["primaryUserId.firstName"]' },
    limit: { type: 'integer', about: 'Records of a page, up to 10000; 50 by default' },
    max_age: { type: 'integer', about: 'Seconds: an older copy is refreshed first' },
  },
  annotations: reads('Search records', false),
  scope: 'execute:read',
  example: { connector: 'gong', entity: 'calls', text: 'pricing', where: 'started >= 2026-01-01', sort: 'started desc' },
  run: runSearch,
})

/** Most records of a page, and the usual number. */
const [mostRecords, usualLimit] = [100, 20]
const ofEntity = ['sort', 'fields', 'max_age'] as const

/** A hit as a row: short, with all that the next call needs. */
const toRow = ({ connector, entity, key, title, snippet, time, link, related }: SearchHit) => ({
  connector: connector.name,
  entity,
  key,
  title,
  text: snippet === null || snippet.text === title ? null : snippet.text,
  time,
  link,
  ...(related === undefined ? {} : { related }),
})

const listUnlessEmpty = <T>(name: string, all: readonly T[], write: (each: T) => string) =>
  all.length === 0 ? {} : { [name]: all.map(write) }

/** Describes what stands beside the rows: counts, what was not searched, and what related records are missing. */
function describeRest({ meta, facets, left_out }: SearchResult): Readonly<Record<string, unknown>> {
  const counts = facets?.entities.map(({ kind, entity, count, exact }) => [`${kind}.${entity}`, exact ? count : `${count} or more`])
  return {
    ...(counts === undefined || counts.length === 0 ? {} : { found: Object.fromEntries(counts) }),
    ...(meta.near ? { near: 'nothing has the words as they were written: these are near' } : {}),
    ...listUnlessEmpty(
      'not_searched',
      left_out,
      ({ kind, connector, entities, reason }) => `${connector?.name ?? kind}: ${entities.join(', ')} (${reason})`,
    ),
    ...listUnlessEmpty(
      'not_included',
      meta.not_included ?? [],
      ({ kind, entities, message }) => `${kind}: ${entities.join(', ')} (${message.replace(/\.$/, '')})`,
    ),
    ...describeUnsynced(meta.related),
  }
}

/** Searches all connectors that the tools reach. @param filter conditions of the call */
async function searchAll(running: RunningCall, filter: Readonly<Record<string, unknown>> | undefined): Promise<AgentAnswer> {
  const { context, args, limits, from } = running
  const { reach, handles, maxTokens } = context
  const foreign = ofEntity.filter((name) => args[name] !== undefined)
  if (foreign.length > 0)
    throw failValidation(
      foreign.map((name) => ({ field: `/${name}`, message: 'is for one entity: name its connector too', error_code: 'value' })),
    )
  const [text, entity] = [readString(running, 'text'), readString(running, 'entity')]
  if (text === undefined && filter === undefined)
    throw failValidation([{ field: '/text', message: 'or where is required without a connector', error_code: 'required' }])
  const include = parseInclude(readStrings(running, 'include') ?? [])
  const connectors = reach.isNarrow ? (await reach.listAll(limits)).map(({ id }) => id) : undefined
  const answer = await reach.source.searchAll?.(
    dropAbsent({
      ...{ text, filter, include, entities: entity === undefined ? undefined : [entity], connectors, cursor: from?.cursor },
      limit: Math.min(mostRecords, typeof args['limit'] === 'number' ? args['limit'] : usualLimit),
    }),
    limits,
  )
  if (answer === undefined) throw fail('context_store_unavailable', {})
  const { cursor } = answer.meta
  const locate = (offset: LinesPosition['offset']): LinesPosition => ({ type: 'lines', tool: 'search', args, offset })
  const written = await writeRows({
    subject: 'search of all connectors',
    title: 'the connected systems',
    rows: answer.data.map(toRow),
    isSingle: false,
    facts: describeRest(answer),
    offset: { at: from?.at ?? 0 },
    maxTokens,
    hasNext: cursor !== null,
    canNarrow: false,
    isChosen: true,
    known: { key: ['connector', 'entity', 'key'], searchable: ['title', 'text'] },
    writeHandle: (at) =>
      handles.write(locate(at === 'next' ? { at: 0, cursor: cursor ?? undefined } : { at: at.at, cursor: from?.cursor })),
  })
  return { text: written, isError: false, result: answer }
}

function readAggregateParams(running: RunningCall): Readonly<Record<string, unknown>> {
  const [groups, measures] = [readStrings(running, 'group_by'), readStrings(running, 'measures')]
  return {
    query: { filter: readFilter(running) },
    group_by: groups === undefined ? undefined : parseGroups(groups),
    measures: measures === undefined ? undefined : parseMeasures(measures),
    include: parseInclude(readStrings(running, 'include') ?? []),
    having: readConditions(running, 'having'),
    ...readPage(running),
  }
}

const aggregateReading: CopyReading = {
  tool: 'aggregate',
  action: aggregateAction,
  readParams: readAggregateParams,
  example: (field) => ({ where: `${field} is not null`, measures: ['count', `distinct(${field})`] }),
}

/** Counts and groups the copy. */
export const aggregate = defineTool({
  name: 'aggregate',
  description: 'Count and group the records of the synced copy of an entity: how many, which most, sums, averages; exact.',
  rules: {
    connector: connectorRule,
    entity: { type: 'string', about: 'Searchable entity', required: true },
    where: { type: 'string', about: 'Conditions as in search' },
    filter: { type: 'object', about: 'The same as JSON' },
    group_by: {
      type: 'strings',
      about: 'Fields; times as month(started, Europe/Berlin), also year, quarter, week, day, hour; numbers as ranges(duration, 60, 600)',
    },
    measures: {
      type: 'strings',
      about:
        'count (alone if left out), sum(duration), avg, min, max, distinct, median, percentile(duration, 0.95). A row calls it sum_duration, ' +
        'or total with total=sum(duration)',
    },
    include: { type: 'strings', about: 'As in search, of groups' },
    having: { type: 'string', about: 'Conditions on measures, for example: count >= 10' },
    sort: { type: 'string', about: 'For example: count desc' },
    limit: { type: 'integer', about: 'Groups of a page, up to 10000; 50 by default' },
    max_age: { type: 'integer', about: 'As in search' },
  },
  annotations: reads('Count and group records', false),
  scope: 'execute:read',
  example: { connector: 'gong', entity: 'calls', group_by: ['direction'], measures: ['count', 'sum(duration)'], sort: 'count desc' },
  run: (running) => readCopy(running, aggregateReading),
})

const usualChanges = 50
/** Maximum number of entries of a page of the service. */
const mostChanges = 1_000

async function readChanges(running: RunningCall): Promise<AgentAnswer> {
  const [{ connector, kind }, { entity }] = await findCopied(running, changesAction)
  const { limit = usualChanges } = running.args
  if (Number(limit) < 1 || Number(limit) > mostChanges)
    throw failValidation([{ field: '/limit', message: `must be 1 to ${mostChanges}`, error_code: 'value' }])
  const after = readString(running, 'after')
  const params = { limit, ...(after === undefined ? {} : { cursor: after }) }
  return answerRead(running, { connector, kind, request: { entity, action: changesAction, params }, offset: start })
}

/** Reads what changed in the copy. */
export const changes = defineTool({
  name: changesAction,
  description:
    'What was added, changed and removed in the synced copy of an entity, with records as they are now. Without after all records come first. ' +
    'Beside the rows stands after: give it the next time, once all rows are read.',
  rules: {
    connector: connectorRule,
    entity: { type: 'string', about: 'Searchable entity', required: true },
    after: { type: 'string', about: 'Only what changed since; now: begin now, with no rows' },
    limit: { type: 'integer', about: 'Entries of a page, up to 1000; 50 by default' },
  },
  annotations: reads('Changes of records', false),
  scope: 'execute:read',
  example: { connector: 'gong', entity: 'calls', after: 'now' },
  run: readChanges,
})

type Json = Readonly<Record<string, unknown>>

/** Records of a page, unless the call says more. */
const usualRows = 50

/** Reads conditions as text. @throws FerruleError whose fields name the argument */
function readConditions(running: RunningCall, name: string): Json | undefined {
  const text = readString(running, name)
  return text === undefined ? undefined : moveProblems(`/${name}`, () => parseFilter(text))
}

/** Reads the filter of a call: `where` and `filter` must both hold. */
function readFilter(running: RunningCall): Json | undefined {
  const { filter } = running.args
  const given = [readConditions(running, 'where'), isObject(filter) ? filter : undefined].filter((each) => each !== undefined)
  return given.length > 1 ? { and: given } : given[0]
}

/** Reads `started desc, title`, or the JSON that the service takes. */
function readSort(running: RunningCall): readonly unknown[] | undefined {
  const text = readString(running, 'sort')
  if (text === undefined || !text.trim().startsWith('[')) return text === undefined ? undefined : parseSort(text)
  try {
    const list = readJson(text)
    if (Array.isArray(list)) return list
  } catch {
    // the same refusal as for JSON that is no list
  }
  throw failValidation([{ field: '/sort', message: 'is not valid JSON: write started desc, title asc', error_code: 'value' }])
}

/** Reads the order and the size of a page. */
function readPage(running: RunningCall): { readonly sort?: readonly unknown[]; readonly limit: unknown } {
  const sort = readSort(running)
  const { limit = usualRows } = running.args
  return { ...(sort === undefined ? {} : { sort }), limit }
}

/** Finds the connector and the entity that a call names. */
async function findCopied(running: RunningCall, action: string): Promise<readonly [Described, EntityDocument]> {
  const described = await findDescribed(running, readString(running, 'connector'))
  const document = findEntity(described, readString(running, 'entity') ?? '')
  const { entity, searchable, actions } = document
  if (searchable !== null) return [described, document]
  const known = described.kind.entities.flatMap((each) => (each.searchable === null ? [] : [each.entity]))
  const error = fail('action_not_supported', { entity, action, known: actions.map((each) => each.action).join(', ') })
  throw new Explained(error, [
    known.length === 0 ? 'Nothing of this connector can be searched: use execute.' : `Searchable: ${known.join(', ')}.`,
  ])
}

/** Lists what a problem can be about: the last name of its field, and the text that the request has there. */
function listGiven(params: unknown, field: string): readonly string[] {
  const steps = field.split('/').slice(2)
  const step = (value: unknown, name: string): unknown =>
    typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  const given = steps.reduce(step, params)
  return [steps.at(-1) ?? '', ...(typeof given === 'string' ? [given] : [])]
}

interface CopyReading {
  readonly tool: string
  readonly action: string
  readonly readParams: (running: RunningCall) => Json
  /** Further arguments of a call that fits. @param field a field of the entity */
  readonly example: (field: string) => Json
}

/** Reads a copy, and answers a mistake with the fields that were probably meant and a call that fits. */
async function readCopy(running: RunningCall, { tool, action, readParams, example }: CopyReading): Promise<AgentAnswer> {
  const [{ connector, kind }, document] = await findCopied(running, tool)
  const { entity } = document
  let params: Json | undefined
  try {
    const { max_age: maxAge } = running.args
    params = readParams(running)
    const request = { entity, action, params, maxAge: typeof maxAge === 'number' ? maxAge : undefined }
    return await answerRead(running, { connector, kind, request, offset: start, canNarrow: action !== aggregateAction })
  } catch (thrown) {
    if (thrown instanceof Explained) throw thrown
    const error = asFerruleError(thrown)
    if (error.fault !== 'caller') throw new Explained(error, [])
    const names = readProperties(document.searchable).map(([name]) => name)
    const near = error.errors.flatMap(({ field }) => listGiven(params, field).flatMap((given) => findNearNames(given, names)))
    const call = { connector: connector.name, entity, ...example(names[0] ?? 'id') }
    throw new Explained(error, [
      ...(near.length === 0 ? [] : [`Nearest: ${[...new Set(near)].join(', ')}.`]),
      `A call that fits: ${tool} ${writeLine(call)}`,
    ])
  }
}
