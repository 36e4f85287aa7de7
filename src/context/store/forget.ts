/**
 * Records that somebody has learned to be gone, or hidden: they leave the copy with all that hangs on them, in one transaction, and
 * nothing that was asked for before brings them back.
 */
import { quoted, type SearchTable } from '../query/columns.ts'
import { primaryKeyOf } from '../query/keys.ts'
import type { Row, Session } from './database.ts'
import { count, type Place, takeState } from './writes.ts'

/** What hangs on records of an entity. */
export interface Link {
  readonly entity: string
  /** Searchable field that holds the value of the record above; left out: the key does. */
  readonly field?: string
  /** Searchable field of the record above that holds the value; left out: its key does. */
  readonly parent?: string
  readonly below: readonly Link[]
}

/** Records that are gone, by their keys, which have one part. */
export interface Gone {
  readonly connector: string
  readonly kind: string
  readonly entity: string
  readonly values: readonly unknown[]
  /** What goes with them. */
  readonly below: readonly Link[]
  /** When that was learned, in milliseconds since 1970: what was asked for later stays, or comes back. */
  readonly at: number
}

/** For so long nothing that was asked for earlier may come: a page can be on its way for an hour. Milliseconds. */
const remembered = 86_400_000

/** All entities that lose records. */
export const entitiesOf = ({ entity, below }: Pick<Gone, 'entity' | 'below'>): readonly string[] => [
  ...new Set([entity, ...below.flatMap(entitiesOf)]),
]

/** The key of a record, from the value of its only part; undefined for a value that is no key. */
export function keyOf({ key }: SearchTable, value: unknown): string | undefined {
  const [part] = key
  if (part === undefined || key.length > 1) return undefined
  const record = part.path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)
  return primaryKeyOf(key, part.from === 'record' ? record : {}, part.from === 'params' ? { ...Object(record) } : {})
}

/** Some records of one entity. */
interface Step {
  readonly place: Place
  /** Searchable field that holds one of the values; left out: the key does. */
  readonly field: string | undefined
  readonly values: readonly string[]
  readonly below: readonly Link[]
}

interface Forgetting {
  readonly session: Session
  readonly places: ReadonlyMap<string, Place>
  readonly at: number
  /** Milliseconds since 1970. */
  readonly now: number
  /** Records that each entity lost. */
  readonly lost: Map<string, number>
}

const columnOf = ({ known }: Place, field: string): string | undefined => {
  const sql = known.table.columns.find(({ name }) => name === field)?.sql
  return sql === undefined ? undefined : quoted(sql)
}

/** Fields of a record that what hangs on it is found by; '' for the key's own. */
const asked = ({ place, below }: Step): ReadonlyMap<string, string> => {
  const own = place.known.table.key[0]?.field
  const names = below.map(({ parent = '' }) => parent)
  return new Map(
    names.flatMap((name) => {
      const field = name === '' ? own : name
      const column = field === undefined ? undefined : columnOf(place, field)
      return column === undefined ? [] : [[name, column]]
    }),
  )
}

/** A version that is still to come was written by a clock that was wrong: it keeps no row. */
const isOld = '("$v" <= $3 or "$v" > $4)'

/** Removes rows. @returns the values of them that are asked for, by name */
async function removed({ session, at, now, lost }: Forgetting, step: Step): Promise<ReadonlyMap<string, readonly string[]>> {
  const { number, known } = step.place
  const table = quoted(known.table.name)
  const columns = [...asked(step)]
  const column = step.field === undefined ? undefined : columnOf(step.place, step.field)
  const state = await takeState(session, number, known.table.name)
  if (state === undefined || (step.field !== undefined && column === undefined)) return new Map()
  const found =
    column === undefined
      ? `ctid = any(array(select f.ctid from unnest($2::text[]) key cross join lateral
          (select ctid from ${table} where connector_id = $1 and pk = key and ${isOld} offset 0) f))`
      : `${column}::text = any($2::text[]) and ${isOld}`
  const returned = columns.map(([, sql], index) => `${sql}::text as c${index}`)
  const { rows, count: by } = await session.query<Row>({
    text: `delete from ${table} where connector_id = $1 and ${found} returning ${['pk', ...returned].join(', ')}`,
    values: [number, step.values, at, now],
  })
  await count(session, step.place, { by: -by, ...(by > 0 ? { removedAt: at } : {}) })
  if (by > 0) lost.set(known.table.entity, (lost.get(known.table.entity) ?? 0) + by)
  return new Map(
    columns.map(([name], index) => [name, rows.flatMap((row) => (row[`c${index}`] === null ? [] : [String(row[`c${index}`])]))]),
  )
}

/** Notes what may not come back. */
async function note({ session, at }: Forgetting, { place, field = '', values }: Step): Promise<void> {
  await session.query({
    text: `insert into cs_gone (connector_id, name, field, value, at) select $1, $2, $3, value, $5 from unnest($4::text[]) as t(value)
      on conflict (connector_id, name, field, value) do update set at = greatest(cs_gone.at, excluded.at)`,
    values: [place.number, place.known.table.name, field, [...new Set(values)], at],
  })
}

/** The records below some, by the values that they are found by. */
function stepsBelow({ places }: Forgetting, below: readonly Link[], valuesOf: (parent: string) => readonly string[]): Step[] {
  return below.flatMap((link) => {
    const place = places.get(link.entity)
    const given = valuesOf(link.parent ?? '')
    if (place === undefined || given.length === 0) return []
    const values = link.field === undefined ? given.flatMap((value) => keyOf(place.known.table, value) ?? []) : given
    return values.length === 0 ? [] : [{ place, field: link.field, values, below: link.below }]
  })
}

async function forgetStep(forgetting: Forgetting, step: Step, keys: readonly string[]): Promise<void> {
  const found = await removed(forgetting, step)
  await note(forgetting, step)
  // What hangs on the key itself goes also where the record was not there any more.
  const valuesOf = (parent: string): readonly string[] => (parent === '' ? [...keys, ...(found.get('') ?? [])] : (found.get(parent) ?? []))
  for (const next of stepsBelow(forgetting, step.below, valuesOf)) await forgetStep(forgetting, next, [])
}

/**
 * Removes records with all that hangs on them, in a transaction that `session` has begun.
 * @param given `places`: entities that are there
 * @returns how many records each entity lost
 */
export async function forget(
  session: Session,
  { entity, values, below, at }: Gone,
  given: { readonly places: readonly Place[]; readonly now: number },
): Promise<ReadonlyMap<string, number>> {
  const { places: there, now } = given
  const places = new Map(there.map((place) => [place.known.table.entity, place]))
  const forgetting: Forgetting = { session, places, at, now, lost: new Map() }
  const [first] = there
  if (first === undefined) return forgetting.lost
  // Everybody takes them in this order, or two would wait for each other.
  const names = there.map(({ known }) => known.table.name).sort()
  for (const name of names) await takeState(session, first.number, name)
  await session.query({
    text: 'delete from cs_gone where connector_id = $1 and (at < $2 or at > $3)',
    values: [first.number, now - remembered, now + remembered],
  })
  const keys = values.flatMap((value) => (typeof value === 'object' || value === undefined || value === null ? [] : [String(value)]))
  const place = places.get(entity)
  const own = place === undefined ? [] : keys.flatMap((value) => keyOf(place.known.table, value) ?? [])
  if (place !== undefined && own.length > 0) await forgetStep(forgetting, { place, field: undefined, values: own, below }, keys)
  // The records themselves are not kept: only what hangs on them is.
  else for (const next of stepsBelow(forgetting, below, (parent) => (parent === '' ? keys : []))) await forgetStep(forgetting, next, [])
  return forgetting.lost
}
