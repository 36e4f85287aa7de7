import type { ErrorCode } from 'ferrule'
import { errorConsequences } from 'ferrule/internal'
import * as wire from 'ferrule/wire'
import type { CredentialTrial } from '../../connectors/connector-types.ts'
import type { Principal } from '../../values/access.ts'
import type { ProblemDocument } from '../openapi/types.ts'
import { type Exchange, nextPage, principalRoute, slot, toArriving } from '../route.ts'
import { exampleConnector } from './checks.ts'

const trialCodes: readonly ErrorCode[] = [
  ...(['rate_limited', 'overloaded', 'upstream_auth_failed', 'upstream_permission_denied', 'upstream_account_unavailable'] as const),
  ...(['upstream_rate_limited', 'upstream_error', 'upstream_unreachable', 'upstream_timeout', 'upstream_answer_invalid'] as const),
]

/** Errors of a trial. Refused credentials and a wrong address came with the request, so their status is 422. */
const trialProblems: readonly ProblemDocument[] = [
  ...trialCodes.map((code) => (errorConsequences[code].credentials === 'refused' ? { code, status: 422 } : code)),
  { code: 'record_not_found', status: 422 },
]

const changeProblems: readonly ErrorCode[] = ['connector_not_found', 'connector_name_conflict', 'validation_failed']

/** Describes the trial of a creation or of new credentials. */
const toTrial = (exchange: Exchange<Principal>): CredentialTrial => ({
  ...toArriving(exchange),
  idempotencyKey: exchange.header('idempotency-key'),
  replayed: () => exchange.setHeader('idempotent-replayed', 'true'),
})

export const createConnector = principalRoute('createConnector', {
  tag: 'connectors',
  summary: 'Create a connector',
  about:
    'The credentials are checked at the vendor first. Nothing is stored when the vendor refuses them or cannot be reached. `check: false` stores unchecked credentials; syncs then wait for the first successful call. All mistakes are reported at once. A repeat with the same `Idempotency-Key` within 24 hours returns the connector of the first request.',
  scope: 'connectors:write',
  body: wire.connectorInput,
  example: exampleConnector,
  returns: { about: 'The connector, without credentials', schema: wire.connectorRecord },
  problems: [
    ...([
      'connector_type_not_found',
      'credentials_mismatch',
      'connector_name_conflict',
      'workspace_not_found',
      'workspace_inactive',
    ] as const),
    ...(['validation_failed', 'idempotency_key_conflict', 'idempotency_key_in_flight'] as const),
    ...trialProblems,
  ],
  answer: async (exchange, { platform }) => ({ json: await platform.connectors.create(exchange.who, exchange.body, toTrial(exchange)) }),
})

export const listConnectors = principalRoute('listConnectors', {
  tag: 'connectors',
  summary: 'List connectors',
  scope: 'connectors:read',
  query: wire.connectorQuery,
  returns: { about: 'One page', schema: wire.connectorPage },
  problems: ['invalid_cursor', 'connector_type_not_found', 'validation_failed'],
  answer: async ({ who, query }, { platform }) => ({
    json: nextPage(wire.endpoints.listConnectors.path, query, await platform.connectors.list(who, query)),
  }),
})

export const getConnector = principalRoute('getConnector', {
  tag: 'connectors',
  summary: 'Read a connector',
  scope: 'connectors:read',
  returns: { about: 'The connector, without credentials', schema: wire.connectorRecord },
  problems: ['connector_not_found'],
  answer: async ({ who, params }, { platform }) => ({ json: await platform.connectors.get(who, slot(params, 'connector_id')) }),
})

export const deleteConnector = principalRoute('deleteConnector', {
  tag: 'connectors',
  summary: 'Delete a connector and its credentials',
  scope: 'connectors:write',
  returns: { status: 202, about: 'The job that does it', schema: wire.jobReference },
  problems: ['connector_not_found'],
  answer: async ({ who, params }, { platform }) => {
    const json = await platform.connectors.remove(who, slot(params, 'connector_id'))
    platform.consentRevocations.start()
    return { status: 202, json }
  },
})

/** Replaces name, configuration and entities, as far as they are given. */
export const updateConnector = principalRoute('updateConnector', {
  tag: 'connectors',
  summary: 'Change a connector',
  about: 'Members that are left out stay as they are; replication_config replaces the stored one. PATCH changes credentials.',
  scope: 'connectors:write',
  body: wire.connectorUpdate,
  example: { name: 'Sales calls' },
  returns: { about: 'The connector', schema: wire.connectorRecord },
  problems: changeProblems,
  answer: async ({ who, params, body }, { platform }) => ({
    json: await platform.connectors.update(who, slot(params, 'connector_id'), body),
  }),
})

export const patchConnector = principalRoute('patchConnector', {
  tag: 'connectors',
  summary: 'Change a connector or replace its credentials',
  about:
    'Objects are merged (RFC 7396): null removes a key. New credentials are tried at the vendor first, unless check is false, and end the status auth_error.',
  scope: 'connectors:write',
  body: wire.connectorPatch,
  example: { credentials: { access_key_secret: '<new secret>' } },
  returns: { about: 'The connector', schema: wire.connectorRecord },
  problems: ['credentials_mismatch', ...changeProblems, ...trialProblems],
  answer: async (exchange, { platform }) => ({
    json: await platform.connectors.patch(exchange.who, slot(exchange.params, 'connector_id'), exchange.body, toTrial(exchange)),
  }),
})

export const getJob = principalRoute('getJob', {
  tag: 'jobs',
  summary: 'Read a job',
  about: 'Jobs are kept for 30 days.',
  scope: 'connectors:read',
  returns: { about: 'The job', schema: wire.jobRecord },
  problems: ['job_not_found'],
  answer: async ({ who, params }, { platform }) => ({ json: await platform.jobs.get(who, slot(params, 'job_id')) }),
})
