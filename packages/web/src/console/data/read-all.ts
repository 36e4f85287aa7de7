/** Reads long lists page by page, and shows what has arrived. */
import { useQuery } from '@tanstack/react-query'
import type { Ferrule } from 'ferrule/core'
import type { Page } from 'ferrule/wire'
import { useFerrule } from './ferrule.ts'
import { useTenant } from './tenant.ts'

/** Rows of a list. */
export interface Rows<T> {
  readonly rows: readonly T[]
  /** false: more rows exist, which were not read or not read yet. */
  readonly isWhole: boolean
}

/** Reads one page. `from`: `next` of the page before; undefined: the first page. */
export type ReadPage<T> = (ferrule: Ferrule, from: string | undefined, signal: AbortSignal) => Promise<Page<T>>

/** Pages of one list that are read at most: 2,000 rows of 100 each. */
const mostPages = 20
/** Time between two reads of a list of one page; a longer list is read less often. */
const everyMs = 15_000

/** Yields the rows after each page. */
async function* readPages<T>(readPage: (from: string | undefined) => Promise<Page<T>>): AsyncGenerator<Rows<T>, void, undefined> {
  let rows: readonly T[] = []
  let from: string | undefined
  for (let pages = 0; pages < mostPages; pages += 1) {
    const { data, next } = await readPage(from)
    rows = [...rows, ...data]
    yield { rows, isWhole: next === null }
    if (next === null) return
    from = next
  }
}

/** Reads a list. Until its first end, what has arrived is shown. @param key as of `useRead` */
export function useReadAll<T>(key: readonly unknown[], readPage: ReadPage<T>) {
  const { organizationId } = useTenant()
  const ferrule = useFerrule()
  return useQuery<Rows<T>>({
    queryKey: [organizationId ?? null, ...key],
    queryFn: async ({ client, queryKey, signal }) => {
      const isFirst = client.getQueryData(queryKey) === undefined
      let found: Rows<T> = { rows: [], isWhole: true }
      for await (found of readPages((from) => readPage(ferrule, from, signal))) if (isFirst) client.setQueryData(queryKey, found)
      return found
    },
    refetchInterval: ({ state }) => everyMs * Math.max(1, Math.ceil((state.data?.rows.length ?? 0) / 100)),
  })
}
