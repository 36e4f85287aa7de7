/** Ways to write for inserts through a breaking link: the library, and nodes of the service. */
import { asFerruleError } from '../../packages/ferrule/src/errors.ts'
import type { Sandbox } from '../../packages/sandbox/src/index.ts'
import { execute, openWarehouse, statements, type Warehouse } from '../library/snowflake-support.ts'
import { ask } from './client.ts'
import type { NodeClient } from './node.ts'
import type { Sent, Told, Write } from './once.ts'

/** Seconds that each insert may run. */
const timeout = 1

/**
 * Returns how often faster time may pass: less on a slow machine, where the vendor's limits would end each statement. Inserts of all lanes
 * take a quarter of their time limit at most.
 */
export async function chooseFactor(sandbox: Sandbox, lanes: number): Promise<number> {
  await sandbox.snowflake.open()
  const warehouse = openWarehouse(sandbox)
  const times: number[] = []
  for (let round = 0; round < 5; round += 1) {
    const began = performance.now()
    await Promise.all(Array.from({ length: lanes }, () => execute(warehouse, 'record', 'create', { statement: statements['create'] })))
    times.push(performance.now() - began)
  }
  await warehouse.close()
  sandbox.snowflake.reset()
  const took = Math.max(...times.slice(1)) // the first ones load code
  return [10, 4, 2, 1, 0.5].find((faster) => took < (250 * timeout) / faster) ?? 0.2
}

const paramsOf = ({ statement, requestId, retry }: Sent) => ({
  statement,
  timeout,
  ...(requestId === undefined ? {} : { requestId }),
  ...(retry === undefined ? {} : { retry }),
})

/** Reads a record of the vendor: it was made, or it is still running. */
const toldBy = ({ code, requestId }: Readonly<Record<string, unknown>>): Told => ({
  code: code === '090001' ? 'ok' : `code ${code}`,
  requestId: typeof requestId === 'string' ? requestId : undefined,
  waitMs: 0,
})

/** Writes by the library. @param deadlineMs of every call */
export const libraryWriter =
  (warehouse: Warehouse, deadlineMs: number): Write =>
  async (sent) => {
    try {
      return toldBy((await execute(warehouse, 'record', 'create', paramsOf(sent), { deadlineMs })).data)
    } catch (thrown) {
      const { code, upstream, retryAfterMs = 0 } = asFerruleError(thrown)
      return { code, requestId: upstream?.request_id, waitMs: retryAfterMs }
    }
  }

/** Writes over HTTP, by nodes in turn. */
export function hostedWriter(clients: readonly NodeClient[], connectorId: string): Write {
  let calls = 0
  return async (sent) => {
    const client = clients[calls++ % clients.length]
    if (client === undefined) throw new Error('no node')
    const send = () =>
      ask({
        ...client.execute(connectorId),
        body: { entity: 'record', action: 'create', params: paramsOf(sent) },
        ...(sent.key === undefined ? {} : { headers: { 'idempotency-key': sent.key } }),
      })
    let answer = await send()
    if (answer.status === 401) {
      await client.renew()
      answer = await send()
    }
    const { status, json } = answer
    if (status === 200) return toldBy(json.data)
    return { code: json.code, requestId: json.upstream?.request_id, waitMs: (json.retry_after_seconds ?? 0) * 1000 }
  }
}
