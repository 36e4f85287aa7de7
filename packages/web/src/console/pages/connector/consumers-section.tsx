/** Programs that read the changes of a connector, each from a place that the service keeps. */
import { Stack, Text } from '@mantine/core'
import type { ChangeConsumer } from 'ferrule/wire'
import { useRead } from '../../data/ferrule.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { printSize } from '../../parts/print.ts'
import { ReadingView } from '../../parts/reading-view.tsx'
import { Section } from '../../parts/section.tsx'
import { type StateLook, StatePill } from '../../parts/states.tsx'
import { type ListColumn, ListTable } from '../../parts/table/list-table.tsx'
import { Time } from '../../parts/time.tsx'

/** Time between two reads, in milliseconds. */
const everyMs = 15_000

const listKey = (id: string) => ['consumers', id]

/** Finds the state of a consumer in words. */
function findLook({ status, positions, unread_since: since }: ChangeConsumer): StateLook {
  if (status === 'expired') return ['Lost changes', 'red']
  if (positions.length === 0) return ['Not begun', 'gray']
  if (positions.some(({ state }) => state === 'snapshot')) return ['Reads all records', 'blue']
  return since === null ? ['Up to date', 'green'] : ['Behind', 'yellow']
}

/** Shows how much a consumer has not read. */
function Unread({ consumer: { positions, unread_bytes: bytes, unread_since: since } }: { readonly consumer: ChangeConsumer }) {
  if (positions.length === 0) return 'all records'
  if (since === null) return 'nothing'
  return (
    <>
      {printSize(bytes)}, since <Time value={since} />
    </>
  )
}

/** Asks, then deletes a consumer. */
function DeleteButton({ id, name }: { readonly id: string; readonly name: string }) {
  const deletion = useWrite((ferrule) => ferrule.consumers.delete(id, name), {
    refreshes: [listKey(id)],
    onDone: () => announce(`The consumer ${name} was deleted.`),
  })
  return (
    <ConfirmButton isSmall isDanger label="Delete" says={`Delete the consumer ${name}`} title={`Delete ${name}?`} mutation={deletion}>
      Its place goes, and nothing is kept for it any more. A program that still uses this name begins again with all records.
    </ConfirmButton>
  )
}

const buildColumns = (id: string): readonly ListColumn<ChangeConsumer>[] => [
  {
    title: 'Consumer',
    cell: ({ name, entities, status_reason: reason }) => (
      <Stack gap={2}>
        <strong style={{ overflowWrap: 'anywhere' }}>{name}</strong>
        <Text size="xs" c="dimmed">
          {entities === null ? 'all entities' : entities.join(', ')}
        </Text>
        {reason !== null && <Text size="xs">{reason}</Text>}
      </Stack>
    ),
  },
  { title: 'State', width: '18%', cell: (consumer) => <StatePill look={findLook(consumer)} /> },
  { title: 'Not read', width: '22%', cell: (consumer) => <Unread consumer={consumer} /> },
  { title: 'Last read', width: '16%', cell: ({ moved_at: at }) => <Time value={at} /> },
  { title: 'Actions', width: '15%', cell: ({ name }) => <DeleteButton id={id} name={name} /> },
]

/** Shows the section. */
export function ConsumersSection({ id }: { readonly id: string }) {
  const reading = useRead(listKey(id), (ferrule, signal) => ferrule.consumers.list(id, { signal }), { everyMs })
  return (
    <Section
      title="Consumers"
      about="Programs whose place in the changes the service keeps. What one has not read is kept for it, up to 64 MB of an entity; then its oldest changes go, and it gets all records again."
    >
      <ReadingView reading={reading}>
        {(consumers) =>
          consumers.length === 0 ? (
            <Text size="sm">No program has registered one.</Text>
          ) : (
            <ListTable label="Consumers" columns={buildColumns(id)} rows={consumers} rowKey={({ name }) => name} />
          )
        }
      </ReadingView>
    </Section>
  )
}
