/** The scopes that a vendor granted to the credentials. */
import type { ConnectorDefinition } from '../../definition/connector.ts'
import { getAt, parsePath } from '../json/paths.ts'
import { failInvalidAnswer } from './answer.ts'
import { type Calling, exchangeBeside } from './transport.ts'

/**
 * Fetches the scopes of the credentials.
 * @returns undefined if the kind has no endpoint for scopes
 * @throws FerruleError of the vendor; `upstream_answer_invalid` without a list, which would look like a token without any scope
 */
export async function fetchGrantedScopes(calling: Calling): Promise<ReadonlySet<string> | undefined> {
  const { connection } = calling
  const { scopes } = connection.kind.definition.check
  if (scopes === undefined) return undefined
  const reply = await exchangeBeside(calling, scopes.call, { unprefixed: true })
  const rows = reply.is === 'empty' ? [] : getAt(reply.body, parsePath(scopes.at))
  if (!Array.isArray(rows)) throw failInvalidAnswer(connection, 'there is no list of scopes')
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
