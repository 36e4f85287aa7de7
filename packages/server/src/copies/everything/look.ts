/**
 * One look at the listed words of a connector finds which of its entities can have a record with all words of a text. Its cost grows with
 * the entities and the words, not with the records: each word is a range of the term table's key.
 */
import { lastCharacter } from '../search/lookups/lookups.ts'
import { buildStatement, type SearchStatement, Values } from '../search/statement.ts'
import type { Session } from '../store/database/database.ts'
import type { EntityPlan } from './plan.ts'

/** Builds the statement of a look. `$1` is the number of the connector, so Citus sends it to one machine. */
function buildLookStatement(connector: number, fields: readonly number[], words: readonly string[]): SearchStatement {
  const values = new Values()
  const own = values.add(connector, 'int4')
  const wanted = values.add(fields.map(String), 'int4[]')
  const begin = values.add(words, 'text[]')
  const end = values.add(
    words.map((word) => `${word}${lastCharacter}`),
    'text[]',
  )
  // With `limit` each range is read by the key. A join would read all words of a field.
  const text = `select f.field, w.begin as word from unnest(${wanted}) f(field) cross join unnest(${begin}, ${end}) w(begin, before)
    cross join lateral (select from cs_terms t where t.connector_id = ${own} and t.field = f.field and t.term >= w.begin and t.term < w.before limit 1) found`
  return buildStatement(text, values)
}

/** Finds the plans of a connector that can find something. */
export async function lookForWords(session: Session, connector: number, plans: readonly EntityPlan[]): Promise<ReadonlySet<EntityPlan>> {
  const fields = [...new Set(plans.flatMap((plan) => plan.fields))]
  const words = [...new Set(plans.flatMap(({ groups }) => groups.flat()))]
  const { rows } = await session.query<{ readonly field: unknown; readonly word: unknown }>(buildLookStatement(connector, fields, words))
  const found = new Set(rows.map(({ field, word }) => `${field} ${word}`))
  const canFind = (plan: EntityPlan): boolean =>
    plan.groups.every((group) => plan.fields.some((field) => group.every((word) => found.has(`${field} ${word}`))))
  return new Set(plans.filter(canFind))
}
