import { checkResult, connectorInput, connectorPatch, endpoints } from 'ferrule/wire'
import { checkConnection } from '../../calls/operations.ts'
import { type CheckTarget, readCheckTarget } from '../../connectors/check-target.ts'
import type { Principal } from '../../values/access.ts'
import { exampleConnector } from '../example-connector.ts'
import { limited } from '../limited.ts'
import { type Exchange, principalRoute, type Services, slot } from '../route.ts'

const answer = { about: 'Outcome; a refusal of the vendor is a result, not an error', schema: checkResult } as const

type Target = (id: string) => CheckTarget | Promise<CheckTarget>

/** Runs the check within the organization's limits. */
const check = (exchange: Exchange<Principal>, services: Services, target: Target) =>
  limited(exchange, services, async (bounds) => {
    const options = { ...bounds, now: services.clock() }
    return { json: await checkConnection(services.operations, await target(slot(exchange, 'connector_id')), options) }
  })

/** Checks credentials that are not stored. */
export const checkNew = principalRoute({
  ...endpoints.checkNewConnector,
  auth: 'principal',
  document: {
    id: 'checkNewConnector',
    tag: 'connectors',
    summary: 'Check credentials at the vendor without storing them',
    scope: 'connectors:write',
    body: connectorInput,
    example: exampleConnector,
    answer,
    problems: ['connector_type_not_found', 'credentials_mismatch', 'validation_failed', 'rate_limited', 'overloaded'],
  },
  answer: (exchange, services) =>
    check(exchange, services, async () => ({ connection: await services.platform.connectors.trial(exchange.who, exchange.body) })),
})

/** Checks a stored connector, or changes to it before they are made. */
export const checkStored = principalRoute({
  ...endpoints.checkConnector,
  auth: 'principal',
  document: {
    id: 'checkConnector',
    tag: 'connectors',
    summary: 'Check a connector at the vendor',
    about:
      'Without a body the stored credentials are used. With credentials or replication_config these are tried and not stored, which needs the scope connectors:write.',
    scope: 'connectors:read',
    body: connectorPatch,
    bodyOptional: true,
    example: {},
    answer,
    problems: ['connector_not_found', 'credentials_mismatch', 'validation_failed', 'rate_limited', 'overloaded'],
  },
  answer: (exchange, services) =>
    check(exchange, services, (id) => readCheckTarget(services.platform, exchange.who, { id, body: exchange.body })),
})
