/** A way to PostgreSQL that is encrypted: it answers the request for TLS, and passes the rest on in plain text. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Certificate } from './certificates.ts'

/** A way to a server. */
export interface EncryptedLine {
  /** URL of the database by this way, without `sslmode`. */
  readonly url: string
  close(): void
}

/** Opens a way to a server. */
export async function openEncryptedLine(url: string, certificate: Certificate): Promise<EncryptedLine> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const door = createServer((socket) => {
    const server = connect(Number(port), hostname)
    for (const each of [socket, server]) {
      sockets.add(each)
      each.on('error', () => each.destroy())
    }
    socket.once('data', (request) => {
      if (request.readUInt32BE(4) !== 80_877_103) return socket.destroy() // `SSLRequest` of PostgreSQL's protocol
      socket.write('S')
      const plain = new TLSSocket(socket, { isServer: true, ...certificate })
      plain.on('error', () => server.destroy())
      plain.pipe(server).pipe(plain)
      plain.on('close', () => server.destroy())
      return undefined
    })
  }).listen(0, '127.0.0.1')
  await once(door, 'listening')
  const address = door.address()
  const own = new URL(url)
  own.port = typeof address === 'object' && address !== null ? String(address.port) : ''
  return {
    url: own.href,
    close: () => {
      door.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
