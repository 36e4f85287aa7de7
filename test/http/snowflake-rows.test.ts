/** Large results over HTTP: the memory of rows is given back when they were sent, and never before. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { beforeEach, expect, test } from 'vitest'
import { share } from '../support/share.ts'
import { sandboxWarehouse } from './snowflake-support.ts'
import { connectorsPath, startWorld } from './support.ts'

/** More than the system keeps for a client that does not read: 10 MB. */
const [count, width] = [10_000, 1_000]
const statement = (letter: string) =>
  `SELECT SEQ8() AS N, '${letter.repeat(width)}' AS NOTE FROM TABLE(GENERATOR(ROWCOUNT => ${count})) ORDER BY 1`
const rowsOf = (letter: string) => Array.from({ length: count }, (_row, index) => [String(index), letter.repeat(width)])

const world = await share(startWorld())
const id = await world.connect('warehouse', sandboxWarehouse('warehouse'))
beforeEach(() => world.sandbox.snowflake.switches.set({ firstPartitionBytes: 20_000_000 }))

/** A request as bytes, so that several can be written before the first is answered. */
function requestFor(letter: string, connection: 'close' | 'keep-alive' = 'keep-alive'): string {
  const body = JSON.stringify({ entity: 'record', action: 'list', params: { statement: statement(letter) } })
  const head = [
    `POST ${connectorsPath}/${id}/execute HTTP/1.1`,
    'host: service.example',
    `authorization: Bearer ${world.token}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `connection: ${connection}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

/** All answers that a socket gets until the service closes it, read in sips: what waits, waits in the service. */
async function answersOf(socket: Socket): Promise<unknown[]> {
  const chunks: Buffer[] = []
  for await (const chunk of socket) {
    chunks.push(chunk)
    await new Promise((resolve) => setImmediate(resolve))
  }
  const all = Buffer.concat(chunks)
  const rows: unknown[] = []
  for (let at = 0; at < all.length; ) {
    const head = all.indexOf('\r\n\r\n', at) + 4
    const end = head + Number(/content-length: (\d+)/i.exec(all.toString('latin1', at, head))?.[1])
    rows.push(JSON.parse(all.toString('utf8', head, end)).data.data)
    at = end
  }
  return rows
}

test('answers that wait for a client which reads late are whole', async () => {
  const socket = connect(world.port, '127.0.0.1')
  socket.write(requestFor('a') + requestFor('b') + requestFor('c', 'close'))
  await once(socket, 'readable')
  const answers = await answersOf(socket)
  expect(answers).toHaveLength(3)
  for (const [index, letter] of ['a', 'b', 'c'].entries()) expect(answers[index]).toEqual(rowsOf(letter))
})

test('a client that leaves amid an answer harms no other', async () => {
  const gone = connect(world.port, '127.0.0.1')
  gone.write(requestFor('d'))
  await once(gone, 'readable')
  const stays = connect(world.port, '127.0.0.1')
  stays.write(requestFor('e', 'close'))
  await once(stays, 'readable')
  gone.resetAndDestroy()
  expect(await answersOf(stays)).toEqual([rowsOf('e')])
})
