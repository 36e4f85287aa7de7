import { readExecuteRequest } from '../../../platform/execute-request.ts'
import { type Executed, executeOperation } from '../../../platform/operations.ts'
import { limited } from '../limited.ts'
import { type Answer, connectorPath, type PrincipalRoute, slot } from '../route.ts'

function answerOf(outcome: Executed): Answer {
  if (outcome.type === 'file') return { file: outcome.file }
  const { data, meta, truncatedFields } = outcome
  return { json: truncatedFields === undefined ? { data, meta } : { data, meta, truncated_fields: truncatedFields } }
}

/** Runs an action on an entity. Its part of the API's document is made from the kinds. */
export const execute: PrincipalRoute = {
  method: 'POST',
  path: `${connectorPath}/execute`,
  auth: 'principal',
  answer: (exchange, services) =>
    limited(exchange, services, async () => {
      const request = readExecuteRequest(exchange.body)
      const deadlineMs = services.settings.operationSeconds * 1_000
      const connectorId = slot(exchange, 'connector_id')
      return answerOf(
        await executeOperation(services.operations, exchange.who, { connectorId, request, deadlineMs, signal: exchange.signal }),
      )
    }),
}
