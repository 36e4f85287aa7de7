/** Saves an export as a file, in bounded memory. */
import type { ExportDownload } from 'ferrule/core'

/** Formats of an export. */
export const exportFormats = ['csv', 'ndjson'] as const
/** Format of an export. */
export type ExportFormat = (typeof exportFormats)[number]

/** Bytes that an export has at most in a browser that cannot write a file piece by piece: all of them are in memory. */
const mostBytesInMemory = 200 * 1024 * 1024

/** Where the bytes of an export go. */
export interface ExportTarget {
  write(chunk: Uint8Array<ArrayBuffer>): Promise<void>
  /** Makes the file complete. */
  close(): Promise<void>
  /** Leaves no file. */
  abort(): Promise<void>
}

/** A file of the reader that is written piece by piece. Not every browser has it. */
interface FileHandle {
  createWritable(): Promise<ExportTarget>
}
type OpenPicker = (options: { readonly suggestedName: string }) => Promise<FileHandle>

const isPicker = (value: unknown): value is OpenPicker => typeof value === 'function'

/** An export that needs more memory than it may have. */
class TooLarge extends Error {
  constructor() {
    super(
      `This browser keeps an export in memory, so it ends at ${mostBytesInMemory / 1024 / 1024} MiB. Narrow the filter, choose fewer columns, ` +
        'use a browser that writes files (Chrome, Edge), or use the command: ferrule-server export.',
    )
  }
}

const types: Readonly<Record<ExportFormat, string>> = { csv: 'text/csv', ndjson: 'application/x-ndjson' }

/** Collects the bytes and hands them over as a download. */
function openMemory(name: string, format: ExportFormat): ExportTarget {
  let chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  return {
    write: async (chunk) => {
      bytes += chunk.byteLength
      if (bytes > mostBytesInMemory) throw new TooLarge()
      chunks.push(chunk)
    },
    close: async () => {
      const url = URL.createObjectURL(new Blob(chunks, { type: types[format] }))
      chunks = []
      const link = Object.assign(document.createElement('a'), { href: url, download: name })
      link.click()
      setTimeout(() => URL.revokeObjectURL(url), 60_000)
    },
    abort: async () => {
      chunks = []
    },
  }
}

/**
 * Opens the file. Call it in the handler of a click: browsers ask the reader for a file then only.
 * @returns undefined when the reader chose none
 */
export async function openTarget(name: string, format: ExportFormat): Promise<ExportTarget | undefined> {
  const pick: unknown = Reflect.get(globalThis, 'showSaveFilePicker')
  if (!isPicker(pick)) return openMemory(name, format)
  try {
    return await (await pick({ suggestedName: name })).createWritable()
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === 'AbortError') return undefined
    throw thrown
  }
}

/** How far an export has come. */
export interface ExportProgress {
  readonly bytes: number
  readonly records: number
}

const [lineFeed, quote] = [0x0a, 0x22]

/** Makes a function that counts the records of an export: lines, in CSV without the header and without those within quotes. */
function createRecordCounter(format: ExportFormat): (chunk: Uint8Array) => number {
  let lines = format === 'csv' ? -1 : 0
  let isQuoted = false
  return (chunk) => {
    for (const byte of chunk) {
      if (byte === quote && format === 'csv') isQuoted = !isQuoted
      else if (byte === lineFeed && !isQuoted) lines += 1
    }
    return Math.max(0, lines)
  }
}

/**
 * Writes an export to its file. One chunk is in memory at a time, unless the target keeps them.
 * @throws what the transfer and the file throw; then there is no file
 */
export async function saveExport(
  { stream }: Pick<ExportDownload, 'stream'>,
  target: ExportTarget,
  { format, onProgress }: { readonly format: ExportFormat; readonly onProgress: (progress: ExportProgress) => void },
): Promise<ExportProgress> {
  const count = createRecordCounter(format)
  const reader = stream.getReader()
  let progress: ExportProgress = { bytes: 0, records: 0 }
  try {
    for (let { value } = await reader.read(); value !== undefined; { value } = await reader.read()) {
      progress = { bytes: progress.bytes + value.byteLength, records: count(value) }
      await target.write(new Uint8Array(value))
      onProgress(progress)
    }
    await target.close()
    return progress
  } catch (thrown) {
    await reader.cancel().catch(() => undefined)
    await target.abort().catch(() => undefined)
    throw thrown
  }
}
