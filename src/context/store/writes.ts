/** One batch of one entity in one transaction: rows, words, counts, keys that a complete pass has seen, and checkpoints. */
import { fail } from '../../errors.ts'
import { quoted } from '../query/columns.ts'
import { firstNotes, type Term } from '../query/values.ts'
import type { Row, Session } from './database.ts'
import type { Words } from './listed-words.ts'
import type { KnownTable } from './registry.ts'
import type { Encoded, Fingerprinted, StoredRecord, Writer } from './writer.ts'

/** Progress that is kept with the rows. */
export interface Checkpoint {
  /** What it is the progress of, for example `cursor`. */
  readonly part: string
  /** JSON; null forgets it. */
  readonly value: string | null
}

/** Values of a searchable field, as texts. */
export interface Whole {
  readonly field: string
  readonly values: readonly string[]
}

/** A batch. */
export interface Batch {
  readonly records: readonly StoredRecord[]
  /** When the records were asked for, in milliseconds since 1970. */
  readonly asked: number
  /** Id of the complete pass that they belong to; it has begun with `beginPass`. */
  readonly pass?: string | undefined
  /** Values of a field of which the batch holds every record: others with such a value are gone, unless they were read later. */
  readonly whole?: Whole | undefined
  /** Keys of records that the vendor says are gone. A key that is written too stays. */
  readonly removed?: readonly string[] | undefined
  readonly checkpoints?: readonly Checkpoint[] | undefined
}

/** What a batch did. */
export interface Written {
  /** Rows that are new. */
  readonly created: number
  /** Rows that were replaced. */
  readonly updated: number
  /** Rows that were as they are, and older versions of rows. */
  readonly unchanged: number
  readonly removed: number
}

/** Where a batch goes. */
export interface Place {
  readonly number: number
  readonly known: KnownTable
}

/** The state of an entity of a connector, which its writers take one after the other. */
interface State {
  readonly records: number
  /** Moment of the last removal, in milliseconds since 1970. */
  readonly deletedAt: number
  readonly pass: string | null
  /** Whether some records were learned to be gone, and may not come back with what was asked for before. */
  readonly hasGone: boolean
  /** Version of the token rules that the copy is searched by. */
  readonly tokens: number
}

/** Takes the state of an entity until the end of the transaction, and makes it for the first batch. */
export async function lockState(session: Session, { number, known }: Place): Promise<State> {
  const taken = await takeState(session, number, known.table.name)
  if (taken !== undefined) return taken
  // The share lock waits for a removal of the connector, and lets one wait.
  const { rows } = await session.query({ text: 'select from cs_connectors where number = $1 and not removed for share', values: [number] })
  if (rows.length === 0) throw fail('connector_not_found', {})
  await session.query({
    text: 'insert into cs_entities (connector_id, name, tokens) values ($1, $2, $3) on conflict do nothing',
    values: [number, known.table.name, known.table.tokens],
  })
  return (
    (await takeState(session, number, known.table.name)) ?? {
      records: 0,
      deletedAt: 0,
      pass: null,
      hasGone: false,
      tokens: known.table.tokens,
    }
  )
}

/** Takes the state of an entity until the end of the transaction; undefined before its first batch. */
export async function takeState(session: Session, number: number, name: string): Promise<State | undefined> {
  const { rows } = await session.query<Row>({
    name: 'cs_state',
    text: `select records, deleted_at, pass, tokens,
      exists (select from cs_gone g where g.connector_id = cs_entities.connector_id and g.name = cs_entities.name) as gone
      from cs_entities where connector_id = $1 and name = $2 for update`,
    values: [number, name],
  })
  const [row] = rows
  if (row === undefined) return undefined
  const { records, deleted_at: deletedAt, pass, gone, tokens } = row
  return {
    records: Number(records),
    deletedAt: Number(deletedAt),
    pass: typeof pass === 'string' ? pass : null,
    hasGone: gone === true,
    tokens: Number(tokens),
  }
}

/** The newest of each key, in the order of keys. */
function distinct(records: readonly Fingerprinted[]): Fingerprinted[] {
  const byKey = new Map<string, Fingerprinted>()
  for (const each of records) {
    const known = byKey.get(each.record.key)
    if (known === undefined || known.version <= each.version) byKey.set(each.record.key, each)
  }
  return [...byKey.values()].sort((a, b) => (a.record.key < b.record.key ? -1 : 1))
}

interface Sorted {
  readonly created: readonly Fingerprinted[]
  readonly updated: readonly Fingerprinted[]
}

/**
 * Compares with the rows that are there. The state is taken, so nobody changes them in between. A version that is still to come was
 * written by a clock that was wrong: it would keep every later one out.
 * @param now milliseconds since 1970
 */
async function compare(
  session: Session,
  { number, known }: Place,
  { rows, now }: { rows: readonly Fingerprinted[]; now: number },
): Promise<Sorted> {
  const values = [number, rows.map(({ record }) => record.key)]
  const answer = await session.query<Row>({ ...known.writer.probe, values })
  const stored = new Map(answer.rows.map(({ pk, h, v }) => [pk, { h, v }]))
  const isUpdate = ({ record, hash, version }: Fingerprinted): boolean => {
    const row = stored.get(record.key)
    if (row === undefined || row.h === hash || typeof row.v !== 'bigint') return false
    return row.v <= version || row.v > now
  }
  return { created: rows.filter(({ record }) => !stored.has(record.key)), updated: rows.filter(isUpdate) }
}

/** Writes rows; the database works on one statement while the next one is made. */
async function upsert(
  session: Session,
  { number, writer }: { number: number; writer: Writer },
  { rows, words }: { rows: readonly Fingerprinted[]; words: Words },
) {
  const write = async ({ json, terms }: Encoded): Promise<void> => {
    await session.query({ ...writer.upsert, values: [number, json] })
    await list(session, number, words.unlisted(number, terms))
  }
  let running: Promise<void> | undefined
  try {
    for (const statement of writer.encode(rows)) {
      await running
      running = write(statement)
    }
  } finally {
    await running
  }
}

/** Lists words. */
export async function list(session: Session, number: number, terms: readonly Term[]): Promise<void> {
  if (terms.length === 0) return
  await session.query({
    name: 'cs_terms_add',
    text: `insert into cs_terms (connector_id, field, term) select $1::int4, field, term from unnest($2::int4[], $3::text[]) as t(field, term)
      on conflict do nothing`,
    values: [number, terms.map(({ field }) => field), terms.map(({ term }) => term)],
  })
}

/** Removes rows by their keys. @returns how many there were */
export async function remove(session: Session, { number, known }: Place, keys: readonly string[]): Promise<number> {
  if (keys.length === 0) return 0
  return (await session.query({ ...known.writer.remove, values: [number, keys] })).count
}

/** Removes rows that have one of the values and are not among the keys. @returns how many there were */
async function removeOthers(
  session: Session,
  { number, known }: Place,
  { whole, keys, asked }: { whole: Whole; keys: readonly string[]; asked: number },
): Promise<number> {
  const column = known.table.columns.find(({ name }) => name === whole.field)
  if (column === undefined) throw fail('definition_invalid', { reason: `${known.table.kind}.${known.table.entity} lacks ${whole.field}` })
  const value = column.wide === undefined ? quoted(column.sql) : `coalesce(${quoted(column.wide)}, ${quoted(column.sql)})`
  const text = `delete from ${quoted(known.table.name)} where connector_id = $1 and (${value})::text = any($2::text[])
    and pk <> all($3::text[]) and "$v" <= $4`
  return (await session.query({ text, values: [number, whole.values, keys, asked] })).count
}

/** Keeps progress, in the transaction of what it is the progress of. */
export async function keep(session: Session, { number, known }: Place, checkpoints: readonly Checkpoint[]): Promise<void> {
  for (const { part, value } of checkpoints) {
    const key = [number, known.table.name, part]
    const text =
      value === null
        ? 'delete from cs_checkpoints where connector_id = $1 and name = $2 and part = $3'
        : `insert into cs_checkpoints (connector_id, name, part, value) values ($1, $2, $3, $4)
           on conflict (connector_id, name, part) do update set value = excluded.value`
    await session.query({ name: value === null ? 'cs_forget' : 'cs_keep', text, values: value === null ? key : [...key, value] })
  }
}

/** What changed in the rows of an entity. */
export interface CountChange {
  /** Rows that came, less those that went. */
  readonly by: number
  /** When rows were removed, in milliseconds since 1970. */
  readonly removedAt?: number
}

/** Notes what changed. */
export async function count(session: Session, { number, known }: Place, change: CountChange): Promise<void> {
  if (change.by === 0 && change.removedAt === undefined) return
  await session.query({
    name: 'cs_count',
    text: 'update cs_entities set records = records + $3, deleted_at = greatest(deleted_at, $4) where connector_id = $1 and name = $2',
    values: [number, known.table.name, change.by, change.removedAt ?? 0],
  })
}

const markSeen = (session: Session, { number, known }: Place, keys: readonly string[]) =>
  session.query({
    name: 'cs_see',
    text: 'insert into cs_seen (connector_id, name, keys) values ($1, $2, $3)',
    values: [number, known.table.name, keys],
  })

/** Leaves out what was learned to be gone after it was asked for. */
async function withoutGone(session: Session, { number, known }: Place, rows: readonly Fingerprinted[]): Promise<readonly Fingerprinted[]> {
  const noted = await session.query<Row>({
    name: 'cs_gone',
    text: `select field, value, at from cs_gone where connector_id = $1 and name = $2 and field <> '' union all
      select '', key, noted.at from unnest($3::text[]) key cross join lateral
        (select at from cs_gone where connector_id = $1 and name = $2 and field = '' and value = key offset 0) noted`,
    values: [number, known.table.name, rows.map(({ record }) => record.key)],
  })
  if (noted.rows.length === 0) return rows
  const goneAt = new Map(noted.rows.map(({ field, value, at }) => [`${field}\0${value}`, BigInt(String(at))]))
  const fields = [...new Set(noted.rows.flatMap(({ field }) => (field === '' ? [] : [String(field)])))]
  return rows.filter(({ record, version }) =>
    [`\0${record.key}`, ...fields.map((field) => `${field}\0${record.fields[field]}`)].every((name) => {
      const at = goneAt.get(name)
      return at === undefined || version > at
    }),
  )
}

/** What a write may use besides the batch. */
export interface WriteOptions {
  readonly words: Words
  /** Milliseconds since 1970. */
  readonly now: number
  /** Records that were read for somebody, beside the sync. */
  readonly live?: boolean
}

/** Writes a batch in a transaction that `session` has begun. */
export async function writeBatch(session: Session, place: Place, batch: Batch & WriteOptions): Promise<Written> {
  const state = batch.live === true ? await takeState(session, place.number, place.known.table.name) : await lockState(session, place)
  if (state === undefined) return { created: 0, updated: 0, unchanged: 0, removed: 0 }
  if (batch.pass !== undefined && batch.pass !== state.pass) throw fail('unavailable', { reason: 'another complete pass has begun' })
  const met = distinct(batch.records.map((record) => place.known.writer.fingerprint(record, batch.asked)))
  const rows = state.hasGone ? await withoutGone(session, place, met) : met
  const keys = rows.map(({ record }) => record.key)
  const { created: missing, updated } =
    state.records === 0 || rows.length === 0 ? { created: rows, updated: [] } : await compare(session, place, { rows, now: batch.now })
  // A record that was asked for before rows were removed may be one of them.
  const created = batch.live === true && batch.asked <= state.deletedAt ? [] : missing
  if (state.records === 0) await list(session, place.number, batch.words.unlisted(place.number, firstNotes(place.known.table)))
  const { writer } = state.tokens === 1 ? place.known.first : place.known
  await upsert(session, { number: place.number, writer }, { rows: [...created, ...updated], words: batch.words })
  const written = new Set(keys)
  const gone = (batch.removed ?? []).filter((key) => !written.has(key))
  const others = batch.whole === undefined ? 0 : await removeOthers(session, place, { whole: batch.whole, keys, asked: batch.asked })
  const removed = others + (await remove(session, place, gone))
  if (state.pass !== null && keys.length > 0) await markSeen(session, place, keys)
  await count(session, place, { by: created.length - removed, ...(removed > 0 ? { removedAt: batch.now } : {}) })
  await keep(session, place, batch.checkpoints ?? [])
  return { created: created.length, updated: updated.length, unchanged: met.length - created.length - updated.length, removed }
}
