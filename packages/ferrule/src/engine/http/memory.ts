/**
 * Limits the memory of answer bodies in a process, from their arrival until their data is released. Shares the limit fairly among the
 * owners of calls.
 */
import { type FerruleError, fail } from '../../errors.ts'

/** Options of the limit. */
export interface MemoryOptions {
  readonly bytes: number
  /** Maximum wait of a call for memory, in milliseconds. */
  readonly waitMs?: number
  /** Called some seconds after all memory was released, if much was in use. */
  readonly onQuiet?: () => void
}

/** Bytes of memory per byte of a body: the bytes, the string, the parsed value and its JSON. */
export const weightOfBody = 8
/** The same for a body that is passed on unchanged: its chunks and the joined bytes. */
export const weightOfBytes = 2
/** Bytes that every call takes, whatever its answer. */
export const callBytes = 262_144

const usualWaitMs = 10_000
/** Delay of `onQuiet` in milliseconds, and the bytes that count as much. */
const [quietMs, muchBytes] = [10_000, 33_554_432]
const retryAfterMs = 1_000

const usedUp = (): FerruleError => fail('overloaded', { reason: 'the memory for answers is used up' }, { retryAfterMs })

interface WaitingLease {
  readonly lease: MemoryLease
  readonly bytes: number
  resolve(): void
  reject(thrown: unknown): void
}

/** The memory account of one call. */
export class MemoryLease {
  readonly owner: string
  /** In bytes. */
  held = 0
  /** Why the memory was revoked. */
  taken: FerruleError | undefined
  /** Cuts the arrival of a body. Only then can the call's memory be revoked. */
  cut: ((why: FerruleError) => void) | undefined
  /** True for a call that may have changed something: it gets all the memory that its answer needs. */
  isKept = false
  #holders = 1
  readonly #memory: BodyMemory

  constructor(memory: BodyMemory, owner: string) {
    this.#memory = memory
    this.owner = owner
  }

  /**
   * Takes more memory. A call that holds all memory still gets more, so that the largest answer can be read.
   * @returns undefined at once if memory is free, else a promise
   * @throws FerruleError `overloaded` after the maximum wait, also by the promise; the reason of the signal
   */
  grow(bytes: number, signal: AbortSignal): Promise<void> | undefined {
    if (this.taken !== undefined) throw this.taken
    return this.#memory.grow(this, bytes, signal)
  }

  /** Releases the memory above so many bytes. */
  shrinkTo(bytes: number): void {
    if (bytes < this.held) this.#memory.giveBack(this, this.held - bytes)
  }

  /** True if other calls may soon need this memory. */
  get isScarce(): boolean {
    return this.#memory.held * 2 > this.#memory.bytes
  }

  /** Adds a holder, which must call `close` too. */
  hold(): void {
    this.#holders += 1
  }

  /** Releases all memory after the last holder closed. */
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
  readonly #waiting: WaitingLease[] = []
  #held = 0
  #most = 0
  #quiet: NodeJS.Timeout | undefined

  constructor(options: MemoryOptions) {
    this.#options = options
    this.bytes = options.bytes
  }

  /** Bytes in use. */
  get held(): number {
    return this.#held
  }

  /** Opens the account of a call. @param owner whose share the call uses */
  open(owner: string): MemoryLease {
    const lease = new MemoryLease(this, owner)
    this.#leases.add(lease)
    return lease
  }

  /** Takes memory, as `MemoryLease.grow`. */
  grow(lease: MemoryLease, bytes: number, signal: AbortSignal): Promise<void> | undefined {
    const wanted = lease.isKept ? bytes : Math.min(bytes, Math.max(0, this.bytes - lease.held))
    if (lease.isKept || this.#fits(wanted)) return this.#take(lease, wanted)
    if (this.#heldBy(lease.owner) + wanted <= this.#share(lease.owner)) this.#makeRoom(wanted, lease.owner)
    if (this.#fits(wanted)) return this.#take(lease, wanted)
    const waited = this.#wait(lease, wanted, signal)
    this.#unblock()
    return waited
  }

  /** Releases part of an account. */
  giveBack(lease: MemoryLease, bytes: number): void {
    lease.held -= bytes
    this.#held -= bytes
    this.#serve()
    if (this.#held === 0 && this.#most > muchBytes) this.#quiet ??= setTimeout(() => this.#tellQuiet(), quietMs).unref()
  }

  /** Closes an account. */
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

  /** Computes the share of each owner in use, with one more owner that asks. */
  #share(asking: string): number {
    const owners = new Set([...this.#leases].filter(({ held }) => held > 0).map(({ owner }) => owner))
    return this.bytes / owners.add(asking).size
  }

  /** Revokes memory of owners above their share: of arriving bodies, the newest first. */
  #makeRoom(bytes: number, asking: string): void {
    while (!this.#fits(bytes)) {
      const victim = this.#victim((lease) => lease.cut !== undefined)
      if (victim === undefined || this.#heldBy(victim.owner) <= this.#share(asking)) return
      this.#takeAway(victim)
    }
  }

  /** Finds the newest call of the owner with the most memory. */
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

  /** Revokes one call's memory if all calls with memory wait for more. */
  #unblock(): void {
    const isWaiting = (lease: MemoryLease): boolean => this.#waiting.some((each) => each.lease === lease)
    while (this.#waiting.length > 0 && ![...this.#leases].some((lease) => lease.held > 0 && !isWaiting(lease))) {
      const victim = this.#victim(isWaiting)
      if (victim === undefined) return
      this.#takeAway(victim)
    }
  }

  /** Serves waiting calls; the owner with the least memory goes first. */
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
      const index = this.#waiting.indexOf(waiting)
      if (index >= 0) this.#waiting.splice(index, 1)
      end()
    }
    const waiting: WaitingLease = { lease, bytes, resolve: leave(resolve), reject: (thrown) => leave(() => reject(thrown))() }
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
