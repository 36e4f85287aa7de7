/** Where a storm takes place: the vendors in this process, the service in a child whose memory and sockets are its own. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { vi } from 'vitest'
import { type Sandbox, sandboxCredentials, startSandbox } from '../../packages/sandbox/src/index.ts'
import { buildSourceEnvironment } from '../support/commands.ts'
import { makeFolder } from '../support/folder.ts'
import { ask } from './client.ts'
import { clientOf, type NodeClient, settingsFor } from './node.ts'

/** What the process of the service holds. */
export interface Held {
  /** Open connections to vendors, idle ones too. */
  readonly vendorSockets: number
  /** Open connections of clients and busy ones to vendors. */
  readonly clientSockets: number
  /** Timers that keep the process alive. */
  readonly timers: number
  /** Bytes of the heap and of buffers, after a collection. */
  readonly memory: number
  /** Bytes of the process, the allocator's reserve included. */
  readonly rss: number
}

/** What is held, and the gauges of the service's metrics. */
export interface Measured extends Held {
  readonly executesInFlight: number
  readonly vendorRequestsInFlight: number
}

/** A running stage. */
export interface Stage extends AsyncDisposable {
  readonly sandbox: Sandbox
  readonly client: NodeClient
  /** Measures once everything has ended, or when `limitMs` is over. @param sockets whether kept connections must have ended too */
  settled(options: { readonly sockets: boolean; readonly limitMs: number }): Promise<Measured>
  /** Credentials with a refresh token of their own and an access token that has ended. */
  grant(): Promise<Readonly<Record<string, string>>>
}

const program = join(import.meta.dirname, 'node-process.ts')

/** The next message of a type. @throws when the child ends instead */
async function messageOf(child: ChildProcess, type: string): Promise<Readonly<Record<string, unknown>>> {
  const { promise, resolve, reject } = Promise.withResolvers<Readonly<Record<string, unknown>>>()
  const onMessage = (message: unknown) => {
    if (typeof message === 'object' && message !== null && Reflect.get(message, 'type') === type) resolve({ ...message })
  }
  const onExit = (code: unknown, signal: unknown) => reject(new Error(`The service ended: ${code ?? signal}`))
  child.on('message', onMessage).once('exit', onExit)
  return promise.finally(() => child.off('message', onMessage).off('exit', onExit))
}

async function measure(child: ChildProcess, url: string): Promise<Measured> {
  const { text } = await ask({ url: `${url}/metrics` })
  const gauge = (name: string) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
  const told = messageOf(child, 'held')
  child.send('measure')
  const { held } = await told
  return {
    ...(held as Held), // made by node-process.ts
    executesInFlight: gauge('ferrule_executes_in_flight'),
    vendorRequestsInFlight: gauge('ferrule_vendor_requests_in_flight'),
  }
}

const isIdle = ({ vendorSockets, clientSockets, timers, executesInFlight, vendorRequestsInFlight }: Measured, sockets: boolean): boolean =>
  (sockets ? vendorSockets : 0) + clientSockets + timers + executesInFlight === 0 && vendorRequestsInFlight === 0

async function grantOf({ origins }: Sandbox): Promise<Readonly<Record<string, string>>> {
  const { clientId, clientSecret, code, expiredToken } = sandboxCredentials
  const query = new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: 'https://app.example/' })
  const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
  const answer = await fetch(`${origins.gong.oauth}/oauth2/generate-customer-token?${query}`, {
    method: 'POST',
    headers: { authorization, connection: 'close' },
  })
  const { refresh_token } = Object(await answer.json())
  return {
    refresh_token: String(refresh_token),
    access_token: expiredToken,
    client_id: clientId,
    client_secret: clientSecret,
    token_expiry_date: '2024-01-01T00:00:00Z',
  }
}

/**
 * Opens a stage.
 * @param operationSeconds the setting FERRULE_OPERATION_SECONDS
 */
export async function openStage(operationSeconds: number): Promise<Stage> {
  await using undo = new AsyncDisposableStack()
  const sandbox = undo.use(await startSandbox({ limits: false, mediaBytes: 2 * 1024 * 1024 }))
  sandbox.snowflake.switches.set({ retryWhileRunning: 'run_again', partitionRows: 300 })
  const folder = makeFolder('storm', (remove) => undo.defer(remove))
  const env = { ...buildSourceEnvironment(), ...settingsFor(sandbox, folder), FERRULE_OPERATION_SECONDS: String(operationSeconds) }
  const child = fork(program, { env, execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  undo.defer(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  const url = String((await messageOf(child, 'ready'))['url'])
  const client = await clientOf({ url })
  const stage = undo.move()
  return {
    sandbox,
    client,
    settled: async ({ sockets, limitMs }) => {
      const idle = async () => {
        if (!isIdle(await measure(child, url), sockets)) throw new Error('it is busy')
      }
      await vi.waitFor(idle, { timeout: limitMs, interval: 250 }).catch(() => undefined) // the figures tell
      return measure(child, url)
    },
    grant: () => grantOf(sandbox),
    [Symbol.asyncDispose]: () => stage.disposeAsync(),
  }
}
