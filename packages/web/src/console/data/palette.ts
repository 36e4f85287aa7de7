/** What the command palette finds. */
import { useReadAll } from './read-all.ts'
import { useKinds } from './references.ts'

/** Something that the palette leads to. */
export interface Destination {
  /** Unique. */
  readonly key: string
  readonly label: string
  /** What it is, such as `Page`. */
  readonly type: string
  /** Path below `/console`. */
  readonly path: string
}

/** Connectors of a page of the list. */
const pageSize = 100

/** Reads the connectors of the organization and the kinds of the service. What has not arrived is missing. */
export function useFoundDestinations(): readonly Destination[] {
  const connectors = useReadAll(['palette', 'connectors'], (ferrule, from, signal) =>
    ferrule.connectors.page(from ?? { limit: pageSize }, { signal }),
  )
  const kinds = useKinds()
  return [
    ...(connectors.data?.rows ?? []).map(({ id, name, workspace_name, summarized_source_template: { name: kind } }) => ({
      key: id,
      label: name,
      type: `${kind} in ${workspace_name}`,
      path: `/connectors/${id}`,
    })),
    ...(kinds.data ?? []).map(({ connector_type: slug, name }) => ({ key: slug, label: name, type: 'Kind', path: `/kinds/${slug}` })),
  ]
}

/** Returns the destinations whose words begin with each typed word, the first ones. */
export function filterDestinations(all: readonly Destination[], typed: string, most: number): readonly Destination[] {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = ({ label, type }: Destination) => {
    const text = `${label} ${type}`.toLowerCase()
    return wanted.every((word) => text.includes(word))
  }
  return all.filter(fits).slice(0, most)
}
