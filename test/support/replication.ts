/** Starts a primary with streaming replicas for tests. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'
import { findBinaries } from './postgres-binaries.ts'

/** A primary and its replicas. */
export interface Replication {
  /** URL of the superuser on the primary, database `postgres`. */
  readonly primary: string
  /** The same for each replica. */
  readonly replicas: readonly string[]
  /** Ends a replica at once, with its connections. */
  kill(replica: number): Promise<void>
  /** Starts a replica again behind the same URL. */
  start(replica: number): Promise<void>
  /** Ends all servers and removes their files. */
  stop(): Promise<void>
}

/**
 * Starts the servers from the first installation of the run. Fails with the reason when it does not work.
 * @param count number of replicas
 */
export async function startReplication(count: number): Promise<Replication> {
  const [binaries] = inject('installations') ?? findBinaries()
  const script = fileURLToPath(new URL('./replication-keeper.ts', import.meta.url))
  const keeper = spawn(process.execPath, [script, JSON.stringify(binaries), String(count)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  const lines = createInterface({ input: keeper.stdout })[Symbol.asyncIterator]()
  const listen = async (): Promise<{ readonly urls?: readonly string[]; readonly error?: string }> => {
    const { value } = await lines.next()
    const answer = value === undefined ? { error: 'its keeper ended without a word' } : JSON.parse(value)
    if (answer.error !== undefined) throw new Error(answer.error)
    return answer
  }
  const { urls: [primary = '', ...replicas] = [] } = await listen()
  const command = async (server: number, what: 'start' | 'kill'): Promise<void> => {
    keeper.stdin.write(`${JSON.stringify({ server, what })}\n`)
    await listen()
  }
  return {
    primary,
    replicas,
    kill: (replica) => command(replica + 1, 'kill'),
    start: (replica) => command(replica + 1, 'start'),
    stop: async () => {
      if (keeper.exitCode !== null || keeper.signalCode !== null) return
      const gone = once(keeper, 'exit')
      keeper.stdin.end()
      await gone
    },
  }
}
