/**
 * Tables of all searchable entities that this process knows, created when they are first needed; and the rows of a connector in them: its
 * number, and their deletion.
 */
import type { ConnectorDefinition, EntityDefinition } from 'ferrule/definition'
import { BoundedMap, fail, isObject } from 'ferrule/internal'
import { isMovingShards } from '../../db/connections/problems.ts'
import type { OwnKind } from '../../values/access.ts'
import type { EntityName, EntityRef } from '../entity-ref.ts'
import { buildOwnTable, buildSearchTable, findOwnEntity, findTable, quoteName, type SearchTable } from '../search/columns.ts'
import { blockConnector } from './database/connector-lock.ts'
import type { ContextDatabase, Row, RunStatement, Session, TableLayout } from './database/database.ts'
import { changeSchema, schemaMs } from './database/requirements.ts'
import type { EntityRows } from './replicas/facts.ts'
import { buildClearStatement, createRowEncoder, type RowEncoder } from './row-encoder.ts'
import {
  buildCreation,
  buildExtension,
  buildOwnIndexPattern,
  buildRemoval,
  type Change,
  type DatabaseTable,
  describeTable,
  findChange,
  findSharedTable,
  type Shape,
  surplusIndexes,
} from './tables.ts'
import { dropViews, dropViewsOver, restoreViews } from './views/views.ts'

/** Part of a kind's definition that the store reads. */
export type SearchableKind = Pick<ConnectorDefinition, 'kind' | 'entities'>

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

/** The rows of one connector in a table. */
export interface ConnectorTable {
  readonly number: number
  readonly known: KnownTable
}

/** Names the rows of a connector as the store's own tables do. */
export const nameRows = ({ number, known }: ConnectorTable): EntityRows => ({ number, name: known.table.name })

/** Called when a table changed, because its copy must be filled again. */
export type OnTableChange = (table: Pick<DatabaseTable, 'name' | 'kind' | 'entity'>, change: Exclude<Change, 'none'>) => void

/** Known tables, and which of them exist. */
export class TableRegistry {
  /** Kinds by slug. Their entities are read when one of their tables is asked for, or exists. */
  readonly #kinds = new Map<string, SearchableKind>()
  /** Tables that were asked for. */
  readonly #known = new Map<string, KnownTable>()
  /** Tables of own kinds by the object of the kind, so they are forgotten with it. */
  readonly #ofOwn = new WeakMap<OwnKind, Map<string, KnownTable>>()
  /** Names of tables of the database. */
  readonly #ready = new Set<string>()
  readonly #onChange: OnTableChange | undefined
  /** Set by `prepare`. */
  #layout: TableLayout = 'postgres'

  constructor(onChange?: OnTableChange) {
    this.#onChange = onChange
  }

  /** Adds the searchable entities of a kind. */
  add(kind: SearchableKind): void {
    this.#kinds.set(kind.kind, kind)
    for (const [name, { table }] of this.#known) {
      if (table.kind !== kind.kind) continue
      this.#known.delete(name)
      this.#ready.delete(table.name)
    }
  }

  #findEntity(kind: string, entity: string): EntityDefinition | undefined {
    const entities = this.#kinds.get(kind)?.entities ?? {}
    const found = Object.hasOwn(entities, entity) ? entities[entity] : undefined
    return found?.context_store_search === undefined ? undefined : found
  }

  /** Finds the table of an entity. An own kind is never looked up by its slug, which another kind may have too. */
  find({ kind, entity, own }: EntityName): KnownTable | undefined {
    if (own !== undefined) return this.#findOwn(own, entity)
    const name = `${kind}.${entity}`
    const known = this.#known.get(name)
    const described = known === undefined ? this.#findEntity(kind, entity) : undefined
    if (described === undefined) return known
    const table = new KnownTable(buildSearchTable(kind, entity, described))
    this.#known.set(name, table)
    return table
  }

  #findOwn(own: OwnKind, entity: string): KnownTable | undefined {
    if (findOwnEntity(own, entity) === undefined) return undefined
    const tables = this.#ofOwn.get(own) ?? new Map<string, KnownTable>()
    this.#ofOwn.set(own, tables)
    const known = tables.get(entity) ?? new KnownTable(buildOwnTable(own, entity))
    tables.set(entity, known)
    return known
  }

  /**
   * Returns the table of an entity.
   * @throws FerruleError `definition_invalid` when its kind is unknown or it offers no search
   */
  get(name: EntityName): KnownTable {
    const known = this.find(name)
    if (known === undefined) throw fail('definition_invalid', { reason: `${name.kind}.${name.entity} has no table in the context store` })
    return known
  }

  /** Returns whether the table exists and is current. */
  isReady(table: SearchTable): boolean {
    return this.#ready.has(findTable(table))
  }

  /** Updates existing tables after the database was opened. Creates none. */
  async prepare(layout: TableLayout, run: RunStatement): Promise<void> {
    this.#layout = layout
    this.#ready.clear()
    const { rows } = await run({ text: 'select name, kind, entity from cs_tables order by kind, entity' })
    for (const { name, kind, entity } of rows) {
      const known = this.find({ kind: String(kind), entity: String(entity) })
      const found = findSharedTable(name) ?? (known === undefined ? undefined : describeTable(known.table))
      if (found !== undefined) await this.#update(found, run, known?.table)
    }
  }

  /**
   * Checks whether a table exists; another node may have created it.
   * @returns true when the table is ready
   */
  async checkTable(table: SearchTable, run: RunStatement): Promise<boolean> {
    if (this.isReady(table)) return true
    const { name, shape } = describeTable(table)
    if (findChange(shape, (await readShapes(run)).get(name)) !== 'none') return false
    this.#ready.add(name)
    return true
  }

  async createTable(table: SearchTable, run: RunStatement): Promise<void> {
    if (!this.isReady(table)) await this.#update(describeTable(table), run, table)
  }

  /** @param entity what views show of the table; left out for a table of own kinds, whose views stay while it is extended */
  async #update(table: DatabaseTable, run: RunStatement, entity?: SearchTable): Promise<void> {
    let change: Change = 'none'
    if (findChange(table.shape, (await readShapes(run)).get(table.name)) !== 'none')
      await changeSchema(this.#layout, run, async () => {
        const stored = (await readShapes(run)).get(table.name) // another node may have been first
        change = findChange(table.shape, stored)
        if (change === 'none') return
        const isSeen = this.#layout === 'postgres' && (change === 'remade' || (change === 'extended' && !table.isShared))
        const schemas = isSeen ? await dropViewsOver(run, table.name) : []
        const hasLz4 = this.#layout === 'postgres' && (await supportsLz4(run))
        const creation = () => [...buildRemoval(table), ...buildCreation(table, { layout: this.#layout, hasLz4 })]
        for (const text of change === 'extended' ? buildExtension(table) : creation()) await run({ text })
        if (change === 'extended') await dropSurplus(table, run)
        await recordShape(table, change, run)
        if (entity !== undefined && !table.isShared) await restoreViews(run, schemas, entity)
      })
    this.#ready.add(table.name)
    if (change !== 'none' && !keepsRows(table, change)) this.#onChange?.(table, change)
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
async function dropSurplus(table: DatabaseTable, run: RunStatement): Promise<void> {
  const stay = table.indexes.map(({ name }) => name)
  const { rows } = await run({ text: surplusIndexes, values: [table.name, buildOwnIndexPattern(table), stay] })
  for (const { name } of rows) await run({ text: `drop index "${name}"` })
}

/** Returns whether rows stay as they are: new slots of a table of own kinds belong to no field yet. */
const keepsRows = ({ isShared }: DatabaseTable, change: Change): boolean => isShared && change === 'extended'

/**
 * Saves the new shape. Deletes checkpoints, because a known table must be filled again: a new column is empty, and a recreated table has
 * no rows. New slots of a table of own kinds are empty in the rows of all. These statements work on all machines of Citus, so a new table,
 * which has none, does without.
 */
async function recordShape(table: DatabaseTable, change: Change, run: RunStatement): Promise<void> {
  await run({
    text: `insert into cs_tables (name, kind, entity, shape) values ($1, $2, $3, $4) on conflict (name) do update set shape = excluded.shape`,
    values: [table.name, table.kind, table.entity, JSON.stringify(table.shape)],
  })
  if (change === 'created' || keepsRows(table, change)) return
  const where = table.isShared ? 'starts_with(name, $1)' : 'name = $1'
  const values = [table.rows]
  await run({ text: `delete from cs_checkpoints where ${where}`, values })
  await run({ text: `delete from cs_seen where ${where}`, values })
  if (change === 'extended') await run({ text: `update cs_entities set pass = null where ${where}`, values })
  else {
    for (const own of ['cs_entities', 'cs_indexes', 'cs_changes']) await run({ text: `delete from ${own} where ${where}`, values })
  }
}

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
  const { rows } = await session.query<Row>({
    text: 'update cs_connectors set removed = true where number = $1 returning id::text as id',
    values: [number],
  })
  for (const { id } of rows) await dropViews((statement) => session.query(statement), String(id))
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
  const own = ['cs_terms', 'cs_seen', 'cs_gone', 'cs_checkpoints', 'cs_changes']
  for (const table of [...rows.map(({ name }) => quoteName(String(name))), ...own]) {
    const statement = { text: buildClearStatement(table), values: [number, stepRows] }
    for (let more = true; more; ) more = (await database.transaction((session) => session.query(statement))).count > 0
  }
  await database.transaction((session) =>
    session.query({ text: 'update cs_connectors set cleared = true where number = $1 and removed', values: [number] }),
  )
}

/**
 * Milliseconds between attempts to create a table while Citus moves shards. A rebalancing makes one move after the other, so only short pauses
 * meet the time between two. After the last one the caller tries again, as without the database.
 */
const movePausesMs = Array.from({ length: 60 }, () => 500)

/** Rows of a connector, valid while the database of the epoch is in use. */
export type NumberedTarget = ConnectorTable & { readonly epoch: number }

interface TargetParts {
  readonly registry: TableRegistry
  readonly database: () => Promise<ContextDatabase>
  readonly hasDatabase: () => boolean
  /** Counts replacements of the database: a replacement has other connector numbers. */
  readonly epoch: () => number
  /** Waits some milliseconds. */
  readonly rest: (ms: number) => Promise<void>
}

const rememberedNumbers = 10_000

/** The targets of a store, with the numbers of connectors that it knows. */
export class Targets {
  readonly #parts: TargetParts
  readonly #numbers = new BoundedMap<string, number>(rememberedNumbers)

  constructor(parts: TargetParts) {
    this.#parts = parts
  }

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
  async find(ref: EntityRef): Promise<NumberedTarget | undefined> {
    const { registry } = this.#parts
    const known = registry.get(ref)
    const found = await this.findNumber(ref.connector)
    if (found === undefined) return undefined
    const database = await this.#parts.database()
    return (await registry.checkTable(known.table, (statement) => database.query(statement))) ? { ...found, known } : undefined
  }

  /** Finds the numbers of the connectors of some entities; undefined where nothing was ever stored. Asks once for each connector. */
  async findEach(refs: readonly EntityRef[]): Promise<{ readonly numbers: readonly (number | undefined)[]; readonly epoch?: number }> {
    await Promise.all([...new Set(refs.map(({ connector }) => connector))].map((connector) => this.findNumber(connector)))
    const targets = await Promise.all(refs.map((ref) => this.find(ref)))
    const first = targets.find((target) => target !== undefined)
    return { numbers: targets.map((target) => target?.number), ...(first && { epoch: first.epoch }) }
  }

  /**
   * Finds the rows of an entity, and creates what is missing.
   * @throws FerruleError `connector_not_found` when the connector was deleted
   */
  async create(ref: EntityRef): Promise<NumberedTarget> {
    const { registry } = this.#parts
    const { connector } = ref
    const known = registry.get(ref)
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
