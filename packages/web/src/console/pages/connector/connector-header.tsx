/** The name of a connector, and what is done with it most. */
import { Badge, Button, Group, Menu, Text } from '@mantine/core'
import type { ConnectorRecord, RunMode } from 'ferrule/wire'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { ConnectorStatus } from '../../parts/connector-status.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { listAllKeys } from './data.ts'

/** Starts a sync. */
const useSync = (id: string) =>
  useWrite(
    (ferrule, body: { readonly mode: RunMode; readonly entities?: readonly string[] }) =>
      ferrule.syncs.start(id, { mode: body.mode, ...(body.entities === undefined ? {} : { entities: [...body.entities] }) }),
    {
      refreshes: listAllKeys(id),
      onDone: ({ state }) => announce(state === 'running' ? 'The sync runs.' : 'The sync waits for its turn.'),
    },
  )

/** Shows the state of a connector, and where it belongs. */
function ConnectorFacts({ connector }: { readonly connector: ConnectorRecord }) {
  const { id, status, environment, source_template: kind, workspace_name: workspace } = connector
  return (
    <Group gap="xs">
      <ConnectorStatus status={status} />
      {environment.sandbox && <Badge variant="default">Sandbox</Badge>}
      <Text size="sm">
        {kind.name} · workspace {workspace}
      </Text>
      <CopyButton value={id} label="Copy id" says="Copy id of the connector" />
    </Group>
  )
}

/** Shows the title with the actions. */
export function ConnectorHeader({ connector }: { readonly connector: ConnectorRecord }) {
  const { id, name } = connector
  const sync = useSync(id)
  return (
    <>
      <PageHeader title={name}>
        <Menu position="bottom-end">
          <Menu.Target>
            <Button loading={sync.isPending}>Sync now</Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => sync.mutate({ mode: 'incremental' })}>What has changed</Menu.Item>
            <Menu.Item onClick={() => sync.mutate({ mode: 'full' })}>Everything, and find deleted records</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </PageHeader>
      <ConnectorFacts connector={connector} />
      {sync.error !== null && <ErrorBox error={sync.error} title="The sync was not started" />}
    </>
  )
}
