/** Connectors in the context database: their numbers, and their removal. */
import { quoted } from '../query/columns.ts'
import type { ContextDatabase, Row, Session } from './database.ts'
import { clearing } from './writer.ts'

/** Rows that one step of a removal takes. */
const stepRows = 5_000

/** The number of a connector; undefined when nothing of it was ever written, or it was removed. */
export async function findNumber(database: ContextDatabase, connector: string): Promise<number | undefined> {
  const { rows } = await database.query<Row>({
    name: 'cs_number',
    text: 'select number from cs_connectors where id = $1::uuid and not removed',
    values: [connector],
  })
  return rows[0] === undefined ? undefined : Number(rows[0]['number'])
}

/** The number of a connector, which is given out when it has none. @returns undefined when it was removed */
export async function giveNumber(session: Session, connector: string): Promise<number | undefined> {
  await session.query({ text: 'insert into cs_connectors (id) values ($1::uuid) on conflict do nothing', values: [connector] })
  const { rows } = await session.query<Row>({
    text: 'select number from cs_connectors where id = $1::uuid and not removed',
    values: [connector],
  })
  return rows[0] === undefined ? undefined : Number(rows[0]['number'])
}

/**
 * Marks a connector as removed. From then on nothing can be written for it: running writes are waited for, later ones are refused. The
 * mark stays, because a late write must not bring the connector back.
 */
export async function markRemoved(session: Session, connector: string): Promise<void> {
  await session.query({
    text: 'insert into cs_connectors (id, removed) values ($1::uuid, true) on conflict (id) do update set removed = true',
    values: [connector],
  })
  for (const own of ['cs_entities', 'cs_indexes'])
    await session.query({
      text: `delete from ${own} where connector_id = (select number from cs_connectors where id = $1::uuid)`,
      values: [connector],
    })
}

/** Numbers of connectors that were marked and whose rows are not all gone. */
export async function removedNumbers(database: ContextDatabase): Promise<readonly number[]> {
  const { rows } = await database.query<Row>({ text: 'select number from cs_connectors where removed and not cleared order by number' })
  return rows.map(({ number }) => Number(number))
}

/** Removes all rows of a connector that was marked, some at a time. After a kill it is called again. */
export async function clearRows(database: ContextDatabase, number: number): Promise<void> {
  const { rows } = await database.query<Row>({ text: 'select name from cs_tables' })
  for (const table of [...rows.map(({ name }) => quoted(String(name))), 'cs_terms', 'cs_seen', 'cs_gone', 'cs_checkpoints'])
    await clearTable(database, table, number)
  await database.transaction((session) =>
    session.query({ text: 'update cs_connectors set cleared = true where number = $1 and removed', values: [number] }),
  )
}

async function clearTable(database: ContextDatabase, table: string, number: number): Promise<void> {
  const statement = { text: clearing(table), values: [number, stepRows] }
  for (let more = true; more; ) more = (await database.transaction((session) => session.query(statement))).count > 0
}
