/** Follows the changes of a copy, page by page. */
import { failValidation } from '../errors.ts'
import { checkOptions, type OptionRules } from '../values/options.ts'
import type { ChangesPage } from '../wire/feed/changes.ts'
import { defaultDeadlineMs } from './deadline.ts'

/** Where changes are read from, and how far. */
export interface ChangesParams {
  /** `cursor` of the last entry that you have stored; `now`: only what changes from now on. Left out: all records come first, then what changes. */
  readonly after?: string | undefined
  /** Maximum number of entries of a page. */
  readonly limit?: number | undefined
  /** False ends with the newest change; default: waits for more. */
  readonly follow?: boolean | undefined
}

/** Parameters of the changes of a connector. */
export interface ConnectorChangesParams<Entity extends string = string> extends ChangesParams {
  /** The entities to read; default: all. */
  readonly entities?: readonly Entity[] | undefined
  /**
   * Name of a consumer, whose cursor the service keeps, instead of `after`. It is registered at the first time, and moves when all entries
   * of a page were handled.
   */
  readonly consumer?: string | undefined
}

/** Rules of the parameters of an entity. */
export const changesRules: OptionRules = {
  after: ['must be a string with at least one character', (value) => typeof value === 'string' && value !== ''],
  limit: ['must be a whole number from 1 to 1000', (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 1_000],
  follow: ['must be true or false', (value) => typeof value === 'boolean'],
}

const connectorChangesRules: OptionRules = {
  ...changesRules,
  consumer: ['must be a string with at least one character', (value) => typeof value === 'string' && value !== ''],
  entities: [
    'must be a list of names, at least one',
    (value) => Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string'),
  ],
}

/** Checks the parameters of a connector. @throws FerruleError `validation_failed` */
export function checkConnectorChanges(params: ConnectorChangesParams): void {
  checkOptions(connectorChangesRules, params)
  if (params.consumer !== undefined && params.after !== undefined)
    throw failValidation([{ field: '/after', message: 'cannot stand beside consumer, which has a cursor', error_code: 'conflict' }])
}

/** An entry, as it comes from the service, and where to continue. */
export type FollowedChange<Page extends FeedPage = ChangesPage> = Page['data'][number] & {
  /**
   * Where to continue when this entry and all before it are stored. Within a page it repeats the page; undefined in the first one, whose
   * repetition is a new beginning.
   */
  readonly cursor: string | undefined
}

/** Query of a page. */
export type ChangesPageQuery = Readonly<Record<string, string | number | undefined>>

type FeedPage = Pick<ChangesPage, 'data' | 'next' | 'has_more'>

/** Longest wait of the service, in seconds. */
const longestWait = 30

/** Longest wait of a request: the answer must come within the timeout of the call. */
const chooseWait = (deadlineMs: number): number => Math.min(longestWait, Math.floor(deadlineMs / 2_000))

/** Yields pages in order, until the newest change or forever. A page may be empty. */
export async function* walkChangePages<Page extends FeedPage>(
  load: (query: ChangesPageQuery) => Promise<Page>,
  { after, limit, follow = true }: ChangesParams,
  { deadlineMs = defaultDeadlineMs }: { readonly deadlineMs?: number | undefined },
): AsyncGenerator<Page, void, undefined> {
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
export async function* walkChanges<Page extends FeedPage>(
  pages: AsyncIterable<Page>,
  after: string | undefined,
): AsyncGenerator<FollowedChange<Page>, void, undefined> {
  let cursor = after
  for await (const { data, next } of pages) {
    for (const [index, entry] of data.entries()) yield { ...entry, cursor: index === data.length - 1 ? next : cursor }
    cursor = next
  }
}

/** The consumer of a walk: where it is, and how it is moved. */
export interface ConsumerCursor {
  /** Cursor that the service keeps; null: none yet. */
  readonly cursor: string | null
  /** Replaces the cursor that the service keeps. @throws FerruleError `consumer_moved` */
  move(cursor: string, replaces: string | null): Promise<unknown>
}

/** Yields pages, and moves the consumer when a page with entries was handled. */
export async function* keepCursor<Page extends FeedPage>(
  pages: AsyncIterable<Page>,
  { cursor, move }: ConsumerCursor,
): AsyncGenerator<Page, void, undefined> {
  let kept = cursor
  for await (const page of pages) {
    yield page
    if (page.data.length === 0) continue
    await move(page.next, kept)
    kept = page.next
  }
}
