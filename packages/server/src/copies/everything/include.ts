/** What the records of an entity come with, of all that a search of everything includes. An entity has some of its references only. */
import { FerruleError } from 'ferrule'
import { pointTo } from 'ferrule/internal'
import { failField } from '../../values/read.ts'
import type { EntityRef } from '../entity-ref.ts'
import type { SearchTable } from '../search/columns.ts'
import { listReferences, listRelatedEntities } from '../search/related/references.ts'
import type { Included } from '../search/tree.ts'
import type { Searcher } from '../searcher.ts'
import { isUnfit, toOwnRefusal } from './refusals.ts'

/** Fields of related records by reference, as clients send them. */
export type WantedInclude = Readonly<Record<string, unknown>>

/** What the records of an entity come with. */
export interface IncludePlan {
  readonly include: readonly Included[]
  readonly entities: readonly string[]
  /** References that the entity does not take, with the refusals. */
  readonly lacks: ReadonlyMap<string, FerruleError>
}

/** Plans what the records of an entity come with. @throws FerruleError `query_too_complex` */
export function planInclude(searcher: Pick<Searcher, 'parse'>, ref: EntityRef, wanted: WantedInclude): IncludePlan {
  const read = (include: WantedInclude): readonly Included[] | FerruleError => {
    try {
      return searcher.parse(ref, { query: {}, include }).include
    } catch (thrown) {
      if (isUnfit(thrown)) return thrown
      throw thrown
    }
  }
  const lacks = new Map<string, FerruleError>()
  const take = (names: readonly string[], found: readonly Included[] | FerruleError): readonly Included[] => {
    if (!(found instanceof FerruleError)) return found
    for (const name of names) lacks.set(name, found)
    return []
  }
  const fits = Object.entries(wanted).filter(([name, value]) => take([name], read({ [name]: value })).length > 0)
  const include = take(
    fits.map(([name]) => name),
    read(Object.fromEntries(fits)),
  )
  return { include, entities: listRelatedEntities({ filter: undefined, include }).all, lacks }
}

/** Returns whether an entity has no such reference at all. */
const isUnknown = (name: string, { errors: [problem] }: FerruleError): boolean =>
  problem?.field === pointTo('/params/include', name) && problem.error_code === 'unknown'

/** Says what an entity lacks. */
export const describeLack = (name: string, refusal: FerruleError): string =>
  isUnknown(name, refusal) ? `It has no reference ${name}.` : `${name}: ${refusal.message}`

interface PlannedInclude {
  readonly table: SearchTable
  readonly included: IncludePlan
}

/**
 * Refuses references that no entity takes: a misspelt one would give nothing.
 * @throws FerruleError `validation_failed`
 */
export function assertTaken(wanted: WantedInclude, plans: readonly PlannedInclude[]): void {
  if (plans.length === 0) return
  for (const name of Object.keys(wanted)) {
    const refusals = plans.map(({ included }) => included.lacks.get(name)).filter((each) => each !== undefined)
    if (refusals.length < plans.length) continue
    const other = refusals.find((each) => !isUnknown(name, each))
    if (other !== undefined) throw toOwnRefusal(other)
    const known = [...new Set(plans.flatMap(({ table }) => listReferences(table).map((each) => each.name)))]
    const message = `is no reference of what is searched; ${known.length === 0 ? 'there are none' : `known: ${known.join(', ')}`}`
    throw failField(pointTo('/include', name), message, 'unknown')
  }
}
