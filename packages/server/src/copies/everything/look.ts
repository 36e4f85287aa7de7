/**
 * One look at the listed words of connectors finds which of their entities can have a record with all words of a text. Its cost grows with
 * the entities and the words, not with the records: each word is a range of the term table's key.
 */
import { lastCharacter } from '../search/lookups/lookups.ts'
import { buildStatement, connectorParameter, type SearchStatement, Values } from '../search/statement.ts'
import type { Session } from '../store/database/database.ts'
import type { EntityPlan } from './plan.ts'

/** An entity of a connector. */
export interface Sought {
  /** Number of the connector. */
  readonly number: number
  readonly plan: EntityPlan
}

/** Builds the statement of a look. The number of an only connector is a parameter: Citus sends the statement to one machine. */
function buildLookStatement(sought: readonly Sought[], words: readonly string[]): SearchStatement {
  const values = new Values()
  const fields = sought.flatMap(({ number, plan }) => plan.fields.map((field) => ({ number: String(number), field: String(field) })))
  const [only, ...others] = new Set(sought.map(({ number }) => number))
  const isOne = only !== undefined && others.length === 0
  if (isOne) values.add(only, 'int4')
  const begin = values.add(words, 'text[]')
  const end = values.add(
    words.map((word) => `${word}${lastCharacter}`),
    'text[]',
  )
  const list = (of: 'number' | 'field') =>
    values.add(
      fields.map((each) => each[of]),
      'int4[]',
    )
  // With `limit` each range is read by the key. A join would read all words of a field.
  const text = `select f.number, f.field, w.begin as word from unnest(${list('number')}, ${list('field')}) f(number, field)
    cross join unnest(${begin}, ${end}) w(begin, before) cross join lateral (select from cs_terms t
      where t.connector_id = ${isOne ? connectorParameter : 'f.number'} and t.field = f.field and t.term >= w.begin and t.term < w.before limit 1) found`
  return buildStatement(text, values)
}

/** Finds the entities that can have a record. */
export async function lookForWords<S extends Sought>(session: Session, sought: readonly S[]): Promise<readonly S[]> {
  const words = [...new Set(sought.flatMap(({ plan }) => plan.groups.flat()))]
  if (sought.length === 0) return []
  const { text, values } = buildLookStatement(sought, words)
  const { rows } = await session.query<Readonly<Record<'number' | 'field' | 'word', unknown>>>({ text, values })
  const found = new Set(rows.map(({ number, field, word }) => `${number} ${field} ${word}`))
  return sought.filter(({ number, plan: { groups, fields } }) =>
    groups.every((group) => fields.some((field) => group.every((word) => found.has(`${number} ${field} ${word}`)))),
  )
}
