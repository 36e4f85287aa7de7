/** What the page of a connector reads, and what its writes refresh. */

import { useDocumentVisibility } from '@mantine/hooks'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { type Ferrule, FerruleError } from 'ferrule/core'
import { useEffect, useRef } from 'react'
import { useParams } from 'wouter'
import { useConnectorRecord } from '../../data/connector.ts'
import { connectorLists } from '../../data/connectors.ts'
import { useFerrule, useRead } from '../../data/ferrule.ts'
import { useTenant } from '../../data/tenant.ts'

/** Time between two reads, beside the stream: they say when the service fails. */
const everyMs = 15_000

/** Id of the connector of the address. */
export const useConnectorId = (): string => useParams<{ readonly id: string }>().id

/** Reads the connector. */
export const useConnectorReading = (id: string) => useConnectorRecord(id, { everyMs })

/** Reads the state of the copy, and follows its changes. */
export function useCopyReading(id: string) {
  const key = ['copy', id]
  useLive(key, (ferrule, signal) => ferrule.contextStore.watch(id, {}, { signal }))
  return useRead(key, (ferrule, signal) => ferrule.contextStore.status(id, { signal }), { everyMs })
}

/** Keys that a write to a connector refreshes. */
export const listAllKeys = (id: string): readonly (readonly unknown[])[] => [['connector', id], ['copy', id], ['runs', id], connectorLists]

/** Opens a stream of values. */
type OpenStream<T> = (ferrule: Ferrule, signal: AbortSignal) => AsyncIterable<T>

/** Wait before a stream is opened again, in milliseconds. The client has tried for a minute before. */
const pauseMs = 10_000

/** Waits. Ends early, without an error, when the signal aborts. */
const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, pauseMs)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

interface CacheEntry {
  readonly memory: QueryClient
  readonly queryKey: readonly unknown[]
}

/** Puts the values of a stream into the memory until the signal aborts. A stream that fails for good stays closed. */
async function follow<T>(open: (signal: AbortSignal) => AsyncIterable<T>, { memory, queryKey }: CacheEntry, signal: AbortSignal) {
  while (!signal.aborted) {
    try {
      for await (const value of open(signal)) memory.setQueryData(queryKey, value)
    } catch (error) {
      if (error instanceof FerruleError && !error.retryable) return
    }
    await pause(signal)
  }
}

/**
 * Follows a stream while the page is in sight: browsers allow six connections to a service without https, over all tabs. Use it beside
 * `useRead` with the same key: that one says when the service fails.
 */
function useLive<T>(key: readonly unknown[], open: OpenStream<T>): void {
  const { organizationId } = useTenant()
  const ferrule = useFerrule()
  const memory = useQueryClient()
  const isVisible = useDocumentVisibility() !== 'hidden'
  const latest = useRef(open)
  latest.current = open
  const name = JSON.stringify(key)
  useEffect(() => {
    if (!isVisible) return
    const left = new AbortController()
    const queryKey = [organizationId ?? null, ...(JSON.parse(name) as readonly unknown[])]
    void follow((signal) => latest.current(ferrule, signal), { memory, queryKey }, left.signal)
    return () => left.abort()
  }, [organizationId, ferrule, memory, isVisible, name])
}
