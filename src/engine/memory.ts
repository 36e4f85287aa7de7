/**
 * One bound over the memory that bodies of answers take in a process, while they arrive and as long as what was read of them is
 * needed, shared fairly among those for whom calls are made.
 */
import { type FerruleError, fail } from '../errors.ts'

/** How the bound is set. */
export interface MemoryOptions {
  /** Bytes in all. */
  readonly bytes: number
  /** Milliseconds that a call waits for memory at most. */
  readonly waitMs?: number
  /** Told some seconds after everything was given back, where much was held. */
  readonly onQuiet?: () => void
}

/** Bytes of memory for one byte of a body: as it came, as a text, and what is read of it and written again. */
export const weightOfBody = 8
/** The same for a body that is handed on as it came: in pieces and in one piece. */
export const weightOfBytes = 2
/** What every call takes, whatever its answer is, in bytes. */
export const callBytes = 262_144

const usualWaitMs = 10_000
/** Quiet is told after so many milliseconds, where more than so many bytes were held. */
const [quietMs, muchBytes] = [10_000, 33_554_432]
const retryAfterMs = 1_000

const usedUp = (): FerruleError => fail('overloaded', { reason: 'the memory for answers is used up' }, { retryAfterMs })

/** A call that waits for memory. */
interface Waiting {
  readonly lease: MemoryLease
  readonly bytes: number
  resolve(): void
  reject(thrown: unknown): void
}

/** What one call holds. */
export class MemoryLease {
  readonly owner: string
  /** Bytes. */
  held = 0
  /** Why the memory was taken away. */
  taken: FerruleError | undefined
  /** Ends the arrival of a body: only then what a call holds can be taken away. */
  cut: ((why: FerruleError) => void) | undefined
  /** A call that may have changed something gets what it needs: its answer must be read. */
  isKept = false
  #holders = 1
  readonly #memory: BodyMemory

  constructor(memory: BodyMemory, owner: string) {
    this.#memory = memory
    this.owner = owner
  }

  /**
   * Takes more. A call that holds all there is gets more all the same, so that the largest answer can be read.
   * @returns undefined at once where there is room; else a promise of it
   * @throws FerruleError `overloaded` when there was none in time, also by the promise; the reason of the signal
   */
  grow(bytes: number, signal: AbortSignal): Promise<void> | undefined {
    if (this.taken !== undefined) throw this.taken
    return this.#memory.grow(this, bytes, signal)
  }

  /** Gives back what is held beyond so many bytes. */
  shrinkTo(bytes: number): void {
    if (bytes < this.held) this.#memory.giveBack(this, this.held - bytes)
  }

  /** Whether others may soon need what is held. */
  get isScarce(): boolean {
    return this.#memory.held * 2 > this.#memory.bytes
  }

  /** One more needs what is held, and closes it too. */
  hold(): void {
    this.#holders += 1
  }

  /** Gives everything back, once nobody needs it. */
  close(): void {
    this.#holders -= 1
    if (this.#holders <= 0) this.#memory.end(this)
  }
}

/** The memory of a process. */
export class BodyMemory {
  readonly bytes: number
  readonly #options: MemoryOptions
  readonly #leases = new Set<MemoryLease>()
  readonly #waiting: Waiting[] = []
  #held = 0
  #most = 0
  #quiet: NodeJS.Timeout | undefined

  constructor(options: MemoryOptions) {
    this.#options = options
    this.bytes = options.bytes
  }

  /** Bytes that are held. */
  get held(): number {
    return this.#held
  }

  /** Opens the account of a call. @param owner whose share it uses */
  open(owner: string): MemoryLease {
    const lease = new MemoryLease(this, owner)
    this.#leases.add(lease)
    return lease
  }

  /** As `MemoryLease.grow`. */
  grow(lease: MemoryLease, bytes: number, signal: AbortSignal): Promise<void> | undefined {
    const wanted = lease.isKept ? bytes : Math.min(bytes, Math.max(0, this.bytes - lease.held))
    if (lease.isKept || this.#fits(wanted)) return this.#take(lease, wanted)
    if (this.#heldBy(lease.owner) + wanted <= this.#share(lease.owner)) this.#makeRoom(wanted, lease.owner)
    if (this.#fits(wanted)) return this.#take(lease, wanted)
    const waited = this.#wait(lease, wanted, signal)
    this.#unblock()
    return waited
  }

  /** Gives a part back. */
  giveBack(lease: MemoryLease, bytes: number): void {
    lease.held -= bytes
    this.#held -= bytes
    this.#serve()
    if (this.#held === 0 && this.#most > muchBytes) this.#quiet ??= setTimeout(() => this.#tellQuiet(), quietMs).unref()
  }

  /** Ends an account. */
  end(lease: MemoryLease): void {
    this.#leases.delete(lease)
    this.giveBack(lease, lease.held)
    if (this.#waiting.length > 0) this.#unblock()
  }

  #fits(bytes: number): boolean {
    return this.#held + bytes <= this.bytes
  }

  #take(lease: MemoryLease, bytes: number): undefined {
    clearTimeout(this.#quiet)
    this.#quiet = undefined
    lease.held += bytes
    this.#held += bytes
    this.#most = Math.max(this.#most, this.#held)
  }

  #heldBy(owner: string): number {
    let sum = 0
    for (const lease of this.#leases) if (lease.owner === owner) sum += lease.held
    return sum
  }

  /** What each owner may hold when all that hold something, and one more, want it. */
  #share(asking: string): number {
    const owners = new Set([...this.#leases].filter(({ held }) => held > 0).map(({ owner }) => owner))
    return this.bytes / owners.add(asking).size
  }

  /** Takes memory away from those that hold more than their share: bodies that arrive, the newest first. */
  #makeRoom(bytes: number, asking: string): void {
    while (!this.#fits(bytes)) {
      const victim = this.#victim((lease) => lease.cut !== undefined)
      if (victim === undefined || this.#heldBy(victim.owner) <= this.#share(asking)) return
      this.#takeAway(victim)
    }
  }

  /** The newest call of the owner that holds most. */
  #victim(isPossible: (lease: MemoryLease) => boolean): MemoryLease | undefined {
    const possible = [...this.#leases].filter((lease) => lease.held > 0 && !lease.isKept && isPossible(lease))
    const most = Math.max(0, ...possible.map(({ owner }) => this.#heldBy(owner)))
    return possible.findLast(({ owner }) => this.#heldBy(owner) === most)
  }

  #takeAway(lease: MemoryLease): void {
    const why = usedUp()
    lease.taken = why
    this.giveBack(lease, lease.held)
    const waiting = this.#waiting.find((each) => each.lease === lease)
    if (waiting === undefined) lease.cut?.(why)
    else waiting.reject(why)
  }

  /** Where all that hold something wait for more, one of them has to go. */
  #unblock(): void {
    const isWaiting = (lease: MemoryLease): boolean => this.#waiting.some((each) => each.lease === lease)
    while (this.#waiting.length > 0 && ![...this.#leases].some((lease) => lease.held > 0 && !isWaiting(lease))) {
      const victim = this.#victim(isWaiting)
      if (victim === undefined) return
      this.#takeAway(victim)
    }
  }

  /** Those whose owner holds least come first. */
  #serve(): void {
    for (;;) {
      const [next] = this.#waiting.toSorted((one, other) => this.#heldBy(one.lease.owner) - this.#heldBy(other.lease.owner))
      if (next === undefined || !this.#fits(next.bytes)) return
      this.#take(next.lease, next.bytes)
      next.resolve()
    }
  }

  async #wait(lease: MemoryLease, bytes: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = (end: () => void) => () => {
      const place = this.#waiting.indexOf(waiting)
      if (place >= 0) this.#waiting.splice(place, 1)
      end()
    }
    const waiting: Waiting = { lease, bytes, resolve: leave(resolve), reject: (thrown) => leave(() => reject(thrown))() }
    const onAbort = (): void => waiting.reject(signal.reason)
    const timer = setTimeout(() => waiting.reject(usedUp()), this.#options.waitMs ?? usualWaitMs)
    signal.addEventListener('abort', onAbort, { once: true })
    this.#waiting.push(waiting)
    try {
      await promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
  }

  #tellQuiet(): void {
    this.#quiet = undefined
    this.#most = 0
    this.#options.onQuiet?.()
  }
}
