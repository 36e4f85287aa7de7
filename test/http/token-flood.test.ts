/** Ninety connections ask for tokens without a break, with a client that is wrong: those that are right get theirs. */
import { afterEach, expect, test } from 'vitest'
import { client, startWorld, tokenPath, type World } from './support.ts'

let world: World | undefined
afterEach(async () => {
  await world?.close()
  world = undefined
})

const wrong: readonly [string, (count: number) => { client_id: string; client_secret: string }][] = [
  ['a client that does not exist', () => ({ client_id: 'nobody', client_secret: 'a-guess' })],
  ['a client that exists, each time with another secret', (count) => ({ client_id: client.id, client_secret: `guess ${count}` })],
]

test.each(wrong)('%s', async (_what, bodyOf) => {
  const running = await startWorld()
  world = running
  let isOver = false
  let asked = 0
  const statuses = new Map<number, number>()
  const attacker = async (): Promise<void> => {
    while (!isOver) {
      asked += 1
      const { status } = await running.ask(tokenPath, { body: bodyOf(asked) })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  const attackers = Array.from({ length: 90 }, attacker)
  await expect.poll(() => asked).toBeGreaterThanOrEqual(90)
  const good = await Promise.all(
    Array.from({ length: 8 }, () => running.ask(tokenPath, { body: { client_id: client.id, client_secret: client.secret } })),
  )
  isOver = true
  await Promise.all(attackers)
  expect(good.map(({ status }) => status)).toEqual(Array(8).fill(200))
  expect([...statuses.keys()]).toEqual([401])
})
