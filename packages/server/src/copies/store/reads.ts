/** Statements that read data of a connector besides its records, and parsers of their rows. */
import { BoundedMap } from 'ferrule/internal'
import type { EntityRef } from '../entity-ref.ts'
import { buildRowCondition, parseTableName, quoteTable } from '../search/columns.ts'
import type { ContextDatabase, Row, Statement } from './database/database.ts'
import type { ConnectorTable } from './registry.ts'

/** Builds the statement that counts the records of each entity of a connector. */
export const buildCountsStatement = (number: number): Statement => ({
  name: 'cs_counts',
  text: 'select e.name, t.entity, e.records from cs_entities e left join cs_tables t on t.name = e.name where e.connector_id = $1',
  values: [number],
})

/** Parses the rows of `buildCountsStatement` into counts by entity. While rows of an own kind move, the entity has two of them. */
export function parseCounts(rows: readonly Row[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { name, entity, records } of rows) {
    const found = parseTableName(String(name))?.entity ?? entity
    if (typeof found === 'string') counts.set(found, (counts.get(found) ?? 0) + Number(records))
  }
  return counts
}

/** Builds the statement that reads how often the rows of an entity have changed. */
export const buildChangesStatement = ({ number, known }: ConnectorTable): Statement => ({
  name: 'cs_changes',
  text: 'select changes from cs_entities where connector_id = $1 and name = $2',
  values: [number, known.table.name],
})

/** Parses the row of `buildChangesStatement`; undefined without a row. */
export const parseChanges = ([row]: readonly Row[]): bigint | undefined => (row === undefined ? undefined : BigInt(String(row['changes'])))

/** Maximum number of remembered counts. */
const rememberedCounts = 10_000

/** Names the changes of an entity in a database. */
export const nameChanges = (epoch: number, { connector, entity }: EntityRef): string => `${epoch} ${connector} ${entity}`

type Counted = Pick<ContextDatabase, 'engine' | 'countWrites'>

/** Counts of changes that an embedded database is not asked for again: no other process writes to it. */
export class KnownChanges {
  readonly #known = new BoundedMap<string, { readonly database: Counted; readonly writes: number; readonly count: bigint | undefined }>(
    rememberedCounts,
  )

  /**
   * Returns the count of an entity, from memory while this process has written nothing.
   * @param name result of `nameChanges`
   */
  async read(database: Counted, name: string, ask: () => Promise<bigint | undefined>): Promise<bigint | undefined> {
    if (database.engine !== 'embedded') return ask()
    const writes = database.countWrites()
    const known = this.#known.get(name)
    if (known?.writes === writes) return known.count
    const count = await ask()
    this.#known.set(name, { database, writes, count })
    return count
  }

  /** Returns a count from memory; undefined if this process has written since. */
  peek(name: string): bigint | undefined {
    const known = this.#known.get(name)
    return known !== undefined && known.writes === known.database.countWrites() ? known.count : undefined
  }
}

/** Builds the statement that reads the checkpoints of an entity. */
export const buildCheckpointsStatement = ({ number, known }: ConnectorTable): Statement => ({
  name: 'cs_checkpoints',
  text: 'select part, value from cs_checkpoints where connector_id = $1 and name = $2',
  values: [number, known.table.name],
})

/** Parses the rows of `buildCheckpointsStatement` into JSON by name. */
export const parseCheckpoints = (rows: readonly Row[]): ReadonlyMap<string, string> =>
  new Map(rows.map(({ part, value }) => [String(part), String(value)]))

/** A page of keys, after a given key. */
export interface KeyPage {
  readonly after?: string | undefined
  readonly limit: number
}

/** Builds the statement that reads keys of an entity in their order. */
export const buildKeysStatement = ({ number, known }: ConnectorTable, from: KeyPage): Statement => ({
  text: `select pk from ${quoteTable(known.table)} where ${buildRowCondition(known.table)} and pk > $2 order by pk limit $3`,
  values: [number, from.after ?? '', from.limit],
})

/** Builds the statement that finds which of some keys are stored. */
export const buildKnownStatement = ({ number, known }: ConnectorTable, keys: readonly string[]): Statement => ({
  ...known.encoder.probe,
  values: [number, keys],
})

/** Parses rows into keys. */
export const parseKeys = (rows: readonly Row[]): readonly string[] => rows.map(({ pk }) => String(pk))
