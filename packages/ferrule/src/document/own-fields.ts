/** Says where people and agents read which fields an account has of its own. */
import { type EntityDefinition, readDescribedSlot } from '../definition/entity.ts'

/** Describes the list that names the fields of the account, and where a record has them; undefined for an entity without such fields. */
export function describeOwnFields({ described, list, get }: EntityDefinition): string | undefined {
  if (described === undefined) return undefined
  const { entity, params = {} } = described
  const given = Object.entries(params).map(
    ([name, value]) => `${name}: ${readDescribedSlot(value) === undefined ? String(value) : 'that of the call'}`,
  )
  const rows = (list ?? get)?.rows
  const within = typeof rows === 'object' && rows.rest !== undefined ? ` in ${rows.rest}` : ''
  return `Fields of the account${within} are those of ${entity} list${given.length === 0 ? '' : ` (${given.join(', ')})`}`
}
