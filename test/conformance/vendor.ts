/** A vendor of one test: it expects these requests, in this order, and answers each with what its file says. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text as readAll } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import { gzipSync } from 'node:zlib'
import { parseJson, writeJson } from '../../packages/ferrule/src/values/json/json.ts'
import { listen } from '../support/listen.ts'
import type { Exchange } from './answers.ts'
import { filled, fits, type Made } from './made.ts'

/** A running scripted vendor. */
export interface ScriptedVendor extends AsyncDisposable {
  readonly origin: string
  /** Returns what differed from the script and what it still waits for: empty when all went as written. */
  problems(): string[]
  /** Forgets what happened and expects these requests next. */
  expect(exchanges: readonly Exchange[], headers: Readonly<Record<string, string>>): void
  /** What the engine made in the requests since then, by slot. */
  readonly made: Made
}

interface Met {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

const different = (what: string, found: unknown, expected: unknown): string[] =>
  isDeepStrictEqual(found, expected) ? [] : [`${what} is ${writeJson(found) ?? 'missing'}, not ${writeJson(expected) ?? 'missing'}`]

const unlike = (what: string, { text, template, made }: { text: string | undefined; template: string; made: Made }): string[] =>
  fits(text, template, made) ? [] : different(what, text, filled(template, made))

const bodyOf = (text: string): unknown => {
  try {
    return text === '' ? undefined : parseJson(text)
  } catch {
    return text
  }
}

/** What is the same for all requests of a script. */
interface Script {
  readonly authorization: Readonly<Record<string, string>>
  readonly made: Made
}

/** Compares a request with that of the script. */
function compare({ method, path, headers, text }: Met, { to, request }: Exchange, { authorization, made }: Script): string[] {
  const wanted = { ...(to === 'file' ? {} : authorization), ...request.headers }
  // A body of text is a form.
  const form = typeof request.body === 'string' ? 'application/x-www-form-urlencoded' : 'application/json'
  const type = request.body === undefined ? undefined : form
  return [
    ...unlike('the request', { text: `${method} ${path}`, template: `${request.method} ${request.path}`, made }),
    ...different('the body', bodyOf(text), filled(request.body, made)),
    ...different('the content type', headers['content-type'], type),
    ...Object.entries(wanted).flatMap(([name, template]) => unlike(`the header ${name}`, { text: textOf(headers[name]), template, made })),
    // The host of a file gets no credentials, whatever the scheme calls them.
    ...(to === 'file' ? Object.keys(authorization).flatMap((name) => different(`the header ${name}`, headers[name], undefined)) : []),
  ]
}

const textOf = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header.join(', ') : header)

function send(response: ServerResponse, { answer }: Exchange, made: Made): void {
  const { status, headers, body, text } = answer
  const payload = text ?? writeJson(filled(body, made)) ?? ''
  if (answer.gzip !== true) response.writeHead(status, headers).end(payload)
  else response.writeHead(status, { ...headers, 'content-encoding': 'gzip' }).end(gzipSync(payload))
}

/** Starts a scripted vendor. */
export async function startVendor(): Promise<ScriptedVendor> {
  let script: readonly Exchange[] = []
  let authorization: Readonly<Record<string, string>> = {}
  let next = 0
  const found: string[] = []
  const made: Made = new Map()
  const server = createServer(async (request, response) => {
    const met = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, text: await readAll(request) }
    const exchange = script[next++]
    if (exchange === undefined) {
      found.push(`an unexpected request: ${met.method} ${met.path} ${met.text}`)
      response.writeHead(400).end()
      return
    }
    found.push(...compare(met, exchange, { authorization, made }))
    send(response, exchange, made)
  })
  return {
    ...(await listen(server)),
    problems: () => [...found, ...script.slice(next).map(({ request }) => `never asked: ${request.method} ${request.path}`)],
    expect: (exchanges, headers) => {
      script = exchanges
      authorization = headers
      next = 0
      found.length = 0
      made.clear()
    },
    made,
  }
}
