/** Encodes rows of one table: their hashes, their JSON, and the statements that write them. */
import { createHash, hash } from 'node:crypto'
import { writeJson } from 'ferrule/engine'
import {
  buildRowCondition,
  isStrict,
  listPhysicalColumns,
  type PhysicalColumn,
  quoteName,
  quoteTable,
  rescuedColumn,
  type SearchTable,
} from '../search/columns.ts'
import type { Term } from '../search/terms.ts'
import { buildCells, type Cell, createRescuer, createTermReader, type JsonTexts } from '../search/values.ts'
import type { Statement } from './database/database.ts'
import { digestTable } from './tables.ts'

const special = /[\\\n\r\t]/
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const escapeText = (text: string): string => (special.test(text) ? text.replace(/[\\\n\r\t]/g, (found) => escapes[found] ?? found) : text)

/** Writes an array of words. Each is quoted, because an empty one and `null` must be. A word has neither quotes nor backslashes. */
const writeWords = (words: readonly string[]): string => (words.length === 0 ? '{}' : `{"${words.join('","')}"}`)

const formatCell = (cell: Cell | bigint | number): string => {
  if (cell === null) return '\\N'
  if (typeof cell === 'string') return escapeText(cell)
  return typeof cell === 'object' ? writeWords(cell) : String(cell)
}

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
  /** JSON of the fields that are stored as JSON, which the hash needs too. */
  readonly texts: JsonTexts
  /** JSON of the values that their columns cannot hold, by field. */
  readonly rescued: string | null
}

/** Statement that writes some rows, and the words to list with them. */
export interface Encoded {
  readonly statement: Statement
  readonly terms: readonly Term[]
}

/** Maximum number of characters of rows in one statement; a single record may exceed it. COPY reads its rows one by one, the other parses JSON. */
const lengths = { upsert: 250_000, copy: 2_000_000 } as const

/** A statement without its values. Those of own kinds have no name: their number has no bound, and a connection keeps what has a name. */
export interface NamedStatement {
  readonly name?: string
  readonly text: string
}

/** Statements of one table. */
export interface TableStatements {
  /** `$1` connector, `$2` keys. Returns pk, h, v. */
  readonly probe: NamedStatement
  /** `$1` connector, `$2` JSON of `encode`. */
  readonly upsert: NamedStatement
  /** `$1` connector, `$2` JSON of `encode`. Returns pk and fields, a JSON array, of the rows that exist: fields in which they differ. */
  readonly difference: NamedStatement
  /** `copy … from stdin`, with the rows of `encodeCopies`. */
  readonly copy: string
  /** `$1` connector, `$2` keys. */
  readonly remove: NamedStatement
  /** As `remove`; returns the pk of deleted rows, for the log. */
  readonly removeLogged: NamedStatement
  /** `$1` connector, `$2` maximum number of rows. Deletes rows of a connector. */
  readonly clear: NamedStatement
}

/** Encodes the rows of one table. */
export interface RowEncoder extends TableStatements {
  fingerprint(record: StoredRecord, version: number): Fingerprinted
  /** Splits rows of a connector into statements that create or replace them. Cells are built one statement at a time. */
  encode(number: number, rows: readonly Fingerprinted[]): Iterable<Encoded>
  /** Splits rows as `encode` does, into COPY statements, which fail where a key exists. */
  encodeCopies(number: number, rows: readonly Fingerprinted[]): Iterable<Encoded>
}

/** Creates the encoder of a table. */
export function createRowEncoder(table: SearchTable): RowEncoder {
  const columns = listPhysicalColumns(table)
  const digest = digestTable(table)
  const readColumns = createTermReader(table, columns)
  const cells = ({ record, texts }: Fingerprinted): readonly Cell[] => buildCells(table, record.fields, texts)
  const encodedColumns = columns.map(({ type }, index) => ({ name: `,"c${index}":`, isJson: type === 'jsonb' }))
  const jsonFields = new Set(table.columns.flatMap(({ name, type }) => (type === 'json' ? [name] : [])))
  const statements = buildTableStatements(table, columns)
  const rescue = createRescuer(table)
  const readTerms: Encoding['readTerms'] = (made, rows) =>
    readColumns(
      made,
      rows.map(({ record }) => record.fields),
    )
  const reading = { cells, readTerms }
  const marks = table.storage?.mark === undefined ? [] : [table.storage.mark]
  return {
    fingerprint: (record, version) => {
      const { text, texts } = writeFields(record.fields, jsonFields)
      const rescued = rescue(record.fields)
      const digested = hash('sha256', `${digest}${text}${rescued ?? ''}`, 'buffer').readBigInt64BE(0)
      return { record, hash: digested, version: BigInt(Math.trunc(record.version ?? version)), texts, rescued }
    },
    encode: (number, rows) =>
      encodeRows(rows, {
        ...reading,
        length: lengths.upsert,
        format: (row, own) => formatRow(row, own, encodedColumns),
        build: (texts) => ({ ...statements.upsert, values: [number, `[${texts.join(',')}]`] }),
      }),
    encodeCopies: (number, rows) =>
      encodeRows(rows, {
        ...reading,
        length: lengths.copy,
        format: ({ record, hash: h, version, rescued }, own) =>
          `${[number, ...marks, record.key, h, version, rescued, ...own].map(formatCell).join('\t')}\n`,
        build: (texts) => ({ text: statements.copy, copied: texts.join('') }),
      }),
    ...statements,
  }
}

const noTexts: JsonTexts = new Map()

/** Writes fields as `writeJson` does, and keeps the JSON of some of them. */
function writeFields(fields: StoredRecord['fields'], kept: ReadonlySet<string>): { readonly text: string; readonly texts: JsonTexts } {
  if (kept.size === 0) return { text: writeJson(fields), texts: noTexts }
  const texts = new Map<string, string>()
  const members = Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined) return []
    const text = writeJson(value)
    if (kept.has(name)) texts.set(name, text)
    return [`${JSON.stringify(name)}:${text}`]
  })
  return { text: `{${members.join()}}`, texts }
}

const wanted = 'wanted'
const found = 'found'
const sent = 'sent'

function buildTableStatements(rows: SearchTable, columns: readonly PhysicalColumn[]): TableStatements {
  const [table, own] = [quoteTable(rows), buildRowCondition(rows)]
  const { storage } = rows
  const [marked, mark] = storage?.mark === undefined ? ['', ''] : ['entity, ', `'${storage.mark}'::uuid, `]
  const nameStatement = (purpose: string, text: string): NamedStatement => ({
    ...(storage === undefined ? { name: `cs_${purpose}_${createHash('sha256').update(text).digest('base64url').slice(0, 16)}` } : {}),
    text,
  })
  const names = ['pk', 'h', '"$v"', quoteName(rescuedColumn.name), ...columns.map(({ name }) => quoteName(name))]
  const sources = ['p', 'h', 'v', 'r', ...columns.map((_, index) => `c${index}`)]
  const types = ['text', 'int8', 'int8', rescuedColumn.type, ...columns.map(({ type }) => type)]
  const shape = sources.map((name, index) => `${name} ${types[index]}`).join(', ')
  const sets = names.slice(1).map((name) => `${name} = excluded.${name}`)
  // Looks up each key in the index of the primary key. Before there are statistics, `pk = any(…)` would read every row of the connector.
  // Names are qualified, because a field can be called `key`.
  const foundBy = (what: string): string =>
    `unnest($2::text[]) ${wanted}(pk) cross join lateral (select ${what} from ${table} where ${own} and pk = ${wanted}.pk offset 0) ${found}`
  const remove = `delete from ${table} where ${own} and ctid = any(array(select ${found}.ctid from ${foundBy('ctid')}))`
  return {
    probe: nameStatement('probe', `select ${found}.* from ${foundBy('pk, h, "$v" as v')}`),
    upsert: nameStatement(
      'upsert',
      `insert into ${table} (connector_id, ${marked}${names.join(', ')}) select $1::int4, ${mark}${sources.join(', ')}
      from json_to_recordset($2::json) as row(${shape}) on conflict (connector_id, ${marked}pk) do update set ${sets.join(', ')}`,
    ),
    difference: nameStatement(
      'difference',
      `select ${found}.pk, to_json(array_remove(array[${listDifferences(rows, columns).join(', ')}]::text[], null))::text as fields
      from json_to_recordset($2::json) as ${sent}(${shape}) cross join lateral
        (select * from ${table} where ${own} and pk = ${sent}.p offset 0) ${found}`,
    ),
    copy: `copy ${table} (connector_id, ${marked}${names.join(', ')}) from stdin`,
    remove: nameStatement('remove', remove),
    removeLogged: nameStatement('remove', `${remove} returning pk`),
    clear: nameStatement('clear', buildClearStatement(table, own)),
  }
}

/** Lists SQL of the name of each field that differs between a found row and the new one, or null. */
const listDifferences = ({ columns: fields }: SearchTable, columns: readonly PhysicalColumn[]): readonly string[] =>
  fields.map((field) => {
    const { name, sql, wide } = field
    const text = `'${name.replaceAll("'", "''")}'`
    const compared = columns.flatMap((column, index) =>
      column.name === sql || column.name === wide ? [`${found}.${quoteName(column.name)} is distinct from ${sent}.c${index}`] : [],
    )
    const rescued = isStrict(field) ? [`${found}.${quoteName(rescuedColumn.name)} -> ${text} is distinct from ${sent}.r -> ${text}`] : []
    return `case when ${[...compared, ...rescued].join(' or ')} then ${text} end`
  })

interface EncodedColumn {
  /** Its JSON name with the surrounding punctuation. */
  readonly name: string
  /** True when its cells are JSON. */
  readonly isJson: boolean
}

interface Encoding {
  /** Maximum number of characters of rows in one statement. */
  readonly length: number
  cells(row: Fingerprinted): readonly Cell[]
  format(row: Fingerprinted, cells: readonly Cell[]): string
  /** Builds the statement of formatted rows. */
  build(texts: readonly string[]): Statement
  readTerms(cells: readonly (readonly Cell[])[], rows: readonly Fingerprinted[]): readonly Term[]
}

function* encodeRows(rows: readonly Fingerprinted[], { cells, format, build, readTerms, length: most }: Encoding): Iterable<Encoded> {
  let texts: string[] = []
  let made: (readonly Cell[])[] = []
  let taken: Fingerprinted[] = []
  let length = 0
  const statement = (): Encoded => ({ statement: build(texts), terms: readTerms(made, taken) })
  for (const row of rows) {
    const own = cells(row)
    const text = format(row, own)
    if (length > 0 && length + text.length > most) {
      yield statement()
      texts = []
      made = []
      taken = []
      length = 0
    }
    texts.push(text)
    made.push(own)
    taken.push(row)
    length += text.length
  }
  if (texts.length > 0) yield statement()
}

/** Formats an object for `json_to_recordset`: absent names are null, and JSON cells go in unchanged. */
function formatRow(
  { record, hash: h, version, rescued }: Fingerprinted,
  cells: readonly Cell[],
  columns: readonly EncodedColumn[],
): string {
  let text = `{"p":${JSON.stringify(record.key)},"h":${h},"v":${version}${rescued === null ? '' : `,"r":${rescued}`}`
  for (let index = 0; index < cells.length; index += 1) {
    const [cell, column] = [cells[index], columns[index]]
    if (cell === null || cell === undefined || column === undefined) continue
    text += column.name
    text += column.isJson && typeof cell === 'string' ? cell : JSON.stringify(cell)
  }
  return `${text}}`
}

/** Builds the statement that deletes some rows of a connector. All its rows are in one partition, so `ctid` is unique. */
export const buildClearStatement = (table: string, condition = 'connector_id = $1'): string =>
  `delete from ${table} where ${condition} and ctid = any(array(select ctid from ${table} where ${condition} limit $2))`
