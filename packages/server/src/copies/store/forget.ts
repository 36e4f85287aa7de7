/**
 * Deletes records that were found to be deleted or hidden, with their descendants, in one transaction. Responses to earlier requests do
 * not restore them.
 */
import type { EntityRef } from '../entity-ref.ts'
import { buildRowCondition, quoteName, quoteTable, type SearchTable } from '../search/columns.ts'
import { buildPrimaryKey } from '../search/keys.ts'
import { toLooseText } from '../search/known-values.ts'
import { hideText } from './batch.ts'
import { blockConnector } from './database/connector-lock.ts'
import type { Row, Session } from './database/database.ts'
import { type ChangeCause, redactLog } from './log.ts'
import { type ConnectorTable, nameRows } from './registry.ts'
import { buildKnownStatement, lockExistingState, noteChange, parseKeys } from './state.ts'
import { findWordColumns, pruneWords } from './words.ts'

/** An entity below another one. */
export interface Link {
  readonly entity: string
  /** Searchable field with the parent's value; omitted: the key has it. */
  readonly field?: string
  /** Searchable field of the parent with the value; omitted: its key has it. */
  readonly parent?: string
  readonly below: readonly Link[]
}

/** Deleted records, by the value of a key of one part, or by their whole key. */
export interface Removal extends EntityRef {
  readonly values: readonly unknown[]
  /** Keys of several parts, as the store has them. */
  readonly keys?: readonly string[]
  /** Records with this text in a searchable field, in small or capital letters. */
  readonly under?: { readonly field: string; readonly text: string }
  /** Entities to delete with the records. */
  readonly below: readonly Link[]
  /** When the deletion was detected, in milliseconds since 1970. Records requested later stay or return. */
  readonly at: number
  /** Default: a live read. */
  readonly cause?: ChangeCause
  /**
   * True: the log forgets what it has of the records, but that they were removed, which its readers must learn; the list of words forgets
   * those that no other record has.
   */
  readonly redacts?: boolean
}

/** Milliseconds to remember a deletion. No earlier request can still bring records after a day: a page takes up to an hour. */
const remembered = 86_400_000

/** Lists all entities that lose records. */
export const listEntities = ({ entity, below }: Pick<Removal, 'entity' | 'below'>): readonly string[] => [
  ...new Set([entity, ...below.flatMap(listEntities)]),
]

/** Builds the key of a record from the value of its only part; undefined for a value that is no key. */
export function buildKey({ key }: SearchTable, value: unknown): string | undefined {
  const [part] = key
  if (part === undefined || key.length > 1) return undefined
  const record = part.path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)
  return buildPrimaryKey(key, part.from === 'record' ? record : {}, part.from === 'params' ? { ...Object(record) } : {})
}

interface ForgetStep {
  readonly target: ConnectorTable
  /** Searchable field with one of the values; omitted: the key has it. */
  readonly field: string | undefined
  readonly values: readonly string[]
  /** True: the field is compared without regard to small and capital letters. */
  readonly anyCase?: boolean
  readonly below: readonly Link[]
}

interface Forgetting {
  readonly session: Session
  readonly targets: ReadonlyMap<string, ConnectorTable>
  readonly at: number
  readonly cause: ChangeCause
  readonly redacts: boolean
  readonly now: number
  /** Number of deleted records by table. */
  readonly lost: Map<string, number>
}

const findColumn = ({ known }: ConnectorTable, field: string): string | undefined => {
  const sql = known.table.columns.find(({ name }) => name === field)?.sql
  return sql === undefined ? undefined : quoteName(sql)
}

/** Lists the columns that descendants are found by; '' stands for the key's own. */
const listAskedColumns = ({ target, below }: ForgetStep): ReadonlyMap<string, string> => {
  const own = target.known.table.key[0]?.field
  const names = below.map(({ parent = '' }) => parent)
  return new Map(
    names.flatMap((name) => {
      const field = name === '' ? own : name
      const column = field === undefined ? undefined : findColumn(target, field)
      return column === undefined ? [] : [[name, column]]
    }),
  )
}

/** A version in the future comes from a wrong clock and protects no row. */
const isOld = '("$v" <= $3 or "$v" > $4)'

async function findMissing(session: Session, { target, values }: ForgetStep): Promise<readonly string[]> {
  const stay = new Set(parseKeys((await session.query<Row>(buildKnownStatement(target, values))).rows))
  return values.filter((key) => !stay.has(key))
}

/**
 * Deletes the rows of a step.
 * @returns the values that descendants are found by, by name
 */
async function deleteStep(
  { session, at, cause, redacts, now, lost }: Forgetting,
  step: ForgetStep,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { number, known } = step.target
  const [table, own] = [quoteTable(known.table), buildRowCondition(known.table)]
  const columns = [...listAskedColumns(step)]
  const column = step.field === undefined ? undefined : findColumn(step.target, step.field)
  const state = await lockExistingState(session, number, known.table.name)
  if (state === undefined || (step.field !== undefined && column === undefined)) return new Map()
  const asked = step.anyCase === true ? step.values.map(toLooseText) : step.values
  const found =
    column === undefined
      ? `ctid = any(array(select f.ctid from unnest($2::text[]) key cross join lateral
          (select ctid from ${table} where ${own} and pk = key and ${isOld} offset 0) f))`
      : `${step.anyCase === true ? 'cs_lower' : ''}(${column}::text) = any($2::text[]) and ${isOld}`
  const returned = [
    ...(state.log.feed === null && !redacts ? [] : ['pk']),
    ...columns.map(([, sql], index) => `${sql}::text as c${index}`),
    ...(redacts ? findWordColumns(step.target).sql.map((sql, index) => `${sql} as w${index}`) : []),
  ]
  const { rows, count: by } = await session.query<Row>({
    text: `delete from ${table} where ${own} and ${found}${returned.length === 0 ? '' : ` returning ${returned.join(', ')}`}`,
    values: [number, asked, at, now],
  })
  const removed = rows.flatMap(({ pk }) => (pk === undefined ? [] : [String(pk)]))
  if (redacts) {
    await redactLog(session, nameRows(step.target), step.field === undefined ? await findMissing(session, step) : removed)
    await pruneWords(session, step.target, rows)
  }
  const entries = { removed, cause, at: now }
  await noteChange(session, nameRows(step.target), state, { by: -by, ...(by > 0 ? { removedAt: at } : {}), entries })
  if (by > 0) lost.set(known.table.entity, (lost.get(known.table.entity) ?? 0) + by)
  return new Map(
    columns.map(([name], index) => [name, rows.flatMap((row) => (row[`c${index}`] === null ? [] : [String(row[`c${index}`])]))]),
  )
}

async function recordRemoval({ session, at }: Forgetting, { target, field = '', values, anyCase }: ForgetStep): Promise<void> {
  const noted = anyCase === true ? values.map(hideText) : values
  await session.query({
    text: `insert into cs_gone (connector_id, name, field, value, at) select $1, $2, $3, value, $5 from unnest($4::text[]) as t(value)
      on conflict (connector_id, name, field, value) do update set at = greatest(cs_gone.at, excluded.at)`,
    values: [target.number, target.known.table.name, field, [...new Set(noted)], at],
  })
}

/** Finds the steps for the descendants of deleted records. */
function findStepsBelow({ targets }: Forgetting, below: readonly Link[], findValues: (parent: string) => readonly string[]): ForgetStep[] {
  return below.flatMap((link) => {
    const target = targets.get(link.entity)
    const given = findValues(link.parent ?? '')
    if (target === undefined || given.length === 0) return []
    const values = link.field === undefined ? given.flatMap((value) => buildKey(target.known.table, value) ?? []) : given
    return values.length === 0 ? [] : [{ target, field: link.field, values, below: link.below }]
  })
}

async function forgetStep(forgetting: Forgetting, step: ForgetStep, keys: readonly string[]): Promise<void> {
  const found = await deleteStep(forgetting, step)
  await recordRemoval(forgetting, step)
  // Descendants by key are deleted even where the record itself was already missing.
  const findValues = (parent: string): readonly string[] =>
    parent === '' ? [...keys, ...(found.get('') ?? [])] : (found.get(parent) ?? [])
  for (const next of findStepsBelow(forgetting, step.below, findValues)) await forgetStep(forgetting, next, [])
}

/**
 * Deletes records with their descendants in the transaction of `session`.
 * @param given `targets`: existing entities
 * @returns the number of deleted records by entity
 */
export async function forgetRecords(
  session: Session,
  { entity, values, keys: whole = [], under, below, at, cause = 'live', redacts = false }: Removal,
  given: { readonly targets: readonly ConnectorTable[]; readonly now: number },
): Promise<ReadonlyMap<string, number>> {
  const { targets: there, now } = given
  const targets = new Map(there.map((target) => [target.known.table.entity, target]))
  const forgetting: Forgetting = { session, targets, at, cause, redacts, now, lost: new Map() }
  const [first] = there
  if (first === undefined) return forgetting.lost
  const names = there.map(({ known }) => known.table.name).sort()
  const text = 'select count(*)::int4 as count from cs_entities where connector_id = $1 and name = any($2::text[])'
  const { rows: found } = await session.query<Row>({ text, values: [first.number, names] })
  // A first batch creates the state of an entity, which cannot be locked before. It holds the connector meanwhile. Words are deleted only
  // where no state of another version of a kind is created.
  if (redacts || Number(found[0]?.['count']) < names.length) await blockConnector(session, first.number)
  // All writers lock in this order, which prevents deadlocks.
  for (const name of names) await lockExistingState(session, first.number, name)
  await session.query({
    text: 'delete from cs_gone where connector_id = $1 and (at < $2 or at > $3)',
    values: [first.number, now - remembered, now + remembered],
  })
  const keys = values.flatMap((value) => (typeof value === 'object' || value === undefined || value === null ? [] : [String(value)]))
  const target = targets.get(entity)
  const own = target === undefined ? [] : [...keys.flatMap((value) => buildKey(target.known.table, value) ?? []), ...whole]
  if (target !== undefined && under !== undefined)
    await forgetStep(forgetting, { target, field: under.field, values: [under.text], anyCase: true, below }, [])
  else if (target !== undefined && own.length > 0) await forgetStep(forgetting, { target, field: undefined, values: own, below }, keys)
  // The records themselves are not stored, only their descendants are.
  else for (const next of findStepsBelow(forgetting, below, (parent) => (parent === '' ? keys : []))) await forgetStep(forgetting, next, [])
  return forgetting.lost
}
