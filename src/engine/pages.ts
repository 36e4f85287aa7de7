/** Walks a list page by page. Small and suspicious: it stops on a repeated position and on an exhausted budget. */

import { isObject } from '../definition/object.ts'
import { fail } from '../errors.ts'
import { writeJson } from './json.ts'
import { isRows, RawRows } from './raw-rows.ts'

/** One page of a list. */
export interface ListPage<R = unknown, M = Readonly<Record<string, unknown>>> {
  readonly data: R[]
  readonly meta: M & { readonly next_params: unknown }
}

/** How far a walk may go. */
export interface WalkOptions {
  /** Pages that are asked for at most; 10,000 by default. Further pages are an error, never left out in silence. */
  readonly maxPages?: number
}

const defaultMaxPages = 10_000

const pick = (params: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, params[name]]))

/**
 * Yields the pages of a list until there is no next one.
 * @param load asks for one page
 * @param params parameters of the first page; those of the next are merged from its `next_params`
 * @param vendor name for errors
 * @throws FerruleError `upstream_answer_invalid` on a position that came before, `page_budget_exhausted`, and what `load` throws
 */
export async function* walkPages<P extends ListPage>(
  load: (params: Readonly<Record<string, unknown>>) => Promise<P>,
  params: Readonly<Record<string, unknown>>,
  options: WalkOptions & { readonly vendor: string },
): AsyncGenerator<P, void, undefined> {
  const maxPages = options.maxPages ?? defaultMaxPages
  let seen: Set<string> | undefined
  let current = params
  for (let count = 1; ; count++) {
    const page = await load(current)
    yield page
    const next = page.meta.next_params
    if (!isObject(next)) return
    const names = Object.keys(next).filter((name) => next[name] !== null) // null takes a filter back: no part of the position
    const position = writeJson(pick(next, names))
    seen ??= new Set([writeJson(pick(params, names))]) // the position that the caller began with
    if (seen.has(position))
      throw fail('upstream_answer_invalid', { vendor: options.vendor, reason: 'a list that returns to a position it had before' })
    seen.add(position)
    if (count >= maxPages) throw fail('page_budget_exhausted', { pages: maxPages })
    current = { ...current, ...next }
  }
}

/** Yields the records of a walk. @throws as `walkPages` */
export async function* walkRecords<R>(pages: AsyncIterable<ListPage<R>>): AsyncGenerator<R, void, undefined> {
  for await (const page of pages) yield* page.data
}

/** One part of a result, with the operation that gives the next one. */
export interface Part {
  readonly data: { readonly data?: unknown }
  readonly meta: {
    readonly next_params: Readonly<Record<string, unknown>> | null
    readonly next_operation: { readonly entity: string; readonly action: string } | null
    readonly partition_info: unknown
  }
}

/** How the parts of a result are asked for. */
export interface PartSource {
  /** Runs the statement. */
  readonly first: () => Promise<Part>
  /** Gives a part. */
  readonly get: (entity: string, params: Readonly<Record<string, unknown>>) => Promise<Part>
  /** The parameter that takes the number of a part. */
  readonly number: string
}

/**
 * Yields the parts of a result. The statement runs once; a result that is not ready is asked for until it is.
 * @throws FerruleError `page_budget_exhausted`, and what the operations throw
 */
export async function* walkParts({ first, get, number }: PartSource, options: WalkOptions): AsyncGenerator<Part, void, undefined> {
  const maxPages = options.maxPages ?? defaultMaxPages
  let known: number | undefined // the list of parts comes with the first only
  let from: { readonly entity: string; readonly params: Readonly<Record<string, unknown>> } | undefined
  let part: Part | undefined = await first()
  for (let index = 0, count = 1; ; count++) {
    const { next_params: params, next_operation: operation, partition_info: info }: Part['meta'] = part.meta
    const isReady = isRows(part.data.data)
    if (isReady) yield part
    if (isReady) index += 1
    part = undefined // one part is alive at a time
    known ??= Array.isArray(info) ? info.length : undefined
    from ??= operation === null || params === null ? undefined : { entity: operation.entity, params }
    const isLast = known === undefined ? params === null : index >= known
    if (from === undefined || (isReady && isLast)) return
    if (count >= maxPages) throw fail('page_budget_exhausted', { pages: maxPages })
    part = await get(from.entity, { ...from.params, [number]: index })
  }
}

/** Yields the rows of the parts of a result. @throws as `walkParts`; FerruleError `upstream_answer_invalid` where rows are none */
export async function* walkRows(parts: AsyncIterable<Part>, vendor: string): AsyncGenerator<unknown, void, undefined> {
  for await (const { data } of parts) {
    if (data.data instanceof RawRows) for (const rows of readable(data.data, vendor)) yield* rows
    else if (Array.isArray(data.data)) yield* data.data
  }
}

function* readable(rows: RawRows, vendor: string): Generator<readonly unknown[], void, undefined> {
  try {
    yield* rows.batches()
  } catch {
    throw fail('upstream_answer_invalid', { vendor, reason: 'the rows are not valid JSON' }) // a SyntaxError quotes them
  } finally {
    rows.release()
  }
}
