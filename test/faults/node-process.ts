/** A node in a process of its own, which reports what it holds. Its settings are the environment; its parent talks over IPC. */
import { subscribe } from 'node:diagnostics_channel'
import { Socket } from 'node:net'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { startNode } from './node.ts'
import type { Held } from './stage.ts'

/** Connections to vendors, also those that are kept for later: these do not keep a process alive, so Node does not count them. */
const vendorSockets = new Set<Socket>()
subscribe('undici:client:connected', (message) => {
  const socket: unknown = typeof message === 'object' && message !== null ? Reflect.get(message, 'socket') : undefined
  if (!(socket instanceof Socket)) throw new TypeError('undici announces no socket')
  vendorSockets.add(socket)
  socket.once('close', () => vendorSockets.delete(socket))
})

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

async function held(): Promise<Held> {
  // What was found to be garbage once can free more in its finalizers.
  for (let round = 0; round < 3; round++) {
    collectGarbage()
    await yieldToEventLoop()
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  const resources = process.getActiveResourcesInfo()
  const count = (name: string) => resources.filter((resource) => resource === name).length
  return {
    vendorSockets: vendorSockets.size,
    timers: count('Timeout'),
    clientSockets: count('TCPSocketWrap'),
    memory: heapUsed + external,
    rss,
  }
}

const tell = (message: unknown): void => void process.send?.(message)

process.once('disconnect', () => process.exit(0))
const settings = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) => (name.startsWith('FERRULE_') && value ? [[name, value]] : [])),
)
const node = await startNode({ env: settings })
process.on('message', () => void held().then((found) => tell({ type: 'held', held: found })))
tell({ type: 'ready', url: node.url })
