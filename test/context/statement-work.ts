/**
 * Counts the work of statements on PostgreSQL with the server's `auto_explain`: every row that a plan step returns or discards, including
 * statements within functions. A plan that rescans all rows for each row shows at a few thousand rows already, whatever the load of the
 * machine.
 */
import pg from 'pg'
import { vi } from 'vitest'

/** A plan step of `explain (analyze, format json)`. */
interface Step {
  readonly 'Actual Rows'?: number
  readonly 'Actual Loops'?: number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Join Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly Step[]
}

/** Work of one statement. */
export interface StatementWork {
  readonly text: string
  readonly rows: number
  /** The plan, for finding the cause. */
  readonly plan: string
}

/** Counts until it is stopped. */
export interface WorkCounter {
  /** Returns the statements since the last call. */
  take(): readonly StatementWork[]
  stop(): void
}

const rowsOf = (step: Step): number => {
  const own =
    (step['Actual Rows'] ?? 0) +
    (step['Rows Removed by Filter'] ?? 0) +
    (step['Rows Removed by Join Filter'] ?? 0) +
    (step['Rows Removed by Index Recheck'] ?? 0)
  return own * (step['Actual Loops'] ?? 0) + (step.Plans ?? []).reduce((sum, below) => sum + rowsOf(below), 0)
}

const settings = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_format': 'json',
  'auto_explain.log_level': 'notice',
  'auto_explain.log_nested_statements': 'on',
  // With this memory the planner treats a few thousand rows like a million rows with its usual memory.
  work_mem: '64kB',
} as const

/** Counts the statements of all connections to a database that are opened later. */
export async function countWork(url: string): Promise<WorkCounter> {
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  const name = new URL(url).pathname.slice(1)
  await admin.query("load 'auto_explain'") // the server knows the settings after this
  for (const [setting, value] of Object.entries(settings)) await admin.query(`alter database "${name}" set ${setting} = '${value}'`)
  await admin.end()
  let statements: StatementWork[] = []
  const connect = pg.Client.prototype.connect
  const spy = vi.spyOn(pg.Client.prototype, 'connect').mockImplementation(function (this: pg.Client, ...given) {
    this.on('notice', ({ message = '' }) => {
      const [, told] = /^duration: .* plan:\s*(\{.*)$/s.exec(message) ?? []
      if (told === undefined) return
      const { 'Query Text': text, Plan: plan }: { 'Query Text': string; Plan: Step } = JSON.parse(told)
      statements.push({ text, rows: rowsOf(plan), plan: told })
    })
    return connect.apply(this, given)
  })
  return {
    take: () => {
      const taken = statements
      statements = []
      return taken
    },
    stop: () => spy.mockRestore(),
  }
}
