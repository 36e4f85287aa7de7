/** How rows of one table are written: their hashes, their text on the way to the database, and the statements. */
import { createHash, hash } from 'node:crypto'
import { writeJson } from '../../engine/json.ts'
import { type PhysicalColumn, physicalColumns, quoted, type SearchTable } from '../query/columns.ts'
import { type Cell, cellsOf, type Term, termReader } from '../query/values.ts'
import { digestOf } from './tables.ts'

/** A record as it is given to the store. */
export interface StoredRecord {
  /** The record's key, made by `primaryKeyOf`. */
  readonly key: string
  /** Searchable fields by their documented names; others are passed over, absent ones are null. */
  readonly fields: Readonly<Record<string, unknown>>
  /**
   * How new it is: a row is never replaced by an older one. The same clock for all records of an entity, for example the vendor's
   * moment of the last change in milliseconds; the moment when it was asked for, when left out.
   */
  readonly version?: number
}

/** A record with what decides whether its row changes. */
export interface Fingerprinted {
  readonly record: StoredRecord
  readonly hash: bigint
  readonly version: bigint
}

/** Rows on their way: JSON for one statement, and the words that must be listed with them. */
export interface Encoded {
  readonly json: string
  readonly terms: readonly Term[]
}

/** Characters of JSON in one statement; a single record may be longer. */
const statementLength = 250_000

/** A statement that is prepared, without its values. */
export interface Prepared {
  readonly name: string
  readonly text: string
}

/** The statements of one table. */
export interface TableStatements {
  /** `$1` connector, `$2` keys. Answers pk, h, v. */
  readonly probe: Prepared
  /** `$1` connector, `$2` JSON of `encode`. */
  readonly upsert: Prepared
  /** `$1` connector, `$2` keys. */
  readonly remove: Prepared
  /** `$1` connector, `$2` at most so many rows: removes rows of a connector that goes. */
  readonly clear: Prepared
}

/** Writes the rows of one table. */
export interface Writer extends TableStatements {
  fingerprint(record: StoredRecord, version: number): Fingerprinted
  /** Cuts rows into statements. Cells are made one statement at a time. */
  encode(rows: readonly Fingerprinted[]): Iterable<Encoded>
}

/** A column of a row that has the words of several token rules, and whose cells it is among. */
interface PickedColumn {
  readonly column: PhysicalColumn
  readonly table: number
  readonly cell: number
}

/** The columns of some versions of one table, each once. */
function picked(tables: readonly SearchTable[]): readonly PickedColumn[] {
  const all = tables.flatMap((each, table) => physicalColumns(each).map((column, cell) => ({ column, table, cell })))
  return all.filter(({ column }, index) => all.findIndex((other) => other.column.name === column.name) === index)
}

/**
 * The writer of a table.
 * @param more the same table with the words of other token rules, which are written too
 */
export function writerOf(table: SearchTable, ...more: readonly SearchTable[]): Writer {
  const tables = [table, ...more]
  const picks = picked(tables)
  const columns = picks.map(({ column }) => column)
  const digest = digestOf(table)
  const readers = tables.map((each) => termReader(each, columns))
  const cells = ({ fields }: StoredRecord): readonly Cell[] => {
    const made = tables.map((each) => cellsOf(each, fields))
    return picks.map((pick) => made[pick.table]?.[pick.cell] ?? null)
  }
  const encodedColumns = columns.map(({ type }, index) => ({ name: `,"c${index}":`, isJson: type === 'jsonb' }))
  return {
    fingerprint: (record, version) => ({
      record,
      hash: hash('sha256', `${digest}${writeJson(record.fields)}`, 'buffer').readBigInt64BE(0),
      version: BigInt(Math.trunc(record.version ?? version)),
    }),
    encode: (rows) => encoded(rows, { cells, columns: encodedColumns, readTerms: (made) => readers.flatMap((read) => read(made)) }),
    ...statementsOf(quoted(table.name), columns),
  }
}

/** Keys that are looked up, and the rows that have them. */
const wanted = 'wanted'
const found = 'found'

function statementsOf(table: string, columns: readonly PhysicalColumn[]): TableStatements {
  const names = ['pk', 'h', '"$v"', ...columns.map(({ name }) => quoted(name))]
  const sources = ['p', 'h', 'v', ...columns.map((_, index) => `c${index}`)]
  const types = ['text', 'int8', 'int8', ...columns.map(({ type }) => type)]
  const shape = sources.map((name, index) => `${name} ${types[index]}`).join(', ')
  const sets = names.slice(1).map((name) => `${name} = excluded.${name}`)
  // One look into the key's index for each key, whatever is known of the table: before there are statistics, `pk = any(…)` reads every
  // row of the connector.
  // Names are qualified: a field can be called `key`.
  const foundBy = (what: string): string =>
    `unnest($2::text[]) ${wanted}(pk) cross join lateral (select ${what} from ${table} where connector_id = $1 and pk = ${wanted}.pk offset 0) ${found}`
  return {
    probe: prepared('probe', `select ${found}.* from ${foundBy('pk, h, "$v" as v')}`),
    upsert: prepared(
      'upsert',
      `insert into ${table} (connector_id, ${names.join(', ')}) select $1::int4, ${sources.join(', ')}
      from json_to_recordset($2::json) as row(${shape}) on conflict (connector_id, pk) do update set ${sets.join(', ')}`,
    ),
    remove: prepared(
      'remove',
      `delete from ${table} where connector_id = $1 and ctid = any(array(select ${found}.ctid from ${foundBy('ctid')}))`,
    ),
    clear: prepared('clear', clearing(table)),
  }
}

interface EncodedColumn {
  /** Its name in the JSON, with what stands around it. */
  readonly name: string
  /** Its cells are JSON. */
  readonly isJson: boolean
}

interface Encoding {
  cells(record: StoredRecord): readonly Cell[]
  readonly columns: readonly EncodedColumn[]
  readTerms(rows: readonly (readonly Cell[])[]): readonly Term[]
}

function* encoded(rows: readonly Fingerprinted[], { cells, columns, readTerms }: Encoding): Iterable<Encoded> {
  let texts: string[] = []
  let made: (readonly Cell[])[] = []
  let length = 0
  const statement = (): Encoded => ({ json: `[${texts.join(',')}]`, terms: readTerms(made) })
  for (const row of rows) {
    const own = cells(row.record)
    const text = rowText(row, own, columns)
    if (length > 0 && length + text.length > statementLength) {
      yield statement()
      texts = []
      made = []
      length = 0
    }
    texts.push(text)
    made.push(own)
    length += text.length
  }
  if (texts.length > 0) yield statement()
}

/** One object of `json_to_recordset`: absent names are null, and what is JSON already goes in as it is. */
function rowText({ record, hash: h, version }: Fingerprinted, cells: readonly Cell[], columns: readonly EncodedColumn[]): string {
  let text = `{"p":${JSON.stringify(record.key)},"h":${h},"v":${version}`
  for (let index = 0; index < cells.length; index += 1) {
    const [cell, column] = [cells[index], columns[index]]
    if (cell === null || cell === undefined || column === undefined) continue
    text += column.name
    text += column.isJson && typeof cell === 'string' ? cell : JSON.stringify(cell)
  }
  return `${text}}`
}

/** Removes some rows of a connector. All its rows are in one partition, so their places tell them apart. */
export const clearing = (table: string): string =>
  `delete from ${table} where connector_id = $1 and ctid = any(array(select ctid from ${table} where connector_id = $1 limit $2))`

const prepared = (purpose: string, text: string): Prepared => ({
  name: `cs_${purpose}_${createHash('sha256').update(text).digest('base64url').slice(0, 16)}`,
  text,
})
