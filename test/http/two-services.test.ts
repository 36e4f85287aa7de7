import { afterAll, expect, test } from 'vitest'
import { ask } from '../faults/client.ts'
import { makeFolder } from '../support/folder.ts'
import { startTwoServices } from '../support/two-services.ts'

const folder = makeFolder('two')
const two = await startTwoServices('two services', folder)
afterAll(() => two[Symbol.asyncDispose]())

const body = { entity: 'users', action: 'list' }
const callsOfEach = 8

test('two services over one database count the calls of a key together, and each call is answered', async () => {
  const call = (node: 0 | 1) => ask({ ...two.clients[node].execute(two.connectorIds[node]), body })
  // The first call of each connector proves its credentials.
  expect([(await call(0)).status, (await call(1)).status]).toEqual([200, 200])
  const answers = await Promise.all(Array.from({ length: 2 * callsOfEach }, (_, index) => call(index % 2 === 0 ? 0 : 1)))
  expect(answers.flatMap(({ status, text }) => (status === 200 ? [] : [text]))).toEqual([])
  expect(Math.max(...(await two.listCalls()))).toBeGreaterThanOrEqual(2 * callsOfEach) // one row counts those of both services
  // Each answer took one accepted call. Whatever else arrived was refused by the vendor and repeated; the soak run counts these.
  expect(two.sandbox.gong.requests().filter(({ path }) => path === '/v2/users').length).toBeGreaterThanOrEqual(2 * callsOfEach + 2)
})
