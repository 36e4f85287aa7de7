/** How tables lie in the database: in partitions of one server, or distributed over several machines by Citus. */
import { fail } from 'ferrule/internal'
import type { EngineName, ReadOptions, RunStatement } from './database.ts'
import type { ContextStoreSettings } from './settings.ts'

/** `citus`: each table is distributed by the connector, so all rows of a connector are on one machine. */
export type TableLayout = EngineName | 'citus'

const setting = 'FERRULE_CONTEXT_DISTRIBUTED'
/** The first distributed table; the others lie beside it. */
const first = 'cs_entities'

/** Number of partitions of each table of records. Partitions keep indexes small; a single session needs few. Citus has shards instead. */
const partitions: Readonly<Record<TableLayout, number>> = { embedded: 4, postgres: 16, citus: 0 }

/** Reserves room on each page for new versions of rows. An update of columns without an index then changes no index. */
const storage = 'with (fillfactor = 90)'

const isPlaced = (table: string): string => `exists (select from pg_dist_partition where logicalrelid = '"${table}"'::regclass)`

/** Builds the statement that distributes a table by connector, unless it is distributed. */
export const buildDistribution = (table: string): string =>
  `select create_distributed_table('"${table}"', 'connector_id', colocate_with => '${table === first ? 'none' : first}') where not ${isPlaced(table)}`

/** Builds the statement that keeps a copy of a small table on each machine, unless it is there. */
export const buildReference = (table: string): string => `select create_reference_table('"${table}"') where not ${isPlaced(table)}`

/** Lists the tables that have the rows of a table: its partitions, or itself. */
export const listLeaves = (name: string, layout: TableLayout): readonly string[] =>
  layout === 'citus' ? [name] : Array.from({ length: partitions[layout] }, (_, index) => `${name}_p${index}`)

/** Builds the statements that create a table with rows of many connectors. */
export function buildTable(name: string, columns: string, layout: TableLayout): readonly string[] {
  if (layout === 'citus') return [`create table if not exists "${name}" (${columns}) ${storage}`, buildDistribution(name)]
  const leaves = listLeaves(name, layout)
  return [
    `create table if not exists "${name}" (${columns}) partition by hash (connector_id)`,
    ...leaves.map(
      (leaf, index) =>
        `create table if not exists "${leaf}" partition of "${name}" for values with (modulus ${leaves.length}, remainder ${index}) ${storage}`,
    ),
  ]
}

/** Fits the options of a read to a layout. Citus plans the statement of one connector with its values, so no plan is kept. */
export const fitReadOptions = (layout: TableLayout, options: ReadOptions | undefined): ReadOptions | undefined =>
  layout === 'citus' ? { ...options, hasOnePlan: false } : options

const askFor = async (run: RunStatement, condition: string): Promise<boolean> =>
  (await run({ text: `select ${condition} as holds` })).rows[0]?.['holds'] === true

/**
 * Finds the layout of a database: that of its tables, else the wanted one.
 * @throws FerruleError `setting_invalid` when the tables or the server do not allow the wanted one
 */
export async function findLayout(run: RunStatement, settings: ContextStoreSettings): Promise<TableLayout> {
  if (settings.engine === 'embedded') return 'embedded'
  const { distribution: wanted = 'auto' } = settings
  const hasCitus = await askFor(run, "exists (select from pg_proc where proname = 'create_distributed_table')")
  const isFilled = await askFor(run, `to_regclass('${first}') is not null`)
  if (!isFilled && hasCitus) return wanted === 'none' ? 'postgres' : 'citus'
  const found = isFilled && hasCitus && (await askFor(run, isPlaced(first))) ? 'citus' : 'postgres'
  if (wanted === 'auto' || (found === 'citus') === (wanted === 'citus')) return found
  throw fail('setting_invalid', { name: setting, reason: describeRefusal({ hasCitus, found }) })
}

const describeRefusal = ({ hasCitus, found }: { hasCitus: boolean; found: TableLayout }): string => {
  if (!hasCitus)
    return 'the database has no Citus; let an administrator run `create extension citus` in it and add its workers, or leave the setting out'
  return found === 'citus'
    ? 'the tables of this database are distributed already; leave the setting out, or name another database'
    : 'the tables of this database are not distributed; name an empty database, which is filled again (/docs/scale-out), or leave the setting out'
}
