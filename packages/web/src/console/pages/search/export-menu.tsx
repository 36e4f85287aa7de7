/** Exports what a search finds, with progress and a way to stop. */
import { Button, Group, Menu, Text } from '@mantine/core'
import type { ExportDownload } from 'ferrule/core'
import { useEffect, useRef, useState } from 'react'
import { useConnector } from '../../data/connector.ts'
import { announce } from '../../parts/announcements.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { printCounted, printSize } from '../../parts/print.ts'
import { buildOptions, buildParams, type RunnableSearch } from './use-search.ts'

/** Time between two drawings of the progress, in milliseconds. */
const drawMs = 200

/** Prints how far an export has come. */
const printProgress = ({ records, bytes }: ExportProgress): string =>
  records === undefined ? printSize(bytes) : `${printCounted(records, 'record')}, ${printSize(bytes)}`

/** Returns a function that calls another at most once in a while. */
function slowDown(draw: (progress: ExportProgress) => void): (progress: ExportProgress) => void {
  let last = 0
  return (progress) => {
    if (performance.now() - last < drawMs) return
    last = performance.now()
    draw(progress)
  }
}

/** Runs one export at a time. */
function useExport(search: RunnableSearch) {
  const hosted = useConnector(search.connector)
  const [progress, setProgress] = useState<ExportProgress>()
  const [error, setError] = useState<unknown>()
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const run = async (format: ExportFormat, stop: AbortController) => {
    const target = await openTarget(`${search.entity}.${format}`, format)
    if (target === undefined) return
    setProgress(begin(format))
    const { signal } = stop
    const download = await hosted
      .export(search.entity, { ...buildParams(search), format }, { ...buildOptions(search), signal })
      .catch(async (thrown) => {
        await target.abort()
        throw thrown
      })
    const all = await saveExport(download, target, { format, onProgress: slowDown(setProgress) })
    announce(`The export is saved: ${printProgress(all)}.`)
  }
  const start = (format: ExportFormat) => {
    const stop = new AbortController()
    running.current = stop
    setError(undefined)
    run(format, stop)
      .catch((thrown: unknown) => (stop.signal.aborted ? announce('The export was cancelled. No file was saved.') : setError(thrown)))
      .finally(() => setProgress(undefined))
  }
  return { progress, error, start, cancel: () => running.current?.abort() }
}

const labels: Readonly<Record<ExportFormat, string>> = {
  csv: 'CSV, for spreadsheets',
  ndjson: 'NDJSON, one record a line',
  parquet: 'Parquet, for data tools',
}

/** Shows the menu, and the progress of an export. */
export function ExportMenu({ search }: { readonly search: RunnableSearch }) {
  const { progress, error, start, cancel } = useExport(search)
  if (progress !== undefined)
    return (
      <Group gap="xs">
        <Text size="sm" role="status">
          Exporting: {printProgress(progress)}
        </Text>
        <Button variant="default" onClick={cancel}>
          Cancel the export
        </Button>
      </Group>
    )
  return (
    <>
      <Menu position="bottom-start">
        <Menu.Target>
          <Button variant="default">Export</Button>
        </Menu.Target>
        <Menu.Dropdown>
          {exportFormats.map((format) => (
            <Menu.Item key={format} onClick={() => start(format)}>
              {labels[format]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {error !== undefined && <ErrorBox error={error} title="The export was not saved" />}
    </>
  )
}

/** Formats of an export. */
const exportFormats = ['csv', 'ndjson', 'parquet'] as const
/** Format of an export. */
type ExportFormat = (typeof exportFormats)[number]

/** Bytes that an export has at most in a browser that cannot write a file piece by piece: all of them are in memory. */
const mostBytesInMemory = 200 * 1024 * 1024

/** Where the bytes of an export go. */
interface ExportTarget {
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

const types: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
}

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
async function openTarget(name: string, format: ExportFormat): Promise<ExportTarget | undefined> {
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
interface ExportProgress {
  readonly bytes: number
  /** undefined: the format does not show where a record ends. */
  readonly records: number | undefined
}

const begin = (format: ExportFormat): ExportProgress => ({ bytes: 0, records: format === 'parquet' ? undefined : 0 })

const [lineFeed, quote] = [0x0a, 0x22]

/** Makes a function that counts the records of an export: lines, in CSV without the header and without those within quotes. */
function createRecordCounter(format: ExportFormat): (chunk: Uint8Array) => number | undefined {
  if (format === 'parquet') return () => undefined
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
async function saveExport(
  { stream }: Pick<ExportDownload, 'stream'>,
  target: ExportTarget,
  { format, onProgress }: { readonly format: ExportFormat; readonly onProgress: (progress: ExportProgress) => void },
): Promise<ExportProgress> {
  const count = createRecordCounter(format)
  const reader = stream.getReader()
  let progress = begin(format)
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
