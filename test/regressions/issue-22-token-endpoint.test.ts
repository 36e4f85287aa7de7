/** A passing fault of a token endpoint is no refusal of the grant: the connector stays active, and the next call renews. */
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { connect } from '../../packages/ferrule/src/index.ts'
import { type Fault, sandboxCredentials as known, type Sandbox, startSandbox } from '../../packages/sandbox/src/index.ts'
import { type Reply, serve } from '../engine/support.ts'
import { ask } from '../faults/client.ts'
import { clientOf, type ServiceNode, settingsFor, startNode } from '../faults/node.ts'
import { makeFolder } from '../support/folder.ts'

/** Credentials whose access token has ended, as they themselves say. */
const expired = {
  refresh_token: known.refreshToken,
  access_token: known.expiredToken,
  client_id: known.clientId,
  client_secret: known.clientSecret,
  token_expiry_date: '2024-01-01T00:00:00Z',
}
const html = { 'content-type': 'text/html' }

const passing: readonly (readonly [what: string, answer: Reply])[] = [
  ['408', { status: 408, body: '' }],
  ['404 with a page', { status: 404, headers: html, body: '<h1>Not found</h1>' }],
  ['404 with JSON', { status: 404, body: { error: 'not_found' } }],
  ['403 with a page', { status: 403, headers: html, body: '<h1>Blocked</h1>' }],
  ['403 without a body', { status: 403, body: '' }],
  ['400 with a page', { status: 400, headers: html, body: '<h1>Bad request</h1>' }],
  ['400 temporarily_unavailable', { status: 400, body: { error: 'temporarily_unavailable' } }],
  ['400 server_error', { status: 400, body: { error: 'server_error' } }],
  ['405', { status: 405, body: '' }],
]
const refusing: readonly (readonly [what: string, answer: Reply])[] = [
  ['400 invalid_grant', { status: 400, body: { error: 'invalid_grant' } }],
  ['401 invalid_client', { status: 401, body: { error: 'invalid_client' } }],
  ['403 access_denied', { status: 403, body: { error: 'access_denied' } }],
  ['404 invalid_grant', { status: 404, body: { error: 'invalid_grant' } }],
  ['400 in other words', { status: 400, body: { message: 'no' } }],
  ['401 without a body', { status: 401, body: '' }],
]

describe('in the library', () => {
  const ended = async (answer: Reply): Promise<unknown> => {
    await using server = await serve(() => answer)
    await using gong = connect('gong', { credentials: expired, origin: server.origin, limits: false })
    return await gong.workspaces.list().catch((error: unknown) => error)
  }

  test.each(passing)('%s is a fault of the vendor, and can pass', async (_what, answer) => {
    expect(await ended(answer)).toMatchObject({ code: 'upstream_error', fault: 'vendor', retryable: true })
  })

  test.each(refusing)('%s is a refusal', async (_what, answer) => {
    expect(await ended(answer)).toMatchObject({ code: 'upstream_auth_failed', fault: 'credentials', retryable: false })
  })
})

describe('in the service', () => {
  let sandbox: Sandbox
  let node: ServiceNode
  beforeEach(async () => {
    sandbox = await startSandbox({ limits: false })
    node = await startNode({ env: settingsFor(sandbox, makeFolder('token', onTestFinished)), clock: Date.now })
  })
  afterEach(async () => {
    await node.close()
    await sandbox.close()
  })

  test.each<[string, Fault]>([
    ['408', { kind: 'status', status: 408 }],
    ['404', { kind: 'status', status: 404 }],
    ['a page with 403', { kind: 'html-403' }],
  ])('%s leaves the connector active, and the next call renews', async (_what, fault) => {
    const client = await clientOf(node)
    const id = await client.connect('oauth', expired)
    const call = () => ask({ ...client.execute(id), body: { entity: 'workspaces', action: 'list' } })
    sandbox.faults.add({ ...fault, on: 'oauth' })
    expect(await call()).toMatchObject({ status: 502, json: { code: 'upstream_error', fault: 'vendor', retryable: true } })
    expect((await client.connector(id)).status).not.toBe('auth_error')
    expect((await call()).status).toBe(200)
  })
})
