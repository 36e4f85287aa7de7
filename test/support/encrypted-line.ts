/** A way to PostgreSQL that is encrypted: it answers the request for TLS, and passes the rest on in plain text. */
import { connect, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Certificate } from './certificates.ts'
import { listen } from './listen.ts'

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
  })
  const own = new URL(url)
  own.port = String((await listen(door)).port)
  return {
    url: own.href,
    close: () => {
      door.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
