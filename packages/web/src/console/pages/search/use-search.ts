/** Runs the search of the address, page by page. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { parseFilter } from 'ferrule/core'
import { isObject } from 'ferrule/internal'
import type { Freshness } from 'ferrule/wire'
import { useEffect, useMemo } from 'react'
import { useConnector } from '../../data/connector.ts'
import { useTenant } from '../../data/tenant.ts'
import type { SearchAddress } from './address.ts'
import { buildInclude } from './groups/choice.ts'

const pageRecords = 500

/** A page of records or groups, as the service answers it. */
export interface FoundPage {
  readonly data: readonly unknown[]
  readonly meta: Readonly<Record<string, unknown>>
  readonly context_store: Freshness
}

/** Returns whether an answer is a page. The service documents it; a proxy can answer something else. */
export const isPage = (answer: unknown): answer is FoundPage =>
  isObject(answer) && Array.isArray(answer['data']) && isObject(answer['meta']) && isObject(answer['context_store'])

/** Parameters of a search or an export. */
export function buildParams({ filter, sort, fields }: Pick<SearchAddress, 'filter' | 'sort' | 'fields'>): Record<string, unknown> {
  return {
    ...(filter === '' ? {} : { filter: parseFilter(filter) }),
    ...(sort === undefined ? {} : { sort: [{ [sort.column]: sort.direction }] }),
    ...(fields.length === 0 ? {} : { fields }),
  }
}

/** Options of a search or an export. */
export const buildOptions = ({ maxAge, allowPartial }: Pick<SearchAddress, 'maxAge' | 'allowPartial'>) => ({
  maxAge,
  ...(allowPartial ? { allowPartial } : {}),
})

/** A search with its connector and entity. */
export type RunnableSearch = SearchAddress & { readonly connector: string; readonly entity: string }

interface Pages<Page> {
  /** Names and parameters, unique over the console. */
  readonly key: readonly unknown[]
  /** Pages that the address asks for. */
  readonly pages: number
  readonly read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page>
}

/** Reads the pages that the address asks for. Nothing is read again by itself: rows would move under the reader. */
export function usePages<Page extends FoundPage>({ key, pages, read }: Pages<Page>) {
  const { organizationId } = useTenant()
  const query = useInfiniteQuery({
    queryKey: [organizationId ?? null, 'search', ...key],
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ meta: { cursor } }) => (typeof cursor === 'string' ? cursor : undefined),
    placeholderData: (before) => before,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const { data, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = query
  const isWanted = data !== undefined && data.pages.length < pages && hasNextPage
  useEffect(() => {
    if (isWanted && !isFetching && !isFetchNextPageError) void fetchNextPage()
  }, [isWanted, isFetching, isFetchNextPageError, fetchNextPage])
  const rows = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data])
  return { query, rows }
}

/** Pages that are read, and their rows. */
export type RunningSearch<Page extends FoundPage = FoundPage> = ReturnType<typeof usePages<Page>>

/** Runs the search of the address. The first page counts what is found. */
export function useSearch(search: RunnableSearch): RunningSearch {
  const hosted = useConnector(search.connector)
  const { connector, entity, filter, sort, fields, related, maxAge, allowPartial, pages } = search
  return usePages({
    key: ['records', { connector, entity, filter, sort, fields, related, maxAge, allowPartial }],
    pages,
    read: async (cursor, signal) => {
      const page = cursor === undefined ? { count: true } : { cursor }
      const answer = await hosted.search(
        entity,
        { ...buildParams(search), ...buildInclude(related), ...page, limit: pageRecords },
        { ...buildOptions(search), signal },
      )
      if (!isPage(answer)) throw new Error('The service answered something that is no page of a search.')
      return answer
    },
  })
}
