import type { ErrorCode } from 'ferrule'
import { connectorPatch, connectorRecord, connectorUpdate, endpoints } from 'ferrule/wire'
import { buildTrial, trialProblems } from '../build-trial.ts'
import { principalRoute, slot } from '../route.ts'

const problems: readonly ErrorCode[] = ['connector_not_found', 'connector_name_conflict', 'validation_failed']

/** Replaces name, configuration and entities, as far as they are given. */
export const updateConnector = principalRoute({
  ...endpoints.updateConnector,
  auth: 'principal',
  document: {
    id: 'updateConnector',
    tag: 'connectors',
    summary: 'Change a connector',
    about: 'Members that are left out stay as they are; replication_config replaces the stored one. PATCH changes credentials.',
    scope: 'connectors:write',
    body: connectorUpdate,
    example: { name: 'Sales calls' },
    answer: { about: 'The connector', schema: connectorRecord },
    problems,
  },
  answer: async (exchange, { platform }) => ({
    json: await platform.connectors.update(exchange.who, slot(exchange, 'connector_id'), exchange.body),
  }),
})

/** Merges changes, credentials among them. */
export const patchConnector = principalRoute({
  ...endpoints.patchConnector,
  auth: 'principal',
  document: {
    id: 'patchConnector',
    tag: 'connectors',
    summary: 'Change a connector or replace its credentials',
    about:
      'Objects are merged (RFC 7396): null removes a key. New credentials are tried at the vendor first, unless check is false, and end the status auth_error.',
    scope: 'connectors:write',
    body: connectorPatch,
    example: { credentials: { access_key_secret: '<new secret>' } },
    answer: { about: 'The connector', schema: connectorRecord },
    problems: ['credentials_mismatch', ...problems, ...trialProblems],
  },
  answer: async (exchange, services) => ({
    json: await services.platform.connectors.patch(
      exchange.who,
      { id: slot(exchange, 'connector_id'), trial: buildTrial(exchange, services) },
      exchange.body,
    ),
  }),
})
