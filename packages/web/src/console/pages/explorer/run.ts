/** Runs a call, and reads further pages of its answer. */
import { type InfiniteData, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { type Hosted, isObject, readJson } from 'ferrule/internal'
import { useConnector } from '../../data/connector.ts'
import { useTenant } from '../../data/tenant.ts'
import type { Schema } from '../../parts/form/schema.ts'
import { readAnswerRows } from '../../parts/table/answer-rows.ts'
import type { ChosenOperation } from './operation.ts'

/** An answer. */
export interface Answer {
  readonly data: unknown
  readonly meta: Schema
  /** Time from the call to its answer, in milliseconds. */
  readonly durationMs: number
}

/** The call of one page. */
interface Step {
  readonly entity: string
  readonly action: string
  readonly params: Schema
}

/** Rows that the page keeps at most: a browser holds no more in its memory budget. */
export const mostRows = 50_000

const toStep = ({ entity, action, params }: ChosenOperation): Step => {
  const value = readJson(params) // printed by `writeJson`
  return { entity, action, params: isObject(value) ? value : {} }
}

/** Counts the rows of answers. */
export const countRows = (pages: readonly Answer[]): number => readAnswerRows(...pages.map(({ data }) => data)).rows.length

/** Runs one call. */
async function call(hosted: Hosted, { entity, action, params }: Step, signal?: AbortSignal): Promise<Answer> {
  const start = performance.now()
  const answer = await hosted.execute(entity, action, params, signal === undefined ? {} : { signal })
  const { data, meta } = isObject(answer) ? answer : {}
  return { data, meta: isObject(meta) ? meta : {}, durationMs: performance.now() - start }
}

/** Finds the call of the next page: the parameters change, and for results in parts the operation too. */
function findNext({ meta }: Answer, last: Step): Step | undefined {
  const { next_params: next, next_operation: operation } = meta
  if (!isObject(next)) return undefined
  if (!isObject(operation)) return { ...last, params: { ...last.params, ...next } }
  return { entity: String(operation['entity']), action: String(operation['action']), params: next }
}

/** Reads the pages of an operation. @param operation undefined: nothing is run */
export function useAnswers(connectorId: string, operation: ChosenOperation | undefined) {
  const { organizationId } = useTenant()
  const hosted = useConnector(connectorId)
  const memory = useQueryClient()
  const queryKey = [organizationId ?? null, 'execute', operation ?? null]
  const query = useInfiniteQuery<Answer, Error, InfiniteData<Answer, Step>, typeof queryKey, Step>({
    queryKey,
    queryFn: ({ pageParam, signal }) => call(hosted, pageParam, signal),
    initialPageParam: operation === undefined ? { entity: '', action: '', params: {} } : toStep(operation),
    getNextPageParam: (answer, _pages, step) => findNext(answer, step),
    enabled: operation !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retryOnMount: false,
  })
  /** Runs it again. The old answer stays until the new one is there. */
  const again = async () => {
    memory.setQueryData<InfiniteData<Answer, Step>>(queryKey, (old) =>
      old === undefined ? undefined : { pages: old.pages.slice(0, 1), pageParams: old.pageParams.slice(0, 1) },
    )
    await query.refetch()
  }
  return { query, again, cancel: () => void memory.cancelQueries({ queryKey }) }
}

/** Runs a write, once. */
export function useWriteCall(connectorId: string) {
  const hosted = useConnector(connectorId)
  return useMutation({ mutationFn: (operation: ChosenOperation) => call(hosted, toStep(operation)) })
}
