/** Finds records in the synced copy of a connector. */
import { Alert, Button, Code, Group, MultiSelect, NativeSelect, SegmentedControl, SimpleGrid, Stack, Tabs, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { ConnectorSummary, EntityDocument } from 'ferrule/wire'
import { type Dispatch, type SetStateAction, useMemo, useState } from 'react'
import { hasEntity, useConnectorRecord, useKind } from '../../data/connector.ts'
import { longestValue, useAddressParams } from '../../data/params.ts'
import { useReference } from '../../data/references.ts'
import { CodeEditor } from '../../parts/code/code-editor.tsx'
import { ConnectorSelect, useConnectorChoice, useOpening } from '../../parts/connector-select.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { bindValue } from '../../parts/form/text-entry.ts'
import { PlainButton, SmallButton } from '../../parts/looks.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageLink } from '../../parts/page-link.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { EntitySide, WithSide } from '../../parts/side.tsx'
import { type ChangeAddress, type SearchAddress, useSearchAddress, type View, views } from './address.ts'
import { Builder } from './builder/builder.tsx'
import { describeFields, type FilterField, listFields } from './filter/fields.ts'
import { editJson, editText, editTree, emptyDraft, type FilterDraft } from './filter/tree.ts'
import { listRelated, type RelatedField } from './groups/choice.ts'
import { GroupOptions, Groups, RelatedFields } from './groups/groups.tsx'
import { useRecordOfAddress } from './record-address.ts'
import { Results } from './results.tsx'
import classes from './search.module.css'

/** Parameters that belong to an entity: another one begins without them. */
const ofEntity = {
  ...{ record: undefined, filter: undefined, sort: undefined, fields: undefined, pages: undefined, partial: undefined },
  ...{ by: undefined, include: undefined, measures: undefined, order: undefined, draw: undefined },
} as const

/** Greatest ages that are offered, in seconds. */
const ages = [
  { value: '', label: 'Any age' },
  { value: '300', label: '5 minutes' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
]

/** Returns whether the records of a connector are copied. */
const isOffered = ({ summarized_source_template: template }: ConnectorSummary): boolean => template.supports_context_store

function Choice({ address, onChange }: Pick<EntitySearchProps, 'address' | 'onChange'>) {
  const { kind } = address
  const reading = useConnectorChoice(kind === undefined ? {} : { connector_type: kind })
  const choose = (connector: string) =>
    onChange(kind === undefined ? { connector, entity: undefined, ...ofEntity } : { connector, kind: undefined })
  useOpening({
    reading,
    isOffered,
    value: address.connector,
    skipsLast: kind !== undefined,
    onOpen: (connector) => onChange({ connector }, { replace: true }),
  })
  return <ConnectorSelect reading={reading} isOffered={isOffered} value={address.connector} onChange={({ id }) => choose(id)} />
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

/** What the choices below the filter get. */
interface OptionsProps {
  readonly address: SearchAddress
  readonly fields: readonly FilterField[]
  readonly related: readonly RelatedField[]
  readonly onChange: ChangeAddress
}

function Columns({ address, fields, related, onChange }: OptionsProps) {
  // A path with a comma cannot stand in a list with commas; no vendor has one.
  const paths = fields.map(({ path }) => path).filter((path) => !path.includes(','))
  return (
    <>
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
      <RelatedFields offered={related} shown={address.related} onChange={onChange} />
    </>
  )
}

const shown = [
  { value: 'records', label: 'Records' },
  { value: 'groups', label: 'Groups' },
]

/** Chooses records or groups, what is shown of them, and the greatest age. */
function Options(props: OptionsProps) {
  const { address, onChange } = props
  return (
    <Stack gap="sm" align="flex-start">
      <SegmentedControl
        aria-label="What is shown"
        data={shown}
        value={address.isGrouped ? 'groups' : 'records'}
        onChange={(show) => onChange({ show: show === 'groups' ? show : undefined, pages: undefined })}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }} w="100%">
        {address.isGrouped ? <GroupOptions {...props} /> : <Columns {...props} />}
        <NativeSelect
          label="Maximum age of the copy"
          data={ages}
          {...bindValue(address.maxAge === undefined ? '' : String(address.maxAge), (next) =>
            onChange({ max_age: next, pages: undefined }),
          )}
        />
      </SimpleGrid>
    </Stack>
  )
}

/**
 * Lists the fields of an entity, and those of the records that it refers to. How fields compare, and what they refer to, follows as soon as
 * the reference of the kind is read.
 */
function useFields({ kind, document, entities }: Pick<EntitySearchProps, 'kind' | 'document' | 'entities'>) {
  const { searches = [] } = useReference(kind).data ?? {}
  const described = searches.find(({ entity }) => entity === document.entity)
  return useMemo(() => {
    const findFields = (name: string) => listFields(entities.find(({ entity }) => entity === name)?.searchable ?? {})
    return {
      fields: describeFields(listFields(document.searchable ?? {}), described?.fields ?? []),
      related: listRelated(described?.references ?? [], findFields),
    }
  }, [document, entities, described])
}

interface EntitySearchProps {
  readonly address: SearchAddress
  readonly kind: string
  readonly document: EntityDocument
  /** Entities of the connector that can be searched. */
  readonly entities: readonly EntityDocument[]
  readonly onChange: ChangeAddress
}

function EntitySearch({ address, kind, document, entities, onChange }: EntitySearchProps) {
  const { connector = '' } = address
  const [long, setLong] = useState<string>()
  const applied = long ?? address.filter
  const [draft, setDraft] = useDraft(applied)
  const memory = useQueryClient()
  const { fields, related } = useFields({ kind, document, entities })
  const apply = () => {
    if (draft.problem !== undefined) return
    const isLong = draft.text.length > longestValue
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
      <Options address={address} fields={fields} related={related} onChange={onChange} />
      <Group gap="xs">
        <Button onClick={apply} disabled={draft.problem !== undefined}>
          Search
        </Button>
        <PlainButton onClick={() => setDraft(emptyDraft)}>Clear the filter</PlainButton>
        {draft.text !== applied && draft.problem === undefined && <Text size="sm">The filter was changed: press Search.</Text>}
        {long !== undefined && <Text size="sm">This filter is too long for the address: a copied address lacks it.</Text>}
      </Group>
      {!isBroken &&
        (address.isGrouped ? (
          <Groups search={search} onChange={onChange} />
        ) : (
          <Results search={search} fields={fields} onChange={onChange} />
        ))}
    </Stack>
  )
}

function KindSearch({ address, kind, entities, onChange }: Omit<EntitySearchProps, 'document'>) {
  const [kept] = useAddressParams('view', 'max_age', 'show', 'zone', 'limit')
  const document = entities.find(({ entity }) => entity === address.entity)
  const isOpening = useRecordOfAddress(address, document, onChange)
  if (entities.length === 0)
    return <EmptyState title="Nothing to search" says="This connector has no entity that can be searched. Use the explorer." />
  const side = (
    <EntitySide
      names={entities.map(({ entity }) => entity)}
      value={document?.entity}
      path="/search"
      toParams={(entity) => ({ connector: address.connector, entity, ...kept })}
    />
  )
  return (
    <WithSide side={side}>
      {document === undefined ? (
        <EmptyState title="Choose an entity" says="Its copy is searched in milliseconds, without a call to the vendor." />
      ) : (
        !isOpening && (
          <EntitySearch key={document.entity} address={address} kind={kind} document={document} entities={entities} onChange={onChange} />
        )
      )}
    </WithSide>
  )
}

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
  const entities = useMemo(
    () =>
      (kind.data?.entities ?? []).filter(
        ({ entity, searchable }) => searchable !== null && record.data !== undefined && hasEntity(record.data, entity),
      ),
    [kind.data, record.data],
  )
  return (
    <>
      <PageHeader title="Search" about="Find records in the synced copy of a connector." />
      <Stack gap="lg">
        <Choice address={address} onChange={onChange} />
        {address.connector === undefined ? (
          <Begin />
        ) : (
          <ReadingView reading={record}>
            {({ connector_type: slug }) => (
              <ReadingView reading={kind}>
                {() => <KindSearch key={address.connector} address={address} entities={entities} onChange={onChange} kind={slug} />}
              </ReadingView>
            )}
          </ReadingView>
        )}
      </Stack>
    </>
  )
}

interface FilterViewsProps {
  readonly draft: FilterDraft
  readonly setDraft: Dispatch<SetStateAction<FilterDraft>>
  readonly fields: readonly FilterField[]
  readonly view: View
  readonly onView: (view: View) => void
  readonly onSubmit: () => void
}

const titles: Readonly<Record<View, string>> = { conditions: 'Conditions', text: 'Text', json: 'JSON' }
const viewOf: Readonly<Record<'text' | 'json' | 'builder', View>> = { text: 'text', json: 'json', builder: 'conditions' }

/** Says what cannot be read, in the view where it stands and in the others. */
function Problem({ draft: { problem }, view, onView }: Pick<FilterViewsProps, 'draft' | 'view' | 'onView'>) {
  if (problem === undefined) return null
  const where = viewOf[problem.view]
  return (
    <Alert color="red" variant="light" title="This filter cannot be read" role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{problem.sentence}</Text>
        {where !== view && <SmallButton onClick={() => onView(where)}>Show {titles[where].toLowerCase()}</SmallButton>}
      </Stack>
    </Alert>
  )
}

function Conditions({ draft, setDraft, fields, onView }: FilterViewsProps) {
  if ('reason' in draft.shown)
    return (
      <Alert color="blue" variant="light" title="The conditions cannot show this filter">
        <Stack gap="xs" align="flex-start">
          <Text size="sm">The reason: {draft.shown.reason}. The filter works all the same: edit it as text.</Text>
          <SmallButton onClick={() => onView('text')}>Edit the text</SmallButton>
        </Stack>
      </Alert>
    )
  return (
    <Stack gap="xs">
      <Builder root={draft.shown.root} fields={fields} onChange={(root) => setDraft((before) => editTree(before, root))} />
      {draft.incomplete > 0 && (
        <Text size="sm" role="status">
          {draft.incomplete === 1 ? 'One condition lacks' : `${draft.incomplete} conditions lack`} a field or a value, and is not part of
          the filter yet.
        </Text>
      )}
      {draft.text !== '' && draft.problem === undefined && (
        <Text size="sm">
          As text: <Code style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>{draft.text}</Code>
        </Text>
      )}
    </Stack>
  )
}

const FilterText = ({ draft, setDraft, onSubmit }: FilterViewsProps) => (
  <CodeEditor
    label="Filter as text"
    language="filter"
    value={draft.text}
    onChange={(text) => setDraft((before) => editText(before, text))}
    onSubmit={onSubmit}
    problems={draft.problem?.view === 'text' ? draft.problem.marks : []}
    hint={'title fuzzy "pricing" and started >= 2026-01-01'}
  />
)

const FilterJson = ({ draft, setDraft, onSubmit }: FilterViewsProps) => (
  <CodeEditor
    label="Filter as JSON"
    language="json"
    value={draft.json}
    onChange={(json) => setDraft((before) => editJson(before, json))}
    onSubmit={onSubmit}
    problems={draft.problem?.view === 'json' ? draft.problem.marks : []}
    hint={'{ "fuzzy": { "title": "pricing" } }'}
  />
)

const panels = { conditions: Conditions, text: FilterText, json: FilterJson } as const

/** Shows the views; an edit of one changes the other two. */
function FilterViews(props: FilterViewsProps) {
  const { view, onView } = props
  const Panel = panels[view]
  return (
    <Stack gap="xs">
      <Tabs value={view} onChange={(chosen) => onView(views.find((each) => each === chosen) ?? 'conditions')}>
        <Tabs.List aria-label="Views of the filter">
          {views.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {titles[each]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {views.map((each) => (
          <Tabs.Panel key={each} value={each} pt="sm">
            {each === view && <Panel {...props} />}
          </Tabs.Panel>
        ))}
      </Tabs>
      <Problem {...props} />
    </Stack>
  )
}
