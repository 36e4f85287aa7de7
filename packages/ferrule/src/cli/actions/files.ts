/** `export` and `download`: streams to a file or to standard output. A file gets its name when it is whole. */
import { createHash } from 'node:crypto'
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { dropAbsent, isObject } from '../../definition/object.ts'
import type { Schema } from '../../document/kind-document.ts'
import type { Download } from '../../engine/types.ts'
import { FerruleError } from '../../errors.ts'
import { escapePattern } from '../../values/texts.ts'
import { type CommandContext, chooseFormulas, readFlag, readText } from '../context.ts'
import { addResumption, failUsage, readErrorCode } from '../failure.ts'
import { formatBytes, formatSeconds } from '../output/progress.ts'
import { readParams } from '../params.ts'
import { callOptions } from '../session.ts'
import { openHosted } from '../target/target.ts'
import { openOperation, readQuery, searchOptions } from './execute.ts'

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

interface ByteSink {
  /** Bytes that are there already. */
  readonly offset: number
  /** True: the bytes go to standard output. */
  readonly isOutputShown: boolean
  write(bytes: Uint8Array): Promise<void>
}

/** Copies a file with progress. @returns number of bytes that were copied */
async function copy(file: Download, sink: ByteSink, context: CommandContext): Promise<number> {
  const total = readTotal(file)
  const { isOutputShown } = sink
  const progress = await context.openProgress({ isOutputShown })
  const begin = performance.now()
  let bytes = 0
  try {
    for await (const chunk of file.stream) {
      context.signal.throwIfAborted()
      await sink.write(chunk)
      bytes += chunk.byteLength
      const seconds = (performance.now() - begin) / 1_000
      progress.show(formatTransfer(sink.offset + bytes, total, { bytes, seconds }))
    }
    return bytes
  } finally {
    progress.end()
  }
}

const toOutput = ({ output }: CommandContext): ByteSink => ({
  offset: 0,
  isOutputShown: true,
  write: (bytes) => output.bytes(bytes),
})

/** Writes a file as a part, and gives it its name at the end. */
async function save(file: Download, partFile: PartFile, context: CommandContext): Promise<void> {
  const { path } = partFile
  try {
    const bytes = await copy(file, { ...partFile, isOutputShown: false }, context)
    await finishFile(partFile, readFlag(context.options, 'force'))
    context.note(`Wrote ${path}: ${formatBytes(partFile.offset + bytes)}.`)
  } catch (thrown) {
    const canContinue = await partFile.abandon()
    throw canContinue ? addResumption(thrown, 'Run the same command again: it continues where it stopped.', context.signal) : thrown
  }
}

function chooseExportFormat({ options }: CommandContext, path: string | undefined): string {
  const wanted = readText(options, 'format')
  if (wanted === 'json' || wanted === 'table')
    throw failUsage(`An export has no format ${wanted}.`, 'Give --format ndjson, --format csv or --format parquet.')
  const format = wanted ?? /\.(csv|parquet)$/i.exec(path ?? '')?.[1]?.toLowerCase() ?? 'ndjson'
  if (format === 'parquet' && path === undefined && process.stdout.isTTY)
    throw failUsage('A terminal cannot show a file.', 'Give a file, or a pipe.')
  return format
}

const refuseJq = ({ output }: CommandContext): void => {
  if (output.options.jq !== undefined) throw failUsage('A file is not for --jq.', 'Leave --jq out.')
}

/** Exports the copy of an entity. */
export async function exportEntity(context: CommandContext): Promise<void> {
  const [connector = '', entity = '', path] = context.args
  refuseJq(context)
  const destination = path === undefined || path === '-' ? undefined : path
  if (destination !== undefined) await refuseExisting(destination, readFlag(context.options, 'force'))
  const format = chooseExportFormat(context, destination)
  const formulas = chooseFormulas(context.options)
  const query = dropAbsent({ ...(await readQuery(context)), format, ...(format === 'csv' ? { formulas } : {}) })
  const { hosted } = await openHosted(connector, context)
  const file = await hosted.export(entity, query, searchOptions(context))
  if (destination === undefined) return void (await copy(file, toOutput(context), context))
  await save(file, await openPart(destination, null), context)
}

/** Opens the file; a part of an earlier run continues by range when the vendor says that the file is the same. */
async function openFile(
  open: (params: Schema) => Promise<Download>,
  { path, params, canContinue }: { readonly path: string; readonly params: Schema; readonly canContinue: boolean },
): Promise<{ readonly file: Download; readonly partFile: PartFile }> {
  const earlier = canContinue ? await findPart(path) : undefined
  if (earlier !== undefined) {
    const rest = await open({ ...params, [rangeParameter]: `bytes=${earlier.bytes}-` }).catch((thrown: unknown) => {
      if (thrown instanceof FerruleError && (thrown.code === 'range_not_satisfiable' || thrown.code === 'range_invalid')) return undefined
      throw thrown
    })
    if (rest?.status === 206 && rest.range?.startsWith(`bytes ${earlier.bytes}-`) && earlier.isOf(rest.etag))
      return { file: rest, partFile: await openPart(path, rest.etag, earlier.bytes) }
    await rest?.stream.cancel()
  }
  const file = await open(params)
  return { file, partFile: await openPart(path, file.etag) }
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
      const file = await target.executor.execute(entity, 'download', given, { ...callOptions(context), resume: true })
      if (isDownload(file)) return file
      throw failUsage(`${entity} has no files.`, 'Run `ferrule describe` for the entities that have download.')
    }
    if (wanted === '-') return void (await copy(await open(params), toOutput(context), context))
    if (wanted !== undefined) {
      const { file, partFile } = await openFile(open, { path: wanted, params, canContinue: params[rangeParameter] === undefined })
      return await save(file, partFile, context)
    }
    const file = await open(params)
    await refuseExisting(file.name, isForced)
    await save(file, await openPart(file.name, file.etag), context)
  } finally {
    await target.executor.close()
  }
}

interface PartFile {
  /** Path of the whole file. */
  readonly path: string
  readonly partPath: string
  /** Bytes that an earlier run has written. */
  readonly offset: number
  write(bytes: Uint8Array): Promise<void>
  /** Closes the part file at the end of the transfer. */
  close(): Promise<void>
  /** Closes the part file of a transfer that failed; it stays if a later run can continue it, which is returned. */
  abandon(): Promise<boolean>
}

/** The part name carries a digest of the file's tag, so that a later run continues the same file only. */
const digest = (tag: string): string => createHash('sha256').update(tag).digest('hex').slice(0, 12)

/** A weak tag does not prove that two files have the same bytes. */
const isStrong = (tag: string | null): tag is string => tag !== null && !tag.startsWith('W/')

const namePart = (path: string, tag: string | null): string => (isStrong(tag) ? `${path}.${digest(tag)}.part` : `${path}.part`)

async function refuseExisting(path: string, isForced: boolean): Promise<void> {
  if (isForced) return
  const exists = await stat(path).then(
    () => true,
    () => false,
  )
  if (exists) throw failUsage(`The file ${path} exists.`, 'Give --force to overwrite it, or another name.')
}

async function findPart(path: string): Promise<{ readonly bytes: number; isOf(tag: string | null): boolean } | undefined> {
  const folder = dirname(path)
  const names = await readdir(folder).catch(() => [])
  const escaped = escapePattern(basename(path))
  const pattern = new RegExp(`^${escaped}\\.[0-9a-f]{12}\\.part$`)
  for (const name of names) {
    if (!pattern.test(name)) continue
    const { size } = await stat(join(folder, name))
    if (size > 0) return { bytes: size, isOf: (tag) => isStrong(tag) && join(folder, name) === join(namePart(path, tag)) }
  }
  return undefined
}

async function openForWriting(path: string, flags: string): Promise<FileHandle> {
  try {
    return await open(path, flags)
  } catch (thrown) {
    throw failUsage(
      `The file ${path} cannot be written (${readErrorCode(thrown) ?? String(thrown)}).`,
      'Check the folder, or give another path.',
    )
  }
}

/** Opens the part file. @param tag of the file; null: a later run cannot continue @param offset bytes of an earlier run that stay */
async function openPart(path: string, tag: string | null, offset = 0): Promise<PartFile> {
  const partPath = namePart(path, tag)
  const file = await openForWriting(partPath, offset > 0 ? 'a' : 'w')
  let written = 0
  return {
    path,
    partPath,
    offset,
    write: async (bytes) => {
      await file.writeFile(bytes)
      written += bytes.byteLength
    },
    close: () => file.close(),
    abandon: async () => {
      await file.close()
      const canContinue = isStrong(tag) && offset + written > 0
      if (!canContinue) await rm(partPath, { force: true })
      return canContinue
    },
  }
}

/** Gives the whole file its name. */
async function finishFile(part: PartFile, isForced: boolean): Promise<void> {
  await refuseExisting(part.path, isForced)
  await part.close()
  await rename(part.partPath, part.path)
}
