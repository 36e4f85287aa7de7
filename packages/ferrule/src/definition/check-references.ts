/** Checks what the fields of an entity refer to. */
import type { Sentences } from './check-codes.ts'
import type { Kind } from './connector.ts'
import type { EntityDefinition } from './entity.ts'
import type { Field, Fields } from './fields.ts'
import { formatPlainType } from './plain-schema.ts'

/** Returns whether values can be keys. Nothing is known about `any`, and about what lies within an object without fields. */
const canBeKey = (field: Field): boolean => /string|integer|any/.test(formatPlainType(field))

/** A field that a path leads to, or why it leads to none. */
type FollowedPath = { readonly field: Field } | { readonly problem: string }

const open: Field = {}

/** Finds a field: lists have `[]` behind them, and nothing else has. Below an object without fields everything is possible. */
function follow(fields: Fields | undefined, path: string): FollowedPath {
  const [step = '', ...rest] = path.split('.')
  const [name = '', ...lists] = step.split('[]')
  let field: Field | undefined = fields === undefined ? open : Object.hasOwn(fields, name) ? fields[name] : undefined
  if (field === undefined) return { problem: 'which is not a searchable field' }
  for (const _ of lists) {
    if (!['array', 'any', 'object|any'].includes(formatPlainType(field))) return { problem: `and ${name} is not a list` }
    field = field.items ?? open
  }
  if (formatPlainType(field) === 'array') return { problem: `and ${name} is a list: write [] behind it` }
  if (rest.length === 0) return { field }
  const isObject = ['object', 'any', 'object|any'].includes(formatPlainType(field))
  return isObject ? follow(field.properties, rest.join('.')) : { problem: `and ${name} is not an object` }
}

/** Says why records of an entity cannot be referred to. */
function findObstacle(target: EntityDefinition | undefined): string | undefined {
  if (target === undefined) return 'which is not an entity'
  if (target.context_store_search === undefined) return 'which offers no search'
  if (target.key.length > 1) return 'whose key has several parts: a reference leads to a key of one part'
  return target.key[0]?.startsWith('param.') ? 'whose key only the call knows' : undefined
}

/** Member of found records that has what they refer to. No searchable field has this name. */
export const relatedName = '_related'

/** Finds the problems of an entity's references. @returns sentences; falsy entries are no problems */
export const checkReferences = (
  { definition: { entities } }: Kind,
  { refers, context_store_search: searchable }: EntityDefinition,
): Sentences => [
  refers !== undefined &&
    Object.hasOwn(searchable ?? {}, relatedName) &&
    `has the searchable field ${relatedName}, which is the name of what a record refers to`,
  ...Object.entries(refers ?? {}).flatMap(([path, name]): Sentences => {
    const target = Object.hasOwn(entities, name) ? entities[name] : undefined
    const obstacle = findObstacle(target)
    const found: FollowedPath = searchable === undefined ? { problem: 'and offers no search' } : follow(searchable, path)
    return [
      obstacle !== undefined && `refers to ${name} by ${path}, ${obstacle}`,
      'problem' in found && `refers to ${name} by ${path}, ${found.problem}`,
      'field' in found && !canBeKey(found.field) && `refers to ${name} by ${path}, which is neither text nor an integer`,
    ]
  }),
]
