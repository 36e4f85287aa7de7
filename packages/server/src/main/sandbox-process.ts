/** The sandbox as a separate process: it starts and ends with the service, and restarts after a crash. */
import { type ChildProcess, fork } from 'node:child_process'
import type { OriginOverride } from 'ferrule/engine'
import { isObject } from 'ferrule/internal'
import type { Logger } from 'pino'

/** Origins of the stand-ins, by kind. */
export type SandboxOrigins = Readonly<Record<string, OriginOverride>>

/** Options of a sandbox process. */
export interface SandboxOptions {
  /** The entry file. It sends `{type: 'ready', origins}` over the channel of `fork`. */
  readonly program: URL
  readonly logger: Logger
  /** Milliseconds before a restart, multiplied by the number of the attempt; 500 by default. */
  readonly restartDelayMs?: number
}

/** Maximum number of restarts: a sandbox that exits more often has a fault that no restart mends. */
const maxRestarts = 5
const defaultRestartDelayMs = 500
/** Longest time that a call waits for a sandbox that starts. */
const readyTimeoutMs = 60_000
/** Time between SIGTERM and SIGKILL. */
const endTimeoutMs = 2_000

/** Environment variables of the child: no setting of the service, and no secret. */
const inheritedNames = ['PATH', 'NODE_COMPILE_CACHE', 'TZ', 'LANG', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR']

/** Returns undefined for a value that is no object with an `api`. */
function parseOverride(value: unknown): OriginOverride | undefined {
  if (!isObject(value) || typeof value['api'] !== 'string') return undefined
  const { api, oauth, media } = value
  return { api, ...(typeof oauth === 'string' ? { oauth } : {}), ...(typeof media === 'string' ? { media } : {}) }
}

/** Returns the origins in a message of the child; undefined for any other message. */
function parseOrigins(message: unknown): SandboxOrigins | undefined {
  if (!isObject(message) || message['type'] !== 'ready' || !isObject(message['origins'])) return undefined
  const entries = Object.entries(message['origins']).flatMap(([kind, value]): [string, OriginOverride][] => {
    const override = parseOverride(value)
    return override === undefined ? [] : [[kind, override]]
  })
  return Object.fromEntries(entries)
}

/** A sandbox process. */
export class SandboxProcess {
  readonly #ready = Promise.withResolvers<void>()
  /**
   * Resolves when the sandbox is ready, and also when it cannot be started: then the service runs without it, and logs the error. Calls may
   * wait for it before `start`.
   */
  readonly ready = this.#ready.promise
  readonly #program: URL
  readonly #logger: Logger
  readonly #restartDelayMs: number
  #child: ChildProcess | undefined
  #origins: SandboxOrigins | undefined
  #attempts = 0
  #closed = false
  #timer: NodeJS.Timeout | undefined

  constructor({ program, logger, restartDelayMs = defaultRestartDelayMs }: SandboxOptions) {
    this.#program = program
    this.#logger = logger
    this.#restartDelayMs = restartDelayMs
  }

  /** Starts the process; `ready` says when it runs. */
  start(): void {
    void this.#launch().then(this.#ready.resolve)
  }

  /** Returns undefined while the sandbox does not run. */
  origins(): SandboxOrigins | undefined {
    return this.#origins
  }

  /** Starts the process. Resolves when it is ready, has failed, or takes too long. */
  #launch(): Promise<void> {
    // A small young generation: each page is sent and dropped, so a large one only keeps garbage (300 MB instead of 180).
    const execArgv = ['--max-semi-space-size=2']
    const env = Object.fromEntries(inheritedNames.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))
    const child = fork(this.#program, { env, execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    this.#child = child
    return new Promise((resolve) => {
      const late = setTimeout(resolve, readyTimeoutMs)
      const settle = () => {
        clearTimeout(late)
        resolve()
      }
      child.on('message', (message) => {
        this.#origins = parseOrigins(message) ?? this.#origins
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
    if (this.#attempts > maxRestarts) {
      this.#logger.error({ how }, 'the sandbox exited too often and stays off until the service restarts')
      return
    }
    this.#logger.warn({ how, attempt: this.#attempts }, 'the sandbox exited and is restarted')
    this.#timer = setTimeout(() => void this.#launch(), this.#restartDelayMs * this.#attempts).unref()
  }

  /** Ends the sandbox for good. */
  async close(): Promise<void> {
    this.#closed = true
    this.#ready.resolve()
    clearTimeout(this.#timer)
    const child = this.#child
    if (child === undefined || child.exitCode !== null) return
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    child.kill('SIGTERM')
    const force = setTimeout(() => child.kill('SIGKILL'), endTimeoutMs)
    await ended
    clearTimeout(force)
  }
}
