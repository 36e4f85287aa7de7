/** The sandbox as a process of its own: started with the service, restarted when it dies, ended with it. */
import { type ChildProcess, fork } from 'node:child_process'
import type { Logger } from 'pino'
import { isObject } from '../definition/object.ts'
import type { OriginOverride } from '../engine/connection.ts'

/** Where the stand-ins listen, by kind. */
export type SandboxOrigins = Readonly<Record<string, OriginOverride>>

/** A sandbox that runs beside the service. */
export interface SandboxProcess {
  /** Resolves when it is ready; also when it could not be started, which is logged: the service runs without it then. */
  readonly ready: Promise<void>
  /** Undefined while it does not run. */
  origins(): SandboxOrigins | undefined
  /** Ends it; it is not started again. */
  close(): Promise<void>
}

/** How a sandbox is launched. */
export interface SandboxOptions {
  /** Its entry file, which tells `{type: 'ready', origins}` over the channel of `fork`. */
  readonly program: URL
  readonly logger: Logger
  /** Milliseconds before a restart, times the number of the attempt; 500 by default. */
  readonly restartDelay?: number
}

/** Starts after the first one; a sandbox that dies more often has a fault that starting cannot mend. */
const restarts = 5
const standardDelay = 500
/** A sandbox that is not ready by then counts as failed. Milliseconds. */
const readyTimeout = 10_000
/** Time that it gets to end by itself. Milliseconds. */
const endTimeout = 2_000

/** What a child may know of our environment: nothing that is ours or secret. */
const inherited = ['PATH', 'NODE_COMPILE_CACHE', 'TZ', 'LANG', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR']

function overrideOf(value: unknown): OriginOverride | undefined {
  if (!isObject(value) || typeof value['api'] !== 'string') return undefined
  const { api, oauth, media } = value
  return { api, ...(typeof oauth === 'string' ? { oauth } : {}), ...(typeof media === 'string' ? { media } : {}) }
}

/** The origins in a message of the child; undefined for any other message. */
function originsIn(message: unknown): SandboxOrigins | undefined {
  if (!isObject(message) || message['type'] !== 'ready' || !isObject(message['origins'])) return undefined
  const entries = Object.entries(message['origins']).flatMap(([kind, value]): [string, OriginOverride][] => {
    const override = overrideOf(value)
    return override === undefined ? [] : [[kind, override]]
  })
  return Object.fromEntries(entries)
}

function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(inherited.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))
}

class Sandbox implements SandboxProcess {
  readonly ready: Promise<void>
  readonly #program: URL
  readonly #logger: Logger
  readonly #restartDelay: number
  #child: ChildProcess | undefined
  #origins: SandboxOrigins | undefined
  #attempts = 0
  #closed = false
  #timer: NodeJS.Timeout | undefined

  constructor({ program, logger, restartDelay = standardDelay }: SandboxOptions) {
    this.#program = program
    this.#logger = logger
    this.#restartDelay = restartDelay
    this.ready = this.#start()
  }

  origins(): SandboxOrigins | undefined {
    return this.#origins
  }

  /** Resolves when it is ready, has failed or takes too long. */
  #start(): Promise<void> {
    // A small young generation: pages of records are made and sent, so a large one would only keep garbage (300 MB instead of 180).
    const execArgv = ['--max-semi-space-size=2']
    const child = fork(this.#program, { env: environment(), execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    this.#child = child
    return new Promise((resolve) => {
      const late = setTimeout(resolve, readyTimeout)
      const settle = () => {
        clearTimeout(late)
        resolve()
      }
      child.on('message', (message) => {
        this.#origins = originsIn(message) ?? this.#origins
        settle()
      })
      child.once('error', (error) => this.#logger.error({ err: error }, 'the sandbox cannot be started'))
      child.once('exit', (code, signal) => {
        settle()
        this.#ended(code ?? signal)
      })
    })
  }

  #ended(how: unknown): void {
    this.#origins = undefined
    this.#child = undefined
    if (this.#closed) return
    this.#attempts += 1
    if (this.#attempts > restarts) {
      this.#logger.error({ how }, 'the sandbox ended too often and stays off until the service is started again')
      return
    }
    this.#logger.warn({ how, attempt: this.#attempts }, 'the sandbox ended and is started again')
    this.#timer = setTimeout(() => void this.#start(), this.#restartDelay * this.#attempts).unref()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    const child = this.#child
    if (child === undefined || child.exitCode !== null) return
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    child.kill('SIGTERM')
    const force = setTimeout(() => child.kill('SIGKILL'), endTimeout)
    await ended
    clearTimeout(force)
  }
}

/** Launches the sandbox. */
export const launchSandbox = (options: SandboxOptions): SandboxProcess => new Sandbox(options)
