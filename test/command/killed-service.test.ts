/** The service is killed and starts again while the command walks. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { exitCodes } from '../../packages/ferrule/src/cli/failure.ts'
import { bundleOf } from '../../scripts/bundles.mjs'
import { client, sandboxConnector } from '../http/support.ts'
import { buildSourceEnvironment } from '../support/commands.ts'
import { makeFolder } from '../support/folder.ts'
import { listen } from '../support/listen.ts'
import { share } from '../support/share.ts'
import { runFerrule, runForJson } from './support.ts'

const main = bundleOf('service')
/** Calls of several pages. */
const walk = ['execute', 'gong', 'calls', 'list', '--all', '--format', 'ndjson', '--fields', 'id', '--timeout', '200']
const range = ['-p', 'fromDateTime=2026-02-01T00:00:00Z', '-p', 'toDateTime=2026-04-01T00:00:00Z']

/** A service in a process of its own, over one folder. */
class KilledService {
  readonly folder = makeFolder('killed')
  /** Resolves to the address when it listens. */
  url: Promise<string> = Promise.resolve('')
  #child: ChildProcess | undefined

  start(): void {
    const own = {
      FERRULE_PORT: '0',
      FERRULE_DATA: join(this.folder, 'data'),
      FERRULE_OPERATOR_CLIENT_ID: client.id,
      FERRULE_OPERATOR_CLIENT_SECRET: client.secret,
    }
    const child = spawn(process.execPath, [main], { cwd: this.folder, env: { ...buildSourceEnvironment(), ...own } })
    this.#child = child
    const said: string[] = []
    const listens = Promise.withResolvers<string>()
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said.push(text)
        const found = /listens on (http:\/\/[\w.:]+)\n/.exec(said.join(''))?.[1]
        if (found !== undefined) listens.resolve(found)
      })
    child.once('close', () => listens.reject(new Error(`it ended: ${said.join('')}`)))
    listens.promise.catch(() => undefined) // whoever needs the address meets the error
    this.url = listens.promise
  }

  /** Ends the process at once: it stores and answers nothing more. */
  async kill(): Promise<void> {
    if (this.#child === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exit = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exit
  }
}

const service = new KilledService()
/** Called before the page of a list is passed on; true: the service has died, so the connection is cut. */
let isCut: (laterPages: number) => Promise<boolean> = async () => false
let laterPages = 0

/** Passes a request to the service, or cuts it. So the command knows one address, as behind a load balancer. */
async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readAll(request)
  if (request.url?.endsWith('/execute') === true && body.includes('"cursor"')) {
    laterPages += 1
    if (await isCut(laterPages)) return void request.socket.destroy()
  }
  const { authorization, 'content-type': type } = request.headers
  const headers = { ...(authorization === undefined ? {} : { authorization }), ...(type === undefined ? {} : { 'content-type': type }) }
  const answer = await fetch(`${await service.url}${request.url}`, {
    ...{ method: request.method ?? 'GET', headers },
    ...(body === '' ? {} : { body }),
  })
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(await answer.text())
}

service.start()
const front = createServer((request, response) => void pass(request, response).catch(() => request.socket.destroy()))
const env = { FERRULE_URL: (await share(listen(front))).origin, FERRULE_CLIENT_ID: client.id, FERRULE_CLIENT_SECRET: client.secret }
const caller = { config: service.folder, env }
const { workspace_name: _, connector_type: __, ...body } = sandboxConnector('gong')
// Nothing is copied: a copy would cost more than the test.
const input = JSON.stringify({ ...body, entities: [{ entity: 'users', modes: ['write'] }] })
await runForJson({ ...caller, input }, 'connectors', 'create', 'gong', '--from-file', '-')
afterAll(() => service.kill())

const readIds = (text: string): string[] => text.split('\n').flatMap((line) => (line === '' ? [] : [String(JSON.parse(line).id)]))

test('a walk goes on when the service is back, and stops with a cursor when it is not: no record is lost or doubled', async () => {
  const whole = await runFerrule(caller, ...walk, ...range)
  expect(whole.code).toBe(0)
  const expected = readIds(whole.stdout)
  expect(laterPages).toBeGreaterThan(2)

  // It dies while the second page is under way, and comes back.
  laterPages = 0
  isCut = async (page) => {
    if (page !== 1) return false
    await service.kill()
    service.start()
    return true
  }
  const resumed = await runFerrule(caller, ...walk, ...range)
  expect({ code: resumed.code, stderr: resumed.stderr }).toEqual({ code: 0, stderr: '' })
  expect(readIds(resumed.stdout)).toEqual(expected)

  // It dies while the third page is under way, and stays away.
  laterPages = 0
  isCut = async (page) => {
    if (page === 2) await service.kill()
    return page >= 2
  }
  const stopped = await runFerrule(caller, ...walk, ...range)
  expect(stopped.code).toBe(exitCodes.passing)
  expect(stopped.stdout.endsWith('\n')).toBe(true)
  const problem = JSON.parse(stopped.stderr)
  expect(problem).toMatchObject({ code: 'service_unreachable', retryable: true })
  const cursor = /--cursor (\S+)$/.exec(problem.hint)?.[1] ?? ''
  const before = readIds(stopped.stdout)
  expect(before.length).toBeGreaterThan(0)

  isCut = async () => false
  service.start()
  const rest = await runFerrule(caller, ...walk, ...range, '--cursor', cursor)
  expect(rest.code).toBe(0)
  expect([...before, ...readIds(rest.stdout)]).toEqual(expected)
})
