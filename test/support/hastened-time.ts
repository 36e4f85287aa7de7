/** Time that passes faster than it does, for waits of the engine: its pauses and its clock. */
import { vi } from 'vitest'
import { clocks, Deadline } from '../../packages/ferrule/src/engine/http/deadline.ts'

/** Hastened time. */
export interface HastenedTime extends Disposable {
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** How long something really lasts, in milliseconds. */
  readonly real: (milliseconds: number) => number
  readonly pause: (milliseconds: number) => Promise<void>
}

/** What is left of a deadline, in milliseconds. */
const left = Object.getOwnPropertyDescriptor(Deadline.prototype, 'remaining')?.get

/**
 * Pauses of the engine last a part of their time, deadlines seem as much longer, and `Date.now` runs faster, until the end of the block;
 * the network keeps its time. What takes `Date.now` as its clock is made after this.
 * @param factor how often faster
 */
export function hastenTime(factor: number): HastenedTime {
  const [start, begin] = [Date.now(), performance.now()]
  const clock = () => Math.floor(start + (performance.now() - begin) * factor)
  const { pause } = Deadline.prototype
  const pauses = vi.spyOn(Deadline.prototype, 'pause').mockImplementation(function (this: Deadline, milliseconds) {
    return pause.call(this, milliseconds / factor)
  })
  const remaining = vi.spyOn(Deadline.prototype, 'remaining', 'get').mockImplementation(function (this: Deadline) {
    return left?.call(this) * factor
  })
  const now = vi.spyOn(Date, 'now').mockImplementation(clock)
  const steady = vi.spyOn(clocks, 'steady').mockImplementation(clock)
  return {
    clock,
    real: (milliseconds) => milliseconds / factor,
    pause: async (milliseconds) => {
      using deadline = new Deadline(60_000, 'nobody')
      await deadline.pause(milliseconds)
    },
    [Symbol.dispose]: () => {
      pauses.mockRestore()
      remaining.mockRestore()
      now.mockRestore()
      steady.mockRestore()
    },
  }
}
