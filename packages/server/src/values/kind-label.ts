/** How metrics and traces name kinds. */

/** Stands for every kind of an organization, and for their entities: their names belong to their tenant. */
const own = 'own'

/** Returns the names of a call or a copy for metrics and traces. The name of an organization's kind has its id behind `~`. */
export const labelKind = <T extends { readonly kind: string; readonly entity?: string }>(named: T): T => {
  if (!named.kind.includes('~')) return named
  return { ...named, kind: own, ...(named.entity === undefined ? {} : { entity: own }) }
}
