/** The kinds that the organization brought. */
import { Text } from '@mantine/core'
import { FerruleError } from 'ferrule/core'
import type { KindSummary } from 'ferrule/wire'
import { useRead } from '../../data/ferrule.ts'
import { PageLink } from '../../parts/page-link.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { Section } from '../../parts/section.tsx'
import { type ListColumn, ListTable } from '../../parts/table/list-table.tsx'
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
export function OwnKinds() {
  const reading = useRead(['kinds', 'list'], (ferrule, signal) => ferrule.kinds.list({ signal }))
  if (reading.error instanceof FerruleError && reading.error.code === 'organization_forbidden') return null
  return (
    <Section
      title="Kinds of your organization"
      about="A file describes a system that this service does not know yet. Only your organization sees it."
    >
      <ReadingView reading={reading}>
        {(kinds) =>
          kinds.length === 0 ? (
            <Text size="sm">There are no kinds yet.</Text>
          ) : (
            <ListTable label="Kinds of your organization" columns={columns} rows={kinds} rowKey={({ id }) => id} />
          )
        }
      </ReadingView>
      <PageLink to="/own-kinds" underline="always">
        New kind
      </PageLink>
    </Section>
  )
}
