/** `aggregate`: counts and groups the copy of an entity. */
import { relatedName } from '../../definition/check-references.ts'
import { isObject } from '../../definition/object.ts'
import { listAggregateNames, parseGroups, parseMeasures } from '../../values/aggregate-text.ts'
import { type CommandContext, readList, readNumber, readText } from '../context.ts'
import { describeMembers } from '../known-fields.ts'
import { openHosted } from '../target/target.ts'
import { readAnswer, readRows } from '../walk.ts'
import {
  dropAbsent,
  noteUnsynced,
  parseOption,
  readConditions,
  readFilter,
  readInclude,
  readSort,
  searchOptions,
  showIncluded,
} from './execute.ts'

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
function noteRest(context: CommandContext, meta: Readonly<Record<string, unknown>>): void {
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
  if (isObject(answer.meta)) noteRest(context, answer.meta)
}
