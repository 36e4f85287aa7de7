/** A workspace in the list. */
import { Badge, Group, Table } from '@mantine/core'
import type { WorkspaceRecord } from 'ferrule/wire'
import { PageLink } from '../../parts/page-link.tsx'
import { Time } from '../../parts/time.tsx'
import { DeleteButton, RenameButton, RestoreButton, StatusButton } from './workspace-actions.tsx'

const looks = {
  active: ['Active', 'green'],
  inactive: ['Inactive', 'gray'],
  deleted: ['Deleted', 'red'],
} as const

/** Shows the row. A deleted workspace can be restored only. */
export function WorkspaceRow({ workspace }: { readonly workspace: WorkspaceRecord }) {
  const { name, status, tombstone: isDeleted, created_at: created, updated_at: changed } = workspace
  const [says, color] = looks[isDeleted ? 'deleted' : status]
  return (
    <Table.Tr>
      <Table.Td fw={600}>
        {isDeleted ? (
          name
        ) : (
          <PageLink to="/connectors" params={{ workspace: name }}>
            {name}
          </PageLink>
        )}
      </Table.Td>
      <Table.Td>
        <Badge color={color}>{says}</Badge>
      </Table.Td>
      <Table.Td>
        <Time value={created} />
      </Table.Td>
      <Table.Td>
        <Time value={changed} />
      </Table.Td>
      <Table.Td>
        {isDeleted ? (
          <RestoreButton workspace={workspace} />
        ) : (
          <Group gap="xs" wrap="nowrap">
            <RenameButton workspace={workspace} />
            <StatusButton workspace={workspace} />
            <DeleteButton workspace={workspace} />
          </Group>
        )}
      </Table.Td>
    </Table.Tr>
  )
}
