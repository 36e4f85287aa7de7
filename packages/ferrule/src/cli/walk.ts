/** Walks lists, results in parts and searches, batch by batch, and knows how to continue after an interruption. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isObject } from '../definition/object.ts'
import type { Schema } from '../document/kind-document.ts'
import { nameApart } from '../values/rows/rows.ts'
import { type ListPage, type Part, walkPages, walkParts, walkPositions } from '../values/walks/walk.ts'
import type { CommandContext } from './context.ts'
import { addResumption } from './failure.ts'
import { writeCursor } from './params.ts'

/** Finds the collector; it does nothing where V8 exposes none. */
function findCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const found: unknown = runInNewContext('typeof gc === "function" ? gc : undefined')
  setFlagsFromString('--no-expose-gc')
  return typeof found === 'function' ? () => void Reflect.apply(found, undefined, [{ type: 'minor' }]) : () => undefined
}

/** More pages than any list has: a walk ends at its last page. */
const mostPages = 1_000_000_000

/** Runs an operation of the entity that is walked, or of the entity that returns the next part. */
export type Execute = (entity: string, action: string, params: Schema) => Promise<unknown>

/** An answer with rows or one result. */
export interface Answer {
  readonly data: unknown
  readonly meta?: unknown
}

/** Reads an answer; the service and the engine give an object with `data`. */
export const readAnswer = (value: unknown): Answer & Schema => (isObject(value) ? { ...value, data: value['data'] } : { data: value })

/** Reads the position after a page; undefined on the last page. */
export function readNext(answer: Answer): Schema | undefined {
  const next = isObject(answer.meta) ? answer.meta['next_params'] : undefined
  return isObject(next) ? next : undefined
}

function readColumnNames(data: Schema): readonly string[] {
  const description = data['resultSetMetaData']
  const types = isObject(description) ? description['rowType'] : undefined
  if (!Array.isArray(types)) return []
  return nameApart(types.map((type, index) => (isObject(type) ? String(type['name']) : String(index + 1))))
}

/** Turns rows that are lists of cells into records, for formats with columns. */
export function toRecords(rows: readonly unknown[], names: readonly string[]): readonly unknown[] {
  return rows.map((row) =>
    Array.isArray(row) ? Object.fromEntries(row.map((cell, index) => [names[index] ?? String(index + 1), cell])) : row,
  )
}

/** Returns the rows of an answer; undefined when it holds one record. */
export function readRows({ data }: Answer): readonly unknown[] | undefined {
  if (Array.isArray(data)) return data
  if (!isObject(data) || !Array.isArray(data['data'])) return undefined
  return toRecords(data['data'], readColumnNames(data))
}

const isPart = (value: unknown): value is Part => isObject(value) && isObject(value['data']) && isObject(value['meta'])
const isPage = (value: unknown): value is ListPage => isObject(value) && Array.isArray(value['data'])

/** The rows of a page or part. */
export interface Batch {
  readonly rows: readonly unknown[]
  /** The value of `--cursor` after these rows; undefined: the walk cannot continue from there. */
  readonly next: string | undefined
}

interface Standing {
  records: number
  pages: number
  next: string | undefined
}

/** What is walked. */
export interface WalkSource {
  readonly entity: string
  readonly params: Schema
  readonly run: Execute
  /** Who answers, for errors. */
  readonly vendor: string
}

/** Yields the rows of all pages or parts. */
export async function* walkList({ entity, params, run, vendor }: WalkSource): AsyncGenerator<Batch, void, undefined> {
  const first = await run(entity, 'list', params)
  if (!isPage(first) && isPart(first)) {
    const names = readColumnNames(first.data)
    const get = async (of: string, given: Schema): Promise<Part> => (await run(of, 'get', given)) as Part // a part follows a part
    const source = { first: async () => first, get, isReady: Array.isArray }
    for await (const { data } of walkParts(source, { maxPages: mostPages }))
      if (Array.isArray(data.data)) yield { rows: toRecords(data.data, names), next: undefined }
    return
  }
  let kept: unknown = first
  const load = async (current: Schema): Promise<ListPage> => {
    const page = kept ?? (await run(entity, 'list', current))
    kept = undefined
    return page as ListPage // the pages of a list are alike
  }
  for await (const page of walkPages(load, params, { vendor, maxPages: mostPages })) {
    const next = readNext(page)
    yield { rows: page.data, next: next === undefined ? undefined : writeCursor(next) }
  }
}

/** Yields the rows of all pages of a search. */
export async function* walkSearch(search: (params: Schema) => Promise<unknown>, params: Schema): AsyncGenerator<Batch, void, undefined> {
  const load = async (current: Schema): Promise<Answer> => readAnswer(await search(current))
  const readPosition = ({ meta }: Answer): { readonly cursor: string } | null => {
    const cursor = isObject(meta) ? meta['cursor'] : undefined
    return typeof cursor === 'string' ? { cursor } : null
  }
  for await (const page of walkPositions({ load, params, readNext: readPosition, vendor: 'the service' }, { maxPages: mostPages }))
    yield { rows: Array.isArray(page.data) ? page.data : [], next: readPosition(page)?.cursor }
}

/** Yields rows, and fetches the next page while they are written. At most two pages are held. */
async function* fetchAhead(batches: AsyncGenerator<Batch, void, undefined>): AsyncGenerator<Batch, void, undefined> {
  let pending = batches.next()
  for (;;) {
    const { value, done } = await pending
    if (done === true || value === undefined) return
    pending = batches.next()
    pending.catch(() => undefined) // thrown when the rows before are written
    yield value
  }
}

/**
 * Pages after which young garbage is collected. Without that, a walk of 100,000 records takes 90 MB more: V8 doubles its space for young
 * objects, and promotes pages that are in use when that space is full. After every second page a walk takes 40 MB more, after every eighth 48 MB.
 */
const pagesBetweenCollections = 2

/** Counts what is written, and shows the progress as long as the rows do not go to the same terminal. */
async function* watch(batches: AsyncIterable<Batch>, standing: Standing, context: CommandContext) {
  const progress = await context.openProgress({ isOutputShown: true })
  const collect = findCollector()
  try {
    for await (const { rows, next } of batches) {
      yield rows
      standing.records += rows.length
      standing.pages += 1
      standing.next = next
      if (standing.pages % pagesBetweenCollections === 0) collect()
      progress.show(`${standing.records.toLocaleString('en')} records, ${standing.pages.toLocaleString('en')} pages`)
    }
  } finally {
    progress.end()
  }
}

/** Writes all rows of a walk as they arrive. An interruption leaves whole output and says how to continue. */
export async function writeWalk(batches: AsyncGenerator<Batch, void, undefined>, context: CommandContext): Promise<void> {
  const standing: Standing = { records: 0, pages: 0, next: undefined }
  try {
    await context.output.rows(watch(fetchAhead(batches), standing, context))
    context.output.noteUnseen()
  } catch (thrown) {
    const { records, next } = standing
    if (next === undefined) throw thrown
    throw addResumption(thrown, `Written so far: ${records} records. Continue with: --cursor ${next}`, context.signal)
  }
}

const batchSize = 100

/** Collects entries into batches, so that a long list is written while it is read. */
export async function* collectPages<T>(entries: AsyncIterable<T>): AsyncGenerator<readonly T[], void, undefined> {
  let batch: T[] = []
  for await (const entry of entries) {
    batch.push(entry)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
