/**
 * Writes one batch of one entity in one transaction: rows, words, counts, keys seen by a complete pass, and checkpoints. Writers lock the state
 * of the entity, its row in `cs_entities`.
 */
import { createHash } from 'node:crypto'
import { fail } from 'ferrule/internal'
import { readErrorCode } from '../../db/connections/problems.ts'
import { buildRowCondition, quoteName, quoteTable } from '../search/columns.ts'
import { toLooseText } from '../search/known-values.ts'
import type { Term } from '../search/terms.ts'
import { listInitialTerms } from '../search/values.ts'
import type { Answer, Row, Session, Statement } from './database/database.ts'
import { indexRules } from './indexes/types.ts'
import { type ChangeCause, type ChangedRow, followLog, type LogReading } from './log.ts'
import { type ConnectorTable, nameRows } from './registry.ts'
import type { Encoded, Fingerprinted, NamedStatement, RowEncoder, StoredRecord } from './row-encoder.ts'
import { type CopyState, lockExistingState, lockState, noteChange } from './state.ts'

/** Maximum number of remembered words over all connectors, in two halves: some megabytes. */
const most = 50_000

/** Lists of words that are remembered together: of a connector's entity, until listed words of it are deleted. */
interface EntityLists extends Pick<CopyState, 'pruned'> {
  readonly number: number
}

interface WordFilter {
  unlisted(of: EntityLists, terms: readonly Term[]): readonly Term[]
}

class WordLists {
  readonly #lists = new Map<string, Set<string>>()
  size = 0

  /** Returns the words of a list, for reading. */
  find(list: string): ReadonlySet<string> | undefined {
    return this.#lists.get(list)
  }

  add(list: string, word: string): void {
    const words = this.#lists.get(list) ?? new Set()
    if (words.size === 0) this.#lists.set(list, words)
    if (words.has(word)) return
    words.add(word)
    this.size += 1
  }

  /** Calls `take` for every word. */
  visit(take: (list: string, word: string) => void): void {
    for (const [list, words] of this.#lists) for (const word of words) take(list, word)
  }
}

/** Remembers the words of committed transactions. When the younger half is full, the older one is forgotten. */
export class ListedWords {
  #young = new WordLists()
  #old = new WordLists()

  /**
   * Runs a transaction and remembers its words after the commit. The transaction may run again after a deadlock: each run lists its words
   * with a filter of its own, because the former run was rolled back.
   * @param run calls `begin` at the start of each run
   */
  async remember<T>(run: (begin: () => WordFilter) => Promise<T>): Promise<T> {
    let words = this.#begin()
    const result = await run(() => {
      words = this.#begin()
      return words
    })
    words.commit()
    return result
  }

  #begin(): WordFilter & { commit(): void } {
    const listed = new WordLists()
    return {
      unlisted: ({ number, pruned }, terms) => {
        const names = new Map<number, string>()
        return terms.filter(({ field, term }) => {
          const list = names.get(field) ?? `${number} ${pruned} ${field}`
          names.set(field, list)
          if (this.#isKnown(list, term) || listed.find(list)?.has(term) === true) return false
          listed.add(list, term)
          return true
        })
      },
      commit: () => listed.visit((list, word) => this.#learn(list, word)),
    }
  }

  /** Forgets all words, because the database was replaced. */
  clear(): void {
    this.#young = new WordLists()
    this.#old = new WordLists()
  }

  /** Returns whether a word is known, and keeps one that is used again. */
  #isKnown(list: string, word: string): boolean {
    if (this.#young.find(list)?.has(word) === true) return true
    if (this.#old.find(list)?.has(word) !== true) return false
    this.#learn(list, word)
    return true
  }

  #learn(list: string, word: string): void {
    if (this.#young.size >= most / 2) {
      this.#old = this.#young
      this.#young = new WordLists()
    }
    this.#young.add(list, word)
  }
}

/** Progress saved with the rows. */
export interface Checkpoint {
  /** Name of the progress, for example `cursor`. */
  readonly name: string
  /** JSON; null deletes the checkpoint. */
  readonly value: string | null
}

/** Values of a searchable field, as strings. */
export interface CompleteValues {
  readonly field: string
  readonly values: readonly string[]
}

/** A batch of records. */
export interface Batch {
  readonly records: readonly StoredRecord[]
  /** When the records were requested, in milliseconds since 1970. */
  readonly asked: number
  /** Id of the complete pass of the records; `beginPass` has started it. */
  readonly pass?: string | undefined
  /** Values of a field for which the batch has every record. Other records with these values are deleted, unless they were read later. */
  readonly whole?: CompleteValues | undefined
  /** Keys of records that the vendor reports as deleted. A key that the batch also writes stays. */
  readonly removed?: readonly string[] | undefined
  readonly checkpoints?: readonly Checkpoint[] | undefined
}

/** Result of a batch. */
export interface BatchResult {
  /** New rows. */
  readonly created: number
  /** Replaced rows. */
  readonly updated: number
  /** Rows that did not change, and older versions of rows. */
  readonly unchanged: number
  readonly removed: number
  /**
   * Of a live batch: the count of changes of the rows after it, if each of its records is stored as it is; see `readChanges`. Absent
   * for a batch in several transactions, between which others can write.
   */
  readonly storedAt?: bigint
  /** Of a live batch: new records that were left out, because something was deleted after they were requested. Absent: none. */
  readonly late?: number
}

function keepNewest(records: readonly Fingerprinted[]): Fingerprinted[] {
  const byKey = new Map<string, Fingerprinted>()
  for (const each of records) {
    const known = byKey.get(each.record.key)
    if (known === undefined || known.version <= each.version) byKey.set(each.record.key, each)
  }
  return [...byKey.values()].sort((a, b) => (a.record.key < b.record.key ? -1 : 1))
}

interface Compared {
  readonly created: readonly Fingerprinted[]
  readonly updated: readonly Fingerprinted[]
  /** Number of records that are stored as they are. */
  readonly same: number
}

/**
 * Compares records with stored rows, which cannot change because the state is locked. A version in the future comes from a wrong clock and
 * would block every later one, so it is replaced.
 */
async function compareRows(
  session: Session,
  { number, known }: ConnectorTable,
  { rows, now }: { rows: readonly Fingerprinted[]; now: number },
): Promise<Compared> {
  const values = [number, rows.map(({ record }) => record.key)]
  const answer = await session.query<Row>({ ...known.encoder.probe, values })
  const stored = new Map(answer.rows.map(({ pk, h, v }) => [pk, { h, v }]))
  const isUpdate = ({ record, hash, version }: Fingerprinted): boolean => {
    const row = stored.get(record.key)
    if (row === undefined || row.h === hash || typeof row.v !== 'bigint') return false
    return row.v <= version || row.v > now
  }
  return {
    created: rows.filter(({ record }) => !stored.has(record.key)),
    updated: rows.filter(isUpdate),
    same: rows.filter(({ record, hash }) => stored.get(record.key)?.h === hash).length,
  }
}

/** Encodes rows. Nobody else can create the missing ones while the state is locked, so COPY meets no key that exists. */
function* encodeRows(
  { number, encoder, canCopy }: { number: number; encoder: RowEncoder; canCopy: boolean },
  { created, updated }: Pick<Compared, 'created' | 'updated'>,
): Iterable<Encoded> {
  if (!canCopy) return yield* encoder.encode(number, [...created, ...updated])
  yield* encoder.encodeCopies(number, created)
  yield* encoder.encode(number, updated)
}

interface RowWriting {
  readonly lists: EntityLists
  readonly words: WordFilter
  /** Finds what differs, where replaced rows are logged. */
  readonly difference: NamedStatement | undefined
}

interface Written {
  /** Number of new terms. */
  readonly listed: number
  readonly changed: readonly ChangedRow[]
}

/** Writes rows. While the database runs one statement, the next one is built. */
async function writeRows(session: Session, rows: Iterable<Encoded>, { lists, words, difference }: RowWriting): Promise<Written> {
  let listed = 0
  const changed: ChangedRow[] = []
  const write = async ({ statement, terms }: Encoded): Promise<void> => {
    if (difference !== undefined && statement.copied === undefined)
      changed.push(...(await findDifferences(session, { ...difference, values: statement.values ?? [] })))
    await session.query(statement)
    listed += await insertTerms(session, lists.number, words.unlisted(lists, terms))
  }
  let running: Promise<void> | undefined
  try {
    for (const encoded of rows) {
      await running
      running = write(encoded)
    }
  } finally {
    await running
  }
  return { listed, changed }
}

async function findDifferences(session: Session, statement: Statement): Promise<readonly ChangedRow[]> {
  const { rows } = await session.query<Row>(statement)
  return rows.map(({ pk, fields }) => ({ key: String(pk), fields: JSON.parse(String(fields)) }))
}

/**
 * Adds terms to the term table. The caller counts the change in `cs_entities.listed`, if rows have the terms.
 * @returns the number of new terms
 */
async function insertTerms(session: Session, number: number, terms: readonly Term[]): Promise<number> {
  if (terms.length === 0) return 0
  const { count } = await session.query({
    name: 'cs_terms_add',
    text: `insert into cs_terms (connector_id, field, term) select $1::int4, field, term from unnest($2::int4[], $3::text[]) as t(field, term)
      on conflict do nothing`,
    values: [number, terms.map(({ field }) => field), terms.map(({ term }) => term)],
  })
  return count
}

/** Deleted rows. */
export interface Deleted {
  readonly count: number
  /** Their keys, where a log wants them. */
  readonly keys: readonly string[]
}

const toDeleted = ({ rows, count }: Answer): Deleted => ({ count, keys: rows.map(({ pk }) => String(pk)) })

/**
 * Deletes rows by their keys. A log wants those that were there: mostly all were, or none, as the count says. A deletion that returns keys
 * costs half as much again, so it is only run where some were missing.
 */
export async function deleteRows(
  session: Session,
  { number, known: { encoder } }: ConnectorTable,
  keys: readonly string[],
  { log }: Pick<CopyState, 'log'>,
): Promise<Deleted> {
  if (keys.length === 0) return { count: 0, keys: [] }
  const values = [number, keys]
  const canBeSome = log.feed !== null && keys.length > 1
  if (canBeSome) await session.query({ name: 'cs_log_save', text: 'savepoint cs_deletion' })
  const { count } = await session.query({ ...encoder.remove, values })
  if (!canBeSome || count === 0 || count === keys.length) return { count, keys: count === keys.length ? keys : [] }
  await session.query({ text: 'rollback to savepoint cs_deletion' })
  return toDeleted(await session.query<Row>({ ...encoder.removeLogged, values }))
}

async function deleteOthers(
  session: Session,
  { number, known }: ConnectorTable,
  { whole, keys, asked }: { whole: CompleteValues; keys: readonly string[]; asked: number },
  { log }: Pick<CopyState, 'log'>,
): Promise<Deleted> {
  const column = known.table.columns.find(({ name }) => name === whole.field)
  if (column === undefined) throw fail('definition_invalid', { reason: `${known.table.kind}.${known.table.entity} lacks ${whole.field}` })
  const value = column.wide === undefined ? quoteName(column.sql) : `coalesce(${quoteName(column.wide)}, ${quoteName(column.sql)})`
  const text = `delete from ${quoteTable(known.table)} where ${buildRowCondition(known.table)} and (${value})::text = any($2::text[])
    and pk <> all($3::text[]) and "$v" <= $4${log.feed === null ? '' : ' returning pk'}`
  return toDeleted(await session.query<Row>({ text, values: [number, whole.values, keys, asked] }))
}

/** Saves checkpoints in the transaction of the rows. */
export async function saveCheckpoints(
  session: Session,
  { number, known }: ConnectorTable,
  checkpoints: readonly Checkpoint[],
): Promise<void> {
  for (const { name: part, value } of checkpoints) {
    const key = [number, known.table.name, part]
    const text =
      value === null
        ? 'delete from cs_checkpoints where connector_id = $1 and name = $2 and part = $3'
        : `insert into cs_checkpoints (connector_id, name, part, value) values ($1, $2, $3, $4)
           on conflict (connector_id, name, part) do update set value = excluded.value`
    await session.query({ name: value === null ? 'cs_forget' : 'cs_keep', text, values: value === null ? key : [...key, value] })
  }
}

const insertSeen = (session: Session, { number, known }: ConnectorTable, keys: readonly string[]) =>
  session.query({
    name: 'cs_see',
    text: 'insert into cs_seen (connector_id, name, keys) values ($1, $2, $3)',
    values: [number, known.table.name, keys],
  })

/** What a hidden text begins with. */
const hiddenBegin = '~'

/** Hides a text that a vendor asked to forget: small and capital letters are alike. `cs_gone` has it for a day, so the text itself would stay. */
export const hideText = (text: string): string => `${hiddenBegin}${createHash('sha256').update(toLooseText(text)).digest('hex')}`

/** Filters out records that were deleted after they were requested. The state is locked: no deletion can follow before the batch ends. */
async function filterGone(
  session: Session,
  { number, known }: ConnectorTable,
  rows: readonly Fingerprinted[],
): Promise<readonly Fingerprinted[]> {
  if (rows.length === 0) return rows
  const noted = await session.query<Row>({
    name: 'cs_gone',
    text: `select field, value, at from cs_gone where connector_id = $1 and name = $2 and field <> '' union all
      select '', key, noted.at from unnest($3::text[]) key cross join lateral
        (select at from cs_gone where connector_id = $1 and name = $2 and field = '' and value = key offset 0) noted`,
    values: [number, known.table.name, rows.map(({ record }) => record.key)],
  })
  if (noted.rows.length === 0) return rows
  const goneAt = new Map(noted.rows.map(({ field, value, at }) => [`${field}\0${value}`, BigInt(String(at))]))
  /** Fields with values of deleted records, and whether some of these are hidden. */
  const fields = new Map<string, boolean>()
  for (const { field, value } of noted.rows)
    if (field !== '') fields.set(String(field), fields.get(String(field)) === true || String(value).startsWith(hiddenBegin))
  const nameValues = (record: StoredRecord): readonly string[] =>
    [...fields].flatMap(([field, isHidden]) => {
      const value = String(record.fields[field])
      return [value, ...(isHidden ? [hideText(value)] : [])].map((each) => `${field}\0${each}`)
    })
  return rows.filter(({ record, version }) =>
    [`\0${record.key}`, ...nameValues(record)].every((name) => {
      const at = goneAt.get(name)
      return at === undefined || version > at
    }),
  )
}

/** Options of a write besides the batch. */
export interface WriteOptions extends LogReading {
  readonly words: WordFilter
  /** True for records that were read outside of a sync. */
  readonly live?: boolean
  /** What caused the read; default: a client's read where `live`, else a sync. */
  readonly cause?: ChangeCause | undefined
  /** True where the database takes COPY for new rows. */
  readonly canCopy: boolean
  /** Keys of the batch that transactions before have written. */
  readonly written?: readonly string[] | undefined
}

/** Writes a batch in the transaction of `session`. */
export async function writeBatch(session: Session, target: ConnectorTable, batch: Batch & WriteOptions): Promise<BatchResult> {
  const locked =
    batch.live === true ? await lockExistingState(session, target.number, target.known.table.name) : await lockState(session, target)
  if (locked === undefined) return { created: 0, updated: 0, unchanged: 0, removed: 0 }
  const state = batch.rules.isAlwaysOn ? { ...locked, log: await followLog(session, nameRows(target), locked.log, batch) } : locked
  if (batch.pass !== undefined && batch.pass !== state.pass) throw fail('unavailable', { reason: 'another complete pass has begun' })
  const met = keepNewest(batch.records.map((record) => target.known.encoder.fingerprint(record, batch.asked)))
  const rows = await filterGone(session, target, met)
  const keys = rows.map(({ record }) => record.key)
  const {
    created: missing,
    updated,
    same,
  } = state.records === 0 || rows.length === 0
    ? { created: rows, updated: [], same: 0 }
    : await compareRows(session, target, { rows, now: batch.now })
  // A record that was requested before a deletion may be one of the deleted ones.
  const created = batch.live === true && batch.asked <= state.deletedAt ? [] : missing
  const lists: EntityLists = { number: target.number, pruned: state.pruned }
  if (state.records === 0) await insertTerms(session, target.number, batch.words.unlisted(lists, listInitialTerms(target.known.table)))
  const { encoder } = target.known
  const encoded = encodeRows({ number: target.number, encoder, canCopy: batch.canCopy }, { created, updated })
  const difference = state.log.feed === null || updated.length === 0 ? undefined : encoder.difference
  const { listed, changed } = await writeRows(session, encoded, { lists, words: batch.words, difference })
  const written = new Set([...(batch.written ?? []), ...keys])
  const gone = (batch.removed ?? []).filter((key) => !written.has(key))
  const { whole, asked } = batch
  const others = whole === undefined ? undefined : await deleteOthers(session, target, { whole, keys: [...written], asked }, state)
  const named = await deleteRows(session, target, gone, state)
  const removed = named.count + (others?.count ?? 0)
  if (state.pass !== null && keys.length > 0) await insertSeen(session, target, keys)
  const added = created.map(({ record }) => record.key)
  const isChanged = await noteChange(session, nameRows(target), state, {
    by: created.length - removed,
    hasUpdated: updated.length > 0,
    hasListed: listed > 0,
    ...(removed > 0 ? { removedAt: batch.now } : {}),
    entries: {
      added,
      changed,
      removed: [...(others?.keys ?? []), ...named.keys],
      cause: batch.cause ?? (batch.live === true ? 'live' : 'sync'),
      at: batch.now,
    },
  })
  await saveCheckpoints(session, target, batch.checkpoints ?? [])
  const unchanged = met.length - created.length - updated.length
  const storedAt = batch.live === true && same === unchanged ? { storedAt: state.changes + (isChanged ? 1n : 0n) } : {}
  const late = missing.length === created.length ? {} : { late: missing.length - created.length }
  return { created: created.length, updated: updated.length, unchanged, removed, ...storedAt, ...late }
}

/** SQLSTATE of a row whose key exists. */
const keyExists = '23505'

interface Writing<T> {
  /** True where the database takes COPY. */
  readonly mayCopy: boolean
  /** Runs the write in a transaction. */
  write(canCopy: boolean): Promise<T>
  /** Drops indexes that a value is too long for. Returns true when the write is worth a retry. */
  dropBlocking(thrown: unknown): Promise<boolean>
}

/**
 * Writes, and tries again without COPY where a row exists that the counts left out, or without an index that refuses a value.
 * @throws what the last attempt threw
 */
export async function writeInAttempts<T>({ mayCopy, write, dropBlocking }: Writing<T>): Promise<T> {
  let canCopy = mayCopy
  // An entity has at most so many indexes; another attempt does without COPY.
  for (let left = indexRules.mostOfEntity + 1; ; left -= 1) {
    try {
      return await write(canCopy)
    } catch (thrown) {
      const isRefusedCopy = canCopy && readErrorCode(thrown) === keyExists
      if (isRefusedCopy) canCopy = false
      else if (left <= 0 || !(await dropBlocking(thrown))) throw thrown
    }
  }
}
