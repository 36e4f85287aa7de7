/** Checks a call without sending anything. */
import { FerruleError } from 'ferrule'
import { admitParams, findOperation } from 'ferrule/engine'
import { type Validation, validationInput } from 'ferrule/wire'
import { buildSearchTable } from '../copies/search/columns.ts'
import { parseSearch } from '../copies/search/parse.ts'
import { assertSearchable } from '../copies/searches.ts'
import type { Platform } from '../main/platform-types.ts'
import type { ConnectorAccess, Principal } from '../values/access.ts'
import { type Read, readBody } from '../values/read.ts'
import { getActionScope, requireScope } from '../values/scopes.ts'
import { resolveAction, searchAction } from './operations.ts'

type Call = Read<typeof validationInput>

/**
 * Checks a call on a connector of the principal's organization as execute does, up to the point where the vendor or the copy is asked. A
 * refusal is a result.
 * @param body `{ entity, action, params? }`
 * @throws FerruleError `validation_failed` (the body), `insufficient_scope`, `connector_not_found`, `workspace_inactive`
 */
export async function validateCall(
  { connectors }: Pick<Platform, 'connectors'>,
  principal: Principal,
  { connectorId, body }: { readonly connectorId: string; readonly body: unknown },
): Promise<Validation> {
  const call = readBody(validationInput, body)
  requireScope(principal, getActionScope(call.action))
  const access = await connectors.readAccess(principal, connectorId)
  try {
    check(access, call)
    return { problem: null }
  } catch (thrown) {
    if (thrown instanceof FerruleError) return { problem: thrown.toProblem() }
    throw thrown
  }
}

function check(access: ConnectorAccess, { entity, params, ...call }: Call): void {
  const { kind } = access.connection
  const action = resolveAction(kind.definition, { entity, ...call })
  if (action !== searchAction) {
    admitParams(findOperation(kind, entity, action), params)
    return
  }
  assertSearchable(access, entity)
  const definition = kind.definition.entities[entity]
  if (definition !== undefined) parseSearch(buildSearchTable(kind.definition.kind, entity, definition), params)
}
