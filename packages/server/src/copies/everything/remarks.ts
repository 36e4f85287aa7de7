/** What an answer says beside its records: what was not searched, what records came without, and how fresh related records are. */
import { asFerruleError, readSlug } from 'ferrule/internal'
import type { SearchResult } from 'ferrule/wire'
import { isoOrNull } from '../../values/ids.ts'
import { hasCode } from '../store/database/problems.ts'
import type { SearchedConnector } from '../sync-types.ts'
import { describeConnector, type SoughtCopy } from './hits.ts'
import { describeLack } from './include.ts'
import { describeRefusal, isUnfit } from './refusals.ts'

/** Collects entities, those of one remark together. */
class Remarks<Remark extends object> {
  readonly #all = new Map<string, { readonly remark: Remark; readonly entities: Set<string> }>()

  add(remark: Remark, entity: string): void {
    const name = JSON.stringify(remark)
    const known = this.#all.get(name) ?? { remark, entities: new Set() }
    this.#all.set(name, known)
    known.entities.add(entity)
  }

  list(): (Remark & { entities: string[] })[] {
    return [...this.#all.values()].map(({ remark, entities }) => ({ ...remark, entities: [...entities] }))
  }
}

type LeftOut = Omit<SearchResult['left_out'][number], 'entities'>

/** Collects entities without an answer. */
export class LeftOuts extends Remarks<LeftOut> {
  addCopy({ of, entity }: Pick<SoughtCopy, 'of' | 'entity'>, reason: LeftOut['reason'], message: string): void {
    const connector = describeConnector(of)
    this.add({ reason, kind: connector.kind, connector, message }, entity)
  }
}

/** There is no time left. */
export class Late extends Error {}

const isLate = (thrown: unknown): boolean =>
  thrown instanceof Late || hasCode(thrown, 'context_store_timeout') || hasCode(thrown, 'overloaded')

/** Copies without an answer, with the error. */
export type Troubles = ReadonlyMap<SoughtCopy, unknown>

/** Says which copies did not answer, and why. */
export function addTroubles(leftOuts: LeftOuts, troubles: Troubles): void {
  for (const [copy, thrown] of troubles) {
    if (isLate(thrown)) leftOuts.addCopy(copy, 'late', 'There was no answer in time.')
    else if (isUnfit(thrown)) leftOuts.addCopy(copy, 'no_field', describeRefusal(thrown))
    else leftOuts.addCopy(copy, 'failed', asFerruleError(thrown).message)
  }
}

/** Returns the error of a request none of whose copies could be read; undefined when one could, or was only late. */
export function findFailure(troubles: Troubles, copies: readonly SoughtCopy[]): unknown {
  const errors = copies.map((copy) => troubles.get(copy))
  return errors.length > 0 && errors.every((thrown) => thrown !== undefined && !isLate(thrown) && !isUnfit(thrown)) ? errors[0] : undefined
}

/** Copies that can be searched, by connector and entity, with the times that they are as new as. */
export class CopyTimes {
  readonly #times: ReadonlyMap<string, number>

  constructor(connectors: readonly SearchedConnector[]) {
    const times = connectors.flatMap(({ ref, entities }) =>
      entities.flatMap(({ entity, syncedAt }) => (syncedAt === null ? [] : [[`${ref.connectorId} ${entity}`, syncedAt] as const])),
    )
    this.#times = new Map(times)
  }

  /** Finds the time of a copy; null: it cannot be searched. */
  find({ connector, entity }: Pick<SoughtCopy, 'connector' | 'entity'>): number | null {
    return this.#times.get(`${connector} ${entity}`) ?? null
  }
}

/** Says what records of some copies came without, and how fresh the copies of related records are. */
export function describeIncluded(copies: Iterable<SoughtCopy>, times: CopyTimes): Pick<SearchResult['meta'], 'related' | 'not_included'> {
  const lacks = new Remarks<{ readonly kind: string; readonly message: string }>()
  const related = new Map<string, NonNullable<SearchResult['meta']['related']>[number]>()
  for (const { of, entity, connector, plan } of copies) {
    const { lacks: lacking, entities } = plan.included
    const kind = readSlug(of.kind.definition.kind)
    for (const [name, refusal] of lacking) lacks.add({ kind, message: describeLack(name, refusal) }, entity)
    for (const other of entities)
      related.set(`${connector} ${other}`, {
        connector: describeConnector(of),
        entity: other,
        synced_at: isoOrNull(times.find({ connector, entity: other })),
      })
  }
  const without = lacks.list()
  return { ...(related.size > 0 ? { related: [...related.values()] } : {}), ...(without.length > 0 ? { not_included: without } : {}) }
}
