/** What a pass has not seen: whether there is any of it, and the removal of what lies in a span of time. */
import { fail } from '../../errors.ts'
import { quoted } from '../query/columns.ts'
import { instantOf } from '../query/instants.ts'
import type { ContextDatabase, Row, Session, Value } from './database.ts'
import { abandonPass } from './passes.ts'
import { count, lockState, type Place } from './writes.ts'

/** Records of a span of time. */
export interface Span {
  /** Searchable field that holds their moment. */
  readonly field: string
  /** ISO 8601, included. */
  readonly from: string
  /** ISO 8601, excluded; left out: there is no end. */
  readonly before?: string
}

/** Rows that one look goes over, about. */
const sliceRows = 50_000

interface Condition {
  readonly text: string
  readonly values: readonly Value[]
}

/** Rows of a place that its pass has not seen. `not in` over keys that are never null is one hash table. */
function unseenRows({ number, known }: Place, where: readonly string[]): Condition {
  const conditions = ['connector_id = $1', ...where]
  const seen = 'select unnest(keys) from cs_seen where connector_id = $1 and name = $2'
  return {
    text: `from ${quoted(known.table.name)} where ${conditions.join(' and ')} and pk not in (${seen})`,
    values: [number, known.table.name],
  }
}

/** @throws FerruleError `definition_invalid` when the field holds no moments */
function inSpan(place: Place, { field, from, before }: Span): Condition {
  const { table } = place.known
  const column = table.columns.find(({ name }) => name === field)?.at
  const bounds = [from, before].map((text) => (text === undefined ? undefined : instantOf(text)))
  if (column === undefined || bounds[0] === undefined)
    throw fail('definition_invalid', { reason: `${table.kind}.${table.entity} has no moments in ${field} from ${from} on` })
  const where = [`${quoted(column)} >= $3`, ...(bounds[1] === undefined ? [] : [`${quoted(column)} < $4`])]
  const rows = unseenRows(place, where)
  return { ...rows, values: [...rows.values, ...bounds.flatMap((bound) => (bound === undefined ? [] : [bound]))] }
}

const sliceOf = (place: Place, slice: number, slices: number): Condition => {
  const rows = unseenRows(place, ['(hashtext(pk) & 2147483647) % $3::int4 = $4::int4'])
  return { ...rows, values: [...rows.values, slices, slice] }
}

async function isThere(session: Session, { text, values }: Condition): Promise<boolean> {
  const { rows } = await session.query<Row>({ text: `select exists (select ${text}) as there`, values })
  return rows[0]?.['there'] === true
}

/**
 * Whether a pass has not seen some of the rows, all of them or those of a span: a sweep would remove them. False when the pass is over.
 * @param database transactions of the place
 */
export async function unseen(
  database: Pick<ContextDatabase, 'transaction'>,
  place: Place,
  { pass, span }: { readonly pass: string; readonly span: Span | undefined },
): Promise<boolean> {
  for (let slice = 0, slices = 1; slice < slices; slice += 1) {
    const look = await database.transaction(async (session) => {
      const state = await lockState(session, place)
      if (state.pass !== pass) return { found: false, all: 0 }
      if (span !== undefined) return { found: await isThere(session, inSpan(place, span)), all: 1 }
      const all = slice === 0 ? Math.max(1, Math.ceil(state.records / sliceRows)) : slices
      return { found: await isThere(session, sliceOf(place, slice, all)), all }
    })
    if (look.found) return true
    slices = look.all
  }
  return false
}

/**
 * Ends a pass that met the records of a span: those that it did not see are removed, in one transaction.
 * @param now milliseconds since 1970
 * @returns how many rows were removed
 * @throws FerruleError `unavailable` when another pass has begun, or this one is over
 */
export async function sweepSpan(session: Session, place: Place, given: { pass: string; span: Span; now: number }): Promise<number> {
  const { pass, span, now } = given
  const state = await lockState(session, place)
  if (state.pass !== pass) throw fail('unavailable', { reason: 'another complete pass has begun' })
  const { text, values } = inSpan(place, span)
  const removed = (await session.query({ text: `delete ${text}`, values })).count
  if (removed > 0) await count(session, place, { by: -removed, removedAt: now })
  await abandonPass(session, place, pass)
  return removed
}
