/** A way to a server over TCP that can lead elsewhere, fall silent, or be cut. */
import { connect, createServer, type Socket } from 'node:net'
import { listen } from './listen.ts'

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
  /** Passes on the next error of a server, and nothing that follows it on that connection: the server never takes another statement. */
  silenceAfterError(): void
  close(): void
}

/** Finds the end of an error in messages of PostgreSQL: a byte for the type, four for the length, which counts itself. */
function findErrorEnd(bytes: Buffer): number | undefined {
  for (let at = 0; at + 5 <= bytes.length; ) {
    const end = at + 1 + bytes.readUInt32BE(at + 1)
    if (bytes[at] === 'E'.charCodeAt(0)) return end
    at = end
  }
  return undefined
}

/** Opens a way to a server. */
export async function openLine(url: string): Promise<Line> {
  let target = new URL(url)
  const sockets = new Set<Socket>()
  const silent = new WeakSet<Socket>()
  let isSilent = false
  let awaitsError = false
  const pass = (from: Socket, to: Socket, isServer: boolean): void => {
    sockets.add(from)
    from.on('data', (bytes) => {
      if (isSilent || silent.has(from)) return
      const end = isServer && awaitsError ? findErrorEnd(bytes) : undefined
      to.write(bytes.subarray(0, end))
      if (end === undefined) return
      awaitsError = false
      silent.add(from)
    })
    from.on('error', () => to.destroy())
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
  }
  const door = createServer((socket) => {
    const server = connect(Number(target.port), target.hostname)
    pass(socket, server, false)
    pass(server, socket, true)
  })
  const own = new URL(url)
  own.port = String((await listen(door)).port)
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
    silenceAfterError: () => {
      awaitsError = true
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
