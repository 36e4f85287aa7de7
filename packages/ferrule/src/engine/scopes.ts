/** The scopes that a vendor granted to the credentials. */
import type { ConnectorDefinition } from '../definition/connector.ts'
import { failInvalidAnswer } from './answer.ts'
import { getAt, parsePath } from './json/paths.ts'
import { findOperation } from './operation.ts'
import { exchange, type Running } from './transport.ts'

/**
 * Fetches the scopes of the credentials.
 * @returns undefined if the kind has no endpoint for scopes
 * @throws FerruleError of the vendor; `upstream_answer_invalid` without a list, which would look like a token without any scope
 */
export async function fetchGrantedScopes(running: Omit<Running, 'operation' | 'params'>): Promise<ReadonlySet<string> | undefined> {
  const { kind } = running.connection
  const { scopes, entity, action } = kind.definition.check
  if (scopes === undefined) return undefined
  const operation = findOperation(kind, entity, action)
  const reply = await exchange(
    { ...running, operation, params: {} },
    { method: 'GET', path: scopes.call.slice('GET '.length), unprefixed: true },
  )
  const rows = reply.is === 'empty' ? [] : getAt(reply.body, parsePath(scopes.at))
  if (!Array.isArray(rows)) throw failInvalidAnswer(operation, 'there is no list of scopes')
  const name = parsePath(scopes.name)
  return new Set(rows.map((row) => String(getAt(row, name))))
}

/** Finds the scopes that each entity needs and the credentials lack. Readable entities have no entry. */
export const findMissingScopes = (
  { entities }: ConnectorDefinition,
  granted: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> =>
  new Map(
    Object.entries(entities).flatMap(([name, { scope = [] }]) =>
      scope.length === 0 || scope.some((each) => granted.has(each)) ? [] : [[name, scope] as const],
    ),
  )
