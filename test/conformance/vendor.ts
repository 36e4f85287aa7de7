/** A vendor of one test: it expects these requests, in this order, and answers each with what its file says. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { parseJson, writeJson } from '../../src/engine/json.ts'
import type { Exchange } from './answers.ts'

/** A running scripted vendor. */
export interface ScriptedVendor extends AsyncDisposable {
  readonly origin: string
  /** What differed from the script, and what it still waits for: none when all went as written. */
  problems(): string[]
  /** Forgets what happened and expects these requests next. */
  expect(exchanges: readonly Exchange[], headers: Readonly<Record<string, string>>): void
}

interface Met {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

const different = (what: string, found: unknown, expected: unknown): string[] =>
  isDeepStrictEqual(found, expected) ? [] : [`${what} is ${writeJson(found) ?? 'missing'}, not ${writeJson(expected) ?? 'missing'}`]

const bodyOf = (text: string): unknown => {
  try {
    return text === '' ? undefined : parseJson(text)
  } catch {
    return text
  }
}

/** How a request differs from the one that the script has. */
function compare(
  { method, path, headers, text }: Met,
  { to, request }: Exchange,
  authorization: Readonly<Record<string, string>>,
): string[] {
  const wanted = { ...(to === 'file' ? {} : authorization), ...request.headers }
  const json = request.body === undefined ? undefined : 'application/json'
  return [
    ...different('the request', `${method} ${path}`, `${request.method} ${request.path}`),
    ...different('the body', bodyOf(text), request.body),
    ...different('the content type', headers['content-type'], json),
    ...Object.entries(wanted).flatMap(([name, value]) => different(`the header ${name}`, headers[name], value)),
    // The host of a file gets no credentials, whatever the scheme calls them.
    ...(to === 'file' ? Object.keys(authorization).flatMap((name) => different(`the header ${name}`, headers[name], undefined)) : []),
  ]
}

/** Starts a scripted vendor. */
export async function startVendor(): Promise<ScriptedVendor> {
  let script: readonly Exchange[] = []
  let authorization: Readonly<Record<string, string>> = {}
  let next = 0
  const found: string[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const met = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, text: Buffer.concat(parts).toString() }
    const exchange = script[next++]
    if (exchange === undefined) {
      found.push(`an unexpected request: ${met.method} ${met.path} ${met.text}`)
      response.writeHead(400).end()
      return
    }
    found.push(...compare(met, exchange, authorization))
    const { status, headers, body, text } = exchange.answer
    response.writeHead(status, headers).end(text ?? writeJson(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a TCP server has an address with a port
  return {
    origin: `http://127.0.0.1:${port}`,
    problems: () => [...found, ...script.slice(next).map(({ request }) => `never asked: ${request.method} ${request.path}`)],
    expect: (exchanges, headers) => {
      script = exchanges
      authorization = headers
      next = 0
      found.length = 0
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
