/** One call through either door of the product: the service over HTTP, or the library. Both end with data or with problem details. */
import { afterAll, expect, vi } from 'vitest'
import { asFerruleError } from '../../packages/ferrule/src/errors.ts'
import { connect } from '../../packages/ferrule/src/index.ts'
import type { RecordedRequest, Sandbox } from '../../packages/sandbox/src/index.ts'
import { startSandbox } from '../../packages/sandbox/src/index.ts'
import { type Answer, type Json, startWorld } from '../http/support.ts'

/** A call as both doors take it. */
export interface Call {
  readonly entity: string
  readonly action: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** How a call ended. */
export type Ended = { readonly data: Json; readonly meta: Json } | { readonly problem: Json }

/** A way in, with a sandbox of its own behind it. */
export interface Door {
  readonly sandbox: Sandbox
  run(call: Call): Promise<Ended>
  /** Downloads and reads all bytes; a transfer that breaks gives `broken`. */
  bytes(call: Call): Promise<{ readonly status: number; readonly bytes: Buffer } | { readonly problem: Json } | 'broken'>
  close(): Promise<void>
}

/** Problem details on the wire: their status, media type, header of the wait and request id agree with the body. */
function problemOf({ status, headers, json }: Answer): Json {
  const { retry_after_seconds: wait } = json
  expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
  expect(json.status).toBe(status)
  expect(json.request_id).toBe(headers['x-request-id'])
  expect(headers['retry-after']).toBe(wait === undefined ? undefined : String(wait))
  return json
}

/**
 * The service over HTTP.
 * @param operationSeconds the setting FERRULE_OPERATION_SECONDS
 * @param connector body of the connector, where it is another than Gong's
 */
export async function openHosted(operationSeconds = 60, connector: Readonly<Record<string, unknown>> = {}): Promise<Door> {
  const world = await startWorld({ settings: { operationSeconds } })
  const connectorId = await world.connect('faults', connector)
  const execute = (call: Call) => world.execute(connectorId, call)
  return {
    sandbox: world.sandbox,
    run: async (call) => {
      const answer = await execute(call)
      return answer.status === 200 ? { data: answer.json.data, meta: answer.json.meta } : { problem: problemOf(answer) }
    },
    bytes: async (call) => {
      const answer = await execute(call).catch((): 'broken' => 'broken')
      if (answer === 'broken') return answer
      return answer.status < 300 ? { status: answer.status, bytes: answer.bytes } : { problem: problemOf(answer) }
    },
    close: world.close,
  }
}

const problemThrown = (thrown: unknown): { readonly problem: Json } => ({ problem: asFerruleError(thrown).toProblem() })

/** The library over a sandbox. */
export const connectTo = ({ origins }: Sandbox) =>
  connect('gong', {
    credentials: { access_key: 'sandbox', access_key_secret: 'sandbox-secret' },
    origin: origins.gong,
    limits: false,
  })

/** A connector of the library, whatever its types. */
interface Local {
  readonly execute: (...args: never[]) => Promise<unknown>
  readonly close: () => Promise<void>
}

/**
 * The library.
 * @param deadlineMs of every call
 * @param connectIt makes the connector, where it is another than Gong's
 */
export async function openLibrary(deadlineMs = 60_000, connectIt: (sandbox: Sandbox) => Local = connectTo): Promise<Door> {
  const sandbox = await startSandbox({ limits: false })
  const local = connectIt(sandbox)
  // Names of the table's calls are data here; the types of the library's door are tested elsewhere.
  const execute = ({ entity, action, params = {} }: Call): Promise<Json> =>
    Reflect.apply(local.execute, local, [entity, action, params, { deadlineMs }])
  return {
    sandbox,
    run: (call) => execute(call).catch(problemThrown),
    bytes: async (call) => {
      const answer = await execute(call).catch(problemThrown)
      if (answer.problem !== undefined) return answer
      return new Response(answer.stream).bytes().then(
        (bytes) => ({ status: answer.status, bytes: Buffer.from(bytes) }),
        (): 'broken' => 'broken',
      )
    },
    close: async () => {
      await local.close()
      await sandbox.close()
    },
  }
}

/** Requests that the vendor met since the journal was cleared, as `METHOD /path`. */
export const metBy = ({ gong }: Sandbox): string[] => gong.requests().map(({ method, path }: RecordedRequest) => `${method} ${path}`)

/** No jitter: the pauses between attempts are those that the vendor asked for. */
export function withoutJitter(): void {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0)
  afterAll(() => random.mockRestore()) // other test files share this process
}
