/** What the page of a connector reads, and what its writes refresh. */
import { useParams } from 'wouter'
import { useConnectorRecord } from '../../data/connector.ts'
import { connectorLists } from '../../data/connectors.ts'
import { useRead } from '../../data/ferrule.ts'
import { useLive } from '../../data/live.ts'

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
