/** Walks a list page by page, and a result part by part. Stops on a repeated position and on an exhausted budget. */
import { isObject } from '../../definition/object.ts'
import { type DayWindow, FerruleError, fail } from '../../errors.ts'
import { writeJson } from '../json/json.ts'

/** One page of a list. */
export interface ListPage<R = unknown, M = Readonly<Record<string, unknown>>> {
  readonly data: R[]
  readonly meta: M & { readonly next_params: unknown }
}

/** Limits of a walk. */
export interface WalkOptions {
  /** Maximum number of pages; 10,000 by default. More pages are an error, never a silent end. */
  readonly maxPages?: number | undefined
}

const defaultMaxPages = 10_000

const pick = (params: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, params[name]]))

/** How a walk goes from one page to the next. */
interface PageSource<P> {
  /** Fetches one page. */
  readonly load: (params: Readonly<Record<string, unknown>>) => Promise<P>
  /** Parameters of the first page. */
  readonly params: Readonly<Record<string, unknown>>
  /** Reads the changes to the parameters for the next page; null after the last. */
  readonly readNext: (page: P) => unknown
  /** Who pages the list, for errors. */
  readonly vendor: string
  /** Number of pages before the first one, of the same walk. */
  readonly walked?: number
}

/**
 * Yields pages until the last.
 * @throws FerruleError `upstream_answer_invalid` on a repeated position, `page_budget_exhausted`, and what `load` throws
 */
export async function* walkPositions<P>(
  { load, params, readNext, vendor, walked = 0 }: PageSource<P>,
  options: WalkOptions,
): AsyncGenerator<P, void, undefined> {
  const maxPages = options.maxPages ?? defaultMaxPages
  let seen: Set<string> | undefined
  let current = params
  for (let count = walked + 1; ; count++) {
    const page = await load(current)
    yield page
    const next = readNext(page)
    if (!isObject(next)) return
    const names = Object.keys(next).filter((name) => next[name] !== null) // null removes a filter and is no part of the position
    const position = writeJson(pick(next, names))
    seen ??= new Set([writeJson(pick(params, names))]) // the position of the first page
    if (seen.has(position)) throw fail('upstream_answer_invalid', { vendor, reason: 'a list that returns to a position it had before' })
    seen.add(position)
    if (count >= maxPages) throw fail('page_budget_exhausted', { pages: maxPages })
    current = { ...current, ...next }
  }
}

const day = 86_400_000

const formatDay = (at: number): string => new Date(at).toISOString().slice(0, 10)
const readDay = (value: unknown): number => (value instanceof Date ? value.getTime() : Date.parse(String(value)))

/** Finds the window that the refusal of a range names; undefined in any other error. */
function findWindow(thrown: unknown, params: Readonly<Record<string, unknown>>): DayWindow | undefined {
  const windows = thrown instanceof FerruleError ? thrown.errors.flatMap(({ window }) => window ?? []) : []
  return windows.find(({ from, to, days, page }) => {
    const isRange = readDay(params[from]) <= readDay(params[to]) // false for what is no date
    return isRange && typeof page === 'string' && Number.isInteger(days) && days > 0
  })
}

/** A part of a range of days: its parameters, and the changes to the parameters of the whole range that begin after it. */
interface Cut {
  readonly params: Readonly<Record<string, unknown>>
  readonly next: Readonly<Record<string, unknown>> | null
}

/** Cuts the range of days in parameters into windows. The first one begins at the page that the parameters name. */
function* cutRange(params: Readonly<Record<string, unknown>>, { from, to, days, page }: DayWindow): Generator<Cut, void, undefined> {
  const [first, last] = [readDay(params[from]), readDay(params[to])]
  for (let start = first; start <= last; start += days * day) {
    const end = Math.min(start + (days - 1) * day, last)
    const own = { ...params, [from]: formatDay(start), [to]: formatDay(end) }
    yield {
      params: start === first ? own : { ...own, [page]: null },
      next: end < last ? { [from]: formatDay(end + day), [page]: null } : null,
    }
  }
}

/** Lets a page say where the walk of the whole range continues. */
function continueRange<P extends ListPage>(page: P, from: string, { params, next }: Cut): P {
  const { next_params: within } = page.meta
  const next_params = isObject(within) ? { [from]: params[from], ...within } : next
  return { ...page, meta: { ...page.meta, next_params } } // the same page, with other values of next_params
}

/**
 * Yields the pages of a list until the last. A range of days that is too long for one call is walked window by window: the refusal of the
 * whole range, which costs no call to the vendor, names the largest window.
 * @param load fetches one page
 * @param params parameters of the first page; each page's `next_params` are merged into them
 * @param options limits, and the vendor's name for errors
 * @throws as `walkPositions`
 */
export async function* walkPages<P extends ListPage>(
  load: PageSource<P>['load'],
  params: Readonly<Record<string, unknown>>,
  { vendor, ...options }: WalkOptions & { readonly vendor: string },
): AsyncGenerator<P, void, undefined> {
  const { maxPages = defaultMaxPages } = options
  let walked = 0
  const walk = (of: PageSource<P>['params']) =>
    walkPositions({ load, params: of, readNext: (page: P) => page.meta.next_params, vendor, walked }, { maxPages })
  let window: DayWindow | undefined
  try {
    for await (const page of walk(params)) {
      walked += 1
      yield page
    }
  } catch (thrown) {
    window = walked === 0 ? findWindow(thrown, params) : undefined
    if (window === undefined) throw thrown
  }
  if (window === undefined) return
  for (const cut of cutRange(params, window)) {
    if (walked >= maxPages) throw fail('page_budget_exhausted', { pages: maxPages })
    for await (const page of walk(cut.params)) {
      walked += 1
      yield continueRange(page, window.from, cut)
    }
  }
}

/** Yields the records of a walk. @throws as `walkPages` */
export async function* walkRecords<R>(pages: AsyncIterable<Pick<ListPage<R>, 'data'>>): AsyncGenerator<R, void, undefined> {
  for await (const page of pages) yield* page.data
}

/** One part of a result, with the operation that returns the next part. */
export interface Part {
  readonly data: { readonly data?: unknown }
  readonly meta: {
    readonly next_params: Readonly<Record<string, unknown>> | null
    readonly next_operation: { readonly entity: string; readonly action: string } | null
    readonly partition_info: unknown
  }
}

/** How a walk fetches the parts of a result. */
export interface PartSource {
  /** Runs the statement. */
  readonly first: () => Promise<Part>
  /** Fetches a part. */
  readonly get: (entity: string, params: Readonly<Record<string, unknown>>) => Promise<Part>
  /** Returns whether the rows of a part are there; a result can be asked for before it is ready. */
  readonly isReady: (rows: unknown) => boolean
}

/** Finds the parameter for the part number: beside it stands the handle, which is a string. */
const findNumber = (params: Readonly<Record<string, unknown>>): string =>
  Object.keys(params).find((name) => typeof params[name] === 'number') ?? ''

/**
 * Yields the parts of a result. The statement runs once; a result that is not ready is requested again.
 * @throws FerruleError `page_budget_exhausted`, and what the operations throw
 */
export async function* walkParts(
  { first, get, isReady: hasRows }: PartSource,
  options: WalkOptions,
): AsyncGenerator<Part, void, undefined> {
  const maxPages = options.maxPages ?? defaultMaxPages
  let known: number | undefined // only the first part lists all parts
  let from: { readonly entity: string; readonly params: Readonly<Record<string, unknown>> } | undefined
  let part: Part | undefined = await first()
  for (let index = 0, count = 1; ; count++) {
    const { next_params: params, next_operation: operation, partition_info: info }: Part['meta'] = part.meta
    const isReady = hasRows(part.data.data)
    if (isReady) yield part
    if (isReady) index += 1
    part = undefined // memory holds one part at a time
    known ??= Array.isArray(info) ? info.length : undefined
    from ??= operation === null || params === null ? undefined : { entity: operation.entity, params }
    const isLast = known === undefined ? params === null : index >= known
    if (from === undefined || (isReady && isLast)) return
    if (count >= maxPages) throw fail('page_budget_exhausted', { pages: maxPages })
    part = await get(from.entity, { ...from.params, [findNumber(from.params)]: index })
  }
}
