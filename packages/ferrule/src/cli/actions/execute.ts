/** `execute`: runs one operation, or walks every page of a list. */

import type { Schema } from '../../document/kind-document.ts'
import { type CommandContext, readFlag, readText } from '../context.ts'
import { failUsage } from '../failure.ts'
import { readCursor, readParams, writeCursor } from '../params.ts'
import type { ExecuteOptions } from '../target/executor.ts'
import { openHosted, openLocal, type Target } from '../target/target.ts'
import { readAnswer, readNext, readRows, walkList, writeWalk } from '../walk.ts'

/** Which operation of which connector. */
export interface Operation {
  readonly target: Target
  readonly entity: string
  readonly action: string
}

/** Reads connector, entity and action; with `--local` there is no connector. */
export async function openOperation(context: CommandContext): Promise<Operation> {
  const { args, options } = context
  const kind = readText(options, 'local')
  const [entity = '', action = ''] = kind === undefined ? args.slice(1) : args
  const target = kind === undefined ? await openHosted(args[0] ?? '', context) : await openLocal(kind, context)
  return { target, entity, action }
}

/** Options of one operation. */
export const executeOptions = ({ signal, deadlineMs }: CommandContext): ExecuteOptions => ({
  signal,
  deadlineMs,
})

/** Walks every page. */
async function walk({ target, entity, action }: Operation, params: Schema, context: CommandContext): Promise<void> {
  if (action !== 'list') throw failUsage(`--all walks lists, and ${action} is none.`, 'Leave --all out.')
  const run = (of: string, what: string, given: Schema) => target.executor.execute(of, what, given, executeOptions(context))
  await writeWalk(walkList({ entity, params, run, vendor: target.name }), context)
}

async function runOnce({ target, entity, action }: Operation, params: Schema, context: CommandContext): Promise<void> {
  const { output, note } = context
  const answer = readAnswer(await target.executor.execute(entity, action, params, executeOptions(context)))
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
