/** The property of read replicas over many searches: no client sees an older answer, whatever happens to the replicas. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ReplicaNode, type ReplicaWorld, runClients, startTwoNodes, untilStates, write } from '../context/replicas-world.ts'
import { createRef } from '../context/store-records.ts'

const hours = 3_600_000
const searches = 1_000
const rounds = 3
let world: ReplicaWorld
let nodes: readonly [ReplicaNode, ReplicaNode]
beforeAll(async () => {
  ;({ world, nodes } = await startTwoNodes())
}, hours)
afterAll(() => world?.close())

const sum = (): Record<string, number> => {
  const [one, two] = nodes.map(({ store }) => store.status().searches)
  return Object.fromEntries([...(one ?? [])].map(([route, count]) => [route, count + (two?.get(route) ?? 0)]))
}

test.each(Array.from({ length: rounds }, (_, round) => round + 1))(
  `round %i: ${searches} searches and more, until replicas have stopped, died and returned four times`,
  { timeout: hours },
  async () => {
    const ref = createRef()
    await write(nodes[0], ref, 0)
    const before = sum()
    let isOver = false
    const disturb = async () => {
      for (const [paused, killed] of [
        [0, 1],
        [1, 0],
        [0, 1],
        [1, 0],
      ] as const) {
        await world.run(paused, 'select pg_wal_replay_pause()')
        await world.kill(killed)
        for (const node of nodes) await expect.poll(() => node.store.status().replicas[killed]?.state, { timeout: 60_000 }).toBe('gone')
        await world.run(paused, 'select pg_wal_replay_resume()')
        await world.start(killed)
        for (const node of nodes) await untilStates(node, 'used', 'used')
      }
      isOver = true
    }
    const run = async () => {
      const older: string[] = []
      let count = 0
      let newest = 0
      while (count < searches || !isOver) {
        const clients = await runClients(nodes, ref, { searches: 100, newest })
        newest = clients.newest
        older.push(...clients.older)
        count += clients.searches
      }
      return { older, count }
    }
    const [{ older, count }] = await Promise.all([run(), disturb()])
    expect(older).toEqual([])
    const after = sum()
    const routes = Object.entries(after).map(([route, total]) => `${route} ${total - (before[route] ?? 0)}`)
    console.log(`${count} searches: ${routes.join(', ')}`)
    expect(after['replica']).toBeGreaterThan((before['replica'] ?? 0) + count / 20)
  },
)
