import { expect, onTestFinished, test } from 'vitest'
import { ask } from '../faults/client.ts'
import { makeFolder } from '../support/folder.ts'
import { startTwoServices } from '../support/two-services.ts'

/** Clients of each service, and calls of each client. */
const [walkers, calls] = [10, 9]
const total = 2 * walkers * calls
/** Share of calls that the vendor may refuse, all of which are repeated. Two services that count alone meet a third. */
const mostRefused = 0.05

test('two services over one PostgreSQL stay below the rate of Gong, and use it', { timeout: 900_000 }, async () => {
  await using two = await startTwoServices('soak two services', makeFolder('two', onTestFinished))
  const call = (node: 0 | 1) => ask({ ...two.clients[node].execute(two.connectorIds[node]), body: { entity: 'users', action: 'list' } })
  expect([(await call(0)).status, (await call(1)).status]).toEqual([200, 200])
  two.sandbox.gong.clear()
  const began = performance.now()
  const walk = async (node: 0 | 1): Promise<number[]> => {
    const statuses: number[] = []
    for (let index = 0; index < calls; index += 1) statuses.push((await call(node)).status)
    return statuses
  }
  const statuses = (await Promise.all(Array.from({ length: 2 * walkers }, (_, index) => walk(index % 2 === 0 ? 0 : 1)))).flat()
  const seconds = (performance.now() - began) / 1_000
  const refused = two.sandbox.gong.requests().filter(({ path }) => path === '/v2/users').length - total
  console.log(`two services: ${JSON.stringify({ calls: total, refused, perSecond: total / seconds })}`)
  expect(statuses).toEqual(Array(total).fill(200))
  expect(refused).toBeGreaterThanOrEqual(0)
  expect(refused / total).toBeLessThanOrEqual(mostRefused)
})
