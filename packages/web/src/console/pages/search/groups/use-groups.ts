/** Reads the groups of the address, page by page. */
import { parseFilter } from 'ferrule/core'
import { findTransport, isObject, readJsonNumbers } from 'ferrule/internal'
import { endpoints } from 'ferrule/wire'
import { useFerrule } from '../../../data/ferrule.ts'
import { type FoundPage, isPage, type RunnableSearch, type RunningSearch, usePages } from '../use-search.ts'
import { buildAggregate, type GroupChoice } from './choice.ts'

/** Reads a number that a double holds; longer ones keep their digits. */
function readDigits(digits: string): number | bigint | string {
  const value = Number(digits)
  if (/^-?\d+$/.test(digits)) return Number.isSafeInteger(value) ? value : BigInt(digits)
  return String(value) === digits ? value : digits
}

/** A page of groups with what was asked: until the next choice is answered, the last one stays in sight. */
export interface GroupPage extends FoundPage {
  readonly data: readonly Readonly<Record<string, unknown>>[]
  readonly choice: GroupChoice
}

const hasRows = (page: FoundPage): page is Omit<GroupPage, 'choice'> => page.data.every(isObject)

/** Reads the groups: rows have groups as `g0` …, and measures as `m0` …. */
export function useGroups(search: RunnableSearch): RunningSearch<GroupPage> {
  const ferrule = useFerrule()
  const { connector, entity, filter, maxAge, allowPartial, pages, limit, groups } = search
  const aggregate = buildAggregate(groups)
  return usePages({
    key: ['groups', { connector, entity, filter, aggregate, limit, maxAge, allowPartial }],
    pages,
    read: async (cursor, signal) => {
      const params = {
        ...aggregate,
        limit,
        ...(filter === '' ? {} : { query: { filter: parseFilter(filter) } }),
        ...(cursor === undefined ? {} : { cursor }),
      }
      const body = { entity, action: 'context_store_aggregate', params, max_age: maxAge, ...(allowPartial ? { allow_partial: true } : {}) }
      // The client's own reading of JSON rounds what has a fraction.
      const response = await findTransport(ferrule).open(endpoints.execute, {
        slots: { connector_id: connector },
        body,
        isRead: true,
        signal,
      })
      const answer = readJsonNumbers(await response.text(), readDigits)
      if (!isPage(answer) || !hasRows(answer)) throw new Error('The service answered something that is no page of groups.')
      return { ...answer, choice: groups }
    },
  })
}
