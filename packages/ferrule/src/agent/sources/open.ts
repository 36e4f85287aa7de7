/** Makes a source of what a program has: a client, connections, or sources. */
import { findHostedConnection } from '../../client/connect.ts'
import { Ferrule, findTransport } from '../../client/ferrule.ts'
import { isObject } from '../../definition/object.ts'
import { fail, failValidation } from '../../errors.ts'
import { findLocalConnection, type LocalConnection } from '../../local-connections.ts'
import { buildProjection, toFieldPath } from '../../values/projection.ts'
import type { AgentConnector, AgentKind, AgentSource, ConnectorPage, RequestLimits } from '../agent-source.ts'
import { createConnectionSource, createHostedSource } from './hosted.ts'

/** Connectors of a page at least, unless there are fewer. */
const pageSize = 100

/** Splits a cursor into the number of the source and its own cursor. */
function readCursor(cursor: string | undefined): { readonly index: number; readonly own: string | undefined } {
  const [, index = '0', own = ''] = /^(\d+):(.*)$/s.exec(cursor ?? '') ?? []
  return { index: Number(index), own: own === '' ? undefined : own }
}

/** Joins sources. A connector belongs to the first source that has its id. @param sources the sources */
function joinSources(sources: readonly AgentSource[]): AgentSource {
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
      let position = readCursor(cursor)
      for (let source = sources[position.index]; source !== undefined; source = sources[position.index]) {
        const { connectors, next } = await source.listConnectors({ workspace, cursor: position.own }, limits)
        for (const each of connectors) found.push(own(source, each))
        position = next === null ? { index: position.index + 1, own: undefined } : { index: position.index, own: next }
        if (found.length >= pageSize) break
      }
      return { connectors: found, next: position.index < sources.length ? `${position.index}:${position.own ?? ''}` : null }
    },
    getConnector: async (id: string, limits: RequestLimits) => {
      for (const source of sources) {
        const found = await source.getConnector(id, limits)
        if (found !== undefined) return own(source, found)
      }
      return undefined
    },
    ...(sources.every(({ readChanges }) => readChanges === undefined)
      ? {}
      : {
          readChanges: (connector, wish, limits) => {
            const page = find(connector).readChanges?.(connector, wish, limits)
            if (page === undefined) throw fail('context_store_unavailable', {})
            return page
          },
        }),
    readFreshness: async (connector, limits) => (await find(connector).readFreshness?.(connector, limits)) ?? [],
    readKind: (connector, limits) => find(connector).readKind(connector, limits),
    execute: (connector, request, limits) => find(connector).execute(connector, request, limits),
  }
}

/** Describes the kind as this process offers it: searches need the service. */
function readKind(connection: LocalConnection): AgentKind {
  const { kind, title, description, entities } = connection.readKind()
  return { kind, title, description, entities: entities.map((entity) => ({ ...entity, searchable: null })) }
}

/** Keeps the chosen fields of the records, as the service does for `select_fields`. */
function project(result: unknown, fields: readonly string[] | undefined): unknown {
  if (fields === undefined || !isObject(result) || !Object.hasOwn(result, 'data')) return result
  const pick = buildProjection(fields.map(toFieldPath))
  const { data } = result
  return { ...result, data: Array.isArray(data) ? data.map(pick) : pick(data) }
}

/**
 * Makes the source of a connection.
 * @param connection what stands behind the connector
 * @param name name and id of the connector; undefined: the slug of its kind
 */
function createLocalSource(connection: LocalConnection, name?: string): AgentSource {
  let known: AgentKind | undefined
  const kind = (): AgentKind => {
    known ??= readKind(connection)
    return known
  }
  const connector = (): AgentConnector => {
    const own = name ?? kind().kind
    return { id: own, name: own, kind: kind().kind, workspace: null, state: 'active', reason: null }
  }
  return {
    listConnectors: async () => ({ connectors: [connector()], next: null }),
    getConnector: async (id) => (id === connector().id ? connector() : undefined),
    readKind: async () => kind(),
    execute: async (_connector, { entity, action, params, fields, idempotencyKey }, { signal, deadlineMs }) => {
      const call = {
        entity,
        action,
        params,
        signal,
        deadlineMs,
        idempotencyKey,
      }
      return project(await connection.execute(call), fields)
    },
  }
}

/** A client of the service, a connector of `connect`, or a source. */
export type Reachable = Ferrule | AgentSource | object
/** What tools can be made of: one, several, or several with names. */
export type AgentSources = Reachable | readonly Reachable[] | Readonly<Record<string, Reachable>>

const isSource = (value: object): value is AgentSource =>
  ['listConnectors', 'getConnector', 'readKind', 'execute'].every((name) => typeof Reflect.get(value, name) === 'function')

/** Makes the source of one value; undefined: the value is no source. */
function openOne(value: unknown, name?: string): AgentSource | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (value instanceof Ferrule) return createHostedSource(findTransport(value))
  const hosted = findHostedConnection(value)
  if (hosted !== undefined) return createConnectionSource(hosted, name)
  const local = findLocalConnection(value)
  if (local !== undefined) return createLocalSource(local, name)
  return isSource(value) ? value : undefined
}

const failSource = (field: string) =>
  failValidation([{ field, message: 'must be a Ferrule client, a connector of connect(), or several of them', error_code: 'type' }])

/** A value with the name that the model uses; undefined: its own. */
type NamedValue = readonly [name: string | undefined, value: unknown]

function openNamed([name, value]: NamedValue, index: number): AgentSource {
  const found = openOne(value, name)
  if (found === undefined) throw failSource(`/${name ?? index}`)
  return found
}

/** Names each connection of this process: the slug of its kind, with a number from the second one on. Other values keep their names. */
function nameAll(values: readonly unknown[]): readonly NamedValue[] {
  const counts = new Map<string, number>()
  return values.map((value) => {
    const local = typeof value === 'object' && value !== null ? findLocalConnection(value) : undefined
    if (local === undefined) return [undefined, value]
    const { kind } = local.readKind()
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    return [count === 1 ? kind : `${kind}_${count}`, value]
  })
}

/** Lists what tools are made of: one value without a name, or several with names. */
const listGiven = (given: AgentSources): readonly NamedValue[] => {
  if (openOne(given) !== undefined) return [[undefined, given]]
  return Array.isArray(given) ? nameAll(given) : isObject(given) ? Object.entries(given) : []
}

/** Makes one source of everything that tools reach. @throws FerruleError `validation_failed` for a value that is no source */
export function openSources(given: AgentSources): AgentSource {
  const sources = listGiven(given).map(openNamed)
  const [only] = sources
  if (only === undefined) throw failSource('/source')
  return sources.length === 1 ? only : joinSources(sources)
}

const ids = new WeakMap<object, string>()

/** Names an object of this process. No other process knows the name. */
function nameObject(value: unknown): string {
  if (typeof value !== 'object' || value === null) return ''
  const known = ids.get(value) ?? crypto.randomUUID()
  ids.set(value, known)
  return known
}

/** Names what tools are made of: the same clients and connections have the same name, in this process only. */
export const nameSources = (given: AgentSources): string =>
  JSON.stringify(listGiven(given).map(([name, value]) => [name ?? null, nameObject(value)]))
