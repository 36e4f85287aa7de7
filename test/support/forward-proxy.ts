/** A forward proxy, as companies have them: it resolves names itself, and opens tunnels (CONNECT, RFC 9110 section 9.3.6). */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import { listen } from './listen.ts'

/** One request of a client to the proxy. */
export interface ProxyRequest {
  /** `CONNECT vendor.test:443`, or the method and whole address of a request that is not in a tunnel. */
  readonly line: string
  readonly headers: IncomingMessage['headers']
}

/** A running proxy. */
export interface ForwardProxy {
  readonly port: number
  readonly seen: readonly ProxyRequest[]
  /** All bytes that clients sent through tunnels: what an operator of the proxy can read. */
  text(): string
  [Symbol.asyncDispose](): Promise<void>
}

/** What a proxy does. */
export interface ProxyOptions {
  /** Port on this machine by `host:port`; other targets answer 502. */
  readonly targets: Readonly<Record<string, number>>
  /** `user:password` that clients must prove; else 407. */
  readonly users?: string
  /** Key and certificate, for a proxy that is reached by TLS. */
  readonly tls?: { readonly key: string; readonly cert: string }
}

/** Starts a proxy on a free port of this machine. */
export async function startForwardProxy({ targets, users, tls }: ProxyOptions): Promise<ForwardProxy> {
  const seen: ProxyRequest[] = []
  const bytes: Buffer[] = []
  const sockets = new Set<Socket>()
  const server = tls === undefined ? createServer() : createTlsServer(tls)
  const note = ({ method, url, headers }: IncomingMessage): void => void seen.push({ line: `${method} ${url}`, headers })
  server.on('connection', (socket: Socket) => void sockets.add(socket))
  server.on('request', (request, response) => {
    note(request)
    response.writeHead(501).end()
  })
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    note(request)
    client.on('error', () => undefined)
    const proof = `Basic ${Buffer.from(users ?? '').toString('base64')}`
    if (users !== undefined && request.headers['proxy-authorization'] !== proof)
      return client.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n')
    const port = targets[request.url ?? '']
    if (port === undefined) return client.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n')
    const target = connect(port, '127.0.0.1', () => client.write('HTTP/1.1 200 Connection Established\r\n\r\n'))
    sockets.add(target)
    target.on('error', () => client.destroy())
    client.on('data', (chunk: Buffer) => void bytes.push(chunk))
    client.pipe(target).pipe(client)
    return undefined
  })
  const { port } = await listen(server)
  return {
    port,
    seen,
    text: () => Buffer.concat(bytes).toString('latin1'),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
