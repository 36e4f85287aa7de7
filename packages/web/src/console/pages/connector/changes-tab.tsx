/** What changes in the copies of a connector, while somebody looks, and the programs that read it from a cursor that the service keeps. */
import { Anchor, Group, Loader, NativeSelect, Stack, Text } from '@mantine/core'
import { useDocumentVisibility } from '@mantine/hooks'
import { FerruleError } from 'ferrule/core'
import type { ChangeConsumer, ChangeRecord, ConnectorRecord } from 'ferrule/wire'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useConnector } from '../../data/connector.ts'
import { useRead } from '../../data/ferrule.ts'
import { basePath } from '../../data/page-facts.ts'
import { useAddressParams } from '../../data/params.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { bindValue } from '../../parts/form/text-entry.ts'
import { SmallButton } from '../../parts/looks.tsx'
import { printCounted, printSize } from '../../parts/print.ts'
import { ReadingView } from '../../parts/reading-view.tsx'
import { Section } from '../../parts/section.tsx'
import { type StateLook, StatePill } from '../../parts/states.tsx'
import { type ListColumn, ListTable } from '../../parts/table/list-table.tsx'
import { ReadTable } from '../../parts/table/read-table.tsx'
import { Time } from '../../parts/time.tsx'
import { type NamedValue, ValueDialog } from '../../parts/value-dialog.tsx'
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
const buildChangeColumns = (onShow: (shown: NamedValue) => void): readonly ListColumn<SeenChange>[] => [
  {
    title: 'Record',
    cell: ({ key = '', record }) =>
      record === undefined ? (
        <strong>{key}</strong>
      ) : (
        <SmallButton onClick={() => onShow({ title: key, value: record })} aria-label={`Show ${key}`}>
          {key}
        </SmallButton>
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

function LiveChanges({ id, entity }: { readonly id: string; readonly entity: string }) {
  const [{ entries, count, isBegun, error }, goOn] = useFeed(id, entity)
  const [shown, setShown] = useState<NamedValue>()
  if (!isBegun && error === null) return <Loader aria-label="Loading" />
  return (
    <Stack>
      <ErrorBox error={error} title="Changes are not followed" onRetry={goOn} />
      {isBegun && (
        <Text size="sm" role="status">
          {error === null ? 'Live' : 'Stopped'}: {printCounted(count, 'change')} of {entity} since you began to look.
        </Text>
      )}
      {entries.length > 0 ? (
        <ListTable label="Changes" columns={buildChangeColumns(setShown)} rows={entries} rowKey={({ number }) => String(number)} />
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
              about="What changes in the copy of an entity, the newest first. The service records changes from the first time that somebody looks. It stops after some days without a reader."
            >
              <Group align="end">
                <NativeSelect
                  label="Entity"
                  data={[{ value: '', label: 'Choose an entity' }, ...names]}
                  {...bindValue(chosen ?? '', (next) => change({ entity: next }))}
                />
                <Anchor href={`${basePath}/docs/changes`} size="sm" pb={8}>
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

/** Entries that are kept, the newest ones. */
const mostEntries = 200

/** A change, with its number since the page was opened. */
interface SeenChange extends ChangeRecord {
  readonly number: number
}

interface Feed {
  /** The newest first. */
  readonly entries: readonly SeenChange[]
  /** Changes since the beginning, also those that are no longer kept. */
  readonly count: number
  /** True: the service has answered. */
  readonly isBegun: boolean
  /** Why nothing more comes; null: it is followed. */
  readonly error: unknown
}

const nothing: Feed = { entries: [], count: 0, isBegun: false, error: null }

function addPage({ entries, count }: Feed, data: readonly ChangeRecord[]): Feed {
  const added = data.map((entry, index) => ({ ...entry, number: count + index + 1 }))
  return { entries: [...added.toReversed(), ...entries].slice(0, mostEntries), count: count + data.length, isBegun: true, error: null }
}

/**
 * Follows changes from now on, while the page is in sight: browsers allow six connections to a service without https, over all tabs. What
 * changes meanwhile comes when the page is in sight again.
 * @returns what was seen, and a function that resumes after an error
 */
function useFeed(id: string, entity: string): readonly [Feed, () => void] {
  const connector = useConnector(id)
  const isVisible = useDocumentVisibility() !== 'hidden'
  const [feed, setFeed] = useState(nothing)
  const [attempt, setAttempt] = useState(0)
  const after = useRef('now')
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt begins the effect again
  useEffect(() => {
    if (!isVisible) return
    const left = new AbortController()
    const { signal } = left
    const follow = async () => {
      for await (const { data, next } of connector.changePages(entity, { after: after.current }, { signal })) {
        after.current = next
        setFeed((before) => addPage(before, data))
      }
    }
    follow().catch((error: unknown) => {
      if (signal.aborted) return
      if (error instanceof FerruleError && error.code === 'changes_expired') after.current = 'now'
      setFeed((before) => ({ ...before, error }))
    })
    return () => left.abort()
  }, [connector, entity, isVisible, attempt])
  return [feed, useCallback(() => setAttempt((before) => before + 1), [])]
}

/** Time between two reads, in milliseconds. */
const everyMs = 15_000

const listKey = (id: string) => ['consumers', id]

function findLook({ status, positions, unread_since: since }: ChangeConsumer): StateLook {
  if (status === 'expired') return ['Lost changes', 'red']
  if (positions.length === 0) return ['Not begun', 'gray']
  if (positions.some(({ state }) => state === 'snapshot')) return ['Reads all records', 'blue']
  return since === null ? ['Up to date', 'green'] : ['Behind', 'yellow']
}

function Unread({ consumer: { positions, unread_bytes: bytes, unread_since: since } }: { readonly consumer: ChangeConsumer }) {
  if (positions.length === 0) return 'all records'
  if (since === null) return 'nothing'
  return (
    <>
      {printSize(bytes)}, since <Time value={since} />
    </>
  )
}

function DeleteButton({ id, name }: { readonly id: string; readonly name: string }) {
  const deletion = useWrite((ferrule) => ferrule.consumers.delete(id, name), {
    refreshes: [listKey(id)],
    onDone: () => announce(`The consumer ${name} was deleted.`),
  })
  return (
    <ConfirmButton isSmall isDanger label="Delete" says={`Delete the consumer ${name}`} title={`Delete ${name}?`} mutation={deletion}>
      Its position goes, and nothing is kept for it any more. A program that still uses this name begins again with all records.
    </ConfirmButton>
  )
}

const buildConsumerColumns = (id: string): readonly ListColumn<ChangeConsumer>[] => [
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

function ConsumersSection({ id }: { readonly id: string }) {
  const reading = useRead(listKey(id), (ferrule, signal) => ferrule.consumers.list(id, { signal }), { everyMs })
  return (
    <Section
      title="Consumers"
      about="Programs whose position in the changes the service keeps. What one has not read is kept for it, up to 64 MB of an entity; then its oldest changes go, and it gets all records again."
    >
      <ReadTable
        label="Consumers"
        columns={buildConsumerColumns(id)}
        reading={reading}
        rowKey={({ name }) => name}
        none={<Text size="sm">No program has registered one.</Text>}
      />
    </Section>
  )
}
