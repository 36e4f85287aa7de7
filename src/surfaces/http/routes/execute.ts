import { type FerruleError, fail, type ProblemDetails } from '../../../errors.ts'
import { readExecuteRequest } from '../../../platform/execute-request.ts'
import { answerBody, type Executed, type ReplayedAnswer } from '../../../platform/executed.ts'
import { executeOperation } from '../../../platform/operations.ts'
import { isWrite } from '../../../platform/scopes.ts'
import { limited } from '../limited.ts'
import { stoppedRead, stoppedReason } from '../open-requests.ts'
import { jsonType, problemType } from '../reply.ts'
import { type Answer, connectorPath, type Exchange, type PrincipalRoute, slot } from '../route.ts'

/** An answer that was kept under an Idempotency-Key goes out byte for byte; only its headers tell. */
function replayed(exchange: Pick<Exchange<unknown>, 'setHeader'>, { status, text }: ReplayedAnswer): Answer {
  exchange.setHeader('idempotent-replayed', 'true')
  if (status === 200) return { content: text, status, type: jsonType }
  const { retry_after_seconds: wait } = JSON.parse(text) as ProblemDetails // a problem that this service wrote
  if (wait !== undefined) exchange.setHeader('retry-after', String(wait))
  return { content: text, status, type: problemType }
}

function answerOf(exchange: Pick<Exchange<unknown>, 'setHeader'>, outcome: Executed | ReplayedAnswer): Answer {
  if (outcome.type === 'file') return { file: outcome.file }
  return outcome.type === 'replayed' ? replayed(exchange, outcome) : { json: answerBody(outcome) }
}

/** Nobody knows what became of a write whose call was stopped; with its Idempotency-Key the next node finds out. */
const stoppedWrite = (): FerruleError =>
  fail(
    'outcome_unknown',
    { vendor: 'the vendor', request_id: 'none', reason: stoppedReason },
    { hint: 'With an Idempotency-Key send the same call again; without one look at the vendor before you write again.' },
  )

/** Runs an action on an entity. Its part of the API's document is made from the kinds. */
export const execute: PrincipalRoute = {
  method: 'POST',
  path: `${connectorPath}/execute`,
  auth: 'principal',
  answer: (exchange, services) =>
    limited(exchange, services, async (memory) => {
      const request = readExecuteRequest(exchange.body)
      const call = { connectorId: slot(exchange, 'connector_id'), request, deadlineMs: services.settings.operationSeconds * 1_000, memory }
      exchange.whenStopped(isWrite(request.action) ? stoppedWrite() : stoppedRead())
      const own = isWrite(request.action)
        ? { idempotencyKey: exchange.header('idempotency-key'), requestId: exchange.requestId }
        : { signal: exchange.signal }
      return answerOf(exchange, await executeOperation(services.operations, exchange.who, { ...call, ...own }))
    }),
}
