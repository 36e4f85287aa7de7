/** All kinds, and a search over everything that they have. */
import { Card, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { FerruleError } from 'ferrule/core'
import type { DefinitionSummary, KindSummary } from 'ferrule/wire'
import { useRead } from '../../data/ferrule.ts'
import { useAddressParams } from '../../data/params.ts'
import { useKinds, useReferences } from '../../data/references.ts'
import { KindIcon } from '../../parts/connectors/kind-icon.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageButton, PageLink } from '../../parts/page-link.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { printReferenceLink } from '../../parts/reference/address.ts'
import { FoundEntries, ReferenceSearch } from '../../parts/reference/found.tsx'
import { Section } from '../../parts/section.tsx'
import type { ListColumn } from '../../parts/table/list-table.tsx'
import { ReadTable } from '../../parts/table/read-table.tsx'
import { Time } from '../../parts/time.tsx'

const columns: readonly ListColumn<KindSummary>[] = [
  {
    title: 'Kind',
    cell: ({ slug, title }) => (
      <PageLink to={`/own-kinds/${slug}`} fw={600} underline="always">
        {title}
      </PageLink>
    ),
  },
  { title: 'Slug', cell: ({ slug }) => slug },
  { title: 'Version', isNumber: true, cell: ({ version }) => version },
  { title: 'Entities', isNumber: true, cell: ({ entities }) => entities },
  { title: 'Connectors', isNumber: true, cell: ({ connectors }) => connectors },
  { title: 'Published', cell: ({ updated_at: time }) => <Time value={time} /> },
]

/** Shows the kinds; nothing to readers of single workspaces, who may not see them. */
function OwnKinds() {
  const reading = useRead(['kinds', 'list'], (ferrule, signal) => ferrule.kinds.list({ signal }))
  if (reading.error instanceof FerruleError && reading.error.code === 'organization_forbidden') return null
  return (
    <Section
      title="Kinds of your organization"
      about="A file describes a system that this service does not know yet. Only your organization sees it."
    >
      <ReadTable
        label="Kinds of your organization"
        columns={columns}
        reading={reading}
        rowKey={({ id }) => id}
        none={<Text size="sm">There are no kinds yet. New kind makes one of a file.</Text>}
      />
    </Section>
  )
}

function KindCard({ kind: { connector_type: kind, name, description } }: { readonly kind: DefinitionSummary }) {
  return (
    <Card withBorder component="article">
      <Stack gap="xs" justify="space-between" h="100%">
        <div>
          <Group gap="xs">
            <KindIcon kind={kind} size={22} />
            <PageLink {...printReferenceLink({ kind })} fw={600} size="lg" underline="always">
              {name}
            </PageLink>
          </Group>
          <Text size="sm">{description}</Text>
        </div>
        <PageLink to="/connectors/new" params={{ kind }} size="sm" underline="always">
          New {name} connector
        </PageLink>
      </Stack>
    </Card>
  )
}

function Kinds() {
  const reading = useKinds()
  return (
    <ReadingView reading={reading}>
      {(kinds) =>
        kinds.length === 0 ? (
          <EmptyState title="No kinds" says="This service runs no kinds. Its operator adds them." />
        ) : (
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {kinds.map((kind) => (
              <KindCard key={kind.connector_type} kind={kind} />
            ))}
          </SimpleGrid>
        )
      }
    </ReadingView>
  )
}

/** Shows what a search finds in all kinds. */
function Found({ text }: { readonly text: string }) {
  const reading = useReferences(true)
  return <ReadingView reading={reading}>{(references) => <FoundEntries references={references} text={text} />}</ReadingView>
}

/** The page. */
export function Page() {
  const [{ text = '' }] = useAddressParams('text')
  return (
    <>
      <PageHeader title="Kinds" about="External systems that connectors reach: their entities, actions and fields.">
        <PageButton to="/own-kinds">New kind</PageButton>
      </PageHeader>
      <Stack gap="lg">
        <ReferenceSearch where="all kinds" />
        {text.trim() === '' ? (
          <>
            <OwnKinds />
            <Section title="All kinds">
              <Kinds />
            </Section>
          </>
        ) : (
          <Found text={text} />
        )}
      </Stack>
    </>
  )
}
