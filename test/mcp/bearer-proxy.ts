/** Passes requests on and adds a token: the conformance suite has none. Everything else stays, Host and Origin too. */
import { createServer, request } from 'node:http'
import { listen } from '../support/listen.ts'

/** Starts the proxy. @param port of the service on this machine */
export async function startBearerProxy(port: number, token: string): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((asked, answer) => {
    const headers = { ...asked.headers, authorization: `Bearer ${token}` }
    const passed = request({ host: '127.0.0.1', port, path: asked.url, method: asked.method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers)
      got.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    answer.on('close', () => passed.destroy())
    asked.pipe(passed)
  })
  const { origin: url, close } = await listen(server)
  return { url, close }
}
