import type { FerruleError, ProblemDetails } from 'ferrule'
import { fail, isReading } from 'ferrule/internal'
import * as wire from 'ferrule/wire'
import { answerBody } from '../../../calls/cut-records.ts'
import type { Executed, ReplayedAnswer } from '../../../calls/executed.ts'
import { createMediaAddress, openMedia } from '../../../calls/media.ts'
import { executeOperation, validateCall } from '../../../calls/operations.ts'
import { requestVendor } from '../../../calls/vendor-requests.ts'
import { isWrite } from '../../../values/access.ts'
import { readBody } from '../../../values/read.ts'
import { jsonType, problemType } from '../../body.ts'
import { upstreamProblems } from '../../openapi/types.ts'
import { type Answer, type Exchange, limited, type PrincipalRoute, principalRoute, slot } from '../../route.ts'
import { stoppedRead, stoppedReason } from '../../stopping.ts'
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

const stoppedWrite = (): FerruleError =>
  fail(
    'outcome_unknown',
    { vendor: 'the vendor', request_id: 'none', reason: stoppedReason },
    { hint: 'With an Idempotency-Key send the same call again; without one look at the vendor before you write again.' },
  )

/** Runs an action on an entity. Its part of the API's document is made from the kinds. */
export const execute: PrincipalRoute = {
  ...wire.endpoints.execute,
  auth: 'principal',
  provesOrganization: true,
  answer: (exchange, services) =>
    limited(exchange, services, async (bounds) => {
      const request = readBody(wire.executeInput, exchange.body)
      const connectorId = slot(exchange.params, 'connector_id')
      exchange.whenStopped(isWrite(request.action) ? stoppedWrite : stoppedRead)
      const own = { idempotencyKey: exchange.header('idempotency-key'), requestId: exchange.requestId, writesJson: true }
      const outcome = await executeOperation(services.operations, exchange.who, { connectorId, request, ...bounds, ...own })
      if (outcome.type === 'file') lookWhileTransferred(exchange, services, connectorId)
      return toAnswer(exchange, outcome)
    }),
}

/** Sends a request that no operation describes. */
export const request: PrincipalRoute = {
  ...wire.endpoints.requestVendor,
  auth: 'principal',
  document: {
    id: 'requestVendor',
    tag: 'execute',
    summary: 'Send a request of your own to the vendor',
    about:
      "For what no operation offers: method, path below the address of the vendor's API, query and body, with the connector's credentials and in its budget. A GET or a HEAD is sent again when it fails for a moment; all others are sent once, and an Idempotency-Key makes a repeat safe. Kinds that hide records or check statements take none. The answer has to be JSON. It does not enter the copy.",
    scope: 'connectors:request',
    body: wire.vendorRequest,
    example: { method: 'GET', path: '/shop.json' },
    answer: { about: "The vendor's JSON, its status, and the headers link, etag and location", schema: wire.vendorAnswer },
    problems: [
      ...(['connector_not_found', 'workspace_inactive', 'validation_failed', 'action_not_supported', 'rate_limited'] as const),
      ...(['overloaded', 'record_not_found', 'outcome_unknown', 'idempotency_key_conflict', 'idempotency_key_in_flight'] as const),
      ...upstreamProblems,
    ],
  },
  answer: (exchange, services) =>
    limited(exchange, services, async (bounds) => {
      const sent = readBody(wire.vendorRequest, exchange.body)
      exchange.whenStopped(isReading(sent.method) ? stoppedRead : stoppedWrite)
      const own = { idempotencyKey: exchange.header('idempotency-key'), requestId: exchange.requestId }
      const given = { connectorId: slot(exchange.params, 'connector_id'), request: sent, ...bounds, ...own }
      return toAnswer(exchange, await requestVendor(services.operations, exchange.who, given))
    }),
}

export const validate = principalRoute('validateCall', {
  provesOrganization: true,
  tag: 'execute',
  summary: 'Check a call without sending it',
  about:
    'Entity, action, parameters, the statement of a warehouse with line and column, the filter of a search: everything that execute refuses before it asks the vendor or the copy. The refusal is a result. The scope is that of the action.',
  body: wire.validationInput,
  returns: { about: 'The refusal, or null', schema: wire.validation },
  problems: ['connector_not_found', 'workspace_inactive', 'validation_failed', 'insufficient_scope'],
  answer: async ({ who, params, body }, { platform }) => ({
    json: await validateCall(platform, who, { connectorId: slot(params, 'connector_id'), body }),
  }),
})

export const createMedia = principalRoute('createMediaAddress', {
  provesOrganization: true,
  tag: 'execute',
  summary: 'Make an address that a browser plays a download from',
  about:
    'For audio and video, for five minutes, and only for the session or application that asks. The address names nothing of the file. The file is opened once, so a missing, private or other file is refused here.',
  scope: 'execute:read',
  body: wire.mediaInput,
  returns: { about: 'The address', schema: wire.mediaAddress },
  problems: [
    ...(['connector_not_found', 'workspace_inactive', 'validation_failed', 'not_playable', 'rate_limited', 'overloaded'] as const),
    ...(['entity_not_found', 'action_not_supported', 'missing_parameter', 'invalid_parameter', 'media_selector_required'] as const),
    ...(['record_not_found', 'private_call', 'upstream_auth_failed', 'upstream_permission_denied', 'upstream_error'] as const),
    ...(['upstream_rate_limited', 'upstream_unreachable', 'upstream_timeout', 'upstream_answer_invalid'] as const),
  ],
  answer: (exchange, services) =>
    limited(exchange, services, async (bounds) => {
      const asked = { connectorId: slot(exchange.params, 'connector_id'), body: exchange.body, ...bounds }
      return { json: await createMediaAddress(services, exchange.who, asked) }
    }),
})

/** The file behind such an address. */
export const getMedia: PrincipalRoute = {
  ...wire.endpoints.getMedia,
  auth: 'principal',
  takesOrganizationQuery: true,
  document: {
    id: 'getMedia',
    tag: 'execute',
    summary: 'Play a download',
    about: 'Answers `Range`. The address comes from the route above.',
    scope: 'execute:read',
    query: wire.mediaQuery,
    answer: { about: 'The file, or the asked part of it', types: ['application/octet-stream', '*/*'], isPartial: true },
    problems: [
      ...(['record_not_found', 'private_call', 'connector_not_found', 'workspace_inactive', 'not_playable'] as const),
      ...(['range_not_satisfiable', 'rate_limited', 'overloaded', 'upstream_auth_failed', 'upstream_permission_denied'] as const),
      ...(['upstream_error', 'upstream_rate_limited', 'upstream_unreachable', 'upstream_timeout', 'upstream_answer_invalid'] as const),
    ],
  },
  answer: (exchange, services) =>
    limited(exchange, services, async (bounds) => {
      exchange.setHeader('cross-origin-resource-policy', 'same-origin')
      const asked = { id: slot(exchange.params, 'media_id'), header: exchange.header('range'), ...bounds }
      const { file, connectorId } = await openMedia(services, exchange.who, asked)
      lookWhileTransferred(exchange, services, connectorId)
      return { file }
    }),
}
