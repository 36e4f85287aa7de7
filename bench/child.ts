/** Processes of a benchmark: started, asked for their use of the machine, and stopped again. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** What a process has used. */
export interface Usage {
  /** CPU time of user and system, in microseconds. */
  readonly cpu: number
  /** Resident memory now, in bytes. */
  readonly rss: number
  /** Largest resident memory since the question before, in bytes. */
  readonly peak: number
}

/** A running child that listens. */
export interface Child<Ready = unknown> {
  /** What it said when it was ready. */
  readonly ready: Ready & { readonly port: number }
  readonly origin: string
  usage(): Promise<Usage>
  /** Has the child do what its file says about such a message, and waits for it. */
  tell(message: string): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

const message = async (child: ChildProcess): Promise<unknown> => {
  const gone = new AbortController()
  const exited = (): void => gone.abort(new Error('a process of the benchmark ended early'))
  child.once('exit', exited)
  try {
    const [value] = await once(child, 'message', { signal: gone.signal })
    return value
  } catch (thrown) {
    throw gone.signal.reason ?? thrown
  } finally {
    child.off('exit', exited)
  }
}

/**
 * Starts a file of this folder as a process of its own and waits until it listens. What it says on stderr is passed on.
 * @param environment variables beside those of this process
 */
export async function start<Ready = unknown>(file: string, environment: Readonly<Record<string, string>> = {}): Promise<Child<Ready>> {
  const child = fork(join(import.meta.dirname, file), {
    env: { ...process.env, NODE_ENV: 'production', MALLOC_ARENA_MAX: '2', ...environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const ready = (await message(child)) as Ready & { port: number } // both sides are of this folder
  return {
    ready,
    origin: `http://127.0.0.1:${ready.port}`,
    usage: async () => {
      const answer = message(child)
      child.send('usage')
      return (await answer) as Usage // see serve
    },
    tell: async (told) => {
      const answer = message(child)
      child.send(told)
      await answer
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exit = once(child, 'exit')
      child.kill('SIGTERM')
      await exit
    },
  }
}

/**
 * Reports in a child that it listens, and answers questions about its use. Reads memory four times a second.
 * @param obey does what `tell` asks for
 */
export function serve(ready: { readonly port: number }, obey: (message: string) => Promise<void> = async () => {}): void {
  let peak = 0
  const look = (): void => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  setInterval(look, 250).unref()
  process.on('message', (message: string) => {
    if (message !== 'usage') return void obey(message).then(() => process.send?.('done'))
    look()
    const { user, system } = process.cpuUsage()
    process.send?.({ cpu: user + system, rss: process.memoryUsage.rss(), peak } satisfies Usage)
    peak = 0
  })
  process.once('SIGTERM', () => process.exit(0))
  process.send?.(ready)
}
