import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'

/** Starts a server on a free port of 127.0.0.1, or of another address of this machine. @returns the port, and the origin over HTTP */
export async function listen(server: Server, host = '127.0.0.1'): Promise<{ readonly port: number; readonly origin: string }> {
  await once(server.listen(0, host), 'listening')
  const { port } = server.address() as AddressInfo // a TCP server has an address with a port
  return { port, origin: `http://${host}:${port}` }
}

/** Finds a port of 127.0.0.1 that nobody listens on now. */
export async function findFreePort(): Promise<number> {
  const probe = createServer()
  const { port } = await listen(probe)
  probe.close()
  await once(probe, 'close')
  return port
}
