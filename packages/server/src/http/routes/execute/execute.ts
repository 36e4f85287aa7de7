import type { FerruleError, ProblemDetails } from 'ferrule'
import { fail } from 'ferrule/internal'
import { endpoints, executeInput } from 'ferrule/wire'
import { answerBody, type Executed, type ReplayedAnswer } from '../../../calls/executed.ts'
import { executeOperation } from '../../../calls/operations.ts'
import { readBody } from '../../../values/read.ts'
import { isWrite } from '../../../values/scopes.ts'
import { limited } from '../../limited.ts'
import { stoppedRead, stoppedReason } from '../../open-requests.ts'
import { jsonType, problemType } from '../../reply.ts'
import { type Answer, type Exchange, type PrincipalRoute, slot } from '../../route.ts'
import { lookWhileTransferred } from '../../streams/look-while-sent.ts'

/** Sends a stored answer byte for byte; a header marks it as a replay. */
function replayed(exchange: Pick<Exchange<unknown>, 'setHeader'>, { status, text }: ReplayedAnswer): Answer {
  exchange.setHeader('idempotent-replayed', 'true')
  if (status === 200) return { content: text, status, type: jsonType }
  const { retry_after_seconds: wait } = JSON.parse(text) as ProblemDetails // a problem that this service wrote
  if (wait !== undefined) exchange.setHeader('retry-after', String(wait))
  return { content: text, status, type: problemType }
}

function toAnswer(exchange: Pick<Exchange<unknown>, 'setHeader'>, outcome: Executed | ReplayedAnswer): Answer {
  if (outcome.type === 'file') return { file: outcome.file }
  return outcome.type === 'replayed' ? replayed(exchange, outcome) : { json: answerBody(outcome) }
}

/** Builds the error of a stopped write, whose outcome is unknown. */
const stoppedWrite = (): FerruleError =>
  fail(
    'outcome_unknown',
    { vendor: 'the vendor', request_id: 'none', reason: stoppedReason },
    { hint: 'With an Idempotency-Key send the same call again; without one look at the vendor before you write again.' },
  )

/** Runs an action on an entity. Its part of the API's document is made from the kinds. */
export const execute: PrincipalRoute = {
  ...endpoints.execute,
  auth: 'principal',
  provesOrganization: true,
  answer: (exchange, services) =>
    limited(exchange, services, async (bounds) => {
      const request = readBody(executeInput, exchange.body)
      const connectorId = slot(exchange, 'connector_id')
      exchange.whenStopped(isWrite(request.action) ? stoppedWrite : stoppedRead)
      const own = { idempotencyKey: exchange.header('idempotency-key'), requestId: exchange.requestId, writesJson: true }
      const outcome = await executeOperation(services.operations, exchange.who, { connectorId, request, ...bounds, ...own })
      if (outcome.type === 'file') lookWhileTransferred(exchange, services, connectorId)
      return toAnswer(exchange, outcome)
    }),
}
