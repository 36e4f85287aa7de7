// A process of its own that owns one throw-away PostgreSQL cluster and ends it when its standard input ends, so nothing
// stays behind however the test run ends: its end, Ctrl-C or a kill. The argument is the JSON of `KeptServer`; standard output gets one line,
// `{ "url": string }` or `{ "error": string }`.
import { once } from 'node:events'
import type { KeptServer } from './postgres-cluster.ts'
import { initialise, makeHome, type RunningServer, removeHome, type ServerHome, startServer, stopServer } from './postgres-server.ts'

// The argument is what `postgres-cluster.ts` writes.
const { binaries, settings, onDisk }: KeptServer = JSON.parse(process.argv[2] ?? '')
let home: ServerHome | undefined
let server: RunningServer | undefined
try {
  home = makeHome(binaries, onDisk)
  server = await startServer(home, initialise(home, 'data'), { settings })
  console.log(JSON.stringify({ url: `postgresql://postgres:${home.password}@127.0.0.1:${server.port}/postgres` }))
  process.on('SIGINT', () => undefined).on('SIGTERM', () => process.stdin.destroy())
  process.stdin.resume()
  await once(process.stdin, 'close')
} catch (error) {
  console.log(JSON.stringify({ error: error instanceof Error ? error.message : String(error) }))
} finally {
  if (server !== undefined) await stopServer(server)
  if (home !== undefined) removeHome(home)
}
process.exit()
