/** Finds rows that a complete pass has not seen, in slices of the key's order. */
import { fail } from 'ferrule/internal'
import { quoteName } from '../search/columns.ts'
import { parseTimestamp } from '../search/timestamps.ts'
import type { ConnectorTable } from './copy-state.ts'
import type { Row, Session, Value } from './database/database.ts'

/** Records within a span of time. */
export interface Span {
  /** Searchable field with the timestamp of a record. */
  readonly field: string
  /** ISO 8601, inclusive. */
  readonly from: string
  /** ISO 8601, exclusive; omitted: no end. */
  readonly before?: string
}

/** Rows per slice. */
const sliceRows = 50_000

/** Start of a slice. */
export interface SliceStart {
  /** Last key of the previous slice; undefined for the first slice. */
  readonly after: string | undefined
  /** Limits the slice to rows of this span. */
  readonly span: Span | undefined
}

/** Result of a slice. */
export interface Slice {
  /** Keys of rows that the pass has not seen. */
  readonly unseen: readonly string[]
  /** Last key of the slice; undefined for the last slice. */
  readonly last: string | undefined
}

interface SpanCondition {
  readonly sql: string
  readonly value: Value
}

/**
 * Builds the conditions of a span.
 * @throws FerruleError `definition_invalid` when the field holds no timestamps
 */
function buildSpanConditions({ known: { table } }: ConnectorTable, { field, from, before }: Span): readonly SpanCondition[] {
  const column = table.columns.find(({ name }) => name === field)?.at
  const [first, end] = [from, before].map((text) => (text === undefined ? undefined : parseTimestamp(text)))
  if (column === undefined || first === undefined)
    throw fail('definition_invalid', { reason: `${table.kind}.${table.entity} has no moments in ${field} from ${from} on` })
  return [{ sql: `${quoteName(column)} >=`, value: first }, ...(end === undefined ? [] : [{ sql: `${quoteName(column)} <`, value: end }])]
}

/**
 * Reads the next rows in the order of their keys, and finds those that the pass has not seen.
 *
 * `except` always runs as a hash table or a sort of both sides. `not in` uses a hash table only if the planner expects it to be small;
 * otherwise it compares each row with each key. An anti-join becomes nested loops when few rows are expected.
 */
export async function readSlice(session: Session, target: ConnectorTable, { after, span }: SliceStart): Promise<Slice> {
  const { number, known } = target
  const given: readonly SpanCondition[] = [
    ...(after === undefined ? [] : [{ sql: 'pk >', value: after }]),
    ...(span === undefined ? [] : buildSpanConditions(target, span)),
  ]
  const where = ['connector_id = $1', ...given.map(({ sql }, index) => `${sql} $${index + 4}`)]
  const range = ['key <= (select max(pk) from part)', ...(after === undefined ? [] : ['key > $4'])]
  const text = `with part as materialized (select pk from ${quoteName(known.table.name)} where ${where.join(' and ')} order by pk limit $3)
    select to_json(array(select pk from part except
        select key from (select unnest(keys) as key from cs_seen where connector_id = $1 and name = $2) seen where ${range.join(' and ')})) as unseen,
      count(*)::int4 as looked, max(pk) as last from part`
  const { rows } = await session.query<Row>({ text, values: [number, known.table.name, sliceRows, ...given.map(({ value }) => value)] })
  const { unseen = '[]', looked = 0, last = null } = rows[0] ?? {}
  return { unseen: JSON.parse(String(unseen)), last: Number(looked) < sliceRows || last === null ? undefined : String(last) }
}
