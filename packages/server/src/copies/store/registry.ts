/** Tables of all searchable entities that this process knows. Tables are created when they are first needed. */
import type { ConnectorDefinition, EntityDefinition } from 'ferrule/definition'
import { fail, isObject } from 'ferrule/internal'
import { buildSearchTable, nameSearchTable, type SearchTable } from '../search/columns.ts'
import type { RunStatement } from './database/database.ts'
import type { TableLayout } from './database/layout.ts'
import { changeSchema } from './database/requirements.ts'
import { createRowEncoder, type RowEncoder } from './row-encoder.ts'
import {
  buildCreation,
  buildExtension,
  buildOwnIndexPattern,
  buildRemoval,
  buildShape,
  type Change,
  findChange,
  listIndexes,
  type Shape,
  surplusIndexes,
} from './tables.ts'

/** A known table with the encoder of its rows. */
export class KnownTable {
  readonly table: SearchTable
  #encoder: RowEncoder | undefined

  constructor(table: SearchTable) {
    this.table = table
  }

  /** Made at its first use, because the encoders of all tables take a tenth of a start. */
  get encoder(): RowEncoder {
    this.#encoder ??= createRowEncoder(this.table)
    return this.#encoder
  }
}

/** Called when a table changed, because its copy must be filled again. */
export type OnTableChange = (table: SearchTable, change: Exclude<Change, 'none'>) => void

/** Known tables, and which of them exist. */
export class TableRegistry {
  /** Kind and searchable entity by their joined name. */
  readonly #entities = new Map<string, readonly [kind: string, entity: string, definition: EntityDefinition]>()
  /** Tables that were asked for. */
  readonly #known = new Map<string, KnownTable>()
  readonly #ready = new Set<string>()
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
  async prepare(layout: TableLayout, run: RunStatement): Promise<void> {
    this.#layout = layout
    this.#ready.clear()
    const shapes = await readShapes(run)
    for (const [kind, entity] of this.#entities.values()) {
      if (!shapes.has(nameSearchTable(kind, entity))) continue
      const { table } = this.get(kind, entity)
      await this.#update(table, run)
    }
  }

  /**
   * Checks whether a table exists; another node may have created it.
   * @returns true when the table is ready
   */
  async checkTable(table: SearchTable, run: RunStatement): Promise<boolean> {
    if (this.isReady(table)) return true
    const shapes = await readShapes(run)
    if (findChange(table, shapes.get(table.name)) !== 'none') return false
    this.#ready.add(table.name)
    return true
  }

  /** Creates or updates a table. */
  async createTable(table: SearchTable, run: RunStatement): Promise<void> {
    if (!this.isReady(table)) await this.#update(table, run)
  }

  async #update(table: SearchTable, run: RunStatement): Promise<void> {
    let change: Change = 'none'
    if (findChange(table, (await readShapes(run)).get(table.name)) !== 'none')
      await changeSchema(this.#layout, run, async () => {
        const stored = (await readShapes(run)).get(table.name) // another node may have been first
        change = findChange(table, stored)
        if (change === 'none') return
        const hasLz4 = this.#layout === 'postgres' && (await supportsLz4(run))
        for (const text of this.#buildStatements(table, change, hasLz4)) await run({ text })
        if (change === 'extended') await dropSurplus(table, run)
        await recordShape(table, change, run)
      })
    this.#ready.add(table.name)
    if (change !== 'none') this.#onChange?.(table, change)
  }

  #buildStatements(table: SearchTable, change: Exclude<Change, 'none'>, hasLz4: boolean): readonly string[] {
    if (change === 'extended') return buildExtension(table)
    return [...buildRemoval(table), ...buildCreation(table, { layout: this.#layout, hasLz4 })]
  }
}

const isShape = (value: unknown): value is Shape => isObject(value) && isObject(value['columns']) && isObject(value['fields'])

async function readShapes(run: RunStatement): Promise<ReadonlyMap<string, Shape>> {
  const { rows } = await run({ text: 'select name, shape from cs_tables' })
  return new Map(
    rows.flatMap(({ name, shape }) => {
      const parsed: unknown = JSON.parse(String(shape))
      return isShape(parsed) ? [[String(name), parsed]] : []
    }),
  )
}

/** Returns whether the server was built with LZ4. */
async function supportsLz4(run: RunStatement): Promise<boolean> {
  const { rows } = await run({ text: "select 'lz4' = any(enumvals) as has from pg_settings where name = 'default_toast_compression'" })
  return rows[0]?.['has'] === true
}

/** Drops the store's own indexes that the table does not have any more. */
async function dropSurplus(table: SearchTable, run: RunStatement): Promise<void> {
  const stay = listIndexes(table).map(({ name }) => name)
  const { rows } = await run({ text: surplusIndexes, values: [table.name, buildOwnIndexPattern(table), stay] })
  for (const { name } of rows) await run({ text: `drop index "${name}"` })
}

/**
 * Saves the new shape. Deletes checkpoints, because a known table must be filled again: a new column is empty, and a recreated table has
 * no rows. These statements work on all machines of Citus, so a new table, which has none, does without.
 */
async function recordShape(table: SearchTable, change: Change, run: RunStatement): Promise<void> {
  await run({
    text: `insert into cs_tables (name, kind, entity, shape) values ($1, $2, $3, $4) on conflict (name) do update set shape = excluded.shape`,
    values: [table.name, table.kind, table.entity, JSON.stringify(buildShape(table))],
  })
  if (change === 'created') return
  await run({ text: 'delete from cs_checkpoints where name = $1', values: [table.name] })
  await run({ text: 'delete from cs_seen where name = $1', values: [table.name] })
  if (change === 'extended') await run({ text: 'update cs_entities set pass = null where name = $1', values: [table.name] })
  else {
    for (const own of ['cs_entities', 'cs_indexes']) await run({ text: `delete from ${own} where name = $1`, values: [table.name] })
  }
}
