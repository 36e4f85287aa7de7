/** The service as a source: over its typed client. */
import type { HostedConnection } from '../../client/connect.ts'
import { Hosted } from '../../client/connector.ts'
import { Connectors } from '../../client/resources/connectors.ts'
import { ContextStore } from '../../client/resources/context-store.ts'
import { Definitions } from '../../client/resources/definitions.ts'
import { searchEverything } from '../../client/search-everything.ts'
import type { Transport } from '../../client/transport.ts'
import { FerruleError } from '../../errors.ts'
import type { ConnectorRecord, ConnectorSummary } from '../../wire/connectors.ts'
import type { AgentConnector, AgentKind, AgentRequest, AgentSource, RequestLimits } from '../agent-source.ts'
import { markUnreviewed } from '../unreviewed.ts'

/** Connectors of a page: the most that the service lists at once. */
const pageSize = 100
/** Age at which what is known about a kind is read again, in milliseconds: an upgrade of the service can change it. */
const kindAgeMs = 5 * 60_000

/** Describes a connector to agents. */
export const toConnector = (record: ConnectorSummary | ConnectorRecord): AgentConnector => ({
  id: record.id,
  name: record.name,
  kind: record.connector_type,
  version: record.kind_version,
  workspace: record.workspace_name,
  state: record.status,
  reason: record.status_reason,
})

/** Reads kinds once in five minutes. Concurrent calls share the request; a failed one is forgotten. */
class KindCache {
  readonly #definitions: Definitions
  readonly #kinds = new Map<string, { readonly kind: Promise<AgentKind>; readonly untilMs: number }>()

  constructor(definitions: Definitions) {
    this.#definitions = definitions
  }

  get(named: Pick<AgentConnector, 'kind' | 'version'>): Promise<AgentKind> {
    const name = `${named.kind} ${named.version ?? ''}`
    const known = this.#kinds.get(name)
    if (known !== undefined && known.untilMs > Date.now()) return known.kind
    const kind = this.#read(named)
    this.#kinds.set(name, { kind, untilMs: Date.now() + kindAgeMs })
    kind.catch(() => this.#kinds.delete(name))
    return kind
  }

  /** Reads a kind, without the signal of any caller: who leaves ends only the own wait. */
  async #read({ kind, version }: Pick<AgentConnector, 'kind' | 'version'>): Promise<AgentKind> {
    const { definition, entities } = await this.#definitions.get(kind, { version })
    const read = { kind: definition.connector_type, title: definition.name, description: definition.description, entities }
    return version === undefined ? read : markUnreviewed(read) // only kinds of organizations have versions
  }
}

function execute(hosted: Hosted, { entity, action, params, maxAge, idempotencyKey }: AgentRequest, limits: RequestLimits) {
  return hosted.execute(entity, action, params, {
    ...limits,
    maxAge,
    idempotencyKey,
  })
}

/** Makes the source of a client of the service: the connectors of its organization. @param transport the client's way to the service */
export function createHostedSource(transport: Transport): AgentSource {
  const connectors = new Connectors(transport)
  const copies = new ContextStore(transport)
  const kinds = new KindCache(new Definitions(transport))
  return {
    listConnectors: async ({ workspace, cursor }, limits) => {
      const query = workspace === undefined ? { limit: pageSize } : { workspace_name: workspace, limit: pageSize }
      const { data, next } = await connectors.page(cursor ?? query, limits)
      return { connectors: data.map(toConnector), next }
    },
    getConnector: async (id, limits) => {
      try {
        return toConnector(await connectors.get(id, limits))
      } catch (thrown) {
        if (thrown instanceof FerruleError && thrown.code === 'connector_not_found') return undefined
        throw thrown
      }
    },
    readFreshness: async ({ id }, limits) =>
      (await copies.status(id, limits)).entities.map(({ entity, state, ready_for_search, records, synced_at }) => ({
        entity,
        state,
        records,
        searchable: ready_for_search,
        syncedAt: synced_at,
      })),
    readChanges: ({ id, kind }, { entity, ...wish }, limits) =>
      new Hosted(transport, { kind, connector: id }).changePage(entity, wish, limits),
    searchAll: (search, limits) => searchEverything(transport, search, limits),
    readKind: (connector) => kinds.get(connector),
    execute: ({ id, kind }, request, limits) => execute(new Hosted(transport, { kind, connector: id }, request.fields), request, limits),
  }
}

/**
 * Makes the source of one connector of the service.
 * @param connection what stands behind the connector
 * @param name of the connector for the model; undefined: its own
 */
export function createConnectionSource({ transport, hosted }: HostedConnection, name?: string): AgentSource {
  const all = createHostedSource(transport)
  const find = async (limits: RequestLimits): Promise<AgentConnector | undefined> => {
    const found = await all.getConnector(await hosted.id(limits), limits)
    return found === undefined || name === undefined ? found : { ...found, name }
  }
  return {
    ...all,
    searchAll: async (search, limits) => searchEverything(transport, { ...search, connectors: [await hosted.id(limits)] }, limits),
    listConnectors: async (_wish, limits) => {
      const found = await find(limits)
      return { connectors: found === undefined ? [] : [found], next: null }
    },
    getConnector: async (id, limits) => {
      const found = await find(limits)
      return found?.id === id ? found : undefined
    },
  }
}
