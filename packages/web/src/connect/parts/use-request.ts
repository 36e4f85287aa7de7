/** Runs the requests of a step. */
import { useRef, useState } from 'react'
import { isEnding, type PageProblem, toProblem } from '../problem.ts'
import { useConnecting } from '../view.ts'

/** A request of a step. */
export interface PageRequest {
  readonly isBusy: boolean
  /** Why the last one failed. */
  readonly problem: PageProblem | undefined
  /** Runs a request, unless one is running. A refusal that ends the link shows its own step. */
  run(send: () => Promise<void>): Promise<void>
}

/** Keeps the state of a step's requests. */
export function useRequest(): PageRequest {
  const { end } = useConnecting()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<PageProblem>()
  // State is late by a render: a second press would run a second request.
  const running = useRef(false)
  const run = async (send: () => Promise<void>) => {
    if (running.current) return
    running.current = true
    setBusy(true)
    setProblem(undefined)
    try {
      await send()
    } catch (thrown) {
      const found = toProblem(thrown)
      if (isEnding(found)) end(found)
      else setProblem(found)
    } finally {
      running.current = false
      setBusy(false)
    }
  }
  return { isBusy, problem, run }
}
