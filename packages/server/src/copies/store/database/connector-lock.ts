/** Lock of a connector between its deletion and what creates state of it. */
import type { Session } from './database.ts'

/** Arbitrary class of the advisory locks of connectors, whose key is the connector's number. */
const connectorLocks = 721_499_504

/**
 * Waits for a running deletion of a connector, and blocks a new one until the end of the transaction. An advisory lock, because two
 * transactions of Citus that lock rows of a reference table `for share` wait for each other.
 * @returns false when the connector was deleted
 */
export async function holdConnector(session: Session, number: number): Promise<boolean> {
  await session.query({ text: 'select pg_advisory_xact_lock_shared($1, $2)', values: [connectorLocks, number] })
  const { rows } = await session.query({ text: 'select from cs_connectors where number = $1 and not removed', values: [number] })
  return rows.length > 0
}

/** Waits for transactions that hold a connector, and blocks new ones until the end of the transaction. */
export const blockConnector = (session: Session, number: number) =>
  session.query({ text: 'select pg_advisory_xact_lock($1, $2)', values: [connectorLocks, number] })
