/** What a complete pass has not seen: looked up in slices of the key's order. */
import { fail } from '../../errors.ts'
import { quoted } from '../query/columns.ts'
import { instantOf } from '../query/instants.ts'
import type { Row, Session, Value } from './database.ts'
import type { Place } from './writes.ts'

/** Records of a span of time. */
export interface Span {
  /** Searchable field that holds their moment. */
  readonly field: string
  /** ISO 8601, included. */
  readonly from: string
  /** ISO 8601, excluded; left out: there is no end. */
  readonly before?: string
}

/** Rows that one slice looks at. */
const sliceRows = 50_000

/** Where a slice is cut from. */
export interface SliceStart {
  /** The last key of the slice before; undefined: from the first row on. */
  readonly after: string | undefined
  /** Rows of this span only. */
  readonly span: Span | undefined
}

/** What was found in a slice. */
export interface Slice {
  /** Keys of rows that the pass has not seen. */
  readonly unseen: readonly string[]
  /** Where the next slice begins; undefined when this one was the last. */
  readonly last: string | undefined
}

interface Condition {
  readonly sql: string
  readonly value: Value
}

/** @throws FerruleError `definition_invalid` when the field holds no moments */
function inSpan({ known: { table } }: Place, { field, from, before }: Span): readonly Condition[] {
  const column = table.columns.find(({ name }) => name === field)?.at
  const [first, end] = [from, before].map((text) => (text === undefined ? undefined : instantOf(text)))
  if (column === undefined || first === undefined)
    throw fail('definition_invalid', { reason: `${table.kind}.${table.entity} has no moments in ${field} from ${from} on` })
  return [{ sql: `${quoted(column)} >=`, value: first }, ...(end === undefined ? [] : [{ sql: `${quoted(column)} <`, value: end }])]
}

/**
 * Looks through the next rows of a place, in the order of their keys, for those that its pass has not seen.
 *
 * `except` is a hash table or a sort of both sides, whatever the planner expects. `not in` is a hash table only while the planner takes
 * it for small enough, and compares each row with each key otherwise; an anti-join is planned as loops when few rows are expected.
 */
export async function lookThrough(session: Session, place: Place, { after, span }: SliceStart): Promise<Slice> {
  const { number, known } = place
  const given: readonly Condition[] = [
    ...(after === undefined ? [] : [{ sql: 'pk >', value: after }]),
    ...(span === undefined ? [] : inSpan(place, span)),
  ]
  const where = ['connector_id = $1', ...given.map(({ sql }, index) => `${sql} $${index + 4}`)]
  const range = ['key <= (select max(pk) from part)', ...(after === undefined ? [] : ['key > $4'])]
  const text = `with part as materialized (select pk from ${quoted(known.table.name)} where ${where.join(' and ')} order by pk limit $3)
    select to_json(array(select pk from part except
        select key from (select unnest(keys) as key from cs_seen where connector_id = $1 and name = $2) seen where ${range.join(' and ')})) as unseen,
      count(*)::int4 as looked, max(pk) as last from part`
  const { rows } = await session.query<Row>({ text, values: [number, known.table.name, sliceRows, ...given.map(({ value }) => value)] })
  const { unseen = '[]', looked = 0, last = null } = rows[0] ?? {}
  return { unseen: JSON.parse(String(unseen)), last: Number(looked) < sliceRows || last === null ? undefined : String(last) }
}
