/** Follows the changes of a copy, page by page. */
import type { OptionRules } from '../values/options.ts'
import type { ChangesPage } from '../wire/changes.ts'
import { defaultDeadlineMs } from './deadline.ts'

/** Where the changes of an entity are read from, and how far. */
export interface ChangesParams {
  /** `cursor` of the last entry that you have stored; `now`: only what changes from now on. Left out: all records come first, then what changes. */
  readonly after?: string | undefined
  /** Maximum number of entries of a page. */
  readonly limit?: number | undefined
  /** False ends with the newest change; default: waits for more. */
  readonly follow?: boolean | undefined
}

/** Rules of the parameters. */
export const changesRules: OptionRules = {
  after: ['must be a string with at least one character', (value) => typeof value === 'string' && value !== ''],
  limit: ['must be a whole number from 1 to 1000', (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 1_000],
  follow: ['must be true or false', (value) => typeof value === 'boolean'],
}

/** An entry, as it comes from the service, and where to continue. */
export type FollowedChange = ChangesPage['data'][number] & {
  /**
   * Where to continue when this entry and all before it are stored. Within a page it repeats the page; undefined in the first one, whose
   * repetition is a new beginning.
   */
  readonly cursor: string | undefined
}

/** Longest wait of the service, in seconds. */
const longestWait = 30

/** Longest wait of a request: the answer must come within the timeout of the call. */
const chooseWait = (deadlineMs: number): number => Math.min(longestWait, Math.floor(deadlineMs / 2_000))

/** Reads a page. */
type LoadChanges = (query: Readonly<Record<string, string | number | undefined>>) => Promise<ChangesPage>

/** Yields pages in order, until the newest change or forever. A page may be empty. */
export async function* walkChangePages(
  load: LoadChanges,
  { after, limit, follow = true }: ChangesParams,
  { deadlineMs = defaultDeadlineMs }: { readonly deadlineMs?: number | undefined },
): AsyncGenerator<ChangesPage, void, undefined> {
  const wait = follow ? chooseWait(deadlineMs) : 0
  for (let cursor = after; ; ) {
    const page = await load({ after: cursor, limit, wait: wait > 0 ? wait : undefined })
    yield page
    cursor = page.next
    if (!follow && !page.has_more) return
  }
}

/**
 * Yields the entries of pages.
 * @param after cursor of the first page
 */
export async function* walkChanges(
  pages: AsyncIterable<ChangesPage>,
  after: string | undefined,
): AsyncGenerator<FollowedChange, void, undefined> {
  let cursor = after
  for await (const { data, next } of pages) {
    for (const [index, entry] of data.entries()) yield { ...entry, cursor: index === data.length - 1 ? next : cursor }
    cursor = next
  }
}
