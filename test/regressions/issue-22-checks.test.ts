/** Checks of credentials: none is left out by accident, and a failed one says all that is known. */
import { describe, expect, test } from 'vitest'
import { readCheckFailure } from '../../packages/ferrule/src/client/problem.ts'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { connect, FerruleError } from '../../packages/ferrule/src/index.ts'
import { LostRecords } from '../../packages/server/src/copies/lost-records.ts'
import type { ConnectorAccess } from '../../packages/server/src/values/access.ts'
import { type Answer, client, connectorsPath, sandboxConnector, startWorld } from '../http/support.ts'
import { share } from '../support/share.ts'

const world = await share(startWorld())
const id = await world.connect('checked')

const read = (): Promise<Answer> => world.ask(`${connectorsPath}/${id}`, { token: world.token })
const principal = () => world.platform.tokens.authenticate(world.token, undefined)

describe('credentials that were not tried', () => {
  test('count as unchecked', async () => {
    const { connectors } = world.platform
    const made = await connectors.create(await principal(), { ...sandboxConnector('untried'), check: false })
    expect((await connectors.readAccess(await principal(), made.id)).unchecked).toBe(true)
    const asked = await connectors.create(await principal(), sandboxConnector('tried'))
    expect((await connectors.readAccess(await principal(), asked.id)).unchecked).toBe(false)
    const credentials = { access_key: 'other', access_key_secret: 'secret' }
    await connectors.patch(await principal(), asked.id, { credentials, check: false })
    expect((await connectors.readAccess(await principal(), asked.id)).unchecked).toBe(true)
  })

  test('cannot be stored by forgetting an argument', async () => {
    const { connectors } = world.platform
    const who = await principal()
    const credentials = { access_key: 'x', access_key_secret: 'y' }
    const refused = { code: 'upstream_auth_failed', status: 422 }
    await expect(connectors.create(who, { ...sandboxConnector('forgotten'), credentials })).rejects.toMatchObject(refused)
    await expect(connectors.patch(who, id, { credentials })).rejects.toMatchObject(refused)
    const { json } = await world.ask(`${connectorsPath}?limit=100`, { token: world.token })
    expect(json.data.map(({ name }: { name: string }) => name)).not.toContain('forgotten')
    expect((await read()).json.status).toBe('active')
  })
})

describe('a hosted check that fails keeps', () => {
  const gong = async () => {
    const found = await connect('gong', { url: world.url, clientId: client.id, clientSecret: client.secret, connector: id })
    return found.check().catch((thrown: unknown) => thrown)
  }

  test('the wait and the answer of the vendor', async () => {
    world.sandbox.faults.add({ kind: 'status', status: 429, retryAfter: 120, on: 'api', times: 9 })
    const error = await gong()
    world.sandbox.faults.clear()
    expect(error).toBeInstanceOf(FerruleError)
    expect(error).toMatchObject({ code: 'upstream_rate_limited', retryable: true, upstream: { status: 429 }, status: 429 })
    expect(error).toMatchObject({ retryAfterMs: expect.toSatisfy((ms: number) => ms > 60_000 && ms <= 120_000) })
  })

  test('the problems with their fields', () => {
    const errors = [{ field: '/credentials/token', message: 'is too short', error_code: 'length' }]
    const known = { errors, upstream: { status: 401, message: 'no' }, retryAfterMs: 30_000 }
    const problem = new FerruleError('upstream_auth_failed', { message: 'No.', hint: 'Do.' }, known).toProblem()
    const reason = {
      timestamp: 1,
      failure_origin: 'source',
      failure_type: 'config_error',
      external_message: 'No. Do.',
      retryable: false,
    } as const
    const failure_reason = { ...reason, internal_message: problem.code, problem: { ...problem, errors: [...problem.errors] } }
    const failed = readCheckFailure({ id, status: 'failed', error_message: 'No.', failure_reason, entity_check_results: [] })
    expect(failed.toProblem()).toEqual(problem)
  })
})

describe('a live read that finds nothing deletes from the copy', () => {
  const lostOf = async (call: { readonly entity: string; readonly params: Readonly<Record<string, string>> }) => {
    const forgotten: unknown[] = []
    const lost = new LostRecords({
      clock: () => 1,
      store: {
        forgetRecords: async (removal) => {
          forgotten.push([removal.entity, removal.values])
          return new Map()
        },
      },
    })
    const access = { ref: { connectorId: 'one' }, connection: { kind: kinds.shopify } } as unknown as ConnectorAccess
    const gone = new FerruleError('record_not_found', { message: 'gone', hint: '' }, { gone: true })
    await lost.failed(access, { action: 'get', ...call }, gone)
    await lost.close()
    return forgotten
  }

  test('the record that was asked for by its key', async () => {
    expect(await lostOf({ entity: 'orders', params: { order_id: '7' } })).toContainEqual(['orders', ['7']])
  })

  test('nothing when another resource of the path can be what is missing', async () => {
    expect(await lostOf({ entity: 'order_refunds', params: { order_id: '7', refund_id: '9' } })).toEqual([])
    expect(await lostOf({ entity: 'fulfillments', params: { order_id: '7', fulfillment_id: '9' } })).toEqual([])
  })
})
