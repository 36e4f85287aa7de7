import { checkResult, connectorInput, connectorPatch } from 'ferrule/wire'
import { checkConnection } from '../../calls/operations.ts'
import { type CheckTarget, readCheckTarget } from '../../connectors/check-target.ts'
import type { Principal } from '../../values/access.ts'
import { type Exchange, limited, principalRoute, type Services, slot } from '../route.ts'

/** The body of a connector to the sandbox: it works on every service that runs one. */
export const exampleConnector = {
  workspace_name: 'default',
  connector_type: 'gong',
  name: 'My calls',
  credentials: { access_key: 'sandbox', access_key_secret: 'sandbox-secret' },
  environment: { sandbox: true },
} as const

const returns = { about: 'Outcome; a refusal of the vendor is a result, not an error', schema: checkResult } as const

/** Runs the check within the organization's limits. */
const check = (exchange: Exchange<Principal>, services: Services, findTarget: (id: string) => CheckTarget | Promise<CheckTarget>) =>
  limited(exchange, services, async (bounds) => {
    const options = { ...bounds, now: services.clock() }
    return { json: await checkConnection(services.operations, await findTarget(slot(exchange.params, 'connector_id')), options) }
  })

export const checkNew = principalRoute('checkNewConnector', {
  tag: 'connectors',
  summary: 'Check credentials at the vendor without storing them',
  scope: 'connectors:write',
  body: connectorInput,
  example: exampleConnector,
  returns,
  problems: ['connector_type_not_found', 'credentials_mismatch', 'validation_failed', 'rate_limited', 'overloaded'],
  answer: (exchange, services) =>
    check(exchange, services, async () => ({ connection: await services.platform.connectors.trial(exchange.who, exchange.body) })),
})

/** Checks a stored connector, or changes to it before they are made. */
export const checkStored = principalRoute('checkConnector', {
  tag: 'connectors',
  summary: 'Check a connector at the vendor',
  about:
    'Without a body the stored credentials are used. With credentials or replication_config these are tried and not stored, which needs the scope connectors:write.',
  scope: 'connectors:read',
  body: connectorPatch,
  bodyOptional: true,
  example: {},
  returns,
  problems: ['connector_not_found', 'credentials_mismatch', 'validation_failed', 'rate_limited', 'overloaded'],
  answer: (exchange, services) =>
    check(exchange, services, (id) => readCheckTarget(services.platform, exchange.who, { id, body: exchange.body })),
})
