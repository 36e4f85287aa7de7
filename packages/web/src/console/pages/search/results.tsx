/** The results of a search. */
import { Alert, Button, Group, Loader, Menu, Stack, Text } from '@mantine/core'
import { type ExportDownload, FerruleError } from 'ferrule/core'
import { isObject } from 'ferrule/internal'
import type { Freshness as Given } from 'ferrule/wire'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { useConnector } from '../../data/connector.ts'
import { useRead } from '../../data/ferrule.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { describeError } from '../../parts/describe-error.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { PlainButton, SmallButton } from '../../parts/looks.tsx'
import { printCount, printCounted, printSize } from '../../parts/print.ts'
import { DataTable } from '../../parts/table/data-table.tsx'
import { Time } from '../../parts/time.tsx'
import { type ChangeAddress, mostPages, turnSort } from './address.ts'
import type { FilterField } from './filter/fields.ts'
import { buildColumns, listOrdered } from './record-columns.ts'
import { buildOptions, buildParams, type RunnableSearch, type RunningSearch, useSearch } from './use-search.ts'

/** What a state adds to the sentence. */
const states: Readonly<Partial<Record<Given['status'], string>>> = {
  updating: 'A sync runs now.',
  building_preview: 'The first sync runs: some records are not there yet.',
  preview: 'The first sync runs: some records are not there yet.',
  failed: 'The last sync has failed.',
  disabled: 'The entity is not synced any more.',
}

/** Shows the sentence. */
export const Freshness = ({ of: { synced_at, verified_at, status, complete, may_change_from } }: { readonly of: Given }) => (
  <Text size="sm" component="div">
    The copy has what the vendor reported until <Time value={synced_at} none="its first sync has ended" />
    {verified_at !== null && (
      <>
        , and was fully checked <Time value={verified_at} />
      </>
    )}
    . {states[status] ?? ''}
    {!complete && states[status] === undefined ? ' A part of the records could not be read.' : ''}
    {may_change_from === undefined ? '' : ` Figures from ${may_change_from} on can still change.`}
  </Text>
)

interface ResultsProps {
  readonly search: RunnableSearch
  readonly fields: readonly FilterField[]
  readonly onChange: ChangeAddress
}

/** Shows what the service says about the whole search. */
export function Remarks({ meta }: { readonly meta: Readonly<Record<string, unknown>> }) {
  const { unknown_paths: paths, relevance_left_out: isLeftOut, related } = meta
  const missing = (Array.isArray(related) ? related.filter(isObject) : []).filter((each) => each['synced_at'] === null)
  return (
    <>
      {Array.isArray(paths) && paths.length > 0 && (
        <Alert color="yellow" variant="light" title="No record has these paths">
          {paths.join(', ')}. Look for a typing error in what you chose.
        </Alert>
      )}
      {missing.length > 0 && (
        <Alert color="yellow" variant="light" title="Some related records are missing">
          {missing.map(({ entity }) => String(entity)).join(', ')}: no sync has ended yet.
        </Alert>
      )}
      {isLeftOut === true && (
        <Alert color="yellow" variant="light">
          Too many records match to be ordered by relevance. Search for more words, or for a range of time.
        </Alert>
      )}
    </>
  )
}

/** What the line below the freshness gets. */
interface MoreProps {
  readonly query: Pick<RunningSearch['query'], 'hasNextPage' | 'isFetching' | 'isFetchNextPageError' | 'fetchNextPage'>
  readonly says: string
  readonly pages: number
  /** true: the service has no further page, though there is more. */
  readonly isFull?: boolean
  readonly onChange: ChangeAddress
}

/** Shows how much was read, and reads more. */
export function More({ query, says, pages, isFull = false, onChange }: MoreProps) {
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = query
  const readMore = () => (isFetchNextPageError ? void fetchNextPage() : onChange({ pages: String(pages + 1) }, { replace: true }))
  const isEnd = pages >= mostPages || isFull
  return (
    <Group gap="sm">
      <Text size="sm" role="status">
        {says}
      </Text>
      {hasNextPage && !isEnd && (
        <SmallButton loading={isFetching} onClick={readMore}>
          Read the next page
        </SmallButton>
      )}
      {hasNextPage && isEnd && <Text size="sm">The table ends here. Narrow the filter to see the others.</Text>}
    </Group>
  )
}

/** Prints how many records were read, and how many there are. */
function printRead(count: number, { query: { data, hasNextPage } }: RunningSearch): string {
  if (!hasNextPage) return `${printCounted(count, 'record')}: all that match.`
  const { total, total_at_least: isMore } = data?.pages[0]?.meta ?? {}
  const all = typeof total === 'number' ? ` of ${isMore === true ? 'at least ' : ''}${printCounted(total, 'record')}` : ' records'
  return `The first ${printCount(count)}${all}.`
}

/** Shows the table with what belongs to it. */
function Found({ search, fields, onChange, running }: ResultsProps & { readonly running: RunningSearch }) {
  const { query, rows } = running
  const canSort = useMemo(() => listOrdered(fields), [fields])
  const { fields: chosen, related } = search
  const columns = useMemo(() => buildColumns(rows, { chosen, related, canSort }), [rows, chosen, related, canSort])
  const [first] = query.data?.pages ?? []
  if (first === undefined) return null
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Freshness of={first.context_store} />
        {query.isPlaceholderData && <Loader size="sm" aria-label="Searching" />}
        <ExportMenu search={search} />
      </Group>
      <Remarks meta={first.meta} />
      {rows.length > 0 && (
        <More query={query} says={printRead(rows.length, running)} onChange={onChange} pages={query.data?.pages.length ?? 1} />
      )}
      {rows.length === 0 ? (
        <EmptyState title="No record matches" says="Loosen the filter, or sync the entity when you expect newer records." />
      ) : (
        <DataTable
          label={`Records of ${search.entity}`}
          rows={rows}
          columns={columns}
          sort={search.sort}
          onSort={(column) => onChange({ sort: turnSort(search.sort, column), pages: undefined })}
        />
      )}
    </Stack>
  )
}

/** What was found, and what it was found by. */
interface SearchViewProps extends Pick<ResultsProps, 'search' | 'onChange'> {
  readonly query: Pick<RunningSearch['query'], 'error' | 'isFetchNextPageError' | 'refetch' | 'fetchNextPage'> & { readonly data: unknown }
  readonly children: ReactNode
}

/** Shows what was found, or why it is missing. */
export function SearchView({ query, children, ...searched }: SearchViewProps) {
  const { data, error, isFetchNextPageError, refetch, fetchNextPage } = query
  const onRetry = useMemo(() => () => void refetch(), [refetch])
  const failure = error !== null && !isFetchNextPageError && <SearchError {...searched} onRetry={onRetry} error={error} />
  if (data === undefined) return failure || <Loader aria-label="Searching" />
  return (
    <Stack gap="sm">
      {failure}
      {children}
      {isFetchNextPageError && <SearchError {...searched} error={error} onRetry={() => void fetchNextPage()} />}
    </Stack>
  )
}

/** Shows the results. */
export function Results(props: ResultsProps) {
  const running = useSearch(props.search)
  return (
    <SearchView search={props.search} onChange={props.onChange} query={running.query}>
      <Found {...props} running={running} />
    </SearchView>
  )
}

/** Errors that a sync can end. */
const passing: readonly string[] = ['context_store_not_ready', 'context_store_stale']
/** Time between two looks at the copy, in milliseconds. */
const everyMs = 3_000

interface NotReadyProps {
  readonly search: RunnableSearch
  readonly error: FerruleError
  readonly onRetry: () => void
  readonly onChange: ChangeAddress
}

/** Watches the copy, and searches again as soon as a sync has ended. @param isFilled true: the copy was filled before */
function useCopy({ connector, entity }: RunnableSearch, isFilled: boolean, onReady: () => void) {
  const reading = useRead(['context-store', connector], (ferrule, signal) => ferrule.contextStore.status(connector, { signal }), {
    everyMs,
  })
  const copy = reading.data?.entities.find((each) => each.entity === entity)
  const syncedAt = copy?.ready_for_search === true ? copy.last_success_at : null
  const before = useRef<string | null>(isFilled ? null : '')
  useEffect(() => {
    if (syncedAt === null) return
    if (before.current !== null && before.current !== syncedAt) onReady()
    before.current = syncedAt
  }, [syncedAt, onReady])
  return copy
}

const Progress = ({ copy }: { readonly copy: ReturnType<typeof useCopy> }) => (
  <Text size="sm" role="status">
    {copy?.progress === null || copy === undefined
      ? `No sync of this entity runs. ${printCount(copy?.records ?? 0)} records are in the copy.`
      : `A sync runs: ${printCount(copy.progress.records)} records were read. The search follows when it has ended.`}
  </Text>
)

/** Shows the explanation with its buttons. */
function NotReady({ search, error, onRetry, onChange }: NotReadyProps) {
  const { connector, entity } = search
  const isStale = error.code === 'context_store_stale'
  const copy = useCopy(search, isStale, onRetry)
  const sync = useWrite((ferrule) => ferrule.syncs.start(connector, { entities: [entity] }), {
    refreshes: [['context-store', connector]],
    onDone: () => announce(`A sync of ${entity} is queued. The search runs when it has ended.`),
  })
  const title = isStale ? 'The copy is older than you allow' : 'The copy is not filled yet'
  return (
    <Alert color="yellow" variant="light" title={title} role="alert">
      <Stack gap="xs" align="flex-start">
        {isStale && <Text size="sm">{describeError(error).sentence}</Text>}
        <Progress copy={copy} />
        {!isStale && copy !== undefined && copy.last_error !== null && <Text size="sm">{copy.last_error.message}</Text>}
        <Group gap="xs">
          {copy !== undefined && copy.progress === null && (
            <Button size="compact-sm" loading={sync.isPending} onClick={() => sync.mutate(undefined)}>
              Sync {entity} now
            </Button>
          )}
          {isStale ? (
            <SmallButton onClick={() => onChange({ max_age: undefined })}>Search the copy as it is</SmallButton>
          ) : (
            <SmallButton onClick={() => onChange({ partial: '1' })}>Search what is there</SmallButton>
          )}
          <SmallButton onClick={onRetry}>Try again</SmallButton>
        </Group>
        <ErrorBox error={sync.error} title="The sync was not queued" />
      </Stack>
    </Alert>
  )
}

/** Shows why a search failed. */
function SearchError({ error, ...props }: Omit<NotReadyProps, 'error'> & { readonly error: unknown }) {
  if (error instanceof FerruleError && error.retryable && passing.includes(error.code)) return <NotReady {...props} error={error} />
  return <ErrorBox error={error} title="The search did not work" onRetry={props.onRetry} />
}

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
  const [error, setError] = useState<unknown>(null)
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
    setError(null)
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

function ExportMenu({ search }: { readonly search: RunnableSearch }) {
  const { progress, error, start, cancel } = useExport(search)
  if (progress !== undefined)
    return (
      <Group gap="xs">
        <Text size="sm" role="status">
          Exporting: {printProgress(progress)}
        </Text>
        <PlainButton onClick={cancel}>Cancel the export</PlainButton>
      </Group>
    )
  return (
    <>
      <Menu position="bottom-start">
        <Menu.Target>
          <PlainButton>Export</PlainButton>
        </Menu.Target>
        <Menu.Dropdown>
          {search.related.length > 0 && <Menu.Label>Without fields of related records</Menu.Label>}
          {exportFormats.map((format) => (
            <Menu.Item key={format} onClick={() => start(format)}>
              {labels[format]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <ErrorBox error={error} title="The export was not saved" />
    </>
  )
}

const exportFormats = ['csv', 'ndjson', 'parquet'] as const
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

/** Writes an export to its file. One chunk is in memory at a time, unless the target keeps them. */
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
