/** `execute` runs one operation, or walks every page of a list; `search` reads the copy of an entity. */
import { relatedName } from '../../definition/check-references.ts'
import { dropAbsent, isObject } from '../../definition/object.ts'
import type { Schema } from '../../document/kind-document.ts'
import { asFerruleError, FerruleError, joinProblems, moveProblem } from '../../errors.ts'
import { parseFilter } from '../../values/filter/parse.ts'
import { parseSort } from '../../values/filter/sort.ts'
import { parseInclude } from '../../values/include-text.ts'
import { type CommandContext, readFlag, readList, readNumber, readText } from '../context.ts'
import { failUsage } from '../failure.ts'
import { Output } from '../output/output.ts'
import { readCursor, readObjectOption, readParams, writeCursor } from '../params.ts'
import { callOptions } from '../session.ts'
import { openHosted, openLocal, type Target } from '../target/target.ts'
import { readAnswer, readNext, readRows, walkList, walkSearch, writeWalk } from '../walk.ts'

/** Which operation of which connector. */
export interface TargetOperation {
  readonly target: Target
  readonly entity: string
  readonly action: string
}

/** Reads connector, entity and action; with `--local` there is no connector. */
export async function openOperation(context: CommandContext): Promise<TargetOperation> {
  const { args, options } = context
  const kind = readText(options, 'local')
  const [entity = '', action = ''] = kind === undefined ? args.slice(1) : args
  const target = kind === undefined ? await openHosted(args[0] ?? '', context) : await openLocal(kind, context)
  return { target, entity, action }
}

async function walk({ target, entity, action }: TargetOperation, params: Schema, context: CommandContext): Promise<void> {
  if (action !== 'list') throw failUsage(`--all walks lists, and ${action} is none.`, 'Leave --all out.')
  const run = (of: string, what: string, given: Schema) => target.executor.execute(of, what, given, callOptions(context))
  await writeWalk(walkList({ entity, params, run, vendor: target.name }), context)
}

async function runOnce({ target, entity, action }: TargetOperation, params: Schema, context: CommandContext): Promise<void> {
  const { output, note } = context
  const answer = readAnswer(await target.executor.execute(entity, action, params, callOptions(context)))
  const rows = readRows(answer)
  if (rows !== undefined) await output.page(answer, rows)
  else await output.answer(answer)
  const next = action === 'list' ? readNext(answer) : undefined
  if (next !== undefined) note(`There are more: continue with --cursor ${writeCursor(next)}, or read all with --all.`)
}

/** Runs an operation. */
export async function execute(context: CommandContext): Promise<void> {
  const operation = await openOperation(context)
  const { target, entity, action } = operation
  try {
    if (action === 'download')
      throw failUsage('A file is no record.', `Run: ferrule download ${context.args.slice(0, -1).join(' ')}, with the same parameters.`)
    const cursor = readCursor(readText(context.options, 'cursor'))
    const params = { ...(await readParams(context, { entity, action }, target.readKind)), ...cursor }
    await (readFlag(context.options, 'all') ? walk : runOnce)(operation, params, context)
  } finally {
    await target.executor.close()
  }
}

/** Parses the text of an option; a refusal names the option instead of the member of the request. */
export function parseOption<T>(option: string, parse: () => T): T {
  try {
    return parse()
  } catch (thrown) {
    const { code, errors } = asFerruleError(thrown)
    if (errors.length === 0) throw thrown
    const problems = errors.map((problem) => moveProblem(problem, option))
    throw new FerruleError(code, { message: `${joinProblems(problems)}.`, hint: `Correct ${option}.` }, { errors: problems })
  }
}

/** Reads an option that has conditions as text. */
export function readConditions({ options }: CommandContext, name: string): Schema | undefined {
  const text = readText(options, name)
  return text === undefined ? undefined : parseOption(`--${name}`, () => parseFilter(text))
}

/** Reads the filter: as text by `--where`, or as JSON by `--filter`. */
export async function readFilter(context: CommandContext): Promise<Schema | undefined> {
  const where = readConditions(context, 'where')
  const json = readText(context.options, 'filter')
  if (where !== undefined && json !== undefined) throw failUsage('--where and --filter are two filters.', 'Give one of them.')
  return json === undefined ? where : readObjectOption(json, '--filter')
}

/** Reads `started:desc,title` as the list that a search takes. */
export function readSort({ options }: CommandContext): readonly Schema[] | undefined {
  const text = readText(options, 'sort')
  return text === undefined ? undefined : parseOption('--sort', () => parseSort(text))
}

/** Builds what searches and exports share. */
export async function readQuery(context: CommandContext): Promise<Schema> {
  const fields = context.output.options.fields?.map(({ name }) => name)
  return dropAbsent({ filter: await readFilter(context), sort: readSort(context), fields })
}

/** Options of searches and exports: timeout, and how fresh the copy must be. */
export function searchOptions({ options, signal, deadlineMs }: CommandContext) {
  const maxAge = readNumber(options, 'maxAge')
  return {
    signal,
    deadlineMs,
    maxAge,
    ...(readFlag(options, 'allowPartial') ? { allowPartial: true } : {}),
  }
}

/** Reads which fields of related records rows come with. */
export const readInclude = ({ options }: CommandContext) => parseOption('--include', () => parseInclude(readList(options, 'include')))

/** Adds the member with related records to the fields that `--fields` keeps, unless it names some of them. */
export function showIncluded({ options, sink }: Output, name: string): Output {
  const { fields } = options
  const isShown = fields === undefined || fields.some(({ segments }) => segments[0] === name)
  return isShown ? new Output(options, sink) : new Output({ ...options, fields: [...fields, { name, segments: [name] }] }, sink)
}

/** Says which related records are missing. */
export function noteUnsynced({ note }: CommandContext, related: unknown): void {
  for (const each of Array.isArray(related) ? related : [])
    if (isObject(each) && each['synced_at'] === null) {
      const of = isObject(each['connector']) ? ` of ${String(each['connector']['name'])}` : ''
      note(`Not synced: ${String(each['entity'])}${of}, so its records are missing.`)
    }
}

/** Searches. */
export async function search(given: CommandContext): Promise<void> {
  const { args, options, note } = given
  const [connector = '', entity = ''] = args
  const limit = readNumber(options, 'limit', 1)
  const include = readInclude(given)
  const query = dropAbsent({ ...(await readQuery(given)), include, limit, cursor: readText(options, 'cursor') })
  const context = include === undefined ? given : { ...given, output: showIncluded(given.output, relatedName) }
  const { hosted } = await openHosted(connector, context)
  const load = (params: Schema): Promise<unknown> => hosted.search(entity, params, searchOptions(context))
  if (readFlag(options, 'all')) return writeWalk(walkSearch(load, query), context)
  const answer = readAnswer(await load(query))
  await context.output.page(answer, readRows(answer) ?? [])
  const { cursor, related } = isObject(answer.meta) ? answer.meta : {}
  noteUnsynced(context, related)
  if (typeof cursor === 'string') note(`There are more: continue with --cursor ${cursor}, or read all with --all.`)
}
