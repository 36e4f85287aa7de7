/** Connectors in the context database: their numbers and their deletion. */

import { quoteName } from '../search/columns.ts'
import { blockConnector } from './database/connector-lock.ts'
import type { ContextDatabase, Row, Session } from './database/database.ts'
import { buildClearStatement } from './row-encoder.ts'

/** Rows deleted per transaction. */
const stepRows = 5_000

/** Finds the number of a connector; undefined when it has no records or was deleted. */
export async function findNumber(database: ContextDatabase, connector: string): Promise<number | undefined> {
  const { rows } = await database.query<Row>({
    name: 'cs_number',
    text: 'select number from cs_connectors where id = $1::uuid and not removed',
    values: [connector],
  })
  return rows[0] === undefined ? undefined : Number(rows[0]['number'])
}

/**
 * Returns the number of a connector, and assigns one if needed.
 * @returns undefined when the connector was deleted
 */
export async function assignNumber(session: Session, connector: string): Promise<number | undefined> {
  await session.query({ text: 'insert into cs_connectors (id) values ($1::uuid) on conflict do nothing', values: [connector] })
  const { rows } = await session.query<Row>({
    text: 'select number from cs_connectors where id = $1::uuid and not removed',
    values: [connector],
  })
  return rows[0] === undefined ? undefined : Number(rows[0]['number'])
}

/**
 * Marks a connector as deleted. Waits for running writes; later ones are refused. The mark stays, because a late write must not restore
 * the connector.
 */
export async function markRemoved(session: Session, number: number): Promise<void> {
  await blockConnector(session, number)
  await session.query({ text: 'update cs_connectors set removed = true where number = $1', values: [number] })
  for (const own of ['cs_entities', 'cs_indexes'])
    await session.query({ text: `delete from ${own} where connector_id = $1`, values: [number] })
}

/** Finds the numbers of deleted connectors that still have rows. */
export async function findRemovedNumbers(database: ContextDatabase): Promise<readonly number[]> {
  const { rows } = await database.query<Row>({ text: 'select number from cs_connectors where removed and not cleared order by number' })
  return rows.map(({ number }) => Number(number))
}

/** Deletes all rows of a deleted connector in steps. Call it again after a kill. */
export async function deleteConnectorRows(database: ContextDatabase, number: number): Promise<void> {
  const { rows } = await database.query<Row>({ text: 'select name from cs_tables' })
  for (const table of [...rows.map(({ name }) => quoteName(String(name))), 'cs_terms', 'cs_seen', 'cs_gone', 'cs_checkpoints'])
    await deleteTableRows(database, table, number)
  await database.transaction((session) =>
    session.query({ text: 'update cs_connectors set cleared = true where number = $1 and removed', values: [number] }),
  )
}

async function deleteTableRows(database: ContextDatabase, table: string, number: number): Promise<void> {
  const statement = { text: buildClearStatement(table), values: [number, stepRows] }
  for (let more = true; more; ) more = (await database.transaction((session) => session.query(statement))).count > 0
}
