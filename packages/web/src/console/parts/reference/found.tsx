/** Searches references, and shows what was found. */
import { Stack, Text, TextInput } from '@mantine/core'
import { findReferenceEntries, listReferenceEntries, type ReferenceEntry } from 'ferrule/internal'
import type { DefinitionReference } from 'ferrule/wire'
import { useDeferredValue, useMemo } from 'react'
import { useAddressParams } from '../../data/params.ts'
import { EmptyState } from '../empty-state.tsx'
import { bindValue } from '../form/text-entry.ts'
import { PageLink } from '../page-link.tsx'
import { printReferenceLink } from './address.ts'

const mostResults = 50

/** Shows the field; the address has what is typed. @param props `where`: what is searched */
export function ReferenceSearch({ where }: { readonly where: string }) {
  const [{ text = '' }, change] = useAddressParams('text')
  return (
    <TextInput
      type="search"
      label={`Search ${where}`}
      placeholder="Entity, action or field"
      {...bindValue(text, (next) => change({ text: next }, { replace: true }))}
      maw={420}
    />
  )
}

const listAll = (references: readonly DefinitionReference[]): readonly (ReferenceEntry & { readonly kind: string })[] =>
  references.flatMap((reference) => listReferenceEntries(reference).map((entry) => ({ ...entry, kind: reference.id })))

/** Shows what has all typed words. */
export function FoundEntries({ references, text }: { readonly references: readonly DefinitionReference[]; readonly text: string }) {
  const typed = useDeferredValue(text)
  const entries = useMemo(() => listAll(references), [references])
  const found = useMemo(() => findReferenceEntries(entries, typed, mostResults), [entries, typed])
  if (found.length === 0) return <EmptyState title="Nothing has all these words" says="Try fewer words, or a part of a name." />
  return (
    <Stack gap="sm">
      <Text role="status" size="sm" c="dimmed">
        {found.length < mostResults ? `${found.length} found` : `The first ${mostResults} are shown; more words find less`}
      </Text>
      {found.map(({ kind, section, part, title, about }) => (
        <div key={`${kind} ${section} ${part} ${title}`}>
          <PageLink {...printReferenceLink({ kind, section, part })} underline="always">
            {title}
          </PageLink>
          <Text size="sm" c="dimmed" lineClamp={2}>
            {about}
          </Text>
        </div>
      ))}
    </Stack>
  )
}
