/** State of an entity of a connector: its row in `cs_entities`, which writers lock. */
import { randomInt } from 'node:crypto'
import { fail } from 'ferrule/internal'
import { holdConnector } from './database/connector-lock.ts'
import type { Row, Session } from './database/database.ts'
import type { ConnectorTable } from './registry.ts'

/** State of an entity of a connector. Writers lock it, so they run one after the other. */
interface CopyState {
  readonly records: number
  /** Time of the last deletion, in milliseconds since 1970. */
  readonly deletedAt: number
  readonly pass: string | null
  /** Number of changes of the rows and of their passes: while it stays, a page that was stored is still stored. */
  readonly changes: bigint
}

/** The counts of changes begin anywhere, so a recreated entity does not repeat the counts that searches and live reads remember. */
const latestBegin = 2 ** 47

/** Locks the state of an entity until the end of the transaction; creates it for the first batch. */
export async function lockState(session: Session, { number, known }: ConnectorTable): Promise<CopyState> {
  const taken = await lockExistingState(session, number, known.table.name)
  if (taken !== undefined) return taken
  if (!(await holdConnector(session, number))) throw fail('connector_not_found', {})
  await session.query({
    text: 'insert into cs_entities (connector_id, name, listed, changes) values ($1, $2, $3, $3) on conflict do nothing',
    values: [number, known.table.name, randomInt(latestBegin)],
  })
  return (
    (await lockExistingState(session, number, known.table.name)) ?? {
      records: 0,
      deletedAt: 0,
      pass: null,
      changes: 0n,
    }
  )
}

/**
 * Locks the state of an entity until the end of the transaction; undefined before its first batch. The statement reads nothing else: it
 * reads other tables as they were before it waited.
 */
export async function lockExistingState(session: Session, number: number, name: string): Promise<CopyState | undefined> {
  const { rows } = await session.query<Row>({
    name: 'cs_state',
    text: 'select records, deleted_at, pass, changes from cs_entities where connector_id = $1 and name = $2 for update',
    values: [number, name],
  })
  const [row] = rows
  if (row === undefined) return undefined
  const { records, deleted_at: deletedAt, pass, changes } = row
  return {
    records: Number(records),
    deletedAt: Number(deletedAt),
    pass: typeof pass === 'string' ? pass : null,
    changes: BigInt(String(changes)),
  }
}

/** A change of the rows of an entity. */
export interface CountChange {
  /** Created minus deleted rows. */
  readonly by: number
  /** Time of a deletion, in milliseconds since 1970. */
  readonly removedAt?: number
  /** True when rows were replaced. */
  readonly hasUpdated?: boolean
  /** True when words were listed: searches that looked up words before must look them up again (`lookups.ts`). */
  readonly hasListed?: boolean
}

/**
 * Updates the counts of an entity.
 * @returns whether anything has changed
 */
export async function updateCounts(session: Session, { number, known }: ConnectorTable, change: CountChange): Promise<boolean> {
  const { by, removedAt, hasUpdated = false, hasListed = false } = change
  if (by === 0 && removedAt === undefined && !hasUpdated && !hasListed) return false
  await session.query({
    name: 'cs_count',
    text: `update cs_entities set records = records + $3, deleted_at = greatest(deleted_at, $4), listed = listed + $5,
        changes = changes + 1
      where connector_id = $1 and name = $2`,
    values: [number, known.table.name, by, removedAt ?? 0, hasListed ? 1 : 0],
  })
  return true
}
