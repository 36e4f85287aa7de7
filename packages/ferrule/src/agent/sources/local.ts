/** Connections of this process as a source: one connector each, without copies. */
import { isObject } from '../../definition/object.ts'
import type { LocalConnection } from '../../local-connections.ts'
import { buildProjection, toFieldPath } from '../../values/fields.ts'
import type { AgentConnector, AgentKind, AgentSource } from '../source.ts'

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
export function createLocalSource(connection: LocalConnection, name?: string): AgentSource {
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
        ...{ entity, action, params },
        ...(signal === undefined ? {} : { signal }),
        ...(deadlineMs === undefined ? {} : { deadlineMs }),
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      }
      return project(await connection.execute(call), fields)
    },
  }
}
