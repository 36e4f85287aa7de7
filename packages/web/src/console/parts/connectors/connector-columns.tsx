/** Columns of tables of connectors. */
import { Group, Stack, Text } from '@mantine/core'
import type { ConnectorOverview } from 'ferrule/wire'
import { Quiet, Strong } from '../looks.tsx'
import { PageLink } from '../page-link.tsx'
import { printCount, printCounted } from '../print.ts'
import { RunProgress } from '../run-progress.tsx'
import { ConnectorStatus, CopyState, RunStateBadge, SandboxPill } from '../states.tsx'
import type { ListColumn } from '../table/list-table.tsx'
import { Time } from '../time.tsx'
import { findTrouble } from './conditions.ts'
import { KindIcon } from './kind-icon.tsx'

function ConnectorName({ connector }: { readonly connector: ConnectorOverview }) {
  const { id, name, connector_type: slug, kind_title: kind, workspace_name: workspace, sandbox } = connector
  return (
    <>
      <PageLink to={`/connectors/${id}`} fw={600} lineClamp={4}>
        {name}
      </PageLink>
      <Group gap={6}>
        <Group gap={6} wrap="nowrap">
          <KindIcon kind={slug} />
          <Quiet>
            {kind} · {workspace}
          </Quiet>
        </Group>
        {sandbox && <SandboxPill />}
      </Group>
    </>
  )
}

/** Shows what is wrong with a connector, with the next step. */
function TroubleCell({ connector }: { readonly connector: ConnectorOverview }) {
  const trouble = findTrouble(connector)
  const notices = connector.notices.length
  return (
    <>
      {trouble !== undefined && (
        <>
          <Text size="sm" lineClamp={3} title={trouble.sentence}>
            {trouble.sentence}
          </Text>
          <Strong>{trouble.nextStep}</Strong>
        </>
      )}
      {connector.status === 'auth_error' && (
        <PageLink
          to={`/connectors/${connector.id}`}
          params={{ tab: 'credentials' }}
          size="sm"
          fw={600}
          aria-label={`Replace the credentials of ${connector.name}`}
        >
          Replace the credentials
        </PageLink>
      )}
      {notices > 0 && (
        <PageLink to={`/connectors/${connector.id}`} params={{ tab: 'notices' }} size="sm">
          {printCounted(notices, 'notice')} of the vendor
        </PageLink>
      )}
    </>
  )
}

/** Shows how a connector or its copy is, and the sync that runs or waits. What says nothing new is left out. */
function StateCell({ connector }: { readonly connector: ConnectorOverview }) {
  const { status, context_store: copy, running, queued } = connector
  const run = running ?? queued
  const isRunning = run?.state === 'running'
  const isFirst = copy?.state === 'loading'
  return (
    <Stack gap={4}>
      <Group gap={4}>
        {(status !== 'active' || copy === null) && <ConnectorStatus status={status} />}
        {copy !== null && (status === 'active' || copy.synced_at !== null) && !(isFirst && isRunning) && <CopyState state={copy.state} />}
        {run !== null && isFirst === isRunning && <RunStateBadge state={run.state} />}
      </Group>
      {run !== null && <RunProgress run={run} isExplained={findTrouble(connector) !== undefined} />}
    </Stack>
  )
}

/** Columns of tables of connectors. */
export const connectorColumns: readonly ListColumn<ConnectorOverview>[] = [
  { title: 'Connector', width: '23%', cell: (connector) => <ConnectorName connector={connector} /> },
  { title: 'State', width: '23%', cell: (connector) => <StateCell connector={connector} /> },
  { title: 'Records', width: '9%', isNumber: true, cell: ({ context_store: copy }) => copy !== null && printCount(copy.records) },
  {
    title: 'Last sync',
    width: '13%',
    cell: ({ context_store: copy }) => copy !== null && <Time value={copy.synced_at} none="not yet" />,
  },
  {
    title: 'Problem and next step',
    width: '32%',
    has: (connector) => findTrouble(connector) !== undefined || connector.status === 'auth_error' || connector.notices.length > 0,
    cell: (connector) => <TroubleCell connector={connector} />,
  },
]
