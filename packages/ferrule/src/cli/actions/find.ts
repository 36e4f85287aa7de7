/** `find`: records of all connectors. */
import { searchEverything } from '../../client/search-everything.ts'
import type { SearchResult } from '../../wire/overview/search.ts'
import { type CommandContext, readFlag, readList, readNumber, readText } from '../context.ts'
import { failUsage } from '../failure.ts'
import { callOptions, openSession } from '../session.ts'
import { openHosted } from '../target/target.ts'
import { walkSearch, writeWalk } from '../walk.ts'
import { noteUnsynced, readFilter, readInclude, showIncluded } from './execute.ts'

/** Columns of a table; other formats have everything. */
const columns = 'title,connector.name,entity,key,time'
/** Member of a hit with what it refers to. */
const related = 'related'

async function readIds(context: CommandContext): Promise<readonly string[]> {
  const ids: string[] = []
  for (const name of readList(context.options, 'connector'))
    ids.push(await (await openHosted(name, context)).hosted.id(callOptions(context)))
  return ids
}

const orNothing = (name: string, values: readonly string[]) => (values.length === 0 ? {} : { [name]: values })

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
  const search = {
    ...(text === '' ? {} : { text }),
    ...(filter === undefined ? {} : { filter }),
    ...(include === undefined ? {} : { include }),
    ...orNothing('kinds', readList(options, 'kind')),
    ...orNothing('entities', readList(options, 'entity')),
    ...orNothing('connectors', await readIds(context)),
    ...(limit === undefined ? {} : { limit }),
    ...(cursor === undefined ? {} : { cursor }),
  }
  const session = await openSession(context)
  const load = (body: object): Promise<SearchResult> => searchEverything(session, body, callOptions(context))
  if (readFlag(options, 'all')) return writeWalk(walkSearch(load, search), context)
  const answer = await load(search)
  await context.output.page({ ...answer }, answer.data, include === undefined ? columns : `${columns},${related}`)
  noteRest(context, answer)
}
