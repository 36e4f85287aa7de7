/** Makes a source of what a program has: a client, connections, or sources. */
import { findHostedConnection } from '../../client/connect.ts'
import { Ferrule, findTransport } from '../../client/ferrule.ts'
import { isObject } from '../../definition/object.ts'
import { failValidation } from '../../errors.ts'
import { findLocalConnection } from '../../local-connections.ts'
import type { AgentSource } from '../source.ts'
import { createConnectionSource, createHostedSource } from './hosted.ts'
import { createLocalSource } from './local.ts'
import { joinSources } from './several.ts'

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
type Given = readonly [name: string | undefined, value: unknown]

function openNamed([name, value]: Given, place: number): AgentSource {
  const found = openOne(value, name)
  if (found === undefined) throw failSource(`/${name ?? place}`)
  return found
}

/** Names each connection of this process: the slug of its kind, with a number from the second one on. Other values keep their names. */
function nameAll(values: readonly unknown[]): readonly Given[] {
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
const listGiven = (given: AgentSources): readonly Given[] => {
  if (openOne(given) !== undefined) return [[undefined, given]]
  return Array.isArray(given) ? nameAll(given) : isObject(given) ? Object.entries(given) : []
}

/**
 * Makes one source of everything that tools reach.
 * @throws FerruleError `validation_failed` for a value that is no source
 */
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
