/** `changes`: prints what changes in a copy, and keeps a cursor in a file. `consumers`: readers whose cursors the service keeps. */
import { readFile } from 'node:fs/promises'
import { Consumers } from '../../client/resources/consumers.ts'
import { FerruleError } from '../../errors.ts'
import type { ChangesPage, ConnectorChangesPage } from '../../wire/feed/changes.ts'
import { type CommandContext, readFlag, readText } from '../context.ts'
import { addHint, failUsage, Interrupted, readErrorCode } from '../failure.ts'
import type { Sink } from '../output/output.ts'
import { replaceFile } from '../replace-file.ts'
import { callOptions, openSession } from '../session.ts'
import { findConnector, openHosted } from '../target/target.ts'

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
  await context.ask.confirm(`Delete the consumer ${given} of ${name} with its place`, readFlag(context.options, 'yes'))
  await context.output.value(await consumers.delete(id, given, callOptions(context)))
}

/** Entries of a page. */
const pageSize = 1_000
/** Mode of a new cursor file: a cursor is no secret. */
const fileMode = 0o644

/** Reads the cursor of a file; undefined when there is no such file. @throws FerruleError `validation_failed` */
async function readCursor(path: string): Promise<string | undefined> {
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

const saveCursor = (path: string, cursor: string): Promise<void> =>
  replaceFile(path, `${cursor}\n`, fileMode).catch((thrown: unknown) => {
    const reason = readErrorCode(thrown) ?? String(thrown)
    throw failUsage(`The file ${path} cannot be written (${reason}).`, 'Check the path and its permissions. The entries were printed.')
  })

/** Where the output stands: after what was printed. */
interface Standing {
  after: string | undefined
}

/** Says how to continue, unless a file knows it. A cursor whose changes are lost cannot continue. */
function addPosition(thrown: unknown, { after }: Standing, signal: AbortSignal): unknown {
  if (after === undefined || (thrown instanceof FerruleError && thrown.code === 'changes_expired')) return thrown
  const sentence = `Continue with: --after ${after}`
  if (signal.reason instanceof Interrupted) signal.reason.hint = sentence
  return thrown instanceof FerruleError ? addHint(thrown, sentence) : thrown
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

/** Reads where to begin: what keeps a place is a file, or the service. @throws FerruleError for both */
async function readBeginning({ options }: CommandContext) {
  const [file, after, consumer] = [readText(options, 'cursorFile'), readText(options, 'after'), readText(options, 'consumer')]
  if (consumer !== undefined && (file !== undefined || after !== undefined))
    throw failUsage('The service keeps the place of a consumer.', 'Leave --cursor-file and --after out.')
  return { file, consumer, after: (file === undefined ? undefined : await readCursor(file)) ?? after }
}

/** Prints changes to the newest one; with `--follow` until a signal comes. */
export async function printChanges(context: CommandContext): Promise<void> {
  const { args, options, output, signal } = context
  const [connector = '', entity] = args
  const { file, consumer, after } = await readBeginning(context)
  const { hosted } = await openHosted(connector, context)
  const params = { after, limit: pageSize, follow: readFlag(options, 'follow') }
  const standing: Standing = { after: undefined }
  const keep = async (cursor: string): Promise<void> => {
    if (file !== undefined) return saveCursor(file, cursor)
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
