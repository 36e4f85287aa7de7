/**
 * Names of kinds of organizations within the service: `slug~id`, and `slug~id~version` where a connector keeps its version. A slug has neither
 * `~` nor a wildcard of SQL.
 */

/** Names a kind of an organization: its slug for people, its id so that it shares nothing with a kind of the same slug. */
export const nameOwnKind = ({ slug, id }: { readonly slug: string; readonly id: string }): string => `${slug}~${id}`

/** Names a version of such a kind. @param kind its name, `slug~id` */
export const nameOwnVersion = (kind: string, version: number): string => `${kind}~${version}`

/** What a name says. */
export interface OwnKindName {
  readonly id: string
  /** Undefined in the name of the kind itself. */
  readonly version: number | undefined
}

/** Reads a name; undefined for a kind that the service has for everybody. */
export function parseOwnKindName(name: string): OwnKindName | undefined {
  const [, id, version] = name.split('~')
  return id === undefined ? undefined : { id, version: version === undefined ? undefined : Number(version) }
}

/** Pattern of SQL for the names of a kind's versions. @param kind its name, `slug~id` */
export const likeVersions = (kind: string): string => `${kind}~%`
/** Pattern of SQL for the names of all kinds of organizations. */
export const likeOwnKinds = '%~%'

/** Stands for every kind of an organization, and for its entities, in metrics and traces: their names belong to their tenant. */
const label = 'own'

/** Returns the names of a call or a copy for metrics and traces. */
export const labelKind = <T extends { readonly kind: string; readonly entity?: string }>(named: T): T => {
  if (parseOwnKindName(named.kind) === undefined) return named
  return { ...named, kind: label, ...(named.entity === undefined ? {} : { entity: label }) }
}
