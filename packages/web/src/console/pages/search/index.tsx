/** Finds records in the synced copy of a connector. */
import { Button, Group, MultiSelect, NativeSelect, Select, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { EntityDocument } from 'ferrule/wire'
import { useMemo, useState } from 'react'
import { useConnectorRecord, useKind } from '../../data/connector.ts'
import { useReference } from '../../data/references.ts'
import { ConnectorSelect, useConnectorChoice } from '../../parts/connector-select.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageLink } from '../../parts/page-link.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { type ChangeAddress, longestFilter, type SearchAddress, useSearchAddress } from './address.ts'
import { editText, emptyDraft, type FilterDraft } from './filter/draft.ts'
import { describeFields, type FilterField, listFields } from './filter/fields.ts'
import { FilterViews } from './filter-views.tsx'
import { Results } from './results.tsx'
import classes from './search.module.css'

/** Parameters that belong to an entity: another one begins without them. */
const ofEntity = { filter: undefined, sort: undefined, fields: undefined, pages: undefined, partial: undefined } as const

/** Greatest ages that are offered, in seconds. */
const ages = [
  { value: '', label: 'Any age' },
  { value: '300', label: '5 minutes' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
]

/** Chooses the connector and the entity. */
function Choice({ address, entities, onChange }: { address: SearchAddress; entities: readonly string[]; onChange: ChangeAddress }) {
  const { kind } = address
  const reading = useConnectorChoice(kind === undefined ? {} : { connector_type: kind })
  const choose = (connector: string) =>
    onChange(kind === undefined ? { connector, entity: undefined, ...ofEntity } : { connector, kind: undefined })
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <ConnectorSelect
        reading={reading}
        isOffered={({ summarized_source_template: template }) => template.supports_context_store}
        value={address.connector}
        onChange={({ id }) => choose(id)}
      />
      <Select
        label="Entity"
        placeholder={address.connector === undefined ? 'Choose a connector first' : 'Choose an entity'}
        data={[...entities]}
        value={address.entity ?? null}
        onChange={(entity) => onChange({ entity: entity ?? undefined, ...ofEntity })}
        disabled={entities.length === 0}
        allowDeselect={false}
        searchable
      />
    </SimpleGrid>
  )
}

/** Keeps the filter that is edited; another address brings its own. */
function useDraft(applied: string) {
  const [draft, setDraft] = useState<FilterDraft>(() => editText(emptyDraft, applied))
  const [known, setKnown] = useState(applied)
  if (known !== applied) {
    setKnown(applied)
    if (draft.text !== applied) setDraft(editText(emptyDraft, applied))
  }
  return [draft, setDraft] as const
}

/** Chooses the columns and the greatest age. */
function Options({ address, fields, onChange }: { address: SearchAddress; fields: readonly FilterField[]; onChange: ChangeAddress }) {
  // A path with a comma cannot stand in a list with commas; no vendor has one.
  const paths = fields.map(({ path }) => path).filter((path) => !path.includes(','))
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <MultiSelect
        label="Columns"
        {...(address.fields.length === 0 ? { placeholder: 'all fields' } : {})}
        classNames={{ inputField: classes.columnInput ?? '' }}
        data={[...new Set([...paths, ...address.fields])]}
        value={[...address.fields]}
        onChange={(chosen) => onChange({ fields: chosen.join(','), pages: undefined })}
        searchable
        clearable
      />
      <NativeSelect
        label="Maximum age of the copy"
        data={ages}
        value={address.maxAge === undefined ? '' : String(address.maxAge)}
        onChange={({ currentTarget }) => onChange({ max_age: currentTarget.value, pages: undefined })}
      />
    </SimpleGrid>
  )
}

/** Lists the fields of an entity; how they compare follows as soon as the reference of the kind is read. */
function useFields(kind: string, document: EntityDocument): readonly FilterField[] {
  const { searches = [] } = useReference(kind).data ?? {}
  const described = searches.find(({ entity }) => entity === document.entity)?.fields
  return useMemo(() => describeFields(listFields(document.searchable ?? {}), described ?? []), [document, described])
}

/** What the search of an entity gets. */
interface EntitySearchProps {
  readonly address: SearchAddress
  /** Slug. */
  readonly kind: string
  readonly document: EntityDocument
  readonly onChange: ChangeAddress
}

/** Shows the filter of an entity and what it finds. */
function EntitySearch({ address, kind, document, onChange }: EntitySearchProps) {
  const { connector = '' } = address
  const [long, setLong] = useState<string>()
  const applied = long ?? address.filter
  const [draft, setDraft] = useDraft(applied)
  const memory = useQueryClient()
  const fields = useFields(kind, document)
  const apply = () => {
    if (draft.problem !== undefined) return
    const isLong = draft.text.length > longestFilter
    setLong(isLong ? draft.text : undefined)
    if (draft.text === applied) void memory.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === 'search' })
    onChange({ filter: isLong ? undefined : draft.text, pages: undefined })
  }
  const isBroken = useMemo(() => editText(emptyDraft, applied).problem !== undefined, [applied])
  const search = { ...address, connector, entity: document.entity, filter: applied }
  return (
    <Stack gap="md">
      <FilterViews
        draft={draft}
        setDraft={setDraft}
        fields={fields}
        view={address.view}
        onView={(view) => onChange({ view }, { replace: true })}
        onSubmit={apply}
      />
      <Options address={address} fields={fields} onChange={onChange} />
      <Group gap="xs">
        <Button onClick={apply} disabled={draft.problem !== undefined}>
          Search
        </Button>
        <Button variant="default" onClick={() => setDraft(emptyDraft)}>
          Clear the filter
        </Button>
        {draft.text !== applied && draft.problem === undefined && <Text size="sm">The filter was changed: press Search.</Text>}
        {long !== undefined && <Text size="sm">This filter is too long for the address: a copied address lacks it.</Text>}
      </Group>
      {!isBroken && <Results search={search} fields={fields} onChange={onChange} />}
    </Stack>
  )
}

/** Shows the search of a kind's entity. */
function KindSearch({
  address,
  kind,
  entities,
  onChange,
}: Omit<EntitySearchProps, 'document'> & { readonly entities: readonly EntityDocument[] }) {
  const document = entities.find(({ entity }) => entity === address.entity)
  if (document !== undefined)
    return (
      <EntitySearch key={`${address.connector} ${document.entity}`} address={address} kind={kind} document={document} onChange={onChange} />
    )
  if (entities.length === 0)
    return <EmptyState title="Nothing to search" says="This kind has no entity that can be searched. Use the explorer." />
  return <EmptyState title="Choose an entity" says="Its copy is searched in milliseconds, without a call to the vendor." />
}

/** Says what to do first. */
const Begin = () => (
  <EmptyState title="Choose a connector" says="Searches read the synced copy of its records: no call goes to the vendor.">
    <PageLink to="/">Go to the overview to see the connectors</PageLink>
  </EmptyState>
)

/** The page. */
export function Page() {
  const [address, onChange] = useSearchAddress()
  const record = useConnectorRecord(address.connector)
  const kind = useKind(record.data?.connector_type)
  const entities = useMemo(() => (kind.data?.entities ?? []).filter(({ searchable }) => searchable !== null), [kind.data])
  return (
    <>
      <PageHeader title="Search" about="Find records in the synced copy of a connector." />
      <Stack gap="lg">
        <Choice address={address} entities={entities.map(({ entity }) => entity)} onChange={onChange} />
        {address.connector === undefined ? (
          <Begin />
        ) : (
          <ReadingView reading={record}>
            {({ connector_type: slug }) => (
              <ReadingView reading={kind}>
                {() => <KindSearch address={address} entities={entities} onChange={onChange} kind={slug} />}
              </ReadingView>
            )}
          </ReadingView>
        )}
      </Stack>
    </>
  )
}
