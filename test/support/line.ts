/** A way to a server over TCP that can lead elsewhere, fall silent, or be cut. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A way to a server. */
export interface Line {
  /** The server's URL by this way. */
  readonly url: string
  /** Leads new connections to another server. Open connections stay. */
  lead(url: string): void
  /** Cuts all open connections. */
  cut(): void
  /** Keeps open connections, and passes nothing on. */
  silence(): void
  /** Passes on again what comes from now on. @param given `open`: connections that were silent stay so */
  resume(given?: { readonly open: 'silent' }): void
  close(): void
}

/** Opens a way to a server. */
export async function openLine(url: string): Promise<Line> {
  let target = new URL(url)
  const sockets = new Set<Socket>()
  const silent = new WeakSet<Socket>()
  let isSilent = false
  const pass = (from: Socket, to: Socket): void => {
    sockets.add(from)
    from.on('data', (bytes) => {
      if (!isSilent && !silent.has(from)) to.write(bytes)
    })
    from.on('error', () => to.destroy())
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
  }
  const door = createServer((socket) => {
    const server = connect(Number(target.port), target.hostname)
    pass(socket, server)
    pass(server, socket)
  }).listen(0, '127.0.0.1')
  await once(door, 'listening')
  const address = door.address()
  const own = new URL(url)
  own.port = typeof address === 'object' && address !== null ? String(address.port) : ''
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: own.href,
    lead: (to) => {
      target = new URL(to)
    },
    cut,
    silence: () => {
      isSilent = true
    },
    resume: (given) => {
      if (given?.open === 'silent') for (const socket of sockets) silent.add(socket)
      isSilent = false
    },
    close: () => {
      door.close()
      cut()
    },
  }
}
