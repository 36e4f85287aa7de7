/** Reads the references of the kinds: what the documents say about them. */
import type { DefinitionReference } from 'ferrule/wire'
import { useRead } from './ferrule.ts'

/** Lists the kinds of the service. */
export const useKinds = () => useRead(['definitions'], (ferrule, signal) => ferrule.definitions.list({}, { signal }))

/** Returns what prints the titles of kinds by slug. A slug stands for itself until they are read, and after its kind was deleted. */
export function useKindTitles(): (slug: string) => string {
  const kinds = useKinds().data ?? []
  return (slug) => kinds.find(({ connector_type: kind }) => kind === slug)?.name ?? slug
}

/** Reads the reference of a kind. @param kind slug */
export const useReference = (kind: string) =>
  useRead(['definition', kind, 'reference'], (ferrule, signal) => ferrule.definitions.reference(kind, { signal }))

/** Reads the references of all kinds. @param enabled false: reads nothing yet */
export const useReferences = (enabled: boolean) =>
  useRead<readonly DefinitionReference[]>(
    ['definitions', 'references'],
    async (ferrule, signal) => {
      const kinds = await ferrule.definitions.list({}, { signal })
      return Promise.all(kinds.map(({ connector_type: kind }) => ferrule.definitions.reference(kind, { signal })))
    },
    { enabled },
  )
