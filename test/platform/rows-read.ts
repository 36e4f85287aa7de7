/** Counts the rows that PostgreSQL reads for statements. */

import pg from 'pg'
import { vi } from 'vitest'

/** A statement as the driver of PostgreSQL receives it. */
export interface Sent {
  readonly text: string
  readonly values: readonly unknown[]
}

/** Returns the statements that some work sends to the platform's PostgreSQL, without those to the context store. */
export async function recordStatements(work: () => Promise<unknown>): Promise<readonly Sent[]> {
  const spy = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await work()
    return spy.mock.calls.flatMap(([given]: readonly unknown[]) => {
      const { text, values } = typeof given === 'object' && given !== null ? (given as Partial<Sent>) : {}
      return text === undefined || !/^(select|insert|update|delete|with)\b/i.test(text) || /\bcs_/.test(text)
        ? []
        : [{ text, values: values ?? [] }]
    })
  } finally {
    spy.mockRestore()
  }
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Actual Rows'?: number
  readonly 'Actual Loops'?: number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

/** Sums the rows that the scans of a plan read, with those that a condition then removed. */
function sumRows(node: PlanNode): number {
  const within = (node.Plans ?? []).reduce((sum, plan) => sum + sumRows(plan), 0)
  if (!node['Node Type'].endsWith('Scan') || node['Node Type'] === 'Bitmap Heap Scan') return within
  return within + ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * (node['Actual Loops'] ?? 1)
}

/** Runs statements once more and returns the rows that each has read. Rolls their changes back. */
export async function countRowsRead(url: string, statements: readonly Sent[]): Promise<readonly number[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const counts: number[] = []
    for (const { text, values } of statements) {
      await client.query('begin')
      const { rows } = await client.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>({
        text: `explain (analyze, timing off, format json) ${text}`,
        values: [...values],
      })
      const [plan] = rows[0]?.['QUERY PLAN'] ?? []
      counts.push(plan === undefined ? 0 : sumRows(plan.Plan))
      await client.query('rollback')
    }
    return counts
  } finally {
    await client.end()
  }
}
