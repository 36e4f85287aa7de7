/** Time that a test moves: for rates over minutes. */
import { vi } from 'vitest'
import { clocks, Deadline } from '../../packages/ferrule/src/engine/http/deadline.ts'

/**
 * Time that moves only while all walkers wait: then to the end of the shortest wait. Requests take no time of it.
 * @param walkers how many there are; `finished` counts them down
 * @param clock of the sandbox, in milliseconds since 1970; `Date.now` shows it too, so connectors are made after this
 */
export function simulateTime(walkers: { running: number }, clock: { now: number }) {
  const start = clock.now
  const waiting: { at: number; go: () => void }[] = []
  vi.spyOn(Date, 'now').mockImplementation(() => clock.now)
  vi.spyOn(clocks, 'steady').mockImplementation(() => clock.now)
  vi.spyOn(Deadline.prototype, 'pause').mockImplementation(
    (milliseconds) =>
      new Promise((go) => {
        if (milliseconds <= 0) go()
        else waiting.push({ at: clock.now + milliseconds, go })
        step()
      }),
  )
  function step() {
    if (waiting.length < walkers.running) return
    waiting.sort((a, b) => a.at - b.at)
    const next = waiting.shift()
    clock.now = Math.max(clock.now, next?.at ?? 0)
    next?.go()
  }
  return {
    /** Seconds that have passed. */
    seconds: () => (clock.now - start) / 1000,
    finished: () => {
      walkers.running -= 1
      step()
    },
    [Symbol.dispose]: () => vi.restoreAllMocks(),
  }
}
