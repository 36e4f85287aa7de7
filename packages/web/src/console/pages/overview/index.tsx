/** The first page: how the connectors are, which syncs run or wait, and what was called. */
import { Button, Group, Paper, Stack, Table, Text, Title } from '@mantine/core'
import type { ConnectorOverview } from 'ferrule/wire'
import { Link } from 'wouter'
import { useConnectorOverviews } from '../../data/connectors.ts'
import type { Rows } from '../../data/read-all.ts'
import { printAddress, useTenant } from '../../data/tenant.ts'
import { conditionNames, conditions, findCondition, isBeforeFirstEnd } from '../../parts/connectors/conditions.ts'
import { ConnectorHead, ConnectorRow, connectorTableWidth } from '../../parts/connectors/connector-row.tsx'
import { FirstConnector } from '../../parts/connectors/first-connector.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageLink } from '../../parts/page-link.tsx'
import { printCount, printCounted } from '../../parts/print.ts'
import { ReadingView } from '../../parts/reading-view.tsx'
import { UsagePanel } from '../../parts/usage/usage-panel.tsx'

/** Connectors that are shown here; all others are a click away. */
const mostShown = 6

/** Shows the first connectors, with a link to all. */
function ConnectorSection({ connectors, isWhole }: { readonly connectors: readonly ConnectorOverview[]; readonly isWhole: boolean }) {
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

const rank = (connector: ConnectorOverview): number => (findCondition(connector) === 'attention' ? 0 : isBeforeFirstEnd(connector) ? 1 : 2)

/** Sorts connectors: those with trouble first, then those whose first sync has not ended, then the newest. */
const sortForOverview = (connectors: readonly ConnectorOverview[]): readonly ConnectorOverview[] =>
  connectors.toSorted((one, other) => rank(one) - rank(other) || other.created_at.localeCompare(one.created_at))

/** Shows what there is to see with at least one connector. */
function Dashboard({ rows, isWhole }: Rows<ConnectorOverview>) {
  const { workspace } = useTenant()
  const workspaceId = workspace === undefined ? undefined : rows[0]?.workspace_id
  const scope = workspaceId === undefined ? {} : { workspaceId }
  return (
    <Stack gap="xl">
      <ConditionLinks connectors={rows} isWhole={isWhole} />
      <ConnectorSection connectors={sortForOverview(rows)} isWhole={isWhole} />
      <UsagePanel title="Calls" {...scope} />
    </Stack>
  )
}

/** The page. */
export function Page() {
  const reading = useConnectorOverviews()
  const tenant = useTenant()
  return (
    <>
      <PageHeader title="Overview" about="The state of your connectors.">
        <Button component={Link} href={printAddress('/connectors/new', tenant)}>
          New connector
        </Button>
      </PageHeader>
      <ReadingView reading={reading}>{(found) => (found.rows.length === 0 ? <FirstConnector /> : <Dashboard {...found} />)}</ReadingView>
    </>
  )
}

/** Shows the counts. @param props `isWhole`: false when more connectors exist than were counted */
function ConditionLinks({ connectors, isWhole }: { readonly connectors: readonly ConnectorOverview[]; readonly isWhole: boolean }) {
  const found = Map.groupBy(connectors, findCondition)
  return (
    <Group gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }} aria-label="Connectors by condition">
      {conditionNames.map((name) => {
        const count = found.get(name)?.length ?? 0
        if (count === 0) return null
        const { title, color } = conditions[name]
        return (
          <Paper key={name} component="li" withBorder p="sm" miw={150} style={{ borderLeft: `4px solid var(--mantine-color-${color}-6)` }}>
            <Text fz={28} fw={700} lh={1.1}>
              {printCount(count)}
              {isWhole ? '' : '+'}
            </Text>
            <PageLink to="/connectors" params={{ state: name }} size="sm">
              {title}
            </PageLink>
          </Paper>
        )
      })}
    </Group>
  )
}
