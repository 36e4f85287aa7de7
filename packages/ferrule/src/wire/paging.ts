/** Pages of lists. */
import { type Field, int, list, opt, orNull, str } from '../definition/index.ts'
import { record } from './schemas.ts'

/** The members of a query that choose a page. */
export const pageQuery = {
  limit: opt(int('Entries of a page.', { minimum: 1, maximum: 100, default: 20 })),
  cursor: opt(
    str('Opaque position: the cursor in `next` of the previous page. Any other text is refused with invalid_cursor.', { maxLength: 1_000 }),
  ),
}

/** Makes one page of a list. @param items schema of an entry */
export const page = <S extends Field>(name: string, items: S, about: string) =>
  record(name, { data: list(items, about), next: orNull(str('Address of the next page; null on the last page')) }, `One page: ${about}`)

/** One page of a list. */
export interface Page<T> {
  readonly data: readonly T[]
  /** Opaque cursor of the next page, or null at the end. The HTTP surface makes a URL of it. */
  readonly next: string | null
}
