/** The indexes that the service created because searches were slow. */
import { Table, Text } from '@mantine/core'
import type { ConnectorRecord, SyncIndexRecord, SyncStatusRecord } from 'ferrule/wire'
import { EmptyState } from '../../parts/empty-state.tsx'
import { printSize } from '../../parts/print.ts'
import { ReadingView } from '../../parts/reading-view.tsx'
import { Time } from '../../parts/time.tsx'
import { useCopyReading } from './data.ts'

const says: Readonly<Record<SyncIndexRecord['state'], string>> = {
  building: 'is being created',
  ready: 'ready',
  failed: 'could not be created; the service tries again after a pause',
}

/** Shows one index. */
function IndexRow({ entity, index }: { readonly entity: string; readonly index: SyncIndexRecord }) {
  const { field, state, size_bytes: size, used_at: used, created_at: created, error } = index
  return (
    <Table.Tr>
      <Table.Td>{entity}</Table.Td>
      <Table.Td>{field}</Table.Td>
      <Table.Td>
        {says[state]}
        {error !== null && ` (${error})`}
      </Table.Td>
      <Table.Td ta="right">{printSize(size)}</Table.Td>
      <Table.Td>
        <Time value={used} />
      </Table.Td>
      <Table.Td>
        <Time value={created} />
      </Table.Td>
    </Table.Tr>
  )
}

/** Shows all indexes. */
function IndexTable({ entities }: SyncStatusRecord) {
  const found = entities.flatMap(({ entity, indexes }) => indexes.map((index) => ({ entity, index })))
  if (found.length === 0)
    return (
      <EmptyState
        title="No indexes yet"
        says="The service creates one by itself when searches by a field are slow. There is nothing to do."
      />
    )
  return (
    <Table.ScrollContainer minWidth={720} scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': 'Indexes' } }}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Entity</Table.Th>
            <Table.Th>Field</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th ta="right">Size</Table.Th>
            <Table.Th>Last used</Table.Th>
            <Table.Th>Created</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {found.map(({ entity, index }) => (
            <IndexRow key={`${entity} ${index.field}`} entity={entity} index={index} />
          ))}
        </Table.Tbody>
      </Table>
      <Text size="sm" c="dimmed" py="xs">
        The service removes an index that no search uses.
      </Text>
    </Table.ScrollContainer>
  )
}

/** Shows the tab. */
export function IndexesTab({ connector }: { readonly connector: ConnectorRecord }) {
  const reading = useCopyReading(connector.id)
  return <ReadingView reading={reading}>{(copy) => <IndexTable {...copy} />}</ReadingView>
}
