/** One connector of the service for pages that know its kind only at run time. */
import { findTransport, Hosted } from 'ferrule/internal'
import type { ConnectorRecord } from 'ferrule/wire'
import { useMemo } from 'react'
import { type ReadOptions, useFerrule, useRead } from './ferrule.ts'

/** Returns the calls of a connector by names of entities and actions: `execute`, `search`, `export`, `parts`. @param id of the connector */
export function useConnector(id: string): Hosted {
  const ferrule = useFerrule()
  return useMemo(() => new Hosted(findTransport(ferrule), { kind: undefined, connector: id }), [ferrule, id])
}

/** Reads a connector. @param id undefined: nothing is read */
export const useConnectorRecord = (id: string | undefined, options: ReadOptions = {}) =>
  useRead(['connector', id], (ferrule, signal) => ferrule.connectors.get(id ?? '', { signal }), { enabled: id !== undefined, ...options })

/** Returns whether a connector has an entity; one without a limit has all of its kind. */
export const hasEntity = ({ entities }: Pick<ConnectorRecord, 'entities'>, name: string): boolean =>
  entities.length === 0 || entities.some(({ entity }) => entity === name)

/** Reads all kinds with their entities. */
export const useAllKinds = () =>
  useRead(['definitions', 'entities'], async (ferrule, signal) => {
    const kinds = await ferrule.definitions.list({}, { signal })
    return Promise.all(kinds.map(({ connector_type: kind }) => ferrule.definitions.get(kind, { signal })))
  })

/** Reads a kind: its entities with their schemas. @param kind slug; undefined: nothing is read */
export const useKind = (kind: string | undefined) =>
  useRead(['definition', kind], (ferrule, signal) => ferrule.definitions.get(kind ?? '', { signal }), { enabled: kind !== undefined })
