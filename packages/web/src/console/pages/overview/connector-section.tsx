/** The connectors to look at first. */
import { Group, Stack, Table, Title } from '@mantine/core'
import type { ConnectorOverview } from 'ferrule/wire'
import { ConnectorHead, ConnectorRow, connectorTableWidth } from '../../parts/connectors/connector-row.tsx'
import { PageLink } from '../../parts/page-link.tsx'
import { printCounted } from '../../parts/print.ts'

/** Connectors that are shown here; all others are a click away. */
const mostShown = 6

/** Shows the first connectors, with a link to all. */
export function ConnectorSection({
  connectors,
  isWhole,
}: {
  readonly connectors: readonly ConnectorOverview[]
  readonly isWhole: boolean
}) {
  return (
    <Stack component="section" gap="sm" aria-labelledby="connectors">
      <Group justify="space-between">
        <Title order={2} size="h3" id="connectors">
          Connectors
        </Title>
        <PageLink to="/connectors">
          {isWhole && connectors.length > 1 ? `All ${printCounted(connectors.length, 'connector')}` : 'All connectors'}
        </PageLink>
      </Group>
      <Table.ScrollContainer
        minWidth={connectorTableWidth}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': 'Connectors' } }}
      >
        <Table layout="fixed">
          <ConnectorHead />
          <Table.Tbody>
            {connectors.slice(0, mostShown).map((connector) => (
              <ConnectorRow key={connector.id} connector={connector} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  )
}
