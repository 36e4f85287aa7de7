/** A service of a few lines, for what a real one does seldom: hanging, cutting transfers, answering oddly. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text as readAll } from 'node:stream/consumers'
import { listen } from '../support/listen.ts'

export const connectorId = '55555555-5555-4555-8555-555555555555'
const connector = { id: connectorId, name: 'gong', connector_type: 'gong', status: 'active', status_reason: null }

/** A body of an execute request. */
export interface Executed {
  readonly entity: string
  readonly action: string
  readonly params: Readonly<Record<string, unknown>>
}

/** Answers an execute request; undefined: the request hangs. */
export type Execute = (body: Executed, response: ServerResponse) => unknown

/** A running service. */
export interface FakeService {
  readonly env: Readonly<Record<string, string>>
  /** Execute requests so far. */
  readonly executed: readonly Executed[]
  close(): Promise<void>
}

/** Answers a request for changes; undefined: the request hangs. */
export type ListChanges = (after: string | null) => unknown

interface Answers {
  readonly execute: (body: Executed) => unknown
  readonly listChanges: ListChanges
}

async function answer(request: IncomingMessage, response: ServerResponse, { execute, listChanges }: Answers): Promise<void> {
  const send = (value: unknown): void =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(typeof value === 'string' ? value : JSON.stringify(value))
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://service')
  const isExecute = pathname.endsWith('/execute')
  if (!isExecute && !pathname.endsWith('/changes')) return send({ data: [connector], next: null })
  const value = isExecute ? execute(JSON.parse(await readAll(request))) : await listChanges(searchParams.get('after'))
  if (value !== undefined) send(value)
}

/** Starts a service with one connector. */
export async function startFakeService(execute: Execute, listChanges: ListChanges = () => undefined): Promise<FakeService> {
  const executed: Executed[] = []
  const server = createServer((request, response) => {
    const run = (body: Executed): unknown => {
      executed.push(body)
      return execute(body, response)
    }
    answer(request, response, { execute: run, listChanges }).catch(() => response.destroy())
  })
  const { origin, close } = await listen(server)
  return { env: { FERRULE_URL: origin, FERRULE_TOKEN: 'a-token' }, executed, close }
}

/** Builds a list of pages: record and page numbers count from 1. */
export const buildPages =
  (pages: number, size: number, makeRecord: (number: number) => object) =>
  (params: Readonly<Record<string, unknown>>): object => {
    const page = Number(params['cursor'] ?? 1)
    const data = Array.from({ length: size }, (_, index) => makeRecord((page - 1) * size + index + 1))
    return { data, meta: { next_params: page < pages ? { cursor: String(page + 1) } : null } }
  }
