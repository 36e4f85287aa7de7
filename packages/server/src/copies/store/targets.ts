/** Finds the rows of entities: the number of a connector, and the table of an entity. Deletes the rows of a connector. */
import { BoundedMap, fail } from 'ferrule/internal'
import { isMovingShards } from '../../db/connections/problems.ts'
import type { EntityRef } from '../entity-ref.ts'
import { quoteName, type SearchTable } from '../search/columns.ts'
import type { ConnectorTable } from './copy-state.ts'
import { blockConnector } from './database/connector-lock.ts'
import type { ContextDatabase, Row, Session } from './database/database.ts'
import { schemaMs } from './database/requirements.ts'
import type { TableRegistry } from './registry.ts'
import { buildClearStatement } from './row-encoder.ts'

/** Rows deleted per transaction. */
const stepRows = 5_000

/** Finds the number of a connector; undefined when it has no records or was deleted. */
async function findNumber(database: ContextDatabase, connector: string): Promise<number | undefined> {
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

/**
 * Milliseconds between attempts to create a table while Citus moves shards. A rebalancing makes one move after the other, so only short pauses
 * meet the time between two. After the last one the caller tries again, as without the database.
 */
const movePausesMs = Array.from({ length: 60 }, () => 500)

/** Rows of a connector, valid while the database of the epoch is in use. */
export type NumberedTarget = ConnectorTable & { readonly epoch: number }

/** What targets are found in. */
export interface TargetParts {
  readonly registry: TableRegistry
  readonly database: () => Promise<ContextDatabase>
  /** Returns whether there is a database already. */
  readonly hasDatabase: () => boolean
  /** Counts replacements of the database: a replacement has other connector numbers. */
  readonly epoch: () => number
  /** Waits some milliseconds. */
  readonly rest: (ms: number) => Promise<void>
}

/** Maximum number of connectors whose number is remembered. */
const rememberedNumbers = 10_000

/** The targets of a store, with the numbers of connectors that it knows. */
export class Targets {
  readonly #parts: TargetParts
  readonly #numbers = new BoundedMap<string, number>(rememberedNumbers)

  constructor(parts: TargetParts) {
    this.#parts = parts
  }

  /** Forgets the number of a connector, or all numbers. */
  forget(connector?: string): void {
    if (connector === undefined) this.#numbers.clear()
    else this.#numbers.delete(connector)
  }

  /** Finds the number of a connector; undefined when it has no records. */
  async findNumber(connector: string): Promise<{ readonly number: number; readonly epoch: number } | undefined> {
    if (!this.#parts.hasDatabase()) return undefined
    const database = await this.#parts.database()
    const epoch = this.#parts.epoch()
    const number = this.#numbers.get(connector) ?? (await findNumber(database, connector))
    if (number === undefined) return undefined
    this.#numbers.set(connector, number)
    return { number, epoch }
  }

  /** Finds the rows of an entity; undefined when nothing of it was ever stored. */
  async find({ connector, kind, entity }: EntityRef): Promise<NumberedTarget | undefined> {
    const { registry } = this.#parts
    const known = registry.get(kind, entity)
    const found = await this.findNumber(connector)
    if (found === undefined) return undefined
    const database = await this.#parts.database()
    return (await registry.checkTable(known.table, (statement) => database.query(statement))) ? { ...found, known } : undefined
  }

  /**
   * Finds the rows of an entity, and creates what is missing.
   * @throws FerruleError `connector_not_found` when the connector was deleted
   */
  async create({ connector, kind, entity }: EntityRef): Promise<NumberedTarget> {
    const { registry } = this.#parts
    const known = registry.get(kind, entity)
    const database = await this.#parts.database()
    const epoch = this.#parts.epoch()
    const found = await this.findNumber(connector)
    const number = found?.number ?? (await database.transaction((session) => assignNumber(session, connector)))
    if (number === undefined) throw fail('connector_not_found', {})
    this.#numbers.set(connector, number)
    if (!registry.isReady(known.table)) await this.#createTable(known.table, database)
    return { number, known, epoch }
  }

  /** Creates a table. While Citus moves shards it waits, without a connection. */
  async #createTable(table: SearchTable, database: ContextDatabase): Promise<void> {
    const { registry, rest } = this.#parts
    for (const pauseMs of [...movePausesMs, undefined]) {
      try {
        return await database.withConnection((run) => registry.createTable(table, run), { timeoutMs: schemaMs })
      } catch (thrown) {
        if (pauseMs === undefined || !isMovingShards(thrown)) throw thrown
        await rest(pauseMs)
      }
    }
  }
}
