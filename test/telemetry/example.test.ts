import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startSandbox } from '../../packages/sandbox/src/index.ts'
import { root } from '../../scripts/paths.mjs'
import { serve } from '../engine/support.ts'
import { client, type Json, sandboxConnector } from '../http/support.ts'
import { buildSourceEnvironment } from '../support/commands.ts'
import { makeFolder } from '../support/folder.ts'
import { copyEmbeddedDatabase } from '../support/postgres.ts'

/** Reads the spans of the bodies that a collector got. */
const readSpans = (bodies: readonly string[]): Json[] =>
  bodies.flatMap((body) => JSON.parse(body).resourceSpans).flatMap(({ scopeSpans }: Json) => scopeSpans.flatMap(({ spans }: Json) => spans))

/** Starts the service as `docs/telemetry.md` says, with the example. */
async function startTraced(env: Readonly<Record<string, string>>) {
  const args = ['--import', './examples/opentelemetry/otel.mjs', 'packages/server/src/main.ts']
  const child = spawn(process.execPath, args, { cwd: root, env: { ...buildSourceEnvironment(), ...env } })
  let log = ''
  child.stderr.on('data', (chunk) => (log += chunk))
  const listens = Promise.withResolvers<string>()
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
    const url = /listens on (http:\/\/[\w.:]+)\n/.exec(text)?.[1]
    if (url !== undefined) listens.resolve(url)
  })
  child.once('close', () => listens.reject(new Error(`it ended: ${log}`)))
  const url = await listens.promise
  const end = async (): Promise<number | null> => {
    const closed = once(child, 'close') // all that it said was read
    child.kill('SIGTERM')
    await closed
    return child.exitCode
  }
  return { url, end, log: () => log }
}

const post = async (url: string, body: object, token?: string): Promise<Json> => {
  const headers = { 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json()
}

test('the example sends the spans of a service to a collector', async () => {
  const folder = makeFolder('otel', onTestFinished)
  await copyEmbeddedDatabase(join(folder, 'context')) // creating it takes seconds of a core
  await using sandbox = await startSandbox({ limits: false })
  await using collector = await serve(() => ({ status: 200, body: '{}' }))
  const { api } = sandbox.origins.gong
  const service = await startTraced({
    ...{ FERRULE_PORT: '0', FERRULE_DATA: folder, FERRULE_OPERATOR_CLIENT_ID: client.id, FERRULE_OPERATOR_CLIENT_SECRET: client.secret },
    ...{ FERRULE_SANDBOX: 'off', FERRULE_ORIGINS: JSON.stringify({ gong: { api } }), FERRULE_LOG_LEVEL: 'debug' },
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin, OTEL_SERVICE_NAME: 'ferrule-test' },
  })
  const { access_token: token } = await post(`${service.url}/api/v1/account/applications/token`, {
    client_id: client.id,
    client_secret: client.secret,
  })
  const connectors = `${service.url}/api/v1/integrations/connectors`
  const { environment: _sandbox, ...body } = sandboxConnector('calls')
  const { id } = await post(connectors, { ...body, entities: [] }, token)
  expect((await post(`${connectors}/${id}/execute`, { entity: 'users', action: 'list' }, token)).data.length).toBeGreaterThan(5)
  expect(await service.end()).toBe(0)

  const bodies = collector.seen.map(({ body }) => body)
  expect(collector.seen[0]?.url).toBe('/v1/traces')
  expect(bodies.join()).toContain('ferrule-test')
  const spans = readSpans(bodies)
  // A sync of the connector lists users too.
  const request = spans.find(({ name }) => name === 'POST /api/v1/integrations/connectors/{connector_id}/execute')
  const execute = spans.find(({ name, parentSpanId }) => name === 'execute gong.users.list' && parentSpanId === request.spanId)
  const call = spans.find(({ name, parentSpanId }) => name === 'GET /v2/users' && parentSpanId === execute.spanId)
  expect([execute.traceId, call.traceId]).toEqual([request.traceId, request.traceId])
  expect(service.log()).toContain(`"trace_id":"${request.traceId}"`)
  for (const secret of [client.secret, token, 'sandbox-secret']) expect(bodies.join()).not.toContain(secret)
})
