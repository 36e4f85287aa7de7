/** `sync`: the copies of records that searches read, in a table that is drawn again when something changes. */
import { ContextStore } from '../../client/resources/context-store.ts'
import { Syncs } from '../../client/resources/syncs.ts'
import type { SyncStatusRecord } from '../../wire/context-store.ts'
import type { ScheduleInput, SyncRunRecord } from '../../wire/syncs.ts'
import { type CommandContext, readFlag, readList, readNumber, readText } from '../context.ts'
import { failUsage } from '../failure.ts'
import type { Output } from '../output/output.ts'
import { formatSeconds } from '../output/progress.ts'
import { formatHead, formatLine, layOut, listColumns } from '../output/table.ts'
import { callOptions, openSession } from '../session.ts'
import { findConnector } from '../target/target.ts'

async function open(context: CommandContext) {
  const transport = await openSession(context)
  const { id, name } = await findConnector(transport, context.args[0] ?? '', context)
  return { id, name, syncs: new Syncs(transport), store: new ContextStore(transport) }
}

const runColumns = 'id,state,mode,entities,cause,created_at'

/** Entities that `--entity` names. */
function readEntities({ options }: CommandContext): { readonly entities?: readonly string[] } {
  const entities = readList(options, 'entity')
  return entities.length === 0 ? {} : { entities }
}

/** Starts a run; with `--wait` until its end. */
export async function startSync(context: CommandContext): Promise<void> {
  const { options, output } = context
  const { id, syncs } = await open(context)
  const mode = readFlag(options, 'full') ? 'full' : 'incremental'
  const run = await syncs.start(id, { mode, ...readEntities(context) }, callOptions(context))
  if (!readFlag(options, 'wait')) return output.value(run, runColumns)
  await output.value(await awaitRun(syncs, run, context), `${runColumns},finished_at`)
}

/** Waits for the end of a run. */
async function awaitRun(syncs: Syncs, run: SyncRunRecord, context: CommandContext): Promise<SyncRunRecord> {
  const progress = await context.openProgress({ isOutputShown: false })
  let last = run
  try {
    for await (last of syncs.watch(run.connector_id, run.id, callOptions(context)))
      progress.show(`${last.state}: ${last.progress.records.toLocaleString('en')} records, ${last.progress.pages} pages`)
    return last
  } finally {
    progress.end()
  }
}

/** Describes what an entity waits for in the run that has it left: a start, or another attempt after a failure. */
function describeWait({ running, queued }: SyncStatusRecord, entity: string): string | null {
  for (const run of [running, queued]) {
    const isLeft = run !== null && (run.entities?.includes(entity) ?? true) && !run.results.some((each) => each.entity === entity)
    if (!isLeft) continue
    if (run.error !== null && run.attempts > 0) return `waits, attempt ${run.attempts}: ${run.error.message}`
    if (run.state === 'queued' || run.progress.calls === 0) return 'waiting'
  }
  return null
}

const toRows = (status: SyncStatusRecord) =>
  status.entities.map(({ entity, state, records, lag_seconds, last_error, progress }) => ({
    entity,
    state,
    records,
    read: progress?.records ?? null,
    age: lag_seconds === null ? null : formatSeconds(lag_seconds),
    error: last_error?.message ?? describeWait(status, entity),
  }))

/** Shows the status of the copy; with `--watch` after every change. */
export async function showSync(context: CommandContext): Promise<void> {
  const { options, output, env } = context
  const { id, store } = await open(context)
  const isTable = output.options.format === 'table' && output.options.jq === undefined
  if (!readFlag(options, 'watch')) {
    const status = await store.status(id, callOptions(context))
    return isTable ? void (await output.list([toRows(status)])) : output.value(status)
  }
  const query = readFlag(options, 'untilFilled') ? ({ until: 'filled' } as const) : {}
  const statuses = store.watch(id, query, callOptions(context))
  if (isTable && process.stdout.isTTY && env['TERM'] !== 'dumb') return drawLive(statuses, toRows, output)
  for await (const status of statuses) await (isTable ? output.list([toRows(status)]) : output.list([[status]]))
}

/** Cancels a run: the named one, else the one that runs or waits. */
export async function cancelSync(context: CommandContext): Promise<void> {
  const { id, name, syncs, store } = await open(context)
  const [, given] = context.args
  const { running, queued } = await store.status(id, callOptions(context))
  const run = given ?? running?.id ?? queued?.id
  if (run === undefined) throw failUsage(`No run of ${name} is running or waiting.`, 'There is nothing to cancel.')
  await context.output.value(await syncs.cancel(id, run, callOptions(context)), runColumns)
}

/** Shows the schedules, or sets one. */
export async function scheduleSync(context: CommandContext): Promise<void> {
  const { options, output } = context
  const { id, store } = await open(context)
  const seconds = readText(options, 'every') === 'default' ? null : readNumber(options, 'every', 1)
  const paused = readFlag(options, 'pause') ? true : readFlag(options, 'resume') ? false : undefined
  const [entity] = readList(options, 'entity')
  const body: ScheduleInput = {
    ...(seconds === undefined ? {} : { interval_seconds: seconds }),
    ...(paused === undefined ? {} : { paused }),
    ...(entity === undefined ? {} : { entity }),
  }
  const isChange = seconds !== undefined || paused !== undefined
  const schedules = isChange
    ? await store.schedule(id, body, callOptions(context))
    : (await store.status(id, callOptions(context))).schedules
  await output.list([schedules], 'entities,interval_seconds,default,paused,next_run_at')
}

/** Empties the copy, which is filled again. */
export async function resetSync(context: CommandContext): Promise<void> {
  const { id, name, store } = await open(context)
  const { entities } = readEntities(context)
  await context.ask.confirm(`Empty the copy of ${name} (${entities?.join(', ') ?? 'all entities'})`, readFlag(context.options, 'yes'))
  const body = entities === undefined ? {} : { entities: [...entities] }
  await context.output.value(await store.reset(id, body, callOptions(context)), runColumns)
}

const sequence = '\u001b['

/** Draws the rows of each value until the last. The last table stays. */
async function drawLive<T>(values: AsyncIterable<T>, toRows: (value: T) => readonly unknown[], output: Output): Promise<void> {
  const { stream, width, fields } = output.options
  let lines = 0
  for await (const value of values) {
    const rows = toRows(value)
    const layout = layOut(rows, fields ?? listColumns(rows, undefined), width)
    const text = formatHead(layout, stream) + rows.map((row) => formatLine(layout, row)).join('')
    const back = lines === 0 ? '' : `${sequence}${lines}A${sequence}J`
    lines = text.split('\n').length - 1
    await output.sink.writeBytes(back + text)
  }
}
