/** Finds the page of the console where a person tries an example of a reference. */
import { isObject } from '../definition/object.ts'
import { formatFilter } from '../values/filter/format.ts'
import { writeJson } from '../values/json/json.ts'
import type { DefinitionReference } from '../wire/definitions.ts'

/** An example of a reference. */
export type ReferenceExample = DefinitionReference['examples'][number]

/** A page of the console, with everything filled in that an example knows. */
export interface Trial {
  /** Path below `/console`. */
  readonly path: string
  readonly params: Readonly<Record<string, string>>
}

/** Takes out what only the caller knows: values in angle brackets. The form asks for them. */
function dropPlaceholders(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropPlaceholders).filter((each) => each !== undefined)
  if (!isObject(value)) return typeof value === 'string' && /^<.*>$/.test(value) ? undefined : value
  const members = Object.entries(value).map(([name, each]) => [name, dropPlaceholders(each)] as const)
  return Object.fromEntries(members.filter(([, each]) => each !== undefined))
}

/** Prints the filter of a search. */
function printFilter(params: unknown): string {
  const query = isObject(params) ? params['query'] : undefined
  return isObject(query) ? formatFilter(query['filter']) : ''
}

/** Finds where an example is tried: searches on the page of searches, everything else in the explorer. @param kind slug */
export function findTrial(kind: string, { entity, action, params }: ReferenceExample): Trial {
  if (action === 'context_store_search') return { path: '/search', params: { kind, entity, filter: printFilter(params) } }
  const known = writeJson(dropPlaceholders(params ?? {}))
  return { path: '/explorer', params: { kind, entity, action, ...(known === '{}' ? {} : { params: known }) } }
}
