import { expect, test } from 'vitest'
import type { Call, Outcome } from '../../packages/ferrule/src/engine/call/outcome.ts'
import type { Connection } from '../../packages/ferrule/src/engine/connection.ts'
import { fail } from '../../packages/ferrule/src/errors.ts'
import { executeOperation, type OperationServices } from '../../packages/server/src/calls/operations.ts'
import { share } from '../support/share.ts'
import { connectorBody, createWorld, firstPrincipal, refusal } from './world.ts'

const world = await share(createWorld('sqlite', 'operations'))
const platform = await world.open()
const principal = await firstPrincipal(platform)
const connectorId = (await platform.connectors.create(principal, connectorBody())).id

const request = { entity: 'users', action: 'list' }
const page: Outcome = { type: 'list', data: [{ id: '1' }], meta: { next_params: null } }

/** Builds a platform that cannot store the status of a connector. */
function servicesWith(run: () => Promise<Outcome>): { services: OperationServices; failures: unknown[] } {
  const failures: unknown[] = []
  const broken = () => Promise.reject(new Error('the disk is full'))
  const connectors = { ...platform.connectors, markHealthy: broken, markAuthError: broken }
  const engine = { run, check: async () => {}, scopes: async () => undefined }
  return {
    services: { platform: { connectors, writes: platform.writes }, engine, onBackgroundError: (error) => failures.push(error) },
    failures,
  }
}

test('an answer stays an answer when the status of the connector cannot be stored', async () => {
  const { services, failures } = servicesWith(async () => page)
  expect(await executeOperation(services, principal, { connectorId, request })).toMatchObject({ data: [{ id: '1' }] })
  expect(failures).toEqual([new Error('the disk is full')])
})

test('refused credentials are told as such when the status of the connector cannot be stored', async () => {
  const { services, failures } = servicesWith(() =>
    Promise.reject(fail('upstream_auth_failed', { vendor: 'Good Notes', reason: 'wrong key' })),
  )
  expect(await refusal(executeOperation(services, principal, { connectorId, request }))).toMatch(/^upstream_auth_failed: .*wrong key/)
  expect(failures).toHaveLength(1)
})

test('a write gets the key and runs on without its client; a read gets the signal', async () => {
  const seen: Call[] = []
  const run = async (_connection: Connection, call: Call): Promise<Outcome> => {
    seen.push(call)
    return call.action === 'create' ? { type: 'record', data: {}, meta: {} } : page
  }
  const services = { platform, engine: { run, check: async () => {}, scopes: async () => undefined } }
  const gone = { connectorId, idempotencyKey: 'once', signal: AbortSignal.abort() }
  await executeOperation(services, principal, { ...gone, request: { entity: 'posts', action: 'create', params: {} } })
  await executeOperation(services, principal, { ...gone, request })
  expect(seen.map(({ signal, idempotencyKey }) => [signal?.aborted, idempotencyKey !== undefined])).toEqual([
    [undefined, true],
    [true, false],
  ])
})
