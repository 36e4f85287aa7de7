import { type Failure, failure, isFailure } from './failures.ts'
import type { StatementResult } from './tables.ts'

type Outcome =
  | { readonly state: 'running' }
  | { readonly state: 'succeeded'; readonly result: StatementResult }
  | { readonly state: 'failed'; readonly failure: Failure }
  /** Its result is no longer kept. */
  | { readonly state: 'dropped' }

type AbortReason = 'cancel' | 'timeout' | 'reset'

/** What a statement is known by. */
export interface StatementLabel {
  readonly requestId: string
  readonly user: string
  /** Of its text and context. */
  readonly hash: string
}

/** A statement from its submission on. */
export interface Statement extends StatementLabel {
  readonly handle: string
  readonly createdOn: number
  outcome: Outcome
  /** How often it was asked for while it ran. */
  polls: number
  /** Resolves when it no longer runs. */
  readonly finished: Promise<void>
  /** Resolves when a hold asks for an answer at once. */
  readonly accepted: Promise<void>
  accept(): void
  readonly signal: AbortSignal
  /** Ends it. @returns false when it has ended already or what it did can no longer be taken back */
  abort(reason: AbortReason): boolean
  /** From now on it can no longer be ended. @returns false when it was ended before */
  commit(): boolean
}

/** The statements that can still be asked for. */
export interface StatementStore {
  begin(label: StatementLabel, run: (statement: Statement) => Promise<StatementResult | Failure>): Statement
  /** A statement of this user, unless it is too old. */
  find(handle: string, user: string): Statement | undefined
  /** Statements with the same label, newest first. */
  alike(label: StatementLabel): readonly Statement[]
  unfinished(): number
  /** Ends and forgets all. @returns when none runs any more */
  reset(): Promise<unknown>
}

const keptStatements = 10_000
/** Bytes of all results together; small results are not dropped for them. */
const keptBytes = 192 * 1024 * 1024
const small = 64 * 1024
/** Results can be fetched for a day. Milliseconds. */
const lifetime = 86_400_000

/** Handles grow with time and number: a UUID in form. */
function handleOf(number: number, now: number): string {
  const minutes = (Math.floor(now / 60_000) % 0x1000000).toString(16).padStart(6, '0')
  const count = number.toString(16).padStart(8, '0')
  return `01${minutes}-${count.slice(0, 4)}-${count.slice(4)}-0000-0010${'0'.repeat(7)}1`
}

/** Returns the failure of a statement that was ended. */
export function abortFailure(signal: AbortSignal, timeout: number): Failure {
  if (signal.reason !== 'timeout') return failure('canceled')
  return failure('timedOut', `Statement reached its statement or warehouse timeout of ${timeout} second(s) and was canceled.`)
}

function create(label: StatementLabel, handle: string, createdOn: number): { statement: Statement; finish: () => void } {
  const finished = Promise.withResolvers<void>()
  const accepted = Promise.withResolvers<void>()
  const controller = new AbortController()
  let committed = false
  const statement: Statement = {
    ...label,
    handle,
    createdOn,
    outcome: { state: 'running' },
    polls: 0,
    finished: finished.promise,
    accepted: accepted.promise,
    accept: accepted.resolve,
    signal: controller.signal,
    abort(reason) {
      if (committed || statement.outcome.state !== 'running') return false
      controller.abort(reason)
      return true
    },
    commit() {
      committed = !controller.signal.aborted
      return committed
    },
  }
  return { statement, finish: finished.resolve }
}

const sizeOf = ({ outcome }: Statement): number => (outcome.state === 'succeeded' ? outcome.result.rows.size : 0)

function dropOldest(statements: Map<string, Statement>): void {
  let bytes = [...statements.values()].reduce((sum, statement) => sum + sizeOf(statement), 0)
  for (const statement of statements.values()) {
    if (bytes <= keptBytes) break
    const size = sizeOf(statement)
    if (size <= small) continue
    bytes -= size
    statement.outcome = { state: 'dropped' }
  }
  for (const [handle, { outcome }] of statements) {
    if (statements.size <= keptStatements) break
    if (outcome.state !== 'running') statements.delete(handle)
  }
}

/** Returns an empty store of statements. */
export function createStatementStore(clock: () => number): StatementStore {
  const statements = new Map<string, Statement>()
  let last = 0
  const running = () => [...statements.values()].filter(({ outcome }) => outcome.state === 'running')
  return {
    begin(label, run) {
      last += 1
      const { statement, finish } = create(label, handleOf(last, clock()), clock())
      statements.set(statement.handle, statement)
      const settle = (outcome: Outcome) => {
        statement.outcome = outcome
        dropOldest(statements)
        finish()
      }
      run(statement).then(
        (result) => settle(isFailure(result) ? { state: 'failed', failure: result } : { state: 'succeeded', result }),
        (error: unknown) => settle({ state: 'failed', failure: failure('internal', `SQL execution internal error:\n${error}`) }),
      )
      return statement
    },
    find(handle, user) {
      const found = statements.get(handle.toLowerCase())
      return found && found.user === user && clock() < found.createdOn + lifetime ? found : undefined
    },
    alike({ requestId, user, hash }) {
      const same = (each: Statement) => each.requestId === requestId && each.user === user && each.hash === hash
      return [...statements.values()].filter((each) => same(each) && clock() < each.createdOn + lifetime).toReversed()
    },
    unfinished: () => running().length,
    reset() {
      const ended = running()
      for (const statement of ended) statement.abort('reset')
      statements.clear()
      return Promise.all(ended.map(({ finished }) => finished))
    },
  }
}

/** Lets a number of holders in at a time, the others in the order of their coming. */
export interface Gate {
  /** Waits for a slot. @returns a function that gives the slot back; undefined when waiting was given up */
  enter(signal: AbortSignal): Promise<(() => void) | undefined>
}

/** Returns a gate. */
export function createGate(slots: number): Gate {
  let free = slots
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

/** A statement that the engine ran: parts of a chain and of a text of several statements have an entry each. */
export interface ExecutedStatement {
  /** Epoch milliseconds by the sandbox's clock. */
  readonly at: number
  readonly handle: string
  /** Of the request: its own or the one that was made for it. */
  readonly requestId: string
  /** The first 2,000 characters of what was sent. */
  readonly statement: string
  /** The first word; `SELECT` for whatever reads rows. */
  readonly verb: string
  readonly user: string
  readonly role: string
  readonly database: string | undefined
  readonly schema: string | undefined
  readonly warehouse: string | undefined
  readonly queryTag: string | undefined
  readonly outcome: 'running' | 'succeeded' | 'failed' | 'canceled' | 'timed_out'
  /** Rows that it changed or returned; 0 until it succeeded. */
  readonly rows: number
}

/** The newest statements that ran. */
export interface ExecutedLog {
  /** Adds one that begins. @returns a function that logs its end */
  begin(entry: Omit<ExecutedStatement, 'outcome' | 'rows'>): (outcome: ExecutedStatement['outcome'], rows?: number) => void
  /** Oldest first, 10,000 at most. */
  list(): readonly ExecutedStatement[]
  clear(): void
}

const kept = 10_000
const keptText = 2000

/** Returns an empty log. */
export function createExecutedLog(): ExecutedLog {
  let entries: { entry: ExecutedStatement }[] = []
  return {
    begin(entry) {
      const slot = { entry: { ...entry, statement: entry.statement.slice(0, keptText), outcome: 'running' as const, rows: 0 } }
      const own: { entry: ExecutedStatement } = slot
      entries.push(own)
      if (entries.length > kept * 1.1) entries = entries.slice(-kept)
      return (outcome, rows = 0) => {
        own.entry = { ...own.entry, outcome, rows }
      }
    },
    list: () => entries.slice(-kept).map(({ entry }) => entry),
    clear() {
      entries = []
    },
  }
}
