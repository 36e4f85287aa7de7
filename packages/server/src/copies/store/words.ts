/**
 * Deletes listed words that no row has any more: of records that a vendor asked to forget, and of copies that were emptied. A word that is
 * listed without a row does no harm to searches, so other deletions leave their words.
 *
 * Nodes remember which words are listed (`ListedWords`). `cs_entities.pruned` says that some of them are not listed any more.
 */
import { buildRowCondition, type Column, parseTableName, quoteName, quoteTable } from '../search/columns.ts'
import { termTable } from '../search/functions.ts'
import { isMark } from '../search/tokens/words.ts'
import { listTermFields } from '../search/values.ts'
import type { Row, Session } from './database/database.ts'
import type { ConnectorTable } from './registry.ts'
import { buildClearStatement } from './row-encoder.ts'

/** Rows that are looked at for common words, so only rare words are looked up. */
const sampledRows = 500
/** Words deleted per transaction. */
const stepWords = 5_000

/** Columns with listed words, and the SQL that returns the words of a row as JSON, in the same order. */
export interface WordColumns {
  readonly columns: readonly (Column & { readonly terms: string })[]
  readonly sql: readonly string[]
}

/** Finds the columns of a table whose words are listed. */
export function findWordColumns({ known: { table } }: ConnectorTable): WordColumns {
  const columns = table.columns.flatMap((column) =>
    column.words === 'stored' && column.terms !== undefined ? [{ ...column, terms: column.terms }] : [],
  )
  return { columns, sql: columns.map(({ terms }) => `to_json(${quoteName(terms)})::text`) }
}

const parseWords = (json: unknown): readonly string[] => (typeof json === 'string' ? JSON.parse(json) : [])

const countPruning = (session: Session, { number, known }: ConnectorTable) =>
  session.query({
    text: 'update cs_entities set pruned = pruned + 1 where connector_id = $1 and name = $2',
    values: [number, known.table.name],
  })

/** Returns whether rows of another version of an own kind have words under the same numbers: while the rows move. */
async function sharesWords(session: Session, { number, known: { table } }: ConnectorTable): Promise<boolean> {
  const own = parseTableName(table.name)
  if (own === undefined) return false
  const text = 'select name from cs_entities where connector_id = $1 and name <> $2'
  const { rows } = await session.query<Row>({ text, values: [number, table.name] })
  return rows.some(({ name }) => parseTableName(String(name))?.entity === own.entity)
}

/** Finds which of some words no row has. Common words are found in a few rows; the index serves the others. */
async function findUnused(
  session: Session,
  { number, known: { table } }: ConnectorTable,
  { column, words }: { readonly column: string; readonly words: readonly string[] },
): Promise<readonly string[]> {
  const [from, own] = [quoteTable(table), buildRowCondition(table)]
  const select = async (text: string, asked: readonly string[]): Promise<readonly string[]> => {
    const { rows } = await session.query<Row>({ text: `select to_json(array(${text}))::text as words`, values: [number, asked] })
    return parseWords(rows[0]?.['words'])
  }
  const some = `select ${column} as stored from ${from} where ${own} limit ${sampledRows}`
  const rare = await select(`select word from unnest($2::text[]) word except select unnest(stored) from (${some}) sampled`, words)
  const having = `select distinct word from ${from} cross join unnest(${column}) word where ${own} and ${column} && $2::text[] and word = any($2)`
  const used = new Set(await select(having, rare))
  return rare.filter((word) => !used.has(word))
}

/**
 * Deletes the listed words of deleted rows that no other row has. The state is locked, so no row can get such a word meanwhile, and the
 * connector is blocked.
 * @param rows answers with the results of `WordColumns.sql`, as `w0`, `w1` …
 */
export async function pruneWords(session: Session, target: ConnectorTable, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0 || (await sharesWords(session, target))) return
  let pruned = 0
  for (const [index, { field, terms }] of findWordColumns(target).columns.entries()) {
    const words = [...new Set(rows.flatMap((row) => parseWords(row[`w${index}`])))].filter((word) => !isMark(word))
    const unused = words.length === 0 ? [] : await findUnused(session, target, { column: quoteName(terms), words })
    if (unused.length === 0) continue
    const text = 'delete from cs_terms where connector_id = $1 and field = $2 and term = any($3::text[])'
    pruned += (await session.query({ text, values: [target.number, field, unused] })).count
  }
  if (pruned > 0) await countPruning(session, target)
}

/** Deletes some of the listed words of an entity without rows, whose state is locked. @returns whether others may be left */
export async function clearWords(session: Session, target: ConnectorTable): Promise<boolean> {
  const fields = listTermFields(target.known.table).join(', ')
  const text = buildClearStatement(termTable.name, `connector_id = $1 and field = any('{${fields}}'::int4[])`)
  const { count } = await session.query({ text, values: [target.number, stepWords] })
  if (count > 0) await countPruning(session, target)
  return count === stepWords
}
