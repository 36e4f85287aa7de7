import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

/** A server that listens. */
export interface Listening extends AsyncDisposable {
  readonly port: number
  /** Over HTTP. */
  readonly origin: string
  /** Ends it, with the connections that are open. */
  close(): Promise<void>
}

/** Starts a server on a free port of 127.0.0.1, or of another address of this machine. */
export async function listen(server: Server, host = '127.0.0.1'): Promise<Listening> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await once(server.listen(0, host), 'listening')
  const { port } = server.address() as AddressInfo // a TCP server has an address with a port
  const close = (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const socket of sockets) socket.destroy()
    return closed
  }
  return { port, origin: `http://${host}:${port}`, close, [Symbol.asyncDispose]: close }
}

/** Finds a port of 127.0.0.1 that nobody listens on now. */
export async function findFreePort(): Promise<number> {
  await using probe = await listen(createServer())
  return probe.port
}
