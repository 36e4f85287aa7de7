/** Addresses of the reference of kinds. */
import type { AddressParams } from '../../data/tenant.ts'

/** Where something of a reference is. */
export interface ReferenceLink {
  readonly kind: string
  /** Id of the section; undefined: the overview. */
  readonly section?: string | undefined
  /** Id of the part; '' and undefined: the beginning of the section. */
  readonly part?: string | undefined
}

/** Names the page and its parameters: `section` and `part` are in the address, so that a link leads to an action of an entity. */
export const printReferenceLink = ({ kind, section, part }: ReferenceLink): { readonly to: string; readonly params: AddressParams } => ({
  to: `/kinds/${encodeURIComponent(kind)}`,
  params: { section: section === 'overview' ? undefined : section, part: part === '' ? undefined : part },
})
