/** Lets a number of holders in at a time, the others in the order of their coming. */
export interface Gate {
  /**
   * Waits for a place.
   *
   * @param signal - gives up waiting
   * @returns gives the place back; undefined when waiting was given up
   */
  enter(signal: AbortSignal): Promise<(() => void) | undefined>
}

/**
 * A gate.
 *
 * @param places - how many may be inside at a time
 */
export function createGate(places: number): Gate {
  let free = places
  const waiting = new Set<(entered: boolean) => void>()
  const leave = () => {
    const [next] = waiting
    if (!next) free += 1
    else {
      waiting.delete(next)
      next(true)
    }
  }
  const turn = (signal: AbortSignal) =>
    new Promise<boolean>((resolve) => {
      waiting.add(resolve)
      const giveUp = () => {
        if (waiting.delete(resolve)) resolve(false)
      }
      signal.addEventListener('abort', giveUp, { once: true })
    })
  return {
    async enter(signal) {
      if (signal.aborted) return undefined
      if (free > 0) free -= 1
      else if (!(await turn(signal))) return undefined
      let inside = true
      return () => {
        if (inside) leave()
        inside = false
      }
    },
  }
}
