/** What an answer of a search carries beside the records. */
import { bool, int, list, obj, oneOf, opt, orNull, str, time } from '../definition/index.ts'
import { copyStates, mayChangeFrom } from './context-store.ts'
import type { Wire } from './words.ts'

export const freshness = obj(
  {
    synced_at: orNull(
      time('The copy holds what was new or changed until this time, as far as the vendor reports changes; null: no sync has finished'),
    ),
    verified_at: orNull(
      time(
        'Time of the last comparison with all records of the vendor. Later edits without a trace, late additions and deletions can be missing',
      ),
    ),
    status: oneOf('State of the copy, as in GET …/context_store', ...copyStates),
    complete: bool('false: a part of the records could not be read, or was not read yet. Age does not matter'),
    may_change_from: opt(mayChangeFrom),
  },
  'How fresh the copy is',
)
/** How fresh the copy is that a search read. */
export type Freshness = Wire<typeof freshness>

export const searchMeta = obj(
  {
    has_more: bool('true: there is a next page'),
    cursor: orNull(str('Send it as cursor for the next page; null on the last page')),
    took_ms: int('Milliseconds that the search took'),
    unknown_paths: opt(list(str('Path'), 'On the first page: paths below undocumented fields that no record had')),
    relevance_left_out: opt(bool('true: too many records match to be ordered by relevance; the rest of the order holds')),
  },
  'Where the page stands',
)
/** Where the page of a search stands. */
export type SearchMeta = Wire<typeof searchMeta>
