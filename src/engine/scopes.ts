/** The scopes that a vendor granted to the credentials, and what they reach. */
import type { ConnectorDefinition } from '../definition/connector.ts'
import { invalidAnswer } from './answer.ts'
import { operationOf } from './operation.ts'
import { getAt, parsePath } from './paths.ts'
import { exchange, type Running } from './transport.ts'

/**
 * Asks the vendor for the scopes of the credentials.
 * @returns undefined for a kind whose vendor does not tell
 * @throws FerruleError of the vendor; `upstream_answer_invalid` when it lists none: that would look like a token that may read nothing
 */
export async function grantedScopes(running: Omit<Running, 'operation' | 'params'>): Promise<ReadonlySet<string> | undefined> {
  const { kind } = running.connection
  const { scopes, entity, action } = kind.definition.check
  if (scopes === undefined) return undefined
  const operation = operationOf(kind, entity, action)
  const reply = await exchange(
    { ...running, operation, params: {} },
    { method: 'GET', path: scopes.call.slice('GET '.length), unprefixed: true },
  )
  const rows = reply.is === 'empty' ? [] : getAt(reply.body, parsePath(scopes.at))
  if (!Array.isArray(rows)) throw invalidAnswer(operation, 'there is no list of scopes')
  const name = parsePath(scopes.name)
  return new Set(rows.map((row) => String(getAt(row, name))))
}

/** What each entity needs and the credentials lack; entities that can be read have no entry. */
export const missingScopes = ({ entities }: ConnectorDefinition, granted: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> =>
  new Map(
    Object.entries(entities).flatMap(([name, { scope = [] }]) =>
      scope.length === 0 || scope.some((each) => granted.has(each)) ? [] : [[name, scope] as const],
    ),
  )
