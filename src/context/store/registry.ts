/** The tables of all searchable entities that this process knows, and their making at the moment when they are first needed. */
import type { ConnectorDefinition } from '../../definition/connector.ts'
import { isObject } from '../../definition/object.ts'
import { fail } from '../../errors.ts'
import { quoted, type SearchTable, searchTableOf, tableWithTokens } from '../query/columns.ts'
import type { EngineName, Run } from './database.ts'
import { changing } from './requirements.ts'
import {
  type Change,
  changeOf,
  creation,
  extension,
  indexesOf,
  outgrownColumns,
  ownIndexNames,
  removal,
  type Shape,
  shapeOf,
  surplusIndexes,
} from './tables.ts'
import { type Writer, writerOf } from './writer.ts'

/** A table that is known, with the statements that write it. */
export interface KnownTable {
  readonly table: SearchTable
  readonly writer: Writer
  /** For copies whose words were made by the first token rules: the table as they are searched, and who writes the words of both. */
  readonly first: { readonly table: SearchTable; readonly writer: Writer }
}

/** Something happened to a table: whoever filled it has to know. */
export type OnChange = (table: SearchTable, change: Exclude<Change, 'none' | 'renewed'>) => void

/** Known tables, and which of them are there. */
export class Registry {
  readonly #known = new Map<string, KnownTable>()
  readonly #ready = new Set<string>()
  readonly #renewing = new Set<string>()
  readonly #engine: EngineName
  readonly #onChange: OnChange | undefined

  constructor(engine: EngineName, onChange?: OnChange) {
    this.#engine = engine
    this.#onChange = onChange
  }

  /** Makes the searchable entities of a kind known. */
  add(definition: Pick<ConnectorDefinition, 'kind' | 'entities'>): void {
    for (const [entity, each] of Object.entries(definition.entities)) {
      if (each.context_store_search === undefined) continue
      const table = searchTableOf(definition.kind, entity, each)
      const first = tableWithTokens(table, 1)
      const both = { table: first, writer: writerOf(table, first) }
      this.#known.set(`${definition.kind}.${entity}`, { table, writer: writerOf(table), first: both })
      this.#ready.delete(table.name)
    }
  }

  /** The table of an entity, when it is known. */
  find(kind: string, entity: string): KnownTable | undefined {
    return this.#known.get(`${kind}.${entity}`)
  }

  /** The table of an entity. @throws FerruleError `definition_invalid` when its kind was not made known or it offers no search */
  get(kind: string, entity: string): KnownTable {
    const known = this.find(kind, entity)
    if (known === undefined) throw fail('definition_invalid', { reason: `${kind}.${entity} has no table in the context store` })
    return known
  }

  /** Whether the table is there as it has to be. */
  isReady(table: SearchTable): boolean {
    return this.#ready.has(table.name)
  }

  /** After the database was opened: known tables that are there are brought up to date. Nothing is made yet. */
  async prepare(run: Run): Promise<void> {
    this.#ready.clear()
    this.#renewing.clear()
    const shapes = await storedShapes(run)
    for (const { table } of this.#known.values()) {
      if (!shapes.has(table.name)) continue
      await this.#update(table, run)
      if (!(await isOutgrown(table, run))) continue
      await changing(this.#engine, run, () => dropOutgrown(table, run))
      this.#renewing.delete(table.name)
    }
  }

  /** Looks whether another node has made a table. @returns whether it is there */
  async look(table: SearchTable, run: Run): Promise<boolean> {
    if (this.isReady(table)) return true
    const shapes = await storedShapes(run)
    if (changeOf(table, shapes.get(table.name)) !== 'none') return false
    await this.#setReady(table, run)
    return true
  }

  /** Known tables of which some copies may have words of the first token rules only. */
  renewing(): readonly KnownTable[] {
    return [...this.#known.values()].filter(({ table }) => this.#renewing.has(table.name))
  }

  /** Makes a table, or brings it up to date. */
  async make(table: SearchTable, run: Run): Promise<void> {
    if (!this.isReady(table)) await this.#update(table, run)
  }

  async #update(table: SearchTable, run: Run): Promise<void> {
    let change: Change = 'none'
    if (changeOf(table, (await storedShapes(run)).get(table.name)) !== 'none')
      await changing(this.#engine, run, async () => {
        const stored = (await storedShapes(run)).get(table.name) // another node may have been first
        change = changeOf(table, stored)
        if (change === 'none') return
        if (stored !== undefined && stored.tokens === undefined && change !== 'remade') await markRenewing(table, run)
        const isRenewing = await isMarked(table, run)
        for (const text of this.#statements(table, change, isRenewing)) await run({ text })
        if (change === 'extended') await dropSurplus(isRenewing ? [table, tableWithTokens(table, 1)] : [table], run)
        await note(table, change, run)
      })
    await this.#setReady(table, run)
    if (change !== 'none' && change !== 'renewed') this.#onChange?.(table, change)
  }

  async #setReady(table: SearchTable, run: Run): Promise<void> {
    if (await isMarked(table, run)) this.#renewing.add(table.name)
    this.#ready.add(table.name)
  }

  #statements(table: SearchTable, change: Exclude<Change, 'none'>, isRenewing: boolean): readonly string[] {
    if (change === 'extended' || change === 'renewed') return extension(table, isRenewing)
    return [...removal(table), ...creation(table, this.#engine)]
  }
}

const isShape = (value: unknown): value is Shape => isObject(value) && isObject(value['columns']) && isObject(value['fields'])

async function storedShapes(run: Run): Promise<ReadonlyMap<string, Shape>> {
  const { rows } = await run({ text: 'select name, shape from cs_tables' })
  return new Map(
    rows.flatMap(({ name, shape }) => {
      const parsed: unknown = JSON.parse(String(shape))
      return isShape(parsed) ? [[String(name), parsed]] : []
    }),
  )
}

/** Drops own indexes that none of some versions of a table have. */
async function dropSurplus(tables: readonly [SearchTable, ...SearchTable[]], run: Run): Promise<void> {
  const stay = tables.flatMap(indexesOf).map(({ name }) => name)
  const { rows } = await run({ text: surplusIndexes, values: [tables[0].name, ownIndexNames(tables[0]), stay] })
  for (const { name } of rows) await run({ text: `drop index "${name}"` })
}

/** Stands in `cs_meta` while a table has the columns of the first token rules. */
const markOf = (table: SearchTable): string => `renewing ${table.name}`

const markRenewing = (table: SearchTable, run: Run) =>
  run({ text: `insert into cs_meta (name, value) values ($1, '1') on conflict do nothing`, values: [markOf(table)] })

const isMarked = async (table: SearchTable, run: Run): Promise<boolean> =>
  (await run({ text: 'select from cs_meta where name = $1', values: [markOf(table)] })).rows.length > 0

/** Whether no copy is searched by the first token rules any longer. */
async function isOutgrown(table: SearchTable, run: Run): Promise<boolean> {
  const text = 'select from cs_entities where name = $1 and (tokens = 1 or renewed is not null) limit 1'
  return (await isMarked(table, run)) && (await run({ text, values: [table.name] })).rows.length === 0
}

async function dropOutgrown(table: SearchTable, run: Run): Promise<void> {
  if (!(await isOutgrown(table, run))) return // another node was first
  await dropSurplus([table], run)
  for (const name of outgrownColumns(table)) await run({ text: `alter table ${quoted(table.name)} drop column if exists ${quoted(name)}` })
  await run({ text: 'delete from cs_meta where name = $1', values: [markOf(table)] })
}

/** Keeps the new shape. Whoever fills the table begins again: a new column is empty, and a table that was made anew has no rows. */
async function note(table: SearchTable, change: Change, run: Run): Promise<void> {
  await run({
    text: `insert into cs_tables (name, kind, entity, shape) values ($1, $2, $3, $4) on conflict (name) do update set shape = excluded.shape`,
    values: [table.name, table.kind, table.entity, JSON.stringify(shapeOf(table))],
  })
  if (change === 'renewed') return
  await run({ text: 'delete from cs_checkpoints where name = $1', values: [table.name] })
  await run({ text: 'delete from cs_seen where name = $1', values: [table.name] })
  if (change === 'extended') await run({ text: 'update cs_entities set pass = null where name = $1', values: [table.name] })
  else {
    for (const own of ['cs_entities', 'cs_indexes']) await run({ text: `delete from ${own} where name = $1`, values: [table.name] })
    await run({ text: 'delete from cs_meta where name = $1', values: [markOf(table)] })
  }
}
