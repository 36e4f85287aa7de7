/** `export` and `download`: streams to a file or to standard output. */

import { isObject } from '../../definition/object.ts'
import type { Schema } from '../../document/kind-document.ts'
import type { Download } from '../../engine/types.ts'
import { FerruleError } from '../../errors.ts'
import { type CommandContext, chooseFormulas, readFlag, readText } from '../context.ts'
import { addHint, failUsage, Interrupted } from '../failure.ts'
import { formatBytes, formatSeconds } from '../output/progress.ts'
import { readParams } from '../params.ts'
import { findPart, finishFile, openPart, type Part, refuseExisting } from '../part-file.ts'
import { openHosted } from '../target/target.ts'
import { executeOptions, openOperation } from './execute.ts'
import { readQuery, searchOptions } from './search.ts'

/** Parameter that asks for a part of a file. */
const rangeParameter = 'range_header'

/** Returns the size of the whole file, if the answer says it. */
function readTotal({ range, length, status }: Download): number | undefined {
  const total = /\/(\d+)$/.exec(range ?? '')?.[1]
  if (total !== undefined) return Number(total)
  return status === 200 && length !== null ? length : undefined
}

/** Formats how far a transfer is: bytes, rate, and the time that is left. */
export function formatTransfer(done: number, total: number | undefined, { bytes, seconds }: { bytes: number; seconds: number }): string {
  const rate = seconds > 0 ? bytes / seconds : 0
  const speed = rate > 0 ? `, ${formatBytes(rate)}/s` : ''
  if (total === undefined) return `${formatBytes(done)}${speed}`
  const percent = total === 0 ? 100 : Math.floor((done / total) * 100)
  const left = rate > 0 && done < total ? `, ${formatSeconds((total - done) / rate)} left` : ''
  return `${percent} %, ${formatBytes(done)} of ${formatBytes(total)}${speed}${left}`
}

/** Where the bytes of a file go. */
interface Target {
  /** Bytes that are there already. */
  readonly offset: number
  /** True: the bytes go to standard output. */
  readonly isOutputShown: boolean
  write(bytes: Uint8Array): Promise<void>
}

/** Copies a file with progress. @returns number of bytes that were copied */
async function copy(file: Download, target: Target, context: CommandContext): Promise<number> {
  const total = readTotal(file)
  const { isOutputShown } = target
  const progress = await context.openProgress({ isOutputShown })
  const begin = performance.now()
  let bytes = 0
  try {
    for await (const chunk of file.stream) {
      context.signal.throwIfAborted()
      await target.write(chunk)
      bytes += chunk.byteLength
      const seconds = (performance.now() - begin) / 1_000
      progress.show(formatTransfer(target.offset + bytes, total, { bytes, seconds }))
    }
    return bytes
  } finally {
    progress.end()
  }
}

const toOutput = ({ output }: CommandContext): Target => ({
  offset: 0,
  isOutputShown: true,
  write: (bytes) => output.bytes(bytes),
})

/** Says how an interrupted transfer continues. */
function addResumption(thrown: unknown, sentence: string, signal: AbortSignal): unknown {
  const reason: unknown = signal.aborted ? signal.reason : undefined
  if (reason instanceof Interrupted) reason.hint = sentence
  return thrown instanceof FerruleError ? addHint(thrown, sentence) : thrown
}

/** Writes a file as a part, and gives it its name at the end. */
async function save(file: Download, part: Part, context: CommandContext): Promise<void> {
  const { path } = part
  try {
    const bytes = await copy(file, { ...part, isOutputShown: false }, context)
    await finishFile(part, readFlag(context.options, 'force'))
    context.note(`Wrote ${path}: ${formatBytes(part.offset + bytes)}.`)
  } catch (thrown) {
    const canContinue = await part.abandon()
    throw canContinue ? addResumption(thrown, 'Run the same command again: it continues where it stopped.', context.signal) : thrown
  }
}

const dropAbsent = (members: Schema): Schema => Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

function chooseExportFormat({ options }: CommandContext, path: string | undefined): string {
  const wanted = readText(options, 'format')
  if (wanted === 'json' || wanted === 'table')
    throw failUsage(`An export has no format ${wanted}.`, 'Give --format ndjson or --format csv.')
  return wanted ?? (path?.toLowerCase().endsWith('.csv') ? 'csv' : 'ndjson')
}

const refuseJq = ({ output }: CommandContext): void => {
  if (output.options.jq !== undefined) throw failUsage('A file is not for --jq.', 'Leave --jq out.')
}

/** Exports the copy of an entity. */
export async function exportEntity(context: CommandContext): Promise<void> {
  const [connector = '', entity = '', path] = context.args
  refuseJq(context)
  const target = path === undefined || path === '-' ? undefined : path
  if (target !== undefined) await refuseExisting(target, readFlag(context.options, 'force'))
  const format = chooseExportFormat(context, target)
  const formulas = chooseFormulas(context.options)
  const query = dropAbsent({ ...(await readQuery(context)), format, ...(format === 'csv' ? { formulas } : {}) })
  const { hosted } = await openHosted(connector, context)
  const file = await hosted.export(entity, query, searchOptions(context))
  if (target === undefined) return void (await copy(file, toOutput(context), context))
  await save(file, await openPart(target, null), context)
}

/** Opens the file; a part of an earlier run continues by range when the vendor says that the file is the same. */
async function openFile(
  open: (params: Schema) => Promise<Download>,
  { path, params, canContinue }: { readonly path: string; readonly params: Schema; readonly canContinue: boolean },
): Promise<{ readonly file: Download; readonly part: Part }> {
  const earlier = canContinue ? await findPart(path) : undefined
  if (earlier !== undefined) {
    const rest = await open({ ...params, [rangeParameter]: `bytes=${earlier.bytes}-` }).catch((thrown: unknown) => {
      if (thrown instanceof FerruleError && (thrown.code === 'range_not_satisfiable' || thrown.code === 'range_invalid')) return undefined
      throw thrown
    })
    if (rest?.status === 206 && rest.range?.startsWith(`bytes ${earlier.bytes}-`) && earlier.isOf(rest.etag))
      return { file: rest, part: await openPart(path, rest.etag, earlier.bytes) }
    await rest?.stream.cancel()
  }
  const file = await open(params)
  return { file, part: await openPart(path, file.etag) }
}

const isDownload = (value: unknown): value is Download => isObject(value) && value['stream'] instanceof ReadableStream

/** Downloads a file. */
export async function download(context: CommandContext): Promise<void> {
  const { options } = context
  refuseJq(context)
  const { target, entity } = await openOperation(context)
  const isForced = readFlag(options, 'force')
  const wanted = readText(options, 'output')
  try {
    if (wanted !== undefined && wanted !== '-') await refuseExisting(wanted, isForced)
    if (wanted === '-' && process.stdout.isTTY) throw failUsage('A terminal cannot show a file.', 'Give -o with a path, or a pipe.')
    const params = await readParams(context, { entity, action: 'download' }, target.readKind)
    const open = async (given: Schema): Promise<Download> => {
      const file = await target.executor.execute(entity, 'download', given, { ...executeOptions(context), resume: true })
      if (isDownload(file)) return file
      throw failUsage(`${entity} has no files.`, 'Run `ferrule describe` for the entities that have download.')
    }
    if (wanted === '-') return void (await copy(await open(params), toOutput(context), context))
    if (wanted !== undefined) {
      const { file, part } = await openFile(open, { path: wanted, params, canContinue: params[rangeParameter] === undefined })
      return await save(file, part, context)
    }
    const file = await open(params)
    await refuseExisting(file.name, isForced)
    await save(file, await openPart(file.name, file.etag), context)
  } finally {
    await target.executor.close()
  }
}
