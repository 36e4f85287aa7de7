/** What is read of a connector beside its records. */
import { quoted } from '../query/columns.ts'
import type { Row, Statement } from './database.ts'
import type { Place } from './writes.ts'

/** Records of each entity of a connector. */
export const countsStatement = (number: number): Statement => ({
  name: 'cs_counts',
  text: 'select t.entity, e.records from cs_entities e join cs_tables t using (name) where e.connector_id = $1',
  values: [number],
})

/** The rows of `countsStatement`, by entity. */
export const countsOf = (rows: readonly Row[]): ReadonlyMap<string, number> =>
  new Map(rows.map(({ entity, records }) => [String(entity), Number(records)]))

/** Whether an entity of a connector is searched by old token rules. */
export const isOldStatement = ({ number, known }: Place): Statement => ({
  name: 'cs_is_old',
  text: 'select from cs_entities where connector_id = $1 and name = $2 and tokens = 1',
  values: [number, known.table.name],
})

/** Progress of an entity of a connector. */
export const checkpointsStatement = ({ number, known }: Place): Statement => ({
  name: 'cs_checkpoints',
  text: 'select part, value from cs_checkpoints where connector_id = $1 and name = $2',
  values: [number, known.table.name],
})

/** The rows of `checkpointsStatement`, by part. */
export const checkpointsOf = (rows: readonly Row[]): ReadonlyMap<string, string> =>
  new Map(rows.map(({ part, value }) => [String(part), String(value)]))

/** Some keys of an entity: so many behind one. */
export interface KeysFrom {
  readonly after?: string | undefined
  readonly limit: number
}

/** Keys of an entity of a connector in their order. */
export const keysStatement = ({ number, known }: Place, from: KeysFrom): Statement => ({
  text: `select pk from ${quoted(known.table.name)} where connector_id = $1 and pk > $2 order by pk limit $3`,
  values: [number, from.after ?? '', from.limit],
})

/** Those of some keys that are stored. */
export const knownStatement = ({ number, known }: Place, keys: readonly string[]): Statement => ({
  ...known.writer.probe,
  values: [number, keys],
})

/** Keys of rows. */
export const pksOf = (rows: readonly Row[]): readonly string[] => rows.map(({ pk }) => String(pk))

/** Numbers of connectors that are remembered. */
const rememberedNumbers = 10_000

/** Numbers of connectors that were found lately. */
export class ConnectorNumbers extends Map<string, number> {
  /** Keeps one; the one that was kept first is forgotten when there are too many. */
  override set(connector: string, number: number): this {
    const [oldest] = this.keys()
    if (this.size >= rememberedNumbers && oldest !== undefined) this.delete(oldest)
    return super.set(connector, number)
  }
}
