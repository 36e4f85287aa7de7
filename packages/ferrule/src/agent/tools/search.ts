/** `search`: finds records in the copy that the service keeps. */
import { isObject } from '../../definition/object.ts'
import { readProperties } from '../../document/schema.ts'
import { asFerruleError, FerruleError, fail, failValidation } from '../../errors.ts'
import { parseFilter } from '../../values/filter/parse.ts'
import { parseSort } from '../../values/filter/sort.ts'
import { listWritten } from '../../values/filter/words.ts'
import { readJson } from '../../values/json/json.ts'
import { findNearNames } from '../../values/near-names.ts'
import type { EntityDocument } from '../../wire/definitions.ts'
import { writeLine } from '../answers/json.ts'
import { defineTool, type RunningCall, readString, readStrings, reads } from '../context.ts'
import { type Described, Explained, findEntity } from '../operations.ts'
import { answerRead, start } from '../reading.ts'
import type { AgentAnswer } from '../types.ts'
import { connectorRule, findDescribed } from './execute.ts'
import { searchAll } from './search-all.ts'

type ConditionJson = Readonly<Record<string, unknown>>

const usualLimit = 50

const refuse = (field: string, message: string): Error => failValidation([{ field, message, error_code: 'value' }])

/** Reads `started desc, title`, or the JSON that the service takes. */
function readSort(text: string): readonly unknown[] {
  if (!text.trim().startsWith('[')) return parseSort(text)
  try {
    const list = readJson(text)
    if (Array.isArray(list)) return list
  } catch {
    // the same refusal as for JSON that is no list
  }
  throw refuse('/sort', 'is not valid JSON: write started desc, title asc')
}

/** Parses conditions. @throws FerruleError whose fields name the argument */
function parseWhere(text: string): ConditionJson {
  try {
    return parseFilter(text)
  } catch (thrown) {
    if (!(thrown instanceof FerruleError) || thrown.errors.length === 0) throw thrown
    throw failValidation(
      thrown.errors.map((problem) => ({ ...problem, field: '/where', message: problem.message.replace(/^\/filter /, '') })),
    )
  }
}

function readFilter(running: RunningCall): ConditionJson | undefined {
  const { filter } = running.args
  const where = readString(running, 'where')
  const all = [where === undefined ? undefined : parseWhere(where), isObject(filter) ? filter : undefined]
  const given = all.filter((each) => each !== undefined)
  return given.length > 1 ? { and: given } : given[0]
}

function readParams(running: RunningCall): Readonly<Record<string, unknown>> {
  const filter = readFilter(running)
  const text = readString(running, 'text')
  const sort = readString(running, 'sort')
  const fields = readStrings(running, 'fields')
  const { limit = usualLimit } = running.args
  return {
    query: {
      filter,
      text,
      ...(sort === undefined ? {} : { sort: readSort(sort) }),
    },
    limit,
    fields,
  }
}

/** Adds to an error of a search which fields there are. */
function explain(thrown: unknown, { connector }: Described, { entity, searchable }: EntityDocument): Explained {
  if (thrown instanceof Explained) return thrown
  const error = asFerruleError(thrown)
  if (error.fault !== 'caller') return new Explained(error, [])
  const names = readProperties(searchable).map(([name]) => name)
  const near = error.errors.flatMap(({ field }) => findNearNames(field.split('/').at(-1) ?? '', names))
  const [first = 'id'] = names
  const example = { connector: connector.name, entity, where: `${first} is not null`, fields: [first] }
  return new Explained(error, [
    ...(near.length === 0 ? [] : [`Nearest: ${[...new Set(near)].join(', ')}.`]),
    `A call that fits: search ${writeLine(example)}`,
  ])
}

/**
 * Finds the connector and the entity that a call names.
 * @throws Explained `action_not_supported` where the entity has no copy
 */
export async function findCopied(running: RunningCall, action: string): Promise<readonly [Described, EntityDocument]> {
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

/** Returns whether a call means all connectors: it names none, and there is more than one, or no entity. */
async function isForAll(running: RunningCall): Promise<boolean> {
  const { context, limits } = running
  if (context.reach.source.searchAll === undefined || readString(running, 'connector') !== undefined) return false
  return readString(running, 'entity') === undefined || (await context.reach.listAll(limits)).length > 1
}

async function run(running: RunningCall): Promise<AgentAnswer> {
  if (await isForAll(running)) return searchAll(running, readFilter(running))
  if (readString(running, 'entity') === undefined)
    throw failValidation([{ field: '/entity', message: 'is required', error_code: 'required' }])
  const [described, document] = await findCopied(running, 'search')
  const { entity } = document
  try {
    const { max_age: maxAge } = running.args
    const params = readParams(running)
    const request = { entity, action: 'context_store_search', params, maxAge: typeof maxAge === 'number' ? maxAge : undefined }
    return await answerRead(running, { connector: described.connector, kind: described.kind, request, offset: start, canNarrow: true })
  } catch (thrown) {
    throw explain(thrown, described, document)
  }
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
    limit: { type: 'integer', about: 'Records of a page, up to 10000; 50 by default' },
    max_age: { type: 'integer', about: 'Seconds: an older copy is refreshed first' },
  },
  annotations: reads('Search records', false),
  scope: 'execute:read',
  example: { connector: 'gong', entity: 'calls', text: 'pricing', where: 'started >= 2026-01-01', sort: 'started desc' },
  run,
})
