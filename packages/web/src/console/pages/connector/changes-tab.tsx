/** What changes in the copies of a connector, while somebody looks. */
import { Anchor, Button, Group, Loader, NativeSelect, Stack, Text } from '@mantine/core'
import type { ChangeRecord, ConnectorRecord } from 'ferrule/wire'
import { useState } from 'react'
import { type SeenChange, useFeed } from '../../data/feed.ts'
import { basePath } from '../../data/page-facts.ts'
import { useAddressParams } from '../../data/params.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { printCounted } from '../../parts/print.ts'
import { ReadingView } from '../../parts/reading-view.tsx'
import { Section } from '../../parts/section.tsx'
import { type StateLook, StatePill } from '../../parts/states.tsx'
import { type ListColumn, ListTable } from '../../parts/table/list-table.tsx'
import { Time } from '../../parts/time.tsx'
import { type NamedValue, ValueDialog } from '../../parts/value-dialog.tsx'
import { ConsumersSection } from './consumers-section.tsx'
import { useCopyReading } from './data.ts'

const looks: Readonly<Record<ChangeRecord['type'], StateLook>> = {
  snapshot_begin: ['All records', 'gray'],
  present: ['Present', 'gray'],
  snapshot_end: ['End of all records', 'gray'],
  added: ['Added', 'green'],
  changed: ['Changed', 'blue'],
  removed: ['Removed', 'red'],
}

const causes: Readonly<Record<NonNullable<ChangeRecord['cause']>, string>> = {
  sync: 'a sync',
  live: 'a call that read it',
  webhook: 'a webhook of the vendor',
}

/** Builds the columns. @param onShow shows a record */
const buildColumns = (onShow: (shown: NamedValue) => void): readonly ListColumn<SeenChange>[] => [
  {
    title: 'Record',
    cell: ({ key = '', record }) =>
      record === undefined ? (
        <strong>{key}</strong>
      ) : (
        <Button variant="default" size="compact-sm" onClick={() => onShow({ title: key, value: record })} aria-label={`Show ${key}`}>
          {key}
        </Button>
      ),
  },
  { title: 'Change', width: '16%', cell: ({ type }) => <StatePill look={looks[type]} /> },
  {
    title: 'Fields',
    cell: ({ fields = [] }) => <span style={{ overflowWrap: 'anywhere' }}>{fields.length === 0 ? '–' : fields.join(', ')}</span>,
  },
  { title: 'Found by', width: '18%', cell: ({ cause }) => cause !== undefined && causes[cause] },
  { title: 'Time', width: '18%', cell: ({ changed_at: at }) => at !== undefined && <Time value={at} /> },
]

/** Follows the changes of an entity. */
function LiveChanges({ id, entity }: { readonly id: string; readonly entity: string }) {
  const [{ entries, count, isBegun, error }, goOn] = useFeed(id, entity)
  const [shown, setShown] = useState<NamedValue>()
  if (!isBegun && error === null) return <Loader aria-label="Loading" />
  return (
    <Stack>
      {error !== null && <ErrorBox error={error} title="Changes are not followed" onRetry={goOn} />}
      {isBegun && (
        <Text size="sm" role="status">
          {error === null ? 'Live' : 'Stopped'}: {printCounted(count, 'change')} of {entity} since you began to look.
        </Text>
      )}
      {entries.length > 0 ? (
        <ListTable label="Changes" columns={buildColumns(setShown)} rows={entries} rowKey={({ number }) => String(number)} />
      ) : (
        isBegun && (
          <EmptyState
            title="No change yet"
            says="It begins now: what a sync or a call finds new, changed or removed appears here by itself. Earlier changes are not listed."
          />
        )
      )}
      <ValueDialog shown={shown} onClose={() => setShown(undefined)} />
    </Stack>
  )
}

/** Shows the tab; the address has the entity. Nothing is read before one is chosen. */
export function ChangesTab({ connector: { id } }: { readonly connector: ConnectorRecord }) {
  const reading = useCopyReading(id)
  const [{ entity }, change] = useAddressParams('entity')
  return (
    <ReadingView reading={reading}>
      {({ entities }) => {
        const names = entities.flatMap((each) => (each.synced_at === null ? [] : [each.entity]))
        const chosen = names.find((name) => name === entity)
        if (names.length === 0) return <EmptyState title="No copy yet" says="Changes can be followed when the first sync has ended." />
        return (
          <Stack gap="xl">
            <Section
              title="Changes"
              about="What changes in the copy of an entity, the newest first. The service writes changes down from the first look on, and stops when nobody has looked for some days."
            >
              <Group align="end">
                <NativeSelect
                  label="Entity"
                  data={[{ value: '', label: 'Choose an entity' }, ...names]}
                  value={chosen ?? ''}
                  onChange={({ currentTarget }) => change({ entity: currentTarget.value })}
                />
                <Anchor href={`${basePath}/docs/changes`} size="sm">
                  How changes work
                </Anchor>
              </Group>
              {chosen !== undefined && <LiveChanges key={chosen} id={id} entity={chosen} />}
            </Section>
            <ConsumersSection id={id} />
          </Stack>
        )
      }}
    </ReadingView>
  )
}
