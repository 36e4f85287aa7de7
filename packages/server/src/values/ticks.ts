/** Repeats what a worker of a node does: at an interval, and when this process has news for it. One tick runs at a time. */
import { AsyncResource } from 'node:async_hooks'
import { within } from './within.ts'

/** Interval of ticks, in milliseconds: what another node stored is seen after it at the latest, and progress is stored as often. */
export const tickMs = 1_000

/** Longest wait for running work at the end of a worker, in milliseconds. */
const stopMs = 5_000

type Listener = () => void

/** What a worker repeats. */
export interface TickOptions<Name extends string> {
  readonly events: { on(name: Name, listener: Listener): unknown; off(name: Name, listener: Listener): unknown }
  /** News of this process that begin a tick. */
  readonly names: readonly Name[]
  readonly work: () => Promise<void>
  /** Told what `work` throws. Must not throw. */
  readonly onError: (error: unknown) => void
}

/** The ticks of a worker. */
export class Ticks<Name extends string> {
  readonly #options: TickOptions<Name>
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #isAgain = false
  #isStopped = false

  constructor(options: TickOptions<Name>) {
    this.#options = options
  }

  /** True from the beginning of `stop` on. */
  get isStopped(): boolean {
    return this.#isStopped
  }

  /** True from `start` on. */
  get isStarted(): boolean {
    return this.#timer !== undefined
  }

  /** Begins to tick. */
  start(): void {
    if (this.#timer !== undefined || this.#isStopped) return
    const { events, names } = this.#options
    for (const name of names) events.on(name, this.look)
    this.#timer = setInterval(this.look, tickMs).unref()
    this.look()
  }

  /** Works once more, after a tick that runs. Bound to no request: what a request causes here does not belong to its trace. */
  readonly look = AsyncResource.bind((): void => {
    if (!this.#isStopped) void this.tick()
  })

  /** Works until nobody has asked again meanwhile. */
  tick(): Promise<void> {
    this.#isAgain = this.#running !== undefined
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Ends the ticks. @returns when the tick that runs has ended */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearInterval(this.#timer)
    const { events, names } = this.#options
    for (const name of names) events.off(name, this.look)
    await this.#running
  }

  async #run(): Promise<void> {
    try {
      do {
        this.#isAgain = false
        await this.#options.work()
      } while (this.#isAgain && !this.#isStopped)
    } catch (thrown) {
      this.#options.onError(thrown)
    }
  }
}

/** Waits for running work, a few seconds at most. Another node takes over what is left. */
export const waitForWork = (work: Promise<unknown>): Promise<unknown> => within(stopMs, work, () => undefined)
