/** The first page: the connectors and how they are. */
import { Table, Text } from '@mantine/core'
import type { ConnectorSummary } from 'ferrule/wire'
import { useRead } from '../../data/ferrule.ts'
import { usePlace } from '../../data/place.ts'
import { ConnectorStatus } from '../../parts/connector-status.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { Time } from '../../parts/time.tsx'

/** Connectors that the page reads at most. */
const mostShown = 100

/** Shows one connector. */
function ConnectorRow({ connector }: { readonly connector: ConnectorSummary }) {
  return (
    <Table.Tr>
      <Table.Td>{connector.name}</Table.Td>
      <Table.Td>{connector.summarized_source_template.name}</Table.Td>
      <Table.Td>{connector.workspace_name}</Table.Td>
      <Table.Td>
        <ConnectorStatus status={connector.status} />
        {connector.status_reason !== null && <Text size="sm">{connector.status_reason}</Text>}
      </Table.Td>
      <Table.Td>
        <Time value={connector.updated_at} />
      </Table.Td>
    </Table.Tr>
  )
}

/** Shows the connectors. */
function ConnectorTable({ connectors }: { readonly connectors: readonly ConnectorSummary[] }) {
  if (connectors.length === 0) return <EmptyState title="No connectors yet" says="A connector reads and writes one account of a vendor." />
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Connector</Table.Th>
            <Table.Th>Kind</Table.Th>
            <Table.Th>Workspace</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Changed</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {connectors.map((connector) => (
            <ConnectorRow key={connector.id} connector={connector} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

/** The page. */
export function Page() {
  const { workspace } = usePlace()
  const query = { limit: mostShown, ...(workspace === undefined ? {} : { workspace_name: workspace }) }
  const reading = useRead(['connectors', query], (ferrule, signal) => ferrule.connectors.page(query, { signal }), { everyMs: 15_000 })
  return (
    <>
      <PageHeader title="Overview" about="Your connectors, and how they are." />
      <ReadingView reading={reading}>{({ data }) => <ConnectorTable connectors={data} />}</ReadingView>
    </>
  )
}
