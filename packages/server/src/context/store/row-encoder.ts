/** Encodes rows of one table: their hashes, their JSON, and the statements that write them. */
import { createHash, hash } from 'node:crypto'
import { writeJson } from 'ferrule/engine'
import { listPhysicalColumns, type PhysicalColumn, quoteName, type SearchTable } from '../query/columns.ts'
import type { Term } from '../query/terms.ts'
import { buildCells, type Cell, createTermReader } from '../query/values.ts'
import { digestTable } from './tables.ts'

/** A record for the store. */
export interface StoredRecord {
  /** Key of the record, built by `buildPrimaryKey`. */
  readonly key: string
  /** Searchable fields by their documented names; others are ignored, absent ones are null. */
  readonly fields: Readonly<Record<string, unknown>>
  /**
   * Version of the record: an older one never replaces a row. All records of an entity use the same clock, for example the vendor's time
   * of the last change in milliseconds. Default: the time of the request.
   */
  readonly version?: number
}

/** A record with its hash and version, which decide whether its row changes. */
export interface Fingerprinted {
  readonly record: StoredRecord
  readonly hash: bigint
  readonly version: bigint
}

/** Rows as JSON for one statement, and the words to list with them. */
export interface Encoded {
  readonly json: string
  readonly terms: readonly Term[]
}

/** Maximum number of characters of JSON in one statement; a single record may exceed it. */
const statementLength = 250_000

/** A prepared statement without its values. */
export interface NamedStatement {
  readonly name: string
  readonly text: string
}

/** Statements of one table. */
export interface TableStatements {
  /** `$1` connector, `$2` keys. Returns pk, h, v. */
  readonly probe: NamedStatement
  /** `$1` connector, `$2` JSON of `encode`. */
  readonly upsert: NamedStatement
  /** `$1` connector, `$2` keys. */
  readonly remove: NamedStatement
  /** `$1` connector, `$2` maximum number of rows. Deletes rows of a connector. */
  readonly clear: NamedStatement
}

/** Encodes the rows of one table. */
export interface RowEncoder extends TableStatements {
  fingerprint(record: StoredRecord, version: number): Fingerprinted
  /** Splits rows into statements. Cells are built one statement at a time. */
  encode(rows: readonly Fingerprinted[]): Iterable<Encoded>
}

/** A column of a row with the words of several token rules, and the position of its cell. */
interface PickedColumn {
  readonly column: PhysicalColumn
  readonly table: number
  readonly cell: number
}

/** Lists the distinct columns of several versions of one table. */
function pickColumns(tables: readonly SearchTable[]): readonly PickedColumn[] {
  const all = tables.flatMap((each, table) => listPhysicalColumns(each).map((column, cell) => ({ column, table, cell })))
  return all.filter(({ column }, index) => all.findIndex((other) => other.column.name === column.name) === index)
}

/**
 * Creates the encoder of a table.
 * @param more the same table with the words of other token rules, which are written too
 */
export function createRowEncoder(table: SearchTable, ...more: readonly SearchTable[]): RowEncoder {
  const tables = [table, ...more]
  const picks = pickColumns(tables)
  const columns = picks.map(({ column }) => column)
  const digest = digestTable(table)
  const readers = tables.map((each) => createTermReader(each, columns))
  const cells = ({ fields }: StoredRecord): readonly Cell[] => {
    const made = tables.map((each) => buildCells(each, fields))
    return picks.map((pick) => made[pick.table]?.[pick.cell] ?? null)
  }
  const encodedColumns = columns.map(({ type }, index) => ({ name: `,"c${index}":`, isJson: type === 'jsonb' }))
  return {
    fingerprint: (record, version) => ({
      record,
      hash: hash('sha256', `${digest}${writeJson(record.fields)}`, 'buffer').readBigInt64BE(0),
      version: BigInt(Math.trunc(record.version ?? version)),
    }),
    encode: (rows) => encodeRows(rows, { cells, columns: encodedColumns, readTerms: (made) => readers.flatMap((read) => read(made)) }),
    ...buildTableStatements(quoteName(table.name), columns),
  }
}

/** Aliases for the requested keys and the rows found. */
const wanted = 'wanted'
const found = 'found'

function buildTableStatements(table: string, columns: readonly PhysicalColumn[]): TableStatements {
  const names = ['pk', 'h', '"$v"', ...columns.map(({ name }) => quoteName(name))]
  const sources = ['p', 'h', 'v', ...columns.map((_, index) => `c${index}`)]
  const types = ['text', 'int8', 'int8', ...columns.map(({ type }) => type)]
  const shape = sources.map((name, index) => `${name} ${types[index]}`).join(', ')
  const sets = names.slice(1).map((name) => `${name} = excluded.${name}`)
  // Looks up each key in the index of the primary key. Before there are statistics, `pk = any(…)` would read every row of the connector.
  // Names are qualified, because a field can be called `key`.
  const foundBy = (what: string): string =>
    `unnest($2::text[]) ${wanted}(pk) cross join lateral (select ${what} from ${table} where connector_id = $1 and pk = ${wanted}.pk offset 0) ${found}`
  return {
    probe: nameStatement('probe', `select ${found}.* from ${foundBy('pk, h, "$v" as v')}`),
    upsert: nameStatement(
      'upsert',
      `insert into ${table} (connector_id, ${names.join(', ')}) select $1::int4, ${sources.join(', ')}
      from json_to_recordset($2::json) as row(${shape}) on conflict (connector_id, pk) do update set ${sets.join(', ')}`,
    ),
    remove: nameStatement(
      'remove',
      `delete from ${table} where connector_id = $1 and ctid = any(array(select ${found}.ctid from ${foundBy('ctid')}))`,
    ),
    clear: nameStatement('clear', buildClearStatement(table)),
  }
}

interface EncodedColumn {
  /** Its JSON name with the surrounding punctuation. */
  readonly name: string
  /** True when its cells are JSON. */
  readonly isJson: boolean
}

interface Encoding {
  cells(record: StoredRecord): readonly Cell[]
  readonly columns: readonly EncodedColumn[]
  readTerms(rows: readonly (readonly Cell[])[]): readonly Term[]
}

function* encodeRows(rows: readonly Fingerprinted[], { cells, columns, readTerms }: Encoding): Iterable<Encoded> {
  let texts: string[] = []
  let made: (readonly Cell[])[] = []
  let length = 0
  const statement = (): Encoded => ({ json: `[${texts.join(',')}]`, terms: readTerms(made) })
  for (const row of rows) {
    const own = cells(row.record)
    const text = formatRow(row, own, columns)
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

/** Formats an object for `json_to_recordset`: absent names are null, and JSON cells go in unchanged. */
function formatRow({ record, hash: h, version }: Fingerprinted, cells: readonly Cell[], columns: readonly EncodedColumn[]): string {
  let text = `{"p":${JSON.stringify(record.key)},"h":${h},"v":${version}`
  for (let index = 0; index < cells.length; index += 1) {
    const [cell, column] = [cells[index], columns[index]]
    if (cell === null || cell === undefined || column === undefined) continue
    text += column.name
    text += column.isJson && typeof cell === 'string' ? cell : JSON.stringify(cell)
  }
  return `${text}}`
}

/** Builds the statement that deletes some rows of a connector. All its rows are in one partition, so `ctid` is unique. */
export const buildClearStatement = (table: string): string =>
  `delete from ${table} where connector_id = $1 and ctid = any(array(select ctid from ${table} where connector_id = $1 limit $2))`

const nameStatement = (purpose: string, text: string): NamedStatement => ({
  name: `cs_${purpose}_${createHash('sha256').update(text).digest('base64url').slice(0, 16)}`,
  text,
})
