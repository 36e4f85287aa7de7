/** Several sources as one. */
import { fail } from '../../errors.ts'
import type { AgentConnector, AgentSource, ConnectorPage, RequestLimits } from '../source.ts'

/** Connectors of a page at least, unless there are fewer. */
const pageSize = 100

/** Splits a cursor into the number of the source and its own cursor. */
function readCursor(cursor: string | undefined): { readonly index: number; readonly own: string | undefined } {
  const [, index = '0', own = ''] = /^(\d+):(.*)$/s.exec(cursor ?? '') ?? []
  return { index: Number(index), own: own === '' ? undefined : own }
}

/**
 * Joins sources. A connector belongs to the first source that has its id.
 * @param sources the sources
 */
export function joinSources(sources: readonly AgentSource[]): AgentSource {
  const owners = new WeakMap<AgentConnector, AgentSource>()
  const own = (source: AgentSource, connector: AgentConnector): AgentConnector => {
    owners.set(connector, source)
    return connector
  }
  const find = (connector: AgentConnector): AgentSource => {
    const found = owners.get(connector)
    if (found === undefined) throw fail('connector_not_found', {})
    return found
  }
  return {
    listConnectors: async ({ workspace, cursor }, limits): Promise<ConnectorPage> => {
      const found: AgentConnector[] = []
      let place = readCursor(cursor)
      for (let source = sources[place.index]; source !== undefined; source = sources[place.index]) {
        const { connectors, next } = await source.listConnectors({ workspace, cursor: place.own }, limits)
        for (const each of connectors) found.push(own(source, each))
        place = next === null ? { index: place.index + 1, own: undefined } : { index: place.index, own: next }
        if (found.length >= pageSize) break
      }
      return { connectors: found, next: place.index < sources.length ? `${place.index}:${place.own ?? ''}` : null }
    },
    getConnector: async (id: string, limits: RequestLimits) => {
      for (const source of sources) {
        const found = await source.getConnector(id, limits)
        if (found !== undefined) return own(source, found)
      }
      return undefined
    },
    readFreshness: async (connector, limits) => (await find(connector).readFreshness?.(connector, limits)) ?? [],
    readKind: (connector, limits) => find(connector).readKind(connector, limits),
    execute: (connector, request, limits) => find(connector).execute(connector, request, limits),
  }
}
