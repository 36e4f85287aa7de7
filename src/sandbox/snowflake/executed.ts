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
  /** Adds one that begins. @returns tells how it ended */
  begin(entry: Omit<ExecutedStatement, 'outcome' | 'rows'>): (outcome: ExecutedStatement['outcome'], rows?: number) => void
  /** Oldest first, 10,000 at most. */
  list(): readonly ExecutedStatement[]
  clear(): void
}

const kept = 10_000
const keptText = 2000

/** An empty log. */
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
