/** Tables of all searchable entities that this process knows. Tables are created when they are first needed. */
import type { ConnectorDefinition, EntityDefinition } from 'ferrule/definition'
import { fail, isObject } from 'ferrule/internal'
import type { Run } from '../database/database.ts'
import type { TableLayout } from '../database/layout.ts'
import { changeSchema } from '../database/requirements.ts'
import { buildSearchTable, nameSearchTable, quoteName, type SearchTable, withTokenVersion } from '../query/columns.ts'
import { createRowEncoder, type RowEncoder } from './row-encoder.ts'
import {
  buildCreation,
  buildExtension,
  buildOwnIndexPattern,
  buildRemoval,
  buildShape,
  type Change,
  findChange,
  findOutgrownColumns,
  listIndexes,
  type Shape,
  surplusIndexes,
} from './tables.ts'

/** A table with the encoder of its rows. */
class EncodedTable {
  readonly table: SearchTable
  readonly #versions: readonly [SearchTable, ...SearchTable[]]
  #encoder: RowEncoder | undefined

  /** @param versions the table with each version of the words that the encoder writes; by default the table itself */
  constructor(table: SearchTable, versions: readonly [SearchTable, ...SearchTable[]] = [table]) {
    this.table = table
    this.#versions = versions
  }

  /** Made at its first use, because the encoders of all tables take a tenth of a start. */
  get encoder(): RowEncoder {
    this.#encoder ??= createRowEncoder(...this.#versions)
    return this.#encoder
  }
}

/** A known table with the encoder of its rows. */
export class KnownTable extends EncodedTable {
  #first: EncodedTable | undefined

  /** For copies with words of the first token rules: the table that searches use, and an encoder that writes the words of both rules. */
  get first(): EncodedTable {
    const table = this.#first?.table ?? withTokenVersion(this.table, 1)
    this.#first ??= new EncodedTable(table, [this.table, table])
    return this.#first
  }
}

/** Called when a table changed, because its copy must be filled again. */
export type OnTableChange = (table: SearchTable, change: Exclude<Change, 'none' | 'renewed'>) => void

/** Known tables, and which of them exist. */
export class TableRegistry {
  /** Kind and searchable entity by their joined name. */
  readonly #entities = new Map<string, readonly [kind: string, entity: string, definition: EntityDefinition]>()
  /** Tables that were asked for. */
  readonly #known = new Map<string, KnownTable>()
  readonly #ready = new Set<string>()
  readonly #renewing = new Set<string>()
  readonly #onChange: OnTableChange | undefined
  /** Set by `prepare`. */
  #layout: TableLayout = 'postgres'

  constructor(onChange?: OnTableChange) {
    this.#onChange = onChange
  }

  /** Adds the searchable entities of a kind. */
  add(definition: Pick<ConnectorDefinition, 'kind' | 'entities'>): void {
    for (const [entity, each] of Object.entries(definition.entities)) {
      if (each.context_store_search === undefined) continue
      const name = `${definition.kind}.${entity}`
      this.#entities.set(name, [definition.kind, entity, each])
      this.#known.delete(name)
      this.#ready.delete(nameSearchTable(definition.kind, entity))
    }
  }

  /** Finds the table of an entity. */
  find(kind: string, entity: string): KnownTable | undefined {
    const name = `${kind}.${entity}`
    const known = this.#known.get(name)
    const described = this.#entities.get(name)
    if (known !== undefined || described === undefined) return known
    const table = new KnownTable(buildSearchTable(...described))
    this.#known.set(name, table)
    return table
  }

  /**
   * Returns the table of an entity.
   * @throws FerruleError `definition_invalid` when its kind is unknown or it offers no search
   */
  get(kind: string, entity: string): KnownTable {
    const known = this.find(kind, entity)
    if (known === undefined) throw fail('definition_invalid', { reason: `${kind}.${entity} has no table in the context store` })
    return known
  }

  /** Returns whether the table exists and is current. */
  isReady(table: SearchTable): boolean {
    return this.#ready.has(table.name)
  }

  /** Updates existing tables after the database was opened. Creates none. */
  async prepare(layout: TableLayout, run: Run): Promise<void> {
    this.#layout = layout
    this.#ready.clear()
    this.#renewing.clear()
    const shapes = await readShapes(run)
    for (const [kind, entity] of this.#entities.values()) {
      if (!shapes.has(nameSearchTable(kind, entity))) continue
      const { table } = this.get(kind, entity)
      await this.#update(table, run)
      if (!(await isOutgrown(table, run))) continue
      await changeSchema(this.#layout, run, () => dropOutgrown(table, run))
      this.#renewing.delete(table.name)
    }
  }

  /**
   * Checks whether a table exists; another node may have created it.
   * @returns true when the table is ready
   */
  async checkTable(table: SearchTable, run: Run): Promise<boolean> {
    if (this.isReady(table)) return true
    const shapes = await readShapes(run)
    if (findChange(table, shapes.get(table.name)) !== 'none') return false
    await this.#setReady(table, run)
    return true
  }

  /** Lists the tables with copies that may still have words of the first token rules. */
  listRenewing(): readonly KnownTable[] {
    return [...this.#known.values()].filter(({ table }) => this.#renewing.has(table.name))
  }

  /** Creates or updates a table. */
  async createTable(table: SearchTable, run: Run): Promise<void> {
    if (!this.isReady(table)) await this.#update(table, run)
  }

  async #update(table: SearchTable, run: Run): Promise<void> {
    let change: Change = 'none'
    if (findChange(table, (await readShapes(run)).get(table.name)) !== 'none')
      await changeSchema(this.#layout, run, async () => {
        const stored = (await readShapes(run)).get(table.name) // another node may have been first
        change = findChange(table, stored)
        if (change === 'none') return
        if (stored !== undefined && stored.tokens === undefined && change !== 'remade') await markRenewing(table, run)
        const isRenewing = await isMarked(table, run)
        const hasLz4 = this.#layout === 'postgres' && (await supportsLz4(run))
        for (const text of this.#buildStatements(table, change, { isRenewing, hasLz4 })) await run({ text })
        if (change === 'extended') await dropSurplus(isRenewing ? [table, withTokenVersion(table, 1)] : [table], run)
        await recordShape(table, change, run)
      })
    await this.#setReady(table, run)
    if (change !== 'none' && change !== 'renewed') this.#onChange?.(table, change)
  }

  async #setReady(table: SearchTable, run: Run): Promise<void> {
    if (await isMarked(table, run)) this.#renewing.add(table.name)
    this.#ready.add(table.name)
  }

  #buildStatements(
    table: SearchTable,
    change: Exclude<Change, 'none'>,
    { isRenewing, hasLz4 }: { isRenewing: boolean; hasLz4: boolean },
  ): readonly string[] {
    if (change === 'extended' || change === 'renewed') return buildExtension(table, isRenewing)
    return [...buildRemoval(table), ...buildCreation(table, { layout: this.#layout, hasLz4 })]
  }
}

const isShape = (value: unknown): value is Shape => isObject(value) && isObject(value['columns']) && isObject(value['fields'])

async function readShapes(run: Run): Promise<ReadonlyMap<string, Shape>> {
  const { rows } = await run({ text: 'select name, shape from cs_tables' })
  return new Map(
    rows.flatMap(({ name, shape }) => {
      const parsed: unknown = JSON.parse(String(shape))
      return isShape(parsed) ? [[String(name), parsed]] : []
    }),
  )
}

/** Returns whether the server was built with LZ4. */
async function supportsLz4(run: Run): Promise<boolean> {
  const { rows } = await run({ text: "select 'lz4' = any(enumvals) as has from pg_settings where name = 'default_toast_compression'" })
  return rows[0]?.['has'] === true
}

/** Drops the store's own indexes that no given version of a table has. */
async function dropSurplus(tables: readonly [SearchTable, ...SearchTable[]], run: Run): Promise<void> {
  const stay = tables.flatMap(listIndexes).map(({ name }) => name)
  const { rows } = await run({ text: surplusIndexes, values: [tables[0].name, buildOwnIndexPattern(tables[0]), stay] })
  for (const { name } of rows) await run({ text: `drop index "${name}"` })
}

/** Names the mark in `cs_meta` of a table with columns of the first token rules. */
const nameMark = (table: SearchTable): string => `renewing ${table.name}`

const markRenewing = (table: SearchTable, run: Run) =>
  run({ text: `insert into cs_meta (name, value) values ($1, '1') on conflict do nothing`, values: [nameMark(table)] })

const isMarked = async (table: SearchTable, run: Run): Promise<boolean> =>
  (await run({ text: 'select from cs_meta where name = $1', values: [nameMark(table)] })).rows.length > 0

/** Returns whether no search uses the first token rules any more. */
async function isOutgrown(table: SearchTable, run: Run): Promise<boolean> {
  const text = 'select from cs_entities where name = $1 and (tokens = 1 or renewed is not null) limit 1'
  return (await isMarked(table, run)) && (await run({ text, values: [table.name] })).rows.length === 0
}

async function dropOutgrown(table: SearchTable, run: Run): Promise<void> {
  if (!(await isOutgrown(table, run))) return // another node was first
  await dropSurplus([table], run)
  for (const name of findOutgrownColumns(table))
    await run({ text: `alter table ${quoteName(table.name)} drop column if exists ${quoteName(name)}` })
  await run({ text: 'delete from cs_meta where name = $1', values: [nameMark(table)] })
}

/**
 * Saves the new shape. Deletes checkpoints, because a known table must be filled again: a new column is empty, and a recreated table has
 * no rows. These statements work on all machines of Citus, so a new table, which has none, does without.
 */
async function recordShape(table: SearchTable, change: Change, run: Run): Promise<void> {
  await run({
    text: `insert into cs_tables (name, kind, entity, shape) values ($1, $2, $3, $4) on conflict (name) do update set shape = excluded.shape`,
    values: [table.name, table.kind, table.entity, JSON.stringify(buildShape(table))],
  })
  if (change === 'renewed' || change === 'created') return
  await run({ text: 'delete from cs_checkpoints where name = $1', values: [table.name] })
  await run({ text: 'delete from cs_seen where name = $1', values: [table.name] })
  if (change === 'extended') await run({ text: 'update cs_entities set pass = null where name = $1', values: [table.name] })
  else {
    for (const own of ['cs_entities', 'cs_indexes']) await run({ text: `delete from ${own} where name = $1`, values: [table.name] })
    await run({ text: 'delete from cs_meta where name = $1', values: [nameMark(table)] })
  }
}
