/** The first page: how the connectors are, which syncs run or wait, and what was called. */
import { Group, Paper, Stack, Text, Title, VisuallyHidden } from '@mantine/core'
import type { ConnectorOverview } from 'ferrule/wire'
import { useConnectorOverviews } from '../../data/connectors.ts'
import type { Rows } from '../../data/read-all.ts'
import { useTenant } from '../../data/tenant.ts'
import { type ConnectorCondition, conditionNames, conditions, findCondition } from '../../parts/connectors/conditions.ts'
import { connectorColumns } from '../../parts/connectors/connector-columns.tsx'
import { FirstConnector } from '../../parts/connectors/first-connector.tsx'
import { type ConnectorOrder, printOrder, sortConnectors } from '../../parts/connectors/orders.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageButton, PageLink } from '../../parts/page-link.tsx'
import { printCount, printCounted } from '../../parts/print.ts'
import { ReadingView } from '../../parts/reading-view.tsx'
import { ListTable } from '../../parts/table/list-table.tsx'
import { UsagePanel } from '../../parts/usage/usage-panel.tsx'

/** Connectors of a section that are shown here; all others are a click away, in the same order. */
const mostShown = 6

interface SectionProps {
  readonly title: string
  readonly connectors: readonly ConnectorOverview[]
  readonly order: ConnectorOrder
  /** Limits the list behind the link. */
  readonly condition?: ConnectorCondition
  readonly isWhole: boolean
}

/** Shows the first connectors of a section, with their order and a link to all; nothing without connectors. */
function ConnectorSection({ title, connectors, order, condition, isWhole }: SectionProps) {
  if (connectors.length === 0) return null
  const isCut = connectors.length > mostShown
  const count = `${printCounted(connectors.length, 'connector')}${isWhole ? '' : ' of those read so far'}`
  return (
    <Stack component="section" gap="sm" aria-label={title}>
      <Group justify="space-between" gap="xs">
        <Title order={2} size="h3">
          {title}
        </Title>
        <Text size="sm">
          {count}, {printOrder(order)}.{' '}
          {isCut && (
            <PageLink to="/connectors" params={{ state: condition, sort: order }} underline="always">
              {condition === undefined ? 'Show all connectors' : 'Show all'}
              {condition !== undefined && <VisuallyHidden>: {title}</VisuallyHidden>}
            </PageLink>
          )}
        </Text>
      </Group>
      <ListTable
        label={title}
        columns={connectorColumns}
        rows={sortConnectors(connectors, order).slice(0, mostShown)}
        rowKey={({ id }) => id}
      />
    </Stack>
  )
}

/** Shows what there is to see with at least one connector. */
function Dashboard({ rows, isWhole }: Rows<ConnectorOverview>) {
  const { workspace } = useTenant()
  const workspaceId = workspace === undefined ? undefined : rows[0]?.workspace_id
  const scope = workspaceId === undefined ? {} : { workspaceId }
  const {
    attention = [],
    syncing = [],
    others = [],
  } = Object.groupBy(rows, (connector) => {
    const condition = findCondition(connector)
    return condition === 'attention' || condition === 'syncing' ? condition : 'others'
  })
  return (
    <Stack gap="xl">
      <ConditionLinks connectors={rows} isWhole={isWhole} />
      <ConnectorSection title="Need attention" connectors={attention} order="oldest" condition="attention" isWhole={isWhole} />
      <ConnectorSection title="Syncing now" connectors={syncing} order="end" condition="syncing" isWhole={isWhole} />
      <ConnectorSection
        title={others.length === rows.length ? 'Connectors' : 'All others'}
        connectors={others}
        order="newest"
        isWhole={isWhole}
      />
      <UsagePanel title="Calls" {...scope} />
    </Stack>
  )
}

/** The page. */
export function Page() {
  const reading = useConnectorOverviews()
  return (
    <>
      <PageHeader title="Overview" about="The state of your connectors.">
        <PageButton to="/connectors/new">New connector</PageButton>
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
