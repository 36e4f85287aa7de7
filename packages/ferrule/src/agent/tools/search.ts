/** `search`: finds records in the copy that the service keeps. */
import { failValidation } from '../../errors.ts'
import { listWritten } from '../../values/filter/words.ts'
import { parseInclude } from '../../values/include-text.ts'
import { defineTool, type RunningCall, readString, readStrings, reads } from '../context.ts'
import { type CopyReading, readCopy, readFilter, readPage } from '../copied.ts'
import type { AgentAnswer } from '../types.ts'
import { connectorRule } from './execute.ts'
import { searchAll } from './search-all.ts'

function readParams(running: RunningCall): Readonly<Record<string, unknown>> {
  const { limit, ...order } = readPage(running)
  const query = { filter: readFilter(running), text: readString(running, 'text'), ...order }
  return { query, limit, fields: readStrings(running, 'fields'), include: parseInclude(readStrings(running, 'include') ?? []) }
}

const reading: CopyReading = {
  tool: 'search',
  action: 'context_store_search',
  readParams,
  example: (field) => ({ where: `${field} is not null`, fields: [field] }),
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
  return readCopy(running, reading)
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
  run,
})
