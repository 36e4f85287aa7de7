import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { runFerrule } from '../command/support.ts'
import { makeFolder } from '../support/folder.ts'
import { listen } from '../support/listen.ts'
import { share } from '../support/share.ts'

const id = '55555555-5555-4555-8555-555555555555'
const counts = { records: 0, pages: 0, calls: 0, written: 0, removed: 0, without_key: 0 }
const error = { code: 'overloaded', message: 'The service is busy: no turn.', hint: '' }
const entity = { state: 'loading', records: 0, lag_seconds: null, last_error: null, progress: null }
const status = {
  entities: [
    { ...entity, entity: 'orders' },
    { ...entity, entity: 'shop', state: 'ready', records: 1 },
  ],
  running: null,
  queued: {
    state: 'queued',
    attempts: 3,
    entities: null,
    results: [{ entity: 'shop', state: 'complete', error: null }],
    error,
    progress: { ...counts, estimated_end: null, entities: [] },
  },
}

const server = createServer((request, response) => {
  const body = request.url?.includes('/context_store') ? status : { data: [{ id, name: 'shop', connector_type: 'shopify' }], next: null }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
})
const { origin } = await share(listen(server))

test('sync status says what an entity waits for, and with which attempt', async () => {
  const env = { FERRULE_URL: origin, FERRULE_TOKEN: 'a-token', COLUMNS: '200' }
  const caller = { config: makeFolder('waiting', onTestFinished), env }
  const { stdout, stderr } = await runFerrule(caller, 'sync', 'status', 'shop', '--format', 'table')
  expect(stderr).toBe('')
  expect(stdout).toMatch(/orders .*waits, attempt 3: The service is busy: no turn\./)
  expect(stdout).not.toMatch(/shop .*waits/)
})
