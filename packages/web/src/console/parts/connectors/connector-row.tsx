/** Rows of tables of connectors. */
import { Group, Stack, Table, Text } from '@mantine/core'
import type { ConnectorOverview } from 'ferrule/wire'
import type { Ref } from 'react'
import { PageLink } from '../page-link.tsx'
import { printCount, printCounted } from '../print.ts'
import { RunProgress } from '../run-progress.tsx'
import { ConnectorStatus, CopyState, RunStateBadge, SandboxPill } from '../states.tsx'
import { Time } from '../time.tsx'
import { findTrouble } from './conditions.ts'
import { KindIcon } from './kind-icon.tsx'

/** Titles of the columns, with their widths in pixels. */
export const connectorColumns = [
  ['Connector', 240],
  ['State', 210],
  ['Records', 100],
  ['Last sync', 150],
  ['Problem and next step', 340],
] as const

/** Width of the table, in pixels; it scrolls on narrow screens. */
export const connectorTableWidth = connectorColumns.reduce((sum, [, width]) => sum + width, 0)

/** Shows the name of a connector, as a link, with its kind and its workspace. */
function ConnectorName({ connector }: { readonly connector: ConnectorOverview }) {
  const { id, name, connector_type: slug, kind_title: kind, workspace_name: workspace, sandbox } = connector
  return (
    <>
      <PageLink to={`/connectors/${id}`} fw={600} lineClamp={4}>
        {name}
      </PageLink>
      <Group gap={6}>
        <KindIcon kind={slug} />
        <Text size="sm" c="dimmed">
          {kind} · {workspace}
        </Text>
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
        <Text size="sm" lineClamp={4} title={`${trouble.sentence} ${trouble.nextStep}`}>
          {trouble.sentence} <strong>{trouble.nextStep}</strong>
        </Text>
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

/** Shows how a connector and its copy are, and the sync that runs or waits. */
function StateCell({ connector }: { readonly connector: ConnectorOverview }) {
  const { status, context_store: copy, running, queued } = connector
  const run = running ?? queued
  const isNamed = run?.state === 'running' || copy?.state === 'loading'
  return (
    <Stack gap={4}>
      <Group gap={4}>
        <ConnectorStatus status={status} />
        {copy !== null && <CopyState state={copy.state} />}
        {run !== null && !isNamed && <RunStateBadge state={run.state} />}
      </Group>
      {run !== null && <RunProgress run={run} isExplained={findTrouble(connector) !== undefined} />}
    </Stack>
  )
}

/** What a row gets. */
export interface ConnectorRowProps {
  readonly connector: ConnectorOverview
  /** Position in the list, from 0; a virtual table gives it. */
  readonly index?: number
  readonly rowRef?: Ref<HTMLTableRowElement>
}

/** Shows one connector. */
export function ConnectorRow({ connector, index, rowRef }: ConnectorRowProps) {
  const { context_store: copy } = connector
  // The first row is the table's head.
  const position = index === undefined ? {} : { 'data-index': index, 'aria-rowindex': index + 2 }
  return (
    <Table.Tr ref={rowRef ?? null} {...position}>
      <Table.Td>
        <ConnectorName connector={connector} />
      </Table.Td>
      <Table.Td>
        <StateCell connector={connector} />
      </Table.Td>
      <Table.Td ta="right">{copy === null ? '' : printCount(copy.records)}</Table.Td>
      <Table.Td>{copy !== null && <Time value={copy.synced_at} none="not yet" />}</Table.Td>
      <Table.Td>
        <TroubleCell connector={connector} />
      </Table.Td>
    </Table.Tr>
  )
}

/** Shows the titles of the columns. */
export function ConnectorHead() {
  return (
    <Table.Thead>
      <Table.Tr>
        {connectorColumns.map(([title, width]) => (
          <Table.Th key={title} w={width} ta={title === 'Records' ? 'right' : 'left'}>
            {title}
          </Table.Th>
        ))}
      </Table.Tr>
    </Table.Thead>
  )
}
